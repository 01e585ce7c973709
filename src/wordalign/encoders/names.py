"""Model names -> encoders. Listing them imports nothing; loading one imports what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wordalign.encoders.base import Encoder
from wordalign.errors import MissingExtraError, UnknownNameError, UsageError


@dataclass(frozen=True, slots=True)
class BundledModel:
    """A model that the package carries: no torch, no download."""

    name: str
    note: str

    @property
    def folder(self) -> Path:
        return Path(__file__).parent.parent / "models" / self.name


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A Hugging Face model with a short name and the layer that aligns best."""

    short: str
    name: str
    layer: int
    note: str


# The first is the default.
BUNDLED_MODELS = (
    BundledModel("base", "bundled; English with 37 languages, calibrated scores"),
    BundledModel("tiny", "bundled; the same, twice as fast, a little less exact"),
)

KNOWN_MODELS = (
    KnownModel("mbert", "bert-base-multilingual-cased", 8, "104 languages (layer: Jalili Sabet et al. 2020)"),
    KnownModel("xlmr", "xlm-roberta-base", 8, "100 languages (layer: Jalili Sabet et al. 2020)"),
    KnownModel("labse", "sentence-transformers/LaBSE", 6, "109 languages (layer: Wang et al. 2022)"),
)


def load_encoder(
    model: str | None,
    *,
    layer: int | Literal["conc"] | None = None,
    device: str | None = None,
    dtype: str = "float32",
    revision: str | None = None,
) -> Encoder:
    """Load a model by short name, hub name or local folder; None is the default.

    A folder is in Hugging Face format, or holds the vectors of two languages (`wordalign vectors map`).
    """
    bundled = {known.name: known for known in BUNDLED_MODELS}
    if model is None or model in bundled:
        return _load_bundled(bundled[model] if model else BUNDLED_MODELS[0], layer, device, dtype)
    if (Path(model) / "vectors.json").is_file():
        return _load_static(model, layer, device, dtype)
    known = next((known for known in KNOWN_MODELS if model in (known.short, known.name)), None)
    if known is not None:
        model, layer = known.name, known.layer if layer is None else layer
    elif not Path(model).is_dir() and (
        model.startswith((".", "/", "~")) or model.endswith("/") or model.count("/") > 1
    ):
        raise UsageError(f"There is no folder {model!r}; a local model is a folder in Hugging Face format.")
    elif "/" not in model and not Path(model).is_dir():
        _refuse_near_miss(model)
    try:
        from wordalign.encoders.huggingface import HuggingFaceEncoder
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "transformers"):
            raise
        raise MissingExtraError(f"The model {model!r}", "hf") from error
    return HuggingFaceEncoder(model, layer=layer, device=device, dtype=dtype, revision=revision)


def _load_bundled(model: BundledModel, layer: object, device: str | None, dtype: str) -> Encoder:
    from wordalign.encoders.onnx import OnnxEncoder

    if layer is not None or device not in (None, "cpu") or dtype != "float32":
        raise UsageError(
            f"The bundled model {model.name!r} has one layer to read, runs on the CPU and in int8: "
            "layer, device and dtype are for Hugging Face models."
        )
    return OnnxEncoder(model.folder)


def _load_static(folder: str, layer: object, device: str | None, dtype: str) -> Encoder:
    from wordalign.encoders.static import StaticEncoder

    if layer is not None or device not in (None, "cpu") or dtype != "float32":
        raise UsageError(
            f"{folder} holds word vectors, which have no layers and are only looked up: "
            "layer, device and dtype are for Hugging Face models."
        )
    return StaticEncoder.load(folder)


def _refuse_near_miss(model: str) -> None:
    """Catch `mbart` or `xlm-roberta-bse` before a hub is asked for them.

    Hub names without an owner are few and old, so a name that is nearly one of ours is a slip.
    """
    names = [known.name for known in BUNDLED_MODELS]
    names += [name for known in KNOWN_MODELS for name in (known.short, known.name)]
    error = UnknownNameError("model", model, names, "Any other Hugging Face model: owner/name or a folder.")
    if "Did you mean" in str(error) and len(model) < 8:
        raise error
