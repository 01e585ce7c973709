"""The original program of eflomal (GPL): a Bayesian HMM with fertilities (Östling and Tiedemann 2016).

Thot's own version of the same model (`thot.py`) needs no compiler, and is what the name `eflomal` means. This
one takes two thirds of its time.

Only the program runs, on files of numbers; nothing of the package is imported. The program has no option for
a seed: it reads eight bytes from /dev/urandom. With a seed, a copy of it runs in which that name is replaced
by the name of a file, with one thread for each direction, because the order in which several threads take
their random numbers is not fixed. Without a seed the program runs as it is, with all its threads.

New text is aligned as eflomal's own tools do it, with priors: how often the words, jumps and fertilities
occurred in the links of the training text.
"""

from __future__ import annotations

import hashlib
import math
import os
import tempfile
from collections.abc import Iterable, Mapping
from importlib import metadata, util
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np

from wordalign.aligners.statistical.engines import Corpus, Directed, Direction, Side
from wordalign.aligners.statistical.programs import Program, run_programs
from wordalign.errors import MissingExtraError, ModelError
from wordalign.machine import default_threads
from wordalign.types import Ints

_PRIORS = "priors.npz"
_RANDOM, _SEED_FILE = b"/dev/urandom\0", b"seed"
_HIGHEST_FERTILITY = 7  # eflomal counts no higher

# The rows of each array: words, jumps or fertilities, then how often they occurred.
Priors: TypeAlias = Mapping[str, Ints]


class EflomalGpl:
    name = "eflomal_gpl"
    max_length = 1023
    model, samplers, null_prior = 3, 3, 0.2
    settings: ClassVar[Mapping[str, object]] = {"model": 3, "samplers": 3, "null_prior": 0.2}

    def __init__(self) -> None:
        spec = util.find_spec("eflomal")
        if spec is None or not spec.submodule_search_locations:
            raise MissingExtraError("The aligner 'eflomal-gpl'", "eflomal")
        self.version = f"eflomal {metadata.version('eflomal')}"
        self._program = Path(spec.submodule_search_locations[0]) / "bin" / "eflomal"

    def train(
        self, corpus: Corpus, wanted: int, seed: int | None, model: Path | None, scores: bool
    ) -> Directed:
        found = self._run(corpus, seed, None)
        if model is not None:
            arrays: dict[str, Any] = count_priors(corpus, found)
            np.savez(model / _PRIORS, **arrays)
        rows, columns = (side.lengths[:wanted].sum() for side in (corpus.source, corpus.target))
        return Directed(
            Direction(found.forward.partners[:columns]), Direction(found.backward.partners[:rows])
        )

    def align(self, corpus: Corpus, seed: int | None, model: Path, scores: bool) -> Directed:
        try:
            with np.load(model / _PRIORS, allow_pickle=False) as arrays:
                priors = {name: arrays[name] for name in arrays.files}
        except (OSError, ValueError) as error:
            raise ModelError(f"The model file {model / _PRIORS} cannot be read: {error}") from error
        # Only words of the new text count, under numbers of its own.
        source, source_numbers = _renumber(corpus.source)
        target, target_numbers = _renumber(corpus.target)
        return self._run(Corpus(source, target), seed, prior_lines(priors, source_numbers, target_numbers))

    def _run(self, corpus: Corpus, seed: int | None, priors: Iterable[str] | None) -> Directed:
        with tempfile.TemporaryDirectory(prefix="wordalign-") as folder:
            work = Path(folder)
            _write(work / "source", corpus.source)
            _write(work / "target", corpus.target)
            command = [
                *(self._seeded(work, seed) if seed is not None else [str(self._program)]),
                *("-s", "source", "-t", "target", "-f", "forward", "-r", "backward", "-q"),
                *("-m", str(self.model), "-n", str(self.samplers), "-N", str(self.null_prior)),
            ]
            for number, iterations in enumerate(_iterations(len(corpus)), start=1):
                command += [f"-{number}", str(iterations)]
            if priors is not None:
                (work / "priors").write_text("".join(f"{line}\n" for line in priors))
                command += ["-p", "priors"]
            threads = {"OMP_NUM_THREADS": f"{min(default_threads(), 2)},1"} if seed is not None else {}
            run_programs([Program(command, work, threads)], 1, "The aligner 'eflomal-gpl'")
            return Directed(
                Direction(_read(work / "forward", corpus.target, key=1)),
                Direction(_read(work / "backward", corpus.source, key=0)),
            )

    def _seeded(self, work: Path, seed: int) -> list[str]:
        program = self._program.read_bytes()
        if program.count(b"\0" + _RANDOM) != 1:
            raise ModelError("This build of eflomal takes no seed: give none (--seed none).")
        hidden = _SEED_FILE.ljust(len(_RANDOM), b"\0")
        copy = work / "eflomal"
        copy.write_bytes(program.replace(b"\0" + _RANDOM, b"\0" + hidden))
        copy.chmod(0o700)
        digest = hashlib.blake2b(str(seed).encode(), digest_size=8).digest()
        (work / os.fsdecode(_SEED_FILE)).write_bytes(digest)
        return [str(copy)]


