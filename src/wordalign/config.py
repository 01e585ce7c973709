"""All that decides about links, in one frozen value.

    AlignConfig(model="tiny", method=("itermax:n_max=3",), distortion=0.5)

`Aligner` is built from it, worker processes and clusters are sent it, the service and the command line make
it of what they are given. A new option is a field with its check here, an argument in `cli/options.py` and,
where requests may choose it, an entry in `serve/schemas.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, TypeAlias, TypedDict

from wordalign.errors import UnknownNameError, UsageError
from wordalign.registry import Registry
from wordalign.types import Bools

LEVELS = ("word", "subword")
Layer: TypeAlias = int | Literal["conc"]
Extractor: TypeAlias = Callable[..., Bools]

METHODS: Registry[Extractor] = Registry(
    "method",
    {
        "calibrated": "wordalign.links.calibrated:calibrated",
        "argmax": "wordalign.links.argmax:argmax",
        "forward": "wordalign.links.argmax:forward",
        "reverse": "wordalign.links.argmax:reverse",
        "itermax": "wordalign.links.itermax:itermax",
        "match": "wordalign.links.match:match",
    },
    entry_points="wordalign.methods",
)


@dataclass(frozen=True)
class NullThresholds:
    """The entropy of each method above which links are dropped, and how it was found.

    `tau` and `links` (how many links the threshold rests on) go by the method's spec; `signature` says
    which similarities they were found on, since they mean nothing for others.
    """

    percentile: float
    tau: Mapping[str, float]
    links: Mapping[str, int]
    signature: str


class AlignOptions(TypedDict, total=False):
    """The options of `AlignConfig` other than the model, as keyword arguments of `Aligner`."""

    revision: str | None
    layer: Layer | None
    level: str | None
    method: str | Sequence[str] | None
    distortion: float
    null: float | NullThresholds | None
    threshold: float
    device: str | None
    dtype: str | None


@dataclass(frozen=True)
class AlignConfig:
    """What decides about links. What is None is left to the model.

    `model`      a short name (`wordalign models`), a Hugging Face name or a folder
    `revision`   of a model on the Hugging Face hub: a branch, tag or commit
    `layer`      0 (the embedding layer) to the model's last, or "conc"
    `level`      "subword" links subwords and then the words they belong to; "word" links mean vectors
    `method`     one or more specs of methods, as "argmax" or "itermax:n_max=3"; kept as a tuple
    `distortion` kappa of the distortion correction; 0 switches it off, the paper uses 0.5
    `null`       links of higher entropy are dropped: a threshold tau, or those of `find_null_thresholds`
    `threshold`  links of a lower score are dropped
    `device`     where the model runs: "cpu", "cuda", "mps", or "auto" for the best; for files also several,
                 as "cuda:0,cuda:1", or "all". The bundled models run on the processor, others on the best
    `dtype`      of a model that runs with torch: "float32", "bfloat16" or "float16"
    """

    model: str | None = None
    revision: str | None = None
    layer: Layer | None = None
    level: str | None = None
    method: str | Sequence[str] | None = None
    distortion: float = 0.0
    null: float | NullThresholds | None = None
    threshold: float = 0.0
    device: str | None = None
    dtype: str | None = None

    def __post_init__(self) -> None:
        if self.model is not None and not isinstance(self.model, str):
            raise UsageError(f"A model is a name or a folder, not {self.model!r:.80}.")
        if self.level not in (None, *LEVELS):
            raise UnknownNameError("level", str(self.level), LEVELS)
        if self.layer not in (None, "conc") and not isinstance(self.layer, Integral):
            raise UsageError(f"A layer is a number or 'conc', not {self.layer!r:.80}.")
        if not _is_share(self.distortion):
            raise UsageError(f"The distortion's kappa lies between 0 and 1, not {self.distortion!r:.80}.")
        if not _is_share(self.threshold):
            raise UsageError(
                f"Scores, and so the threshold, lie between 0 and 1, not {self.threshold!r:.80}."
            )
        if not (self.null is None or isinstance(self.null, NullThresholds) or _is_share(self.null)):
            raise UsageError(f"The null threshold tau lies between 0 and 1, not {self.null!r:.80}.")
        if self.method is not None:
            if not isinstance(self.method, Iterable):
                raise UsageError(
                    f"A method is a name or a spec, or several of them, not {self.method!r:.80}."
                )
            given = (self.method,) if isinstance(self.method, str) else tuple(map(str, self.method))
            # Names and parameters are checked before a model is loaded, which may take a while.
            parsed = [METHODS.parse(spec) for spec in given]
            if not parsed or any(one in parsed[:number] for number, one in enumerate(parsed)):
                raise UsageError(f"Give one or more different methods, not {', '.join(given) or 'none'}.")
            object.__setattr__(self, "method", given)

    @property
    def specs(self) -> tuple[str, ...]:
        """The specs of the methods; none where they are left to the model."""
        return () if self.method is None else tuple(self.method)

    def similarity_signature(self, encoder: str) -> str:
        """All that a similarity depends on, where `encoder` is what the model says of itself."""
        parts = [encoder, f"level={self.level}"]
        if self.distortion:
            parts.append(f"distortion={self.distortion:g}")
        return " | ".join(parts)

    def signature(self, encoder: str, method: str, tau: float | None = None) -> str:
        """All that the links of one method and their scores depend on, but for the version of wordalign."""
        parts = [self.similarity_signature(encoder), f"method={method}"]
        if tau is not None:
            parts.append(f"null={tau:.6g}")
        if self.threshold:
            parts.append(f"threshold={self.threshold:g}")
        return " | ".join(parts)


def _is_share(value: object) -> bool:
    return isinstance(value, Real) and 0 <= float(value) <= 1
