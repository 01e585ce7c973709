"""Trains or applies one of Thot's models in one direction, in a process of its own that imports Thot alone.

    python thot_worker.py JOB.json

The job says which sentences to read and what to write (see `main`). Words come as numbers, and Thot gets the
numbers as words.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from array import array
from itertools import accumulate
from pathlib import Path
from typing import Any

import thot.alignment as thot

MODELS = {
    "eflomal": thot.EflomalAlignmentModel,
    "fast_align": thot.FastAlignModel,
    "ibm1": thot.Ibm1AlignmentModel,
    "ibm2": thot.Ibm2AlignmentModel,
    "hmm": thot.HmmAlignmentModel,
    "ibm3": thot.Ibm3AlignmentModel,
    "ibm4": thot.Ibm4AlignmentModel,
}

BATCH = 10_000  # sentences; a matrix each is in memory at once


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text())
    source, target = (_sentences(job[side]) for side in ("from", "to"))
    wanted = job["wanted"]
    model = _train(job, source, target) if "chain" in job else _load(job)
    if "chain" in job and job["model"] == "eflomal":
        partners = _sampled(model, wanted)
    else:
        partners = _best(model, source[:wanted], target[:wanted])
    Path(f"{job['output']}.partners").write_bytes(partners)
    if job["scores"]:
        likely = _likely(model, source[:wanted], target[:wanted], partners)
        Path(f"{job['output']}.probabilities").write_bytes(likely)
    os._exit(0)  # all at once: freeing a big model entry by entry takes a while


def _sentences(name: str) -> list[list[str]]:
    words, lengths = (array("i", Path(f"{name}.{part}").read_bytes()) for part in ("words", "lengths"))
    spellings = list(map(str, range(max(words, default=-1) + 1)))
    spelled = list(map(spellings.__getitem__, words))
    return [spelled[end - length : end] for length, end in zip(lengths, accumulate(lengths), strict=True)]


def _train(job: dict[str, Any], source: list[list[str]], target: list[list[str]]) -> Any:
    parent = os.getppid()
    chain: list[Any] = []
    for name in job["chain"]:
        chain.append(_make(name, job["seed"], *chain[-1:]))
    for left, right in zip(source, target, strict=True):
        chain[-1].add_sentence_pair(left, right, 1)
    for model in chain:
        model.start_training()
        for _ in range(job["iterations"] or model.scheduled_iterations):
            model.train()
            if os.getppid() != parent:
                sys.exit("Nobody waits for the result any more.")
        model.end_training()
    model = chain[-1]
    if job["folder"]:
        _print(model, job["folder"], job["p0"])
    if job["p0"] is None:
        return model
    if job["folder"]:
        return _load(job)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        _print(model, folder, job["p0"])
        return _load({**job, "folder": folder})


def _make(name: str, seed: int | None, *simpler: Any) -> Any:
    model: Any = MODELS[name](*simpler)
    if name == "eflomal":
        model.num_samplers, model.p0 = 3, 0.2
        # Its links are those that the samplers agreed on in training, as the original program writes them.
        model.emit_training_alignments = True
        model.deterministic = seed is not None
        model.seed = int.from_bytes(os.urandom(4)) if seed is None else abs(seed) % 2**32
    return model


def _print(model: Any, folder: str, p0: float | None) -> None:
    """Write the model in Thot's own files, without the training text. One of them holds p1 = 1 - p0."""
    path = Path(folder)
    path.mkdir(exist_ok=True)
    if not model.print(str(path / "model")):
        sys.exit(f"The model cannot be written to {folder}.")
    for text in (".src", ".trg", ".srctrgc", ".aligns"):
        if (path / f"model{text}").exists():
            (path / f"model{text}").write_text("")
    if p0 is not None:
        (path / "model.p1").write_text(repr(round(1 - p0, 9)))


def _load(job: dict[str, Any]) -> Any:
    model = _make(job["model"], job["seed"])
    if not model.load(str(Path(job["folder"]) / "model")):
        sys.exit(f"The model in {job['folder']} cannot be read.")
    return model


def _sampled(model: Any, wanted: int) -> array[int]:
    """The same for the first training pairs, as the samplers of eflomal agreed on it."""
    partners = array("i")
    for number in range(wanted):
        _, matrix = model.get_training_alignment(number)
        partners.extend([partner - 1 for partner in matrix.to_list()])
    return partners


def _best(model: Any, source: list[list[str]], target: list[list[str]]) -> array[int]:
    """The position of the partner of each target word, -1 where it has none."""
    partners = array("i")
    for start in range(0, len(source), BATCH):
        found = model.get_best_alignments(source[start : start + BATCH], target[start : start + BATCH])
        for _, matrix in found:
            partners.extend([partner - 1 for partner in matrix.to_list()])
    return partners


def _likely(
    model: Any, source: list[list[str]], target: list[list[str]], partners: array[int]
) -> array[float]:
    """The probability of each target word as a translation of its partner."""
    likely, known, place = array("f"), _Probabilities(model), iter(partners)
    for ours, theirs in zip(source, target, strict=True):
        linked = zip(theirs, place, strict=False)  # the places go on with the next pair
        likely.extend([known[ours[i], word] if i >= 0 else 0.0 for word, i in linked])
    return likely


class _Probabilities(dict[tuple[str, str], float]):
    """The probability of a target word given a source word.

    Each is asked for once, because a call of Thot costs more than all the rest of a look-up.
    """

    def __init__(self, model: Any) -> None:
        self._probability = model.translation_prob
        self._source_size, self._target_size = model.src_vocab_size, model.trg_vocab_size

    def __missing__(self, pair: tuple[str, str]) -> float:
        source, target = index(pair[0], self._source_size), index(pair[1], self._target_size)
        found: float = self._probability(source, target)
        self[pair] = found
        return found


def index(word: str, size: int) -> int:
    """Thot's number of a word. It counts as we do, but begins after three words of its own; 1 is unknown."""
    return number if (number := int(word) + 3) < size else 1


if __name__ == "__main__":
    main()
