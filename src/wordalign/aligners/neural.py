"""The stages wired together: pairs of sentences in, word links out; one call, one batch, one stream."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, Self, Unpack

from wordalign import __version__
from wordalign.aligners.base import BaseAligner
from wordalign.config import AlignConfig, AlignOptions, NullThresholds
from wordalign.encoders import Encoder, encoder_of
from wordalign.errors import UnknownNameError, UsageError
from wordalign.links import EntropyPercentile, Method
from wordalign.links.doubt import Watch, doubt
from wordalign.links.linker import ByMethod, Extraction, HostLinker, Linker, linker_for
from wordalign.links.similarity import SimilarityMatrix, distorted
from wordalign.machine import available_cores, free_memory
from wordalign.parallel import cut, ordered, stop_all
from wordalign.template import alike
from wordalign.text import Segmenter
from wordalign.text.pairs import PairLike, as_pair
from wordalign.text.segmenters import find_segmenter
from wordalign.types import Alignment, Pair, Sentence

# Words of a chunk for each of its pairs, on the average: few texts exceed it, and a chunk of very long
# sentences has fewer pairs.
WORDS_A_PAIR = 80
WORKER_BYTES = 512 << 20  # more than a process with a bundled model takes, its chunks included
log = logging.getLogger(__name__)

# What the model was loaded with, and cannot be changed in an aligner.
_OF_THE_MODEL = ("model", "revision", "layer", "device", "dtype")


class Aligner(BaseAligner):
    """Links the words of a sentence to the words of its translation, by the vectors of a model.

    `model` is a short name (`wordalign models`), a Hugging Face name or folder, or an `Encoder`. The other
    options are those of `AlignConfig`; `segmenter`, a name or a function, splits raw text of scripts without
    spaces.

    An aligner does not change once it is made: `config` is what it does, with the defaults of the model
    filled in, and `with_options` makes another one on the same model. Several threads may use one aligner
    at the same time.
    """

    config: AlignConfig
    encoder: Encoder
    _methods: Mapping[str, Method]
    _null: Mapping[str, float]
    _segmenter: Segmenter | None
    _host: HostLinker
    _linker: Linker
    _reloadable: bool
    _watch: Watch

    def __init__(
        self,
        model: str | Encoder | None = None,
        *,
        segmenter: str | Segmenter | None = None,
        **options: Unpack[AlignOptions],
    ) -> None:
        if isinstance(model, AlignConfig):
            raise UsageError("The aligner of a configuration is Aligner.from_config(configuration).")
        if isinstance(model, Encoder):
            # Nothing can be loaded by the name that such a model gives itself, and trying to says so.
            self._set_up(AlignConfig(model.signature, **options), model, segmenter, reloadable=False)
        else:
            self._set_up(AlignConfig(model, **options), None, segmenter)

    @classmethod
    def from_config(
        cls, config: AlignConfig, *, encoder: Encoder | None = None, segmenter: str | Segmenter | None = None
    ) -> Self:
        """The aligner of a configuration. `encoder` is its model, where that is loaded already."""
        aligner = cls.__new__(cls)
        aligner._set_up(config, encoder, segmenter)
        return aligner

    def _set_up(
        self,
        config: AlignConfig,
        encoder: Encoder | None,
        segmenter: str | Segmenter | None,
        reloadable: bool = True,
        watch: Watch | None = None,
    ) -> None:
        encoder = encoder or encoder_of(config)
        own = Method.parse(encoder.default_method)
        methods = [
            Method.parse(spec, own).with_calibration(encoder.calibration)
            for spec in config.specs or (str(own),)
        ]
        for method in methods:
            method.check()
        level = config.level or encoder.default_level
        config = replace(config, level=level, method=tuple(map(str, methods)))
        names = [method.name for method in methods]
        keyed = {method.name if names.count(method.name) == 1 else str(method): method for method in methods}
        vars(self).update(
            config=config,
            encoder=encoder,
            _methods=keyed,
            _null=_null_thresholds(config, encoder, keyed),
            _segmenter=None if segmenter is None else find_segmenter(segmenter),
            _host=HostLinker(encoder, level),
            _linker=linker_for(encoder, level),
            _reloadable=reloadable,
            _watch=watch or Watch(self._tell_doubt),
        )

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"An aligner does not change: make another one with with_options({name}=…).")

    def with_options(self, **changes: Unpack[AlignOptions]) -> Self:
        """Another aligner on the same loaded model, with other options of `AlignConfig`."""
        fixed = [name for name in _OF_THE_MODEL if name in changes]
        if fixed:
            raise UsageError(
                f"with_options keeps the model that is loaded, with its {' and '.join(fixed)}: make a new "
                "Aligner for another one."
            )
        aligner = type(self).__new__(type(self))
        config = replace(self.config, **changes)
        aligner._set_up(config, self.encoder, self._segmenter, self._reloadable, self._watch)
        return aligner

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the methods; full specs where two have the same name."""
        return tuple(self._methods)

    @property
    def level(self) -> str:
        """What is linked: "word" or "subword"."""
        return str(self.config.level)

    def stream_methods(
        self, pairs: Iterable[PairLike], workers: int = 1
    ) -> Iterator[Mapping[str, Alignment]]:
        """Like `stream`, but for every method of the aligner at once: each pair is encoded only once."""
        if workers < 0:
            raise UsageError(f"The number of workers is 0 (what is best here) or more, not {workers}.")
        chunks = self._chunks(pairs)
        on_processor = self.encoder.device.startswith("cpu")
        workers = workers or self._default_workers()
        if workers > 1 and on_processor:
            return self._stream_in_processes(chunks, workers)
        return self._stream_here(chunks)

    def matrices(self, pairs: Iterable[PairLike]) -> list[SimilarityMatrix]:
        """The similarities of many pairs, encoded in one batch; as the model has them, without distortion.

        For those who look at the matrix itself or extract links in several ways (`extract`); `stream`
        does both and keeps memory bounded.
        """
        return self._host.matrices([as_pair(pair, self._segmenter) for pair in pairs])

    def extract(
        self, pairs: Iterable[PairLike], matrices: Sequence[SimilarityMatrix]
    ) -> Iterator[Mapping[str, Alignment]]:
        """The links in matrices of the same level, for every method: distortion, null and threshold count."""
        found = [as_pair(pair, self._segmenter) for pair in pairs]
        return self._host.extract(found, matrices, self._extraction())

    def doubt(self, pairs: Iterable[PairLike]) -> str | None:
        """Say in a sentence why the links of these pairs are not to be trusted; None if nothing shows.

        It finds text in languages that a bundled model was hardly trained on, best of 50 pairs or more. What
        is aligned is looked at in this way, once, and the sentence goes to the log.
        """
        found = [as_pair(pair, self._segmenter) for pair in pairs]
        return (
            None
            if self.encoder.calibration is None
            else doubt(found, self._host.matrices(found), self.encoder)
        )

    def _tell_doubt(self, pairs: list[Pair]) -> None:
        if sentence := self.doubt(pairs):
            log.warning("%s", sentence)

    def find_null_thresholds(self, pairs: Iterable[PairLike], percentile: float = 95.0) -> NullThresholds:
        """The thresholds for `null`: a percentile of the entropies of all links of these pairs.

        A first pass over the corpus that is to be aligned, or over a sample of it;
        `with_options(null=thresholds)` makes the second one, over a corpus or a stream.
        """
        specs = {str(method): method for method in self._methods.values()}
        entropies = {spec: EntropyPercentile() for spec in specs}
        for chunk in self._chunks(pairs):
            situations = self._extraction().situations(chunk)
            for plain, situation in zip(self._host.matrices(chunk), situations, strict=True):
                similarity = distorted(plain, self.config.distortion).similarity
                for spec, method in specs.items():
                    entropies[spec].add(method.in_situation(situation)(similarity), similarity)
        return NullThresholds(
            percentile,
            {spec: found.tau(percentile) for spec, found in entropies.items()},
            {spec: found.links for spec, found in entropies.items()},
            self.config.similarity_signature(self.encoder.signature),
        )

    def signature(self, method: str | None = None) -> str:
        """All that a score depends on, so that two of them can be compared; by default the first method's."""
        key = self.methods[0] if method is None else method
        if key not in self._methods:
            raise UnknownNameError("method of this aligner", key, self._methods)
        parts = self.config.signature(self.encoder.signature, str(self._methods[key]), self._null.get(key))
        return f"{parts} | wordalign {__version__}"

    def _default_workers(self) -> int:
        """A process for each core that memory allows where a small model runs on the processor; else 1."""
        on_processor = self.encoder.device.startswith("cpu")
        if not (on_processor and self.encoder.one_process_per_core and self._reloadable):
            return 1
        free = free_memory()
        return available_cores() if free is None else max(1, min(available_cores(), free // WORKER_BYTES))

    @property
    def _chunk_pairs(self) -> int:
        """How many pairs are aligned together; whoever cuts a corpus into parts should give so many."""
        return self._linker.chunk_pairs

    def _chunks(self, pairs: Iterable[PairLike]) -> Iterator[list[Pair]]:
        most = self._chunk_pairs
        found = (as_pair(pair, self._segmenter) for pair in pairs)
        for chunk in cut(found, most, lambda pair: len(pair.source) + len(pair.target), most * WORDS_A_PAIR):
            self._watch(chunk)
            yield chunk

    def _begin(self, pairs: Sequence[Pair]) -> Callable[[], list[Mapping[str, Alignment]]]:
        """Like `stream_methods` for one chunk in two steps: a GPU works on it until its links are called for.

        On the host, all is done when they are called for. The chunk is not cut again.
        """
        finish = self._linker.start(pairs, self._extraction())
        return lambda: list(finish())

    def _warm_up(self) -> None:
        """Run the model once: libraries take the memory that they keep with the first sentence."""
        self._begin([Pair(Sentence(("a",)), Sentence(("a",)))])()

    def _extraction(self) -> Extraction:
        config = self.config
        return Extraction(
            self._methods, config.distortion, self._null, config.threshold, self.encoder.calibration
        )

    def _stream_here(self, chunks: Iterator[list[Pair]]) -> Iterator[ByMethod]:
        """A device is at work on the next chunk while the links of one are handed on."""
        extraction = self._extraction()
        waiting: Callable[[], Iterable[ByMethod]] | None = None
        while True:
            try:
                chunk = next(chunks, None)
                started = None if chunk is None else self._linker.start(chunk, extraction)
            except Exception:
                # What came before a bad line is still handed on.
                if waiting is not None:
                    yield from waiting()
                raise
            if waiting is not None:
                yield from waiting()
                waiting = None
            if started is None:
                return
            if self._linker.ahead:
                waiting = started
            else:
                yield from started()

    def _stream_in_processes(self, chunks: Iterator[list[Pair]], workers: int) -> Iterator[ByMethod]:
        if not self._reloadable:
            raise UsageError(
                "Worker processes load the model by its name, but this aligner was given one in person: "
                "give the model's name or folder, or workers=1."
            )
        threads = max(1, available_cores() // workers)
        lanes = alike(partial(_open, self.config), workers, threads, self.encoder.one_process_per_core)
        with closing(ordered(chunks, lanes, 2 * workers, partial(stop_all, lanes))) as results:
            for found in results:
                yield from found


def _open(config: AlignConfig) -> Callable[[list[Pair]], list[ByMethod]]:
    """Run in a worker process: load the model."""
    aligner = Aligner.from_config(config)
    aligner._warm_up()
    return lambda chunk: aligner._begin(chunk)()


def _null_thresholds(
    config: AlignConfig, encoder: Encoder, methods: Mapping[str, Method]
) -> dict[str, float]:
    """The entropy of each method above which its links are dropped."""
    null = config.null
    if null is None:
        return {}
    if not isinstance(null, NullThresholds):
        return dict.fromkeys(methods, null)
    signature = config.similarity_signature(encoder.signature)
    if null.signature != signature:
        raise UsageError(
            f"These null thresholds were found for '{null.signature}', but this is '{signature}': "
            "find them again with the same settings."
        )
    missing = [str(method) for method in methods.values() if str(method) not in null.tau]
    if missing:
        raise UsageError(
            f"These null thresholds are for {', '.join(null.tau)}, but not for {', '.join(missing)}: "
            "find them again with the same methods."
        )
    return {key: null.tau[str(method)] for key, method in methods.items()}
