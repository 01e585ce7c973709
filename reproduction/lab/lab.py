"""The bench that all experiments of a run work at: sets, models and trainings are made once and shared."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from reproduction.lab.gold import GoldSet, read_set
from reproduction.lab.options import Options
from reproduction.lab.paper import LANGUAGES, read_paper
from reproduction.lab.scores import Found
from reproduction.lab.statistical import ENGINES, Trained, engine_facts, train
from reproduction.lab.systems import NotRunError, System, list_systems, load_system
from reproduction.lab.text import WordPair, find_text, read_text
from wordalign import Aligner, __version__
from wordalign.data import where
from wordalign.encoders import BUNDLED_MODELS


class Lab:
    def __init__(self, options: Options) -> None:
        self.options = options
        self.systems = list_systems(options)
        self._start = time.perf_counter()
        self._failed: dict[tuple[str, str, str], NotRunError] = {}
        self._encoders: dict[tuple[str, str, str], Any] = {}
        self.gold: Callable[[str], GoldSet] = cache(self._gold)
        self._trained: dict[tuple[str, str, str, int], Trained] = {}
        self._text: dict[str, tuple[int, list[WordPair]]] = {}

    def say(self, message: str) -> None:
        """Progress, with the seconds since the start."""
        print(f"[{time.perf_counter() - self._start:7.1f} s] {message}", file=sys.stderr, flush=True)

    def _gold(self, language: str) -> GoldSet:
        return read_set(self.options.data, language, self.options.sentences, self.say)

    @cached_property
    def languages(self) -> list[str]:
        """Those of the paper whose gold set is here."""
        return [language for language in LANGUAGES if where(f"eng-{language}", self.options.data)]

    def system(self, key: str) -> System:
        return next(system for system in self.systems if system.key == key)

    def encoder(self, system: System, level: str = "word", language: str = "") -> Any:
        """Loaded once; a failure is remembered too, for asking a hub that is not there takes a while.

        Only static vectors differ by level and language.
        """
        key = (system.key, level, language) if system.kind == "static" else (system.key, "", "")
        if key in self._failed:
            raise self._failed[key]
        if key not in self._encoders:
            try:
                self._encoders[key] = load_system(system, level, language)
            except NotRunError as error:
                self._failed[key] = error
                self.say(f"{system.label} is not run: {error}")
                raise
        return self._encoders[key]

    def links(
        self,
        system: System,
        level: str,
        methods: Sequence[str],
        language: str,
        *,
        kappa: float = 0.0,
        percentile: float | None = None,
    ) -> dict[str, Found]:
        """What a system links in a gold set, by the name of each method.

        `kappa` is the distortion's, `percentile` that of the null threshold, found on the set's own
        sentences as in the paper (it looks at no gold link).
        """
        gold = self.gold(language)
        encoder = self.encoder(system, level, language)
        aligner = Aligner(encoder, level=level, method=methods, distortion=kappa)
        if percentile is not None:
            aligner = aligner.with_options(null=aligner.find_null_thresholds(gold.pairs, percentile))
        found = list(aligner.stream_methods(gold.pairs))
        return {
            method: Found(
                tuple(frozenset(by_method[method].links) for by_method in found),
                aligner.signature(method),
            )
            for method in aligner.methods
        }

    def methods(self, system: System, names: Sequence[str]) -> list[str]:
        """Method specs; `calibrated` with the thresholds that the model came with."""
        return [self.encoder(system).default_method if name == "calibrated" else name for name in names]

    def training_size(self, engine: str, language: str, pairs: int | None = None, level: str = "word") -> int:
        """How many pairs of text an aligner is trained on: as many as asked for, but IBM 4 has caps.

        Where nothing is asked for, it is no more than the paper's aligners had.
        """
        if pairs is None:
            pairs = min(self.options.train_pairs, read_paper()["table1"]["sets"][language][-1])
        if engine != "ibm4":
            return pairs
        cap = self.options.ibm4_more.get(language, self.options.ibm4_pairs)
        if level == "subword" and self.options.ibm4_subwords:
            cap = min(cap, self.options.ibm4_subwords)
        return min(pairs, cap)

    @property
    def training_amounts(self) -> dict[str, Any]:
        """For what a table says of them."""
        found: dict[str, Any] = {
            "train_pairs": self.options.train_pairs,
            "ibm4_pairs": self.options.ibm4_pairs,
        }
        more = {"ibm4_more": dict(self.options.ibm4_more), "ibm4_subwords": self.options.ibm4_subwords}
        return found | {name: amount for name, amount in more.items() if amount}

    def statistical(self, engine: str, level: str, language: str, pairs: int, heuristic: str) -> Found:
        """The symmetrised links of a gold set; see `trained`."""
        return self.trained(engine, level, language, pairs).symmetrized(heuristic)

    def text(self, language: str, pairs: int) -> list[WordPair]:
        """At most so many pairs of training text."""
        path = find_text(self.options.text, language)
        if path is None:
            raise NotRunError(f"no parallel text for eng-{language} (--text)")
        if self._text.get(language, (0, []))[0] < pairs:
            self.say(f"reading up to {pairs:,} pairs of {path.name}")
            self._text[language] = pairs, read_text(path, language, pairs)
        return self._text[language][1][:pairs]

    def trained(self, engine: str, level: str, language: str, pairs: int) -> Trained:
        """What a statistical aligner, trained on a gold set's sentences and `pairs` more, links in the set.

        Trainings are kept on disk: they take most of the time of the whole reproduction.
        """
        key = (engine, level, language, pairs)
        if key not in self._trained:
            gold = self.gold(language)
            inputs = {
                "engine": engine_facts(engine, level),
                "level": level,
                "gold": gold.checksum,
                "sentences": len(gold.pairs),
                "text": self._text_facts(language) if pairs else None,
                "pairs": pairs,
            }
            name = hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:12]
            path = self.options.work / f"{engine}-{level}-{gold.name}-{pairs}-{name}.json"
            if path.exists() and not self.options.force:
                self._trained[key] = Trained.load(path)
            elif engine == "ibm4" and level == "subword" and not self.options.ibm4_subwords:
                raise NotRunError("IBM 4 takes minutes for each set on subwords (--ibm4-subwords N)")
            elif not self.options.train:
                raise NotRunError(f"not trained here on {pairs:,} pairs ({level} level)")
            else:
                more = self.text(language, pairs) if pairs else []
                self.say(f"training {engine}, {level} level, {gold.name} with {len(more):,} pairs")
                self._trained[key] = train(engine, level, gold.pairs, more)
                self._trained[key].save(path)
        return self._trained[key]

    def describe(self, uses: Sequence[str]) -> dict[str, Any]:
        """All that a result depends on: it is not computed again while none of this changes."""
        facts: dict[str, Any] = {
            "wordalign": __version__,
            "gold": {language: self.gold(language).checksum for language in self.languages},
        }
        if self.options.sentences:
            facts["sentences"] = self.options.sentences
        if self.options.keep:
            facts["keep"] = True
        if not self.options.train and "engines" in uses:
            facts["trained"] = sorted(path.name for path in self.options.work.glob("*.json"))
        makers: dict[str, Callable[[], Any]] = {
            "bundled": lambda: {
                model.name: _checksum(model.folder / "model.json") for model in BUNDLED_MODELS
            },
            "models": lambda: {
                system.key: self._status(system) for system in self.systems if system.kind == "huggingface"
            },
            "vectors": lambda: _listing(self.options.vectors),
            "vectors_by_text": lambda: _listing(self.options.vectors_by_text),
            "programs": lambda: _listing(self.options.programs),
            "text": lambda: {language: self._text_facts(language) for language in self.languages},
            "engines": lambda: {
                f"{engine}, {level}": engine_facts(engine, level)
                for engine in ENGINES
                for level in ("word", "subword")
            },
            "train_pairs": lambda: self.options.train_pairs,
            "curve": lambda: list(self.options.curve),
            "analysis_pairs": lambda: self.options.analysis_pairs,
            "ibm4_pairs": lambda: [
                self.options.ibm4_pairs,
                self.options.ibm4_subwords,
                *sorted(self.options.ibm4_more.items()),
            ],
            "rounds": lambda: self.options.rounds,
        }
        return facts | {use: makers[use]() for use in uses}

    def _status(self, system: System) -> str:
        try:
            return str(self.encoder(system).signature)
        except NotRunError as error:
            return f"not run: {error}"

    def _text_facts(self, language: str) -> str | None:
        path = find_text(self.options.text, language)
        return None if path is None else f"{path.name}, {path.stat().st_size} bytes"


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _listing(folder: Path | None) -> str | None:
    """A folder too big to be read again each time: its names and sizes."""
    if folder is None:
        return None
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = "\n".join(f"{path.relative_to(folder)} {path.stat().st_size}" for path in files)
    return hashlib.sha256(names.encode()).hexdigest()[:16]
