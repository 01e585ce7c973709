"""How multilingual a model has become: F1 of its layers (Argmax, subword level), on no test set.

    python -m reproduction.mlm.watch --data DIR WORK      # before the training: writes WORK/watch.json

The sets are hand-made or annotated links for development (`gold-dev/`, `gold-train/`, `gold-annotated/`).
They are read once, on the machine that has them, so that the training itself needs nothing but WORK.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

SETS = (
    "gold-dev/eng-ita.xlwa-dev",
    "gold-dev/eng-spa.xlwa-dev",
    "gold-train/eng-deu.europarl2000",
    "gold-train/eng-fra.lpp100",
    "gold-train/eng-ron.wpt2003",
    "gold-annotated/eng-ces",
    "gold-annotated/eng-hin",
    "gold-annotated/eng-fas",
)
SENTENCES = 100


def prepare(data: Path, work: Path) -> None:
    """Numbers of pieces, the word of each piece, and the links, for the first sentences of each set."""
    from tokenizers import Tokenizer

    from wordalign.data import GoldSet

    tokenizer = Tokenizer.from_file(str(work / "model" / "tokenizer.json"))
    found: dict[str, list[Any]] = {}
    for name in SETS:
        gold = GoldSet.open(data / name)
        rows = []
        for source, target, links in zip(gold.source, gold.target, gold.gold, strict=True):
            sides = [
                tokenizer.encode(list(side.words), is_pretokenized=True, add_special_tokens=True)
                for side in (source, target)
            ]
            if max(len(side.ids) for side in sides) <= 128 and len(rows) < SENTENCES:
                pieces = [
                    [side.ids, [-1 if word is None else word for word in side.word_ids]] for side in sides
                ]
                rows.append([*pieces, sorted(links.sure), sorted(links.possible)])
        found[Path(name).name] = rows
    (work / "watch.json").write_text(json.dumps(found), "utf-8")


def watch(model: Any, sets: dict[str, list[Any]], device: Any) -> dict[str, list[float]]:
    """F1 of every layer on every set."""
    import torch

    scores = {}
    for name, rows in sets.items():
        layers = [
            _states(model, [row[side][0] for row in rows], device, torch) for side in (0, 1)
        ]  # per side: layers of (sentences, longest, width)
        scores[name] = [_f1(rows, one, other, torch) for one, other in zip(*layers, strict=True)]
    return scores


def _states(model: Any, sentences: list[list[int]], device: Any, torch: Any) -> list[Any]:
    longest = max(map(len, sentences))
    ids = torch.zeros(len(sentences), longest, dtype=torch.long)
    for number, sentence in enumerate(sentences):
        ids[number, : len(sentence)] = torch.tensor(sentence)
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    inside = (torch.arange(longest)[None] < lengths[:, None]).long()
    places = torch.arange(longest).repeat(len(sentences), 1)
    with torch.no_grad():
        states = model.states(ids.to(device), places.to(device), inside.to(device))
    return [torch.nn.functional.normalize(state.float(), dim=-1) for state in states]


def _f1(rows: list[Any], one: Any, other: Any, torch: Any) -> float:
    similar = torch.bmm(one, other.transpose(1, 2)).cpu()
    found = sure_found = possible_found = sure_all = 0
    for row, matrix in zip(rows, similar, strict=True):
        (ids1, words1), (ids2, words2), sure, possible = row
        inner = matrix[1 : len(ids1) - 1, 1 : len(ids2) - 1]
        if 0 in inner.shape:
            continue
        forward, backward = inner.argmax(1), inner.argmax(0)
        mutual = [(i, int(j)) for i, j in enumerate(forward) if int(backward[j]) == i]
        links = {(words1[i + 1], words2[j + 1]) for i, j in mutual}
        certain = {tuple(link) for link in sure}
        found += len(links)
        sure_found += len(links & certain)
        possible_found += len(links & (certain | {tuple(link) for link in possible}))
        sure_all += len(certain)
    precision, recall = possible_found / max(found, 1), sure_found / max(sure_all, 1)
    return round(2 * precision * recall / max(precision + recall, 1e-9), 4)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, metavar="WORK")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    arguments = parser.parse_args()
    prepare(arguments.data, arguments.work)


if __name__ == "__main__":
    main()
