"""eflomal, fast_align, the HMM and the IBM models 1 to 4, by the library Thot (`sil-thot`).

Each direction is trained by a process of its own (`thot_worker.py`), both at the same time. Sums over
several threads differ in the last digits from run to run, so with a seed each process has one thread.

The settings are the paper's. eflomal takes as many iterations as its authors' rule gives, with three
samplers and a null prior of 0.2. fast_align has a diagonal prior whose tension is optimised, and variational
Bayes (its flags -d -o -v, 5 iterations). The others train 5 iterations of each model on the way, as GIZA++
does: IBM 1, HMM, IBM 3, IBM 4. GIZA++'s p0 = 0.98 holds when links are found; Thot estimates p0 in training.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from importlib import metadata, util
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from wordalign.aligners.statistical.engines import Corpus, Directed, Direction, Side
from wordalign.aligners.statistical.programs import Program, run_programs
from wordalign.errors import MissingExtraError
from wordalign.machine import default_threads

_WORKER = Path(__file__).with_name("thot_worker.py")


class Thot:
    """One of Thot's models. A subclass says which, and with which simpler ones its training begins."""

    name: ClassVar[str]
    chain: ClassVar[tuple[str, ...]]
    max_length: ClassVar[int]
    settings: ClassVar[Mapping[str, object]]
    iterations: ClassVar[int | None] = 5  # None: as many as the model's own rule gives for the text

    def __init__(self) -> None:
        if util.find_spec("thot") is None:
            raise MissingExtraError(f"The aligner {self.name!r}", "statistical")
        self.version = f"sil-thot {metadata.version('sil-thot')}"

    def train(
        self, corpus: Corpus, wanted: int, seed: int | None, model: Path | None, scores: bool
    ) -> Directed:
        more = {"chain": self.chain, "iterations": self.iterations, "wanted": wanted, "scores": scores}
        return self._both_ways(corpus, seed, model, more)

    def align(self, corpus: Corpus, seed: int | None, model: Path, scores: bool) -> Directed:
        return self._both_ways(corpus, seed, model, {"wanted": len(corpus), "scores": scores})

    def _both_ways(
        self, corpus: Corpus, seed: int | None, model: Path | None, more: dict[str, Any]
    ) -> Directed:
        threads = 1 if seed is not None else max(1, default_threads() // 2)
        with tempfile.TemporaryDirectory(prefix="wordalign-") as folder:
            work = Path(folder)
            _save(work / "source", corpus.source)
            _save(work / "target", corpus.target)
            programs = []
            for name, one, other in (("forward", "source", "target"), ("backward", "target", "source")):
                job = {
                    "model": self.name,
                    "from": one,
                    "to": other,
                    "output": name,
                    "folder": None if model is None else str((model / name).absolute()),
                    "p0": self.settings.get("p0"),
                    "seed": seed,
                    **more,
                }
                (work / f"{name}.json").write_text(json.dumps(job))
                # -P: nothing in the current folder or beside the worker hides a library of the same name.
                command = [sys.executable, "-P", str(_WORKER), f"{name}.json"]
                programs.append(Program(command, work, {"OMP_NUM_THREADS": str(threads)}))
            run_programs(programs, min(default_threads(), 2), f"The aligner {self.name!r}")
            return Directed(_load(work / "forward"), _load(work / "backward"))


class Eflomal(Thot):
    name = "eflomal"
    chain = ("eflomal",)
    max_length = 1023
    iterations = None
    settings: ClassVar[Mapping[str, object]] = {"samplers": 3, "null_prior": 0.2}


class FastAlign(Thot):
    name = "fast_align"
    chain = ("fast_align",)
    max_length = 1024
    settings: ClassVar[Mapping[str, object]] = {
        "iterations": 5, "diagonal": "optimised", "variational_bayes": True,
    }  # fmt: skip


class Ibm1(Thot):
    name = "ibm1"
    chain = ("ibm1",)
    max_length = 1024
    settings: ClassVar[Mapping[str, object]] = {"iterations": 5}


class Ibm2(Thot):
    name = "ibm2"
    chain = ("ibm1", "ibm2")
    max_length = 1024
    settings: ClassVar[Mapping[str, object]] = {"iterations": "5+5"}


class Hmm(Thot):
    name = "hmm"
    chain = ("ibm1", "hmm")
    max_length = 100
    settings: ClassVar[Mapping[str, object]] = {"iterations": "5+5"}


class Ibm3(Thot):
    name = "ibm3"
    chain = ("ibm1", "hmm", "ibm3")
    max_length = 100
    settings: ClassVar[Mapping[str, object]] = {"iterations": "5+5+5", "p0": 0.98}


class Ibm4(Thot):
    name = "ibm4"
    chain = ("ibm1", "hmm", "ibm3", "ibm4")
    max_length = 100
    settings: ClassVar[Mapping[str, object]] = {"iterations": "5+5+5+5", "p0": 0.98}


def _save(path: Path, side: Side) -> None:
    """Write plain arrays of int32, which the worker reads without numpy, because it starts faster then."""
    side.words.astype(np.int32).tofile(path.with_suffix(".words"))
    side.lengths.astype(np.int32).tofile(path.with_suffix(".lengths"))


def _load(path: Path) -> Direction:
    likely = path.with_suffix(".probabilities")
    return Direction(
        np.fromfile(path.with_suffix(".partners"), np.int32),
        np.fromfile(likely, np.float32) if likely.exists() else None,
    )