def _iterations(sentences: int) -> tuple[int, int, int]:
    """The number of iterations of each model by eflomal's own rule: the fewer sentences, the more."""
    most = max(2, round(5000 / math.sqrt(sentences)))
    return max(2, most // 4), max(1, most // 4), most


def _write(path: Path, side: Side) -> None:
    with path.open("w") as file:
        file.write(f"{len(side.lengths)} {side.types}\n")
        file.writelines(f"{len(words)} {' '.join(map(str, words))}\n" for words in side.sentences())


def _read(path: Path, side: Side, key: int) -> Ints:
    """The partner of each word, from a file with a line of `i-j` links for each sentence.

    `key` says which of the two numbers is the word's own position.
    """
    text = path.read_text("ascii")
    # A direction may have no link at all, and numpy finds a number in a text without any.
    numbers = text.replace("-", " ") if "-" in text else ""
    links = np.fromstring(numbers, dtype=np.int32, sep=" ").reshape(-1, 2)
    first = np.cumsum(side.lengths) - side.lengths
    starts = np.repeat(first, [line.count("-") for line in text.splitlines()])
    partners = np.full(len(side.words), -1, dtype=np.int32)
    partners[starts + links[:, key]] = links[:, 1 - key]
    return partners


def count_priors(corpus: Corpus, found: Directed) -> dict[str, Ints]:
    """What the links of a text say about other text, counted as `eflomal-makepriors` does."""
    source, target = corpus.source.words, corpus.target.words
    lengths = corpus.source.lengths, corpus.target.lengths
    partners = found.forward.partners
    linked = partners >= 0
    starts = np.repeat(np.cumsum(lengths[0]) - lengths[0], lengths[1])
    pairs = np.stack([source[(starts + partners)[linked]], target[linked]], axis=1)
    return {
        "words": _counted(pairs),
        "jumps_forward": _counted(_jumps(partners, lengths[1], lengths[0])),
        "jumps_backward": _counted(_jumps(found.backward.partners, lengths[0], lengths[1])),
        "fertilities_forward": _counted(_fertilities(partners, lengths[1], lengths[0], source)),
        "fertilities_backward": _counted(
            _fertilities(found.backward.partners, lengths[0], lengths[1], target)
        ),
    }


def _jumps(partners: Ints, lengths: Ints, other_lengths: Ints) -> Ints:
    """The distances between the partners of neighbouring linked words.

    A sentence begins with a partner at -1, and ends with one behind its last word.
    """
    jumps: list[int] = []
    ends = np.cumsum(lengths)
    for start, end, length in zip(ends - lengths, ends, other_lengths.tolist(), strict=True):
        path = [-1, *(partner for partner in partners[start:end].tolist() if partner >= 0), length]
        jumps += [after - before for before, after in pairwise(path)]
    return np.array(jumps, dtype=np.int32).reshape(-1, 1)


def _fertilities(partners: Ints, lengths: Ints, other_lengths: Ints, others: Ints) -> Ints:
    """Each word that is a partner, and the number of words whose partner it is."""
    starts = np.repeat(np.cumsum(other_lengths) - other_lengths, lengths)
    positions = (starts + partners)[partners >= 0]
    fertility = np.bincount(positions, minlength=len(others))
    used = fertility > 0
    return np.stack([others[used], np.minimum(fertility[used], _HIGHEST_FERTILITY)], axis=1)


def _counted(rows: Ints) -> Ints:
    """The distinct rows, with one more column that says how often each occurs."""
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    return np.concatenate([distinct, counts[:, None]], axis=1).astype(np.int32)


def _renumber(side: Side) -> tuple[Side, dict[int, int]]:
    distinct, words = np.unique(side.words, return_inverse=True)
    numbers = {word: number for number, word in enumerate(distinct.tolist())}
    return Side(words, side.lengths, len(numbers)), numbers


def prior_lines(priors: Priors, source: Mapping[int, int], target: Mapping[int, int]) -> list[str]:
    """The lines of a file of priors: a header, then words (numbered from 1), jumps and fertilities."""

    def among(rows: Ints, *columns: Mapping[int, int]) -> list[list[int]]:
        kept = []
        for row in rows.tolist():
            if all(word in known for word, known in zip(row, columns, strict=False)):
                numbers = [known[word] + 1 for word, known in zip(row, columns, strict=False)]
                kept.append([*numbers, *row[len(columns) :]])
        return kept

    tables = [
        among(priors["words"], source, target),
        among(priors["jumps_forward"]),
        among(priors["jumps_backward"]),
        among(priors["fertilities_forward"], source),
        among(priors["fertilities_backward"], target),
    ]
    header = [len(source) + 1, len(target) + 1, *map(len, tables)]
    return [" ".join(map(str, row)) for row in [header, *(row for table in tables for row in table)]]
