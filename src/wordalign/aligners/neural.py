"""The stages wired together: pairs of sentences in, word links out; one call, one batch, one stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, Unpack

import numpy as np

from wordalign import __version__
from wordalign.config import AlignConfig, AlignOptions, NullThresholds
from wordalign.encoders import Encoder, load_encoder
from wordalign.encoders.calibration import Calibration
from wordalign.errors import UsageError, WordalignError
from wordalign.links import EntropyPercentile, Method, drop_null
from wordalign.links.similarity import cosine_similarity, distortion, unit_rows, word_means
from wordalign.links.words import MOST_PAIRS, link_keys, word_alignments
from wordalign.text import Segmenter
from wordalign.text.pairs import PairLike, SentenceLike, as_pair
from wordalign.types import Alignment, Bools, Encoding, Floats, Ints, Pair, Sentence

if TYPE_CHECKING:
    from wordalign.encoders.huggingface.rows import RowEncoder
    from wordalign.links.device import DeviceLinker, Extraction, Started

# What is in memory at once: enough sentences for full batches of similar length, and no more words than
# that even when every sentence is very long.
CHUNK_PAIRS = 256
CHUNK_WORDS = 20_000
STACK_CELLS = 1 << 16


class Aligner:
    """Links the words of a sentence to the words of its translation.

    A sentence is a list of words, or a string of raw text, which is split by the Unicode word rules.

    `model` is a short name (`wordalign models`), a Hugging Face name or folder, or an `Encoder`. The other
    options are those of `AlignConfig`; `segmenter` splits raw text of scripts without spaces. `config` is
    what the aligner does, with the defaults of the model filled in.
    """

    def __init__(
        self,
        model: str | Encoder | None = None,
        *,
        segmenter: Segmenter | None = None,
        **options: Unpack[AlignOptions],
    ) -> None:
        if model is None or isinstance(model, str):
            self._set_up(AlignConfig(model, **options), None, segmenter)
        else:
            # Nothing can be loaded by that name, and trying to says so.
            self._set_up(AlignConfig(model.signature, **options), model, segmenter)

    @classmethod
    def from_config(
        cls, config: AlignConfig, *, encoder: Encoder | None = None, segmenter: Segmenter | None = None
    ) -> Self:
        """The aligner of a configuration. `encoder` is its model, where that is loaded already."""
        aligner = cls.__new__(cls)
        aligner._set_up(config, encoder, segmenter)
        return aligner

    def _set_up(self, config: AlignConfig, encoder: Encoder | None, segmenter: Segmenter | None) -> None:
        self.encoder = encoder or load_encoder(
            config.model,
            layer=config.layer,
            device=config.device,
            dtype=config.dtype,
            revision=config.revision,
        )
        self._calibration: Calibration | None = getattr(self.encoder, "calibration", None)
        own = Method.parse(getattr(self.encoder, "default_method", "itermax"))
        self.methods = [
            Method.parse(spec, own).with_calibration(self._calibration)
            for spec in config.method or [str(own)]
        ]
        level = config.level or str(getattr(self.encoder, "default_level", "subword"))
        self.config = replace(config, level=level, method=tuple(map(str, self.methods)))
        self._segmenter = segmenter
        self._null = self._null_thresholds()
        self._rows: RowEncoder | None = getattr(self.encoder, "on_device", None)
        self._linker = None if self._rows is None else _device_linker(self._rows, level)

    @property
    def level(self) -> str:
        """ "word" or "subword": what is linked."""
        return str(self.config.level)

    def align(self, source: SentenceLike, target: SentenceLike) -> Alignment:
        """The links of one pair, by the first method."""
        return self.align_batch([(source, target)])[0]

    def align_batch(self, pairs: Iterable[PairLike]) -> list[Alignment]:
        """The links of many pairs, in order, by the first method."""
        return list(self.stream(pairs))

    def stream(self, pairs: Iterable[PairLike]) -> Iterator[Alignment]:
        """The links of any number of pairs, in order and in bounded memory, by the first method."""
        name = self.methods[0].name
        return (by_method[name] for by_method in self.stream_methods(pairs))

    def stream_methods(self, pairs: Iterable[PairLike]) -> Iterator[Mapping[str, Alignment]]:
        """Like `stream`, but for every method of the aligner at once: each pair is encoded only once."""
        if self._linker is not None:
            yield from self._stream_on_device(pairs, self._linker)
            return
        for chunk in self._chunks(pairs):
            yield from self.extract(chunk, self.matrices(chunk))

    def begin(self, pairs: Sequence[PairLike]) -> Callable[[], list[Mapping[str, Alignment]]]:
        """Like `stream_methods` for one chunk in two steps: a GPU works on it until its links are called for.

        On the host, all is done when they are called for.
        """
        chunk = [as_pair(pair, self._segmenter) for pair in pairs]
        if self._linker is None:
            return lambda: list(self.stream_methods(chunk))
        parts = [self._linker.start(part, self._extraction()) for part in self._chunks(chunk)]
        return lambda: [found for part in parts for found in part.finish()]

    @property
    def chunk_pairs(self) -> int:
        """How many pairs are aligned together; whoever cuts a corpus into parts should give so many."""
        return int(getattr(self._rows or self.encoder, "chunk_pairs", CHUNK_PAIRS))

    def similarity(self, source: SentenceLike, target: SentenceLike) -> Floats:
        """The matrix that links are extracted from, distortion included; a row a unit of `level`."""
        return self._distorted(self.matrices([(source, target)]))[0].similarity

    def matrices(self, pairs: Iterable[PairLike]) -> list[SimilarityMatrix]:
        """The similarities of many pairs, encoded in one batch; as the model has them, without distortion.

        For those who look at the matrix itself or extract links in several ways (`extract`); `stream`
        does both and keeps memory bounded.
        """
        found = [as_pair(pair, self._segmenter) for pair in pairs]
        sources, targets = [pair.source for pair in found], [pair.target for pair in found]
        other: Encoder | None = getattr(self.encoder, "target", None)
        of_source = self._encodings(self.encoder, sources if other else [*sources, *targets])
        of_target = self._encodings(other, targets) if other else of_source
        matrices = []
        for pair in found:
            source = of_source[pair.source.words]
            target = of_target[pair.target.words]
            similarity = cosine_similarity(source.vectors, target.vectors)
            if source.group_of_row is not None and target.group_of_row is not None:
                similarity *= source.group_of_row[:, None] == target.group_of_row[None, :]
            matrices.append(SimilarityMatrix(similarity, source.word_of_row, target.word_of_row))
        return matrices

    def extract(
        self, pairs: Sequence[Pair], matrices: Sequence[SimilarityMatrix]
    ) -> Iterator[Mapping[str, Alignment]]:
        """The links in matrices of the same level, for every method: distortion, null and threshold count."""
        for start in range(0, len(pairs), MOST_PAIRS):
            part = pairs[start : start + MOST_PAIRS]
            distorted = self._distorted(matrices[start : start + MOST_PAIRS])
            by_method = {method.name: self._alignments(method, part, distorted) for method in self.methods}
            for number in range(len(part)):
                yield {name: alignments[number] for name, alignments in by_method.items()}

    def calibrate_null(self, pairs: Iterable[PairLike], percentile: float = 95.0) -> NullThresholds:
        """The thresholds for `null`: a percentile of the entropies of all links of these pairs.

        A first pass over the corpus that is to be aligned, or over a sample of it; `with_null` and the
        result make the second one, over a corpus or a stream.
        """
        entropies = {str(method): EntropyPercentile() for method in self.methods}
        for chunk in self._chunks(pairs):
            matrices = self._distorted(self.matrices(chunk))
            for method in self.methods:
                for links, matrix in zip(_extract(method, matrices), matrices, strict=True):
                    entropies[str(method)].add(links, matrix.similarity)
        return NullThresholds(
            percentile,
            {method: found.tau(percentile) for method, found in entropies.items()},
            {method: found.links for method, found in entropies.items()},
            self._similarity_signature,
        )

    def with_null(self, null: float | NullThresholds | None) -> Aligner:
        """The same aligner, on the same loaded model, with another null threshold."""
        other = copy(self)
        other.config = replace(self.config, null=null)
        other._null = other._null_thresholds()
        return other

    def signature(self, method: str | None = None) -> str:
        """All that a score depends on, so that two of them can be compared."""
        chosen = next((known for known in self.methods if known.name == method), self.methods[0])
        parts = self.config.signature(self.encoder.signature, str(chosen), self._null.get(chosen.name))
        return f"{parts} | wordalign {__version__}"

    @property
    def _similarity_signature(self) -> str:
        return self.config.similarity_signature(self.encoder.signature)

    def _null_thresholds(self) -> dict[str, float]:
        null = self.config.null
        if null is None:
            return {}
        if not isinstance(null, NullThresholds):
            return {method.name: null for method in self.methods}
        if null.signature != self._similarity_signature:
            raise UsageError(
                f"These null thresholds were found for '{null.signature}', but this is "
                f"'{self._similarity_signature}': find them again with the same settings."
            )
        missing = [str(method) for method in self.methods if str(method) not in null.tau]
        if missing:
            raise UsageError(
                f"These null thresholds are for {', '.join(null.tau)}, but not for {', '.join(missing)}: "
                "find them again with the same methods."
            )
        return {method.name: null.tau[str(method)] for method in self.methods}

    def _chunks(self, pairs: Iterable[PairLike]) -> Iterator[list[Pair]]:
        chunk: list[Pair] = []
        words = 0
        most_pairs = self.chunk_pairs
        most_words = CHUNK_WORDS * most_pairs // CHUNK_PAIRS
        try:
            for pair in (as_pair(pair, self._segmenter) for pair in pairs):
                chunk.append(pair)
                words += len(pair.source) + len(pair.target)
                if len(chunk) == most_pairs or words >= most_words:
                    yield chunk
                    chunk, words = [], 0
        except WordalignError:
            # What came before a bad line is still aligned and handed on.
            if chunk:
                yield chunk
            raise
        if chunk:
            yield chunk

    def _stream_on_device(
        self, pairs: Iterable[PairLike], linker: DeviceLinker
    ) -> Iterator[Mapping[str, Alignment]]:
        """One chunk ahead: the device is at work on it while the one before is handed on."""
        extraction = self._extraction()
        chunks = self._chunks(pairs)
        ahead: Started | None = None
        while True:
            try:
                chunk = next(chunks, None)
                started = None if chunk is None else linker.start(chunk, extraction)
            except WordalignError:
                if ahead is not None:
                    yield from ahead.finish()
                raise
            if ahead is not None:
                yield from ahead.finish()
            if started is None:
                return
            ahead = started

    def _extraction(self) -> Extraction:
        from wordalign.links.device import Extraction

        return Extraction(
            self.methods, self.config.distortion, self._null, self.config.threshold, self._calibration
        )

    def _distorted(self, matrices: Sequence[SimilarityMatrix]) -> Sequence[SimilarityMatrix]:
        if not self.config.distortion:
            return matrices
        distorted = []
        for matrix in matrices:
            penalty = distortion(len(matrix.word_of_row), len(matrix.word_of_column), self.config.distortion)
            similarity = matrix.similarity * penalty.astype(matrix.similarity.dtype)
            distorted.append(replace(matrix, similarity=similarity))
        return distorted

    def _encodings(self, encoder: Encoder, sentences: Iterable[Sentence]) -> dict[tuple[str, ...], Encoding]:
        """By their words: a sentence that occurs twice (often a translation of several) is encoded once."""
        distinct = list(dict.fromkeys(sentence.words for sentence in sentences))
        encodings = map(self._unit_encoding, encoder.encode(distinct))
        return dict(zip(distinct, encodings, strict=True))

    def _unit_encoding(self, encoding: Encoding) -> Encoding:
        if self.level == "word":
            encoding = word_means(encoding)
        return replace(encoding, vectors=unit_rows(encoding.vectors))

    def _alignments(
        self, method: Method, pairs: Sequence[Pair], matrices: Sequence[SimilarityMatrix]
    ) -> list[Alignment]:
        keys: list[Ints] = [np.zeros(0, dtype=np.int64)]
        similarities: list[Floats] = [np.zeros(0, dtype=np.float32)]
        for number, (links, matrix) in enumerate(zip(_extract(method, matrices), matrices, strict=True)):
            if method.name in self._null:
                links = drop_null(links, matrix.similarity, self._null[method.name])
            rows, columns = np.nonzero(links)
            keys.append(link_keys(number, matrix.word_of_row[rows], matrix.word_of_column[columns]))
            similarities.append(matrix.similarity[rows, columns])
        scores = np.concatenate(similarities)
        if self._calibration is not None:
            scores = self._calibration(scores)
        return word_alignments(pairs, np.concatenate(keys), scores, self.config.threshold)


@dataclass(frozen=True, slots=True, eq=False)
class SimilarityMatrix:
    """How similar a pair's words or subwords are: `similarity` of shape (rows, columns), from 0 to 1.

    `word_of_row` and `word_of_column` name the words of source and target that they belong to; both rise.
    """

    similarity: Floats
    word_of_row: Ints
    word_of_column: Ints


def _device_linker(rows: RowEncoder, level: str) -> DeviceLinker:
    from wordalign.links.device import DeviceLinker  # needs torch, which is there where such an encoder is

    return DeviceLinker(rows, level)


def _extract(method: Method, pairs: Sequence[SimilarityMatrix]) -> list[Bools]:
    """Links of many matrices: stacks of similar size, padded with zeros, save most of numpy's overhead."""
    links: list[Bools] = [np.zeros((0, 0), dtype=np.bool_)] * len(pairs)
    for numbers in _stacks([matrix.similarity.shape for matrix in pairs]):
        matrices = [pairs[number].similarity for number in numbers]
        height = max(matrix.shape[0] for matrix in matrices)
        width = max(matrix.shape[1] for matrix in matrices)
        stack = np.zeros((len(matrices), height, width), dtype=matrices[0].dtype)
        for slot, matrix in zip(stack, matrices, strict=True):
            slot[: matrix.shape[0], : matrix.shape[1]] = matrix
        for number, matrix, found in zip(numbers, matrices, method(stack), strict=True):
            links[number] = found[: matrix.shape[0], : matrix.shape[1]]
    return links


def _stacks(shapes: Sequence[tuple[int, ...]]) -> Iterator[list[int]]:
    """Which matrices go together: similar ones, and no more cells with the padding than STACK_CELLS.

    One very long sentence must not blow up the short ones beside it.
    """
    stack: list[int] = []
    height = width = 0
    for number in sorted(range(len(shapes)), key=lambda number: shapes[number]):
        taller, wider = max(height, shapes[number][0]), max(width, shapes[number][1])
        if stack and (len(stack) + 1) * taller * wider > STACK_CELLS:
            yield stack
            stack, taller, wider = [], *shapes[number]
        stack.append(number)
        height, width = taller, wider
    if stack:
        yield stack
