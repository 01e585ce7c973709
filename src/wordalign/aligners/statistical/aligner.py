"""The aligner that learns from parallel text, by any of the engines."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from wordalign import __version__
from wordalign.aligners.base import BaseAligner
from wordalign.aligners.statistical.corpus import Numbered, PairLinks, Vocabulary, number_pairs, pair_links
from wordalign.aligners.statistical.engines import make_engine
from wordalign.aligners.statistical.folder import ENGINE, TOKENIZER, read_model, write_model
from wordalign.aligners.statistical.subwords import SubwordSplitter, word_links
from wordalign.errors import InputError, UnknownNameError, UsageError
from wordalign.links.symmetrize import HEURISTICS
from wordalign.parallel import cut
from wordalign.text.pairs import PairLike, SentenceLike, as_pair
from wordalign.types import Alignment, Link, Pair

# Starting an engine takes as long as aligning hundreds of pairs.
CHUNK_PAIRS = 20_000


class StatisticalAligner(BaseAligner):
    """Learns which words translate each other from parallel text, and links them.

    `aligner`     eflomal (or eflomal_gpl, its original program), fast_align, ibm1, ibm2, hmm, ibm3 or ibm4,
                  with the paper's settings
    `symmetrize`  how the two directions become one: a name of `wordalign.links.symmetrize`, or several
    `level`       "word", or "subword": subwords are aligned, then the words they belong to are linked
    `tokenizer`   for subwords: a model's name or folder; by default the bundled model's
    `lowercase`   learn from lower-cased words
    `seed`        the same seed gives the same links; None lets the engine use all cores
    `threshold`   links of a lower score are dropped
    `scores`      whether alignments carry scores, which take some of the engine's time

    >>> aligner = StatisticalAligner("fast_align")                                          # doctest: +SKIP
    >>> aligner.align_corpus([("das haus".split(), "the house".split())])[0].links          # doctest: +SKIP
    ((0, 0), (1, 1))
    """

    def __init__(
        self,
        aligner: str,
        *,
        symmetrize: str | Sequence[str] = "grow-diag-final-and",
        level: str = "word",
        tokenizer: str | None = None,
        lowercase: bool = False,
        seed: int | None = 0,
        threshold: float = 0.0,
        scores: bool = True,
    ) -> None:
        if level not in ("word", "subword"):
            raise UnknownNameError("level", str(level), ("word", "subword"))
        if tokenizer is not None and level == "word":
            raise UsageError("A tokenizer makes subwords: give the level 'subword' too.")
        if not 0 <= threshold <= 1:
            raise UsageError(f"Scores, and so the threshold, lie between 0 and 1, not {threshold}.")
        if threshold and not scores:
            raise UsageError("A threshold drops links by their scores: leave it or scores=False out.")
        names = [symmetrize] if isinstance(symmetrize, str) else list(symmetrize)
        if not names or len(set(names)) < len(names):
            raise UsageError(f"Give one or more different symmetrisations, not {', '.join(names) or 'none'}.")
        self._heuristics = {name: HEURISTICS.get(name) for name in names}
        self._engine = make_engine(aligner)
        self.level, self.lowercase, self.seed = level, lowercase, seed
        self.threshold, self.scores = threshold, scores
        self._splitter = SubwordSplitter(tokenizer) if level == "subword" else None
        self._vocabularies = Vocabulary(), Vocabulary()
        self._model: Path | None = None
        self._own: tempfile.TemporaryDirectory[str] | None = None
        self._trained_on = 0

    @property
    def name(self) -> str:
        """The name of the engine."""
        return self._engine.name

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the symmetrisations."""
        return tuple(self._heuristics)

    @property
    def trained(self) -> bool:
        """Whether there is a model that new pairs can be aligned with."""
        return self._model is not None

    def align_corpus(
        self, pairs: Iterable[PairLike], train: Iterable[PairLike] = (), *, keep: bool = False
    ) -> list[Alignment]:
        """Train on `pairs` and `train` together and give the links of `pairs`, by the first symmetrisation.

        `keep` keeps the trained model, for `save` and `align_batch`.
        """
        return self._first(self.align_corpus_methods(pairs, train, keep=keep))

    def align_corpus_methods(
        self, pairs: Iterable[PairLike], train: Iterable[PairLike] = (), *, keep: bool = False
    ) -> list[Mapping[str, Alignment]]:
        """Like `align_corpus`, for every symmetrisation; the training is done once."""
        prepared = self._prepare(pairs)
        found = self._train(prepared, self._prepare(train), keep, self.scores)
        return self._alignments(prepared, found)

    def fit(self, pairs: Iterable[PairLike]) -> StatisticalAligner:
        """Train, and keep the model for `align_batch` and `save`."""
        self._train([], self._prepare(pairs), keep=True, scores=False)
        return self

    def align(self, source: SentenceLike, target: SentenceLike) -> Alignment:
        """The links of one new pair. Starting the engine takes a moment: many at once cost little more."""
        return self.align_batch([(source, target)])[0]

    def align_batch(self, pairs: Iterable[PairLike]) -> list[Alignment]:
        """The links of new pairs by the trained model, by the first symmetrisation."""
        return self._first(self.align_batch_methods(pairs))

    def align_batch_methods(self, pairs: Iterable[PairLike]) -> list[Mapping[str, Alignment]]:
        """Like `align_batch`, for every symmetrisation."""
        prepared = self._prepare(pairs)
        return self._alignments(prepared, self._force(prepared, self.scores))

    def stream_methods(
        self, pairs: Iterable[PairLike], workers: int = 1
    ) -> Iterator[Mapping[str, Alignment]]:
        """The links of new pairs by the trained model, for every symmetrisation, many pairs at a time.

        `workers` is not looked at: the engine decides how many cores it uses.
        """
        for chunk in cut(pairs, CHUNK_PAIRS):
            yield from self.align_batch_methods(chunk)

    def directed(
        self, pairs: Iterable[PairLike], train: Iterable[PairLike] | None = None
    ) -> tuple[list[set[Link]], list[set[Link]]]:
        """The word links of both directions, forward and backward, before they become one.

        By the trained model, if there is one and no `train`; otherwise `pairs` and `train` are trained on.
        """
        prepared = self._prepare(pairs)
        if train is None and self._model is not None:
            found = self._force(prepared, scores=False)
        else:
            found = self._train(prepared, self._prepare(train or ()), keep=False, scores=False)
        forward, backward = [], []
        for pair, links in zip(prepared, found, strict=True):
            forward.append(set(pair.word_links(links.forward)))
            backward.append(set(pair.word_links(links.backward)))
        return forward, backward

    def save(self, folder: str | Path) -> None:
        """Write the trained model to a folder, which appears whole or not at all."""
        model = self._trained()

        def fill(new: Path) -> None:
            shutil.copytree(model, new / ENGINE)
            if self._splitter is not None:
                self._splitter.save(new / TOKENIZER)

        facts = {
            "aligner": self._engine.name,
            "made_with": self._engine.version,
            "wordalign": __version__,
            "level": self.level,
            "tokenizer": self._splitter.name if self._splitter else None,
            "lowercase": self.lowercase,
            "seed": self.seed,
            "symmetrize": list(self.methods),
            "trained_on": self._trained_on,
        }
        write_model(folder, facts, self._vocabularies, fill)

    @classmethod
    def load(
        cls,
        folder: str | Path,
        *,
        symmetrize: str | Sequence[str] | None = None,
        seed: int | None = 0,
        threshold: float = 0.0,
        scores: bool = True,
    ) -> StatisticalAligner:
        """A saved model, with the symmetrisation it was saved with or another."""
        facts, vocabularies = read_model(folder)
        aligner = cls(
            facts["aligner"],
            symmetrize=symmetrize or facts["symmetrize"],
            lowercase=facts["lowercase"],
            seed=seed,
            threshold=threshold,
            scores=scores,
        )
        aligner.level = facts["level"]
        if aligner.level == "subword":
            aligner._splitter = SubwordSplitter(facts["tokenizer"], Path(folder) / TOKENIZER)
        aligner._vocabularies = vocabularies
        aligner._model = Path(folder).absolute() / ENGINE
        aligner._trained_on = facts["trained_on"]
        return aligner

    def signature(self, method: str | None = None) -> str:
        """All that the links depend on, so that two scores can be compared.

        `method` is one of `methods`, by default the first.
        """
        if method is not None and method not in self.methods:
            raise UnknownNameError("method of this aligner", method, self.methods)
        settings = ",".join(f"{key}={value}" for key, value in self._engine.settings.items())
        parts = [f"{self._engine.name}:{settings}", self._engine.version, f"seed={self.seed}"]
        level = f"level={self.level}"
        parts.append(f"{level} by {self._splitter.name}" if self._splitter else level)
        if self.lowercase:
            parts.append("lowercase")
        parts.append(f"symmetrize={method or self.methods[0]}")
        parts.append(f"trained on {self._trained_on} pairs")
        if self.threshold:
            parts.append(f"threshold={self.threshold:g}")
        return " | ".join([*parts, f"wordalign {__version__}"])

    def _prepare(self, pairs: Iterable[PairLike]) -> list[_Prepared]:
        """The pairs with their units: words or subwords, lower-cased or not."""
        both = [as_pair(pair) for pair in pairs]
        sides = [self._cased(sentence.words) for pair in both for sentence in (pair.source, pair.target)]
        if self._splitter is None:
            return [_Prepared(pair, sides[2 * k], sides[2 * k + 1]) for k, pair in enumerate(both)]
        split = self._splitter.split(sides)
        return [
            _Prepared(pair, source[0], target[0], source[1], target[1])
            for pair, source, target in zip(both, split[::2], split[1::2], strict=True)
        ]

    def _cased(self, words: Sequence[str]) -> Sequence[str]:
        return [word.lower() for word in words] if self.lowercase else words

    def _train(
        self, wanted: list[_Prepared], more: list[_Prepared], keep: bool, scores: bool
    ) -> list[PairLinks]:
        vocabularies = Vocabulary(), Vocabulary()
        numbered = _number([*wanted, *more], vocabularies, self._engine.max_length)
        if not len(numbered.corpus):
            if keep:
                raise InputError("There is nothing to learn from: no pair has words on both sides.")
            return [PairLinks() for _ in wanted]
        own = tempfile.TemporaryDirectory(prefix="wordalign-model-") if keep else None
        model = Path(own.name) if own else None
        pieces = numbered.pieces_of(len(wanted))
        found = self._engine.train(numbered.corpus, pieces, self.seed, model, scores)
        self._trained_on = len(set(numbered.pair.tolist()))
        if own is not None:
            self._own, self._model, self._vocabularies = own, model, vocabularies
        return pair_links(numbered, found, len(wanted), scores)

    def _force(self, pairs: list[_Prepared], scores: bool) -> list[PairLinks]:
        model = self._trained()
        copies = Vocabulary(self._vocabularies[0]), Vocabulary(self._vocabularies[1])
        numbered = _number(pairs, copies, self._engine.max_length)
        if not len(numbered.corpus):
            return [PairLinks() for _ in pairs]
        found = self._engine.align(numbered.corpus, self.seed, model, scores)
        return pair_links(numbered, found, len(pairs), scores)

    def _trained(self) -> Path:
        if self._model is None:
            raise UsageError(
                "There is no trained model yet: call fit, align_corpus with keep=True, or load first."
            )
        return self._model

    def _alignments(self, pairs: list[_Prepared], found: list[PairLinks]) -> list[Mapping[str, Alignment]]:
        return [
            {
                name: self._alignment(pair, links, heuristic(links.forward, links.backward))
                for name, heuristic in self._heuristics.items()
            }
            for pair, links in zip(pairs, found, strict=True)
        ]

    def _alignment(self, prepared: _Prepared, links: PairLinks, chosen: set[Link]) -> Alignment:
        pair = prepared.pair
        if not self.scores:
            return Alignment(tuple(sorted(prepared.word_links(chosen))), (), pair.source, pair.target)
        scored = prepared.word_scores({link: links.scores.get(link, 0.0) for link in sorted(chosen)})
        if self.threshold:
            scored = {link: score for link, score in scored.items() if score >= self.threshold}
        return Alignment(tuple(scored), tuple(scored.values()), pair.source, pair.target)

    def _first(self, found: list[Mapping[str, Alignment]]) -> list[Alignment]:
        return [by_method[self.methods[0]] for by_method in found]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A pair, the units of its sides, and which word each unit belongs to where they are not the words."""

    pair: Pair
    source: Sequence[str]
    target: Sequence[str]
    word_of_source: Sequence[int] | None = None
    word_of_target: Sequence[int] | None = None

    def word_links(self, links: Set[Link]) -> Set[Link]:
        return links if self.word_of_source is None else self.word_scores(dict.fromkeys(links, 1.0)).keys()

    def word_scores(self, scores: dict[Link, float]) -> dict[Link, float]:
        if self.word_of_source is None or self.word_of_target is None:
            return scores
        return dict(sorted(word_links(scores, self.word_of_source, self.word_of_target).items()))


def _number(
    pairs: Sequence[_Prepared], vocabularies: tuple[Vocabulary, Vocabulary], max_length: int
) -> Numbered:
    return number_pairs(((pair.source, pair.target) for pair in pairs), vocabularies, max_length)
