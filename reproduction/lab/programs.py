"""The statistical aligners' own programs, built from their authors' sources: fast_align and GIZA++.

Each learns from the words of all pairs in lower case, as ours do, and links them.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from reproduction.lab.systems import NotRunError
from reproduction.lab.text import WordPair
from wordalign.io import parse_pharaoh
from wordalign.links.symmetrize import symmetrize
from wordalign.types import Link

# The paper's flags; without variational Bayes; with a fixed diagonal; with twice the iterations.
FAST_ALIGN_FLAGS = ("-d -o -v", "-d -o", "-d -v", "-d -o -v -I 10")
# The paper's: five iterations of IBM 1, the HMM, IBM 3 and IBM 4, and p0 = 0.98.
GIZA_SETTINGS = "-m1 5 -m2 0 -mh 5 -m3 5 -m4 5 -p0 0.98"
MKCLS_SETTINGS = "-n2 -c50"  # those of Moses
# The places of the words that a word is linked to, as in "house ({ 2 3 })".
_PLACES = re.compile(r"\(\{([\d ]*)\}\)")

WordLinks: TypeAlias = list[frozenset[Link]]
# Programs, text and an empty folder to work in -> the links of both directions.
Run: TypeAlias = Callable[[Path, Sequence[WordPair], Path], tuple[WordLinks, WordLinks]]


@dataclass(frozen=True)
class Original:
    """What an engine of ours is compared with: a program, and the ways in which that is run.

    The first way is the paper's. `pairs` is how much text is learned from beside a gold set's sentences.
    """

    engine: str
    programs: tuple[str, ...]
    pairs: int
    ways: Mapping[str, Run]
    symmetrization: str = "grow-diag-final-and"

    @property
    def papers_way(self) -> str:
        return next(iter(self.ways))

    def find(self, folder: Path | None) -> Path:
        """The folder, if the programs are in it."""
        missing = [name for name in self.programs if folder is None or not (folder / name).exists()]
        if folder is None or missing:
            raise NotRunError(f"no program {missing[0]} given (--programs)")
        return folder

    def link(self, folder: Path, way: str, pairs: Sequence[WordPair]) -> WordLinks:
        """The links of each pair, by the programs in this folder."""
        full = [pair for pair in pairs if all(pair)]  # the programs drop the others, or stop
        with tempfile.TemporaryDirectory() as work:
            both = self.ways[way](folder, full, Path(work))
        for links in both:
            if len(links) != len(full):
                raise NotRunError(f"{way} linked {len(links):,} of {len(full):,} pairs")
        found = (symmetrize(*directions, self.symmetrization) for directions in zip(*both, strict=True))
        return [next(found) if all(pair) else frozenset() for pair in pairs]


def fast_align(
    programs: Path, pairs: Sequence[WordPair], work: Path, *, flags: str
) -> tuple[WordLinks, WordLinks]:
    lines = (" ||| ".join(" ".join(side).lower() for side in pair) for pair in pairs)
    (work / "text").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    forward, backward = (
        _run(programs / "fast_align", "-i", "text", *flags.split(), *direction, at=work).splitlines()
        for direction in ([], ["-r"])
    )
    return [frozenset(parse_pharaoh(line).links) for line in forward], [
        frozenset(parse_pharaoh(line).links) for line in backward
    ]


def giza(
    programs: Path, pairs: Sequence[WordPair], work: Path, *, classes: bool
) -> tuple[WordLinks, WordLinks]:
    """GIZA++, with the word classes of mkcls, which is part of it, or with all words in one class."""
    for name, sentences in zip(("source", "target"), zip(*pairs, strict=True), strict=True):
        lines = (" ".join(words).lower() for words in sentences)
        (work / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        if classes:
            files = (f"-p{name}", f"-V{name}.vcb.classes")
            _run(programs / "mkcls", *MKCLS_SETTINGS.split(), *files, "opt", at=work)
    _run(programs / "plain2snt.out", "source", "target", at=work)
    backward = _giza(programs, "target", "source", work)
    return _giza(programs, "source", "target", work), [
        frozenset((source, target) for target, source in links) for links in backward
    ]


def _giza(programs: Path, source: str, target: str, work: Path) -> WordLinks:
    """One direction, in which every target word is linked to at most one source word."""
    words = (f"{source}.vcb", f"{target}.vcb")
    text = f"{source}_{target}.snt"
    (work / "cooc").write_text(_run(programs / "snt2cooc.out", *words, text, at=work))
    files = ("-S", words[0], "-T", words[1], "-C", text, "-CoocurrenceFile", "cooc", "-o", f"{source}-")
    _run(programs / "GIZA++", *files, *GIZA_SETTINGS.split(), at=work)
    lines = (work / f"{source}-.A3.final").read_text("utf-8").split("\n")
    # Three lines a pair: a heading, the target sentence, and NULL and the source words with their places.
    return [read_places(line) for line in lines[2::3]]


def read_places(line: str) -> frozenset[Link]:
    """The links of a line that GIZA++ wrote: of each source word, the places of its target words from 1 on.

    >>> sorted(read_places("NULL ({ 3 }) old ({ 1 }) house ({ 2 4 }) , ({ })"))
    [(0, 0), (1, 1), (1, 3)]
    """
    _null, *groups = _PLACES.findall(line)
    return frozenset((at, int(place) - 1) for at, group in enumerate(groups) for place in group.split())


def _run(program: Path, *arguments: str, at: Path) -> str:
    # GIZA++ signs its files with the user's name, and crashes where there is none.
    environment = {"USER": "user", **os.environ}
    command = [str(program.absolute()), *arguments]
    done = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["without a word"])[-1]
        raise NotRunError(f"{program.name} stopped with code {done.returncode}: {said}")
    return done.stdout


ORIGINALS = (
    Original(
        "fast_align",
        ("fast_align",),
        10_000,
        {f"fast_align {flags}": partial(fast_align, flags=flags) for flags in FAST_ALIGN_FLAGS},
    ),
    Original(
        "ibm4",
        ("GIZA++", "mkcls", "plain2snt.out", "snt2cooc.out"),
        3_000,
        {
            "GIZA++ with the word classes of mkcls": partial(giza, classes=True),
            "GIZA++ with one class": partial(giza, classes=False),
        },
    ),
)
