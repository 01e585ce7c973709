"""One direction of one of Thot's models, in a process of its own; needs Thot and numpy only.

    python thot_worker.py JOB.json

The job says which sentences to read and what to write (see `main`). Words come as numbers and are
spelled as such for Thot.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import thot.alignment as thot

MODELS = {
    "fast_align": thot.FastAlignModel,
    "ibm1": thot.Ibm1AlignmentModel,
    "ibm2": thot.Ibm2AlignmentModel,
    "hmm": thot.HmmAlignmentModel,
    "ibm3": thot.Ibm3AlignmentModel,
    "ibm4": thot.Ibm4AlignmentModel,
}


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text())
    source, target = (_sentences(Path(job[side]).with_suffix(".npz")) for side in ("from", "to"))
    model = _train(job, source, target) if "chain" in job else _load(job["model"], job["folder"])
    wanted = job["wanted"]
    partners, probabilities = _best(model, source[:wanted], target[:wanted])
    np.savez(f"{job['output']}.npz", partners=partners, probabilities=probabilities)


def _sentences(path: Path) -> list[list[int]]:
    with np.load(path, allow_pickle=False) as arrays:
        ends = np.cumsum(arrays["lengths"])[:-1]
        return [part.tolist() for part in np.split(arrays["words"], ends)]


def _train(job: dict[str, Any], source: list[list[int]], target: list[list[int]]) -> Any:
    parent = os.getppid()
    chain: list[Any] = []
    for name in job["chain"]:
        chain.append(MODELS[name](*chain[-1:]))
    for left, right in zip(source, target, strict=True):
        chain[-1].add_sentence_pair([str(word) for word in left], [str(word) for word in right], 1)
    for model in chain:
        model.start_training()
        for _ in range(job["iterations"]):
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
        return _load(job["model"], job["folder"])
    with tempfile.TemporaryDirectory(dir=".") as folder:
        _print(model, folder, job["p0"])
        return _load(job["model"], folder)


def _print(model: Any, folder: str, p0: float | None) -> None:
    """Thot's own files, without the training text; p1 = 1 - p0 is a number in one of them."""
    path = Path(folder)
    path.mkdir(exist_ok=True)
    if not model.print(str(path / "model")):
        sys.exit(f"The model cannot be written to {folder}.")
    for text in (".src", ".trg", ".srctrgc"):
        (path / f"model{text}").write_text("")
    if p0 is not None:
        (path / "model.p1").write_text(repr(round(1 - p0, 9)))


def _load(name: str, folder: str) -> Any:
    model = MODELS[name]()
    if not model.load(str(Path(folder) / "model")):
        sys.exit(f"The model in {folder} cannot be read.")
    return model


def _best(model: Any, source: list[list[int]], target: list[list[int]]) -> tuple[Any, Any]:
    """The partner of each target word, -1 for none, and its probability as a translation of its partner."""
    source_index = {word: model.get_src_word_index(str(word)) for word in set().union(*source)}
    target_index = {word: model.get_trg_word_index(str(word)) for word in set().union(*target)}
    left = [[source_index[word] for word in sentence] for sentence in source]
    right = [[target_index[word] for word in sentence] for sentence in target]
    found = [matrix.to_list() for _, matrix in model.get_best_alignments(left, right)] if left else []
    partners = [partner - 1 for row in found for partner in row]
    known: dict[tuple[int, int], float] = {}
    probabilities = []
    for row, ours, theirs in zip(found, left, right, strict=True):
        for partner, word in zip(row, theirs, strict=True):
            pair = (ours[partner - 1], word) if partner else (0, 0)
            if partner and pair not in known:
                known[pair] = model.translation_prob(*pair)
            probabilities.append(known[pair] if partner else 0.0)
    return np.array(partners, dtype=np.int32), np.array(probabilities, dtype=np.float32)


if __name__ == "__main__":
    main()
