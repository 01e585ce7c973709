"""A batch of parts of requests -> the JSON of their results. Runs in the encoders' threads."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic_core import to_json

from wordalign.aligners.neural import Aligner
from wordalign.config import AlignConfig
from wordalign.errors import UsageError
from wordalign.links.doubt import doubt
from wordalign.links.similarity import SimilarityMatrix
from wordalign.serve.catalogue import Catalogue
from wordalign.serve.refusals import RefusedError
from wordalign.serve.unspaced import splitting_warnings
from wordalign.text.situations import situation_of
from wordalign.types import Alignment, Floats, Pair, Sentence

log = logging.getLogger("wordalign.serve")


@dataclass(frozen=True, slots=True)
class Part:
    """Some pairs of one request.

    `answer` is for requests about something else than links: what is answered beside the sentences.
    """

    pairs: tuple[Pair, ...]
    choice: AlignConfig
    scores: bool = False
    matrix: bool = False
    answer: Callable[[Alignment], dict[str, Any]] | None = None


class Work:
    """Parts that share a model and a level are encoded together; each gets its results as JSON objects."""

    def __init__(self, catalogue: Catalogue, cells: int) -> None:
        self._catalogue = catalogue
        self._cells = cells

    def __call__(self, parts: Sequence[Part]) -> list[bytes | Exception]:
        results: dict[int, bytes | Exception] = {}
        groups: dict[tuple[str | None, str | None], list[int]] = {}
        for number, part in enumerate(parts):
            groups.setdefault((part.choice.model, part.choice.level), []).append(number)
        for (_, level), numbers in groups.items():
            fitting = []
            for number in numbers:
                refusal = (
                    self._too_large(parts[number]) if level == "subword" or parts[number].matrix else None
                )
                if refusal is None:
                    fitting.append(number)
                else:
                    results[number] = refusal
            found = self._group_or_singly([parts[number] for number in fitting])
            results.update(zip(fitting, found, strict=True))
        return [results[number] for number in range(len(parts))]

    def _too_large(self, part: Part) -> RefusedError | None:
        """Subwords are known only here, and can be many more than words."""
        for pair in part.pairs:
            cells = len(self._labels(part.choice, pair.source)) * len(self._labels(part.choice, pair.target))
            if cells > self._cells:
                message = (
                    f"The similarity matrix would have {cells:,} cells, but at most {self._cells:,} are "
                    "allowed: shorten the sentences, or ask for the level word without the matrix."
                )
                return RefusedError(422, "matrix_too_large", message)
        return None

    def _group_or_singly(self, parts: Sequence[Part]) -> list[bytes | Exception]:
        """Whatever fails in company is tried alone, so that it fails for the one who caused it."""
        try:
            return [*self._group(parts)] if parts else []
        except Exception as error:
            if len(parts) > 1:
                return [result for part in parts for result in self._group_or_singly([part])]
            if isinstance(error, UsageError):
                return [RefusedError(422, "invalid_request", str(error))]
            log.exception("A request failed.")
            return [error]

    def _group(self, parts: Sequence[Part]) -> list[bytes]:
        aligner = self._catalogue.aligner(parts[0].choice)
        pairs = [pair for part in parts for pair in part.pairs]
        matrices = aligner.matrices(pairs)
        bounds = np.cumsum([0, *(len(part.pairs) for part in parts)]).tolist()
        by_choice: dict[AlignConfig, list[int]] = {}
        for number, part in enumerate(parts):
            by_choice.setdefault(part.choice, []).extend(range(bounds[number], bounds[number + 1]))
        found: dict[int, Mapping[str, Alignment]] = {}
        for choice, numbers in by_choice.items():
            extracted = self._catalogue.aligner(choice).extract(
                [pairs[number] for number in numbers], [matrices[number] for number in numbers]
            )
            found.update(zip(numbers, extracted, strict=True))
        return [
            b",".join(
                to_json(self._result(part, pairs[number], found[number], matrices[number]))
                for number in range(bounds[place], bounds[place + 1])
            )
            for place, part in enumerate(parts)
        ]

    def _result(
        self, part: Part, pair: Pair, found: Mapping[str, Alignment], matrix: SimilarityMatrix
    ) -> dict[str, Any]:
        sides = {"source": _sentence(pair.source), "target": _sentence(pair.target)}
        if part.answer is not None:
            return {**sides, **part.answer(next(iter(found.values())))}
        return {
            **sides,
            "methods": {
                name: {
                    "links": alignment.links,
                    "scores": [round(score, 4) for score in alignment.scores] if part.scores else None,
                }
                for name, alignment in found.items()
            },
            "matrix": self._matrix(part.choice, pair, matrix) if part.matrix else None,
            "warnings": self._warnings(part.choice, pair, matrix),
        }

    def _matrix(self, choice: AlignConfig, pair: Pair, matrix: SimilarityMatrix) -> dict[str, Any]:
        situation = situation_of(pair.source.words, pair.target.words)
        curve = self._catalogue.calibration(choice.model)
        if curve is not None:
            curve = curve.in_situation(situation)
        rows, columns = self._labels(choice, pair.source), self._labels(choice, pair.target)
        return {
            "level": choice.level,
            "situation": situation,
            # Every digit: the page finds links in it, and they must be the links that are found here.
            "similarity": matrix.similarity.astype(np.float64).tolist(),
            "word_of_row": matrix.word_of_row.tolist(),
            "word_of_column": matrix.word_of_column.tolist(),
            "row_text": _of_rows(rows, pair.source, matrix.word_of_row.tolist()),
            "column_text": _of_rows(columns, pair.target, matrix.word_of_column.tolist()),
            "probability": None if curve is None else _rounded(curve(matrix.similarity)),
        }

    def _warnings(self, choice: AlignConfig, pair: Pair, matrix: SimilarityMatrix) -> list[str]:
        """Why few links can be expected, in sentences for a reader."""
        encoder = self._catalogue.encoder(choice.model)
        found = splitting_warnings(pair, str(choice.model), encoder.languages)
        if found:
            return found
        doubtful = doubt([pair], [matrix], encoder)
        return [doubtful] if doubtful else []

    def _labels(self, choice: AlignConfig, sentence: Sentence) -> Sequence[str]:
        encoder = self._catalogue.encoder(choice.model)
        return sentence.words if choice.level == "word" else encoder.subwords(sentence.words)


def head(model: str, aligner: Aligner, calibrated: bool) -> bytes:
    """The answer's beginning, up to where the results go."""
    signature = {method: aligner.signature(method) for method in aligner.methods}
    return to_json({"model": model, "signature": signature, "calibrated": calibrated})[:-1] + b',"results":['


def _of_rows(labels: Sequence[str], sentence: Sentence, words: Sequence[int]) -> Sequence[str]:
    """A text for each row: the encoder's subwords where it gives them, else the words."""
    return labels if len(labels) == len(words) else [sentence.words[word] for word in words]


def _sentence(sentence: Sentence) -> dict[str, Any]:
    return {"words": sentence.words, "text": sentence.text, "offsets": sentence.offsets}


def _rounded(values: Floats) -> list[list[float]]:
    rounded: list[list[float]] = np.round(values.astype(np.float64), 4).tolist()
    return rounded
