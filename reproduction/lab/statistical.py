"""Statistical aligners, trained on a gold set's sentences and parallel text, and what they linked in it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reproduction.lab.files import write_whole
from reproduction.lab.scores import Found
from reproduction.lab.systems import NotRunError
from reproduction.lab.text import WordPair
from wordalign.aligners.statistical import StatisticalAligner
from wordalign.encoders import BUNDLED_MODELS
from wordalign.errors import MissingExtraError
from wordalign.io import parse_pharaoh

ENGINES = ("fast_align", "ibm4", "eflomal")
PROGRAMS = {"eflomal": "eflomal_gpl"}  # the paper ran the original program
SYMMETRIZATIONS = ("intersection", "grow-diag-final-and")


@dataclass(frozen=True, eq=False)
class Trained:
    """The links of a gold set, a line of them a sentence, by the name of the symmetrisation.

    `text_pairs` is how much text there was beside the set's own sentences, `seconds` what it took.
    """

    links: Mapping[str, Sequence[str]]
    signatures: Mapping[str, str]
    text_pairs: int
    seconds: float

    def symmetrized(self, heuristic: str) -> Found:
        lines = self.links[heuristic]
        return Found(
            tuple(frozenset(parse_pharaoh(line).links) for line in lines), self.signatures[heuristic]
        )

    def save(self, path: Path) -> None:
        write_whole(path, json.dumps(asdict(self), indent=1))

    @classmethod
    def load(cls, path: Path) -> Trained:
        return cls(**json.loads(path.read_text("utf-8")))


def ibm4_amount(result: Mapping[str, Any]) -> str:
    """On how many pairs IBM 4 was trained: `500` or `500 (ron: 10,000; subwords: 300)`."""
    more = [f"{language}: {pairs:,}" for language, pairs in result.get("ibm4_more", {}).items()]
    if result.get("ibm4_subwords"):
        more.append(f"subwords: {result['ibm4_subwords']:,}")
    return f"{result['ibm4_pairs']:,}" + (f" ({', '.join(more)})" if more else "")


def engine_facts(engine: str, level: str = "word") -> str:
    """What an engine's links depend on beside the text; why it is not run, where its packages are missing."""
    try:
        facts = StatisticalAligner(PROGRAMS.get(engine, engine), level=level, lowercase=True).signature()
    except MissingExtraError as error:
        return f"not run: {error}"
    if level == "subword":
        tokenizer = BUNDLED_MODELS[0].folder / "tokenizer.json"
        facts += f" | {hashlib.sha256(tokenizer.read_bytes()).hexdigest()[:16]}"
    return facts


def train(engine: str, level: str, pairs: Sequence[WordPair], text: Sequence[WordPair]) -> Trained:
    """Learn from `pairs` and `text` together, with the paper's settings, and link `pairs`.

    In lower case, as eflomal's own command does unasked.
    """
    try:
        aligner = StatisticalAligner(
            PROGRAMS.get(engine, engine), level=level, symmetrize=SYMMETRIZATIONS, lowercase=True
        )
    except MissingExtraError as error:
        raise NotRunError(str(error)) from error
    start = time.perf_counter()
    found = aligner.align_corpus_methods(pairs, text)
    return Trained(
        {name: [by_method[name].pharaoh() for by_method in found] for name in SYMMETRIZATIONS},
        {name: aligner.signature(name) for name in SYMMETRIZATIONS},
        len(text),
        round(time.perf_counter() - start, 1),
    )
