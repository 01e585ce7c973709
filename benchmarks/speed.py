"""Pairs per second beside SimAlign 0.4, on the same model and sentences, in one run.

    python benchmarks/speed.py ENG.txt DEU.txt            # e.g. the 508 gold pairs of Europarl

The model has mBERT's shape (12 layers of 768, 119,547 subwords) and random weights, which are as fast as
trained ones. Both tools take turns, so that a busy minute of the machine hits both. Results go to
benchmarks/results/speed.json and are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import simalign
import torch
import transformers
from machine import describe
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from wordalign import Aligner
from wordalign.extract import argmax, itermax, match

Pairs = list[tuple[list[str], list[str]]]
HERE = Path(__file__).parent


def mbert_shaped_model(folder: Path, lines: Iterable[str], vocabulary: int = 119_547) -> Path:
    """Random weights, and a WordPiece vocabulary that cuts words about as often as mBERT's does."""
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trained = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    trained.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trained.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=4000, special_tokens=specials))
    tokens = trained.get_vocab()
    for number in range(len(tokens), vocabulary):
        tokens[f"[unused{number}]"] = number
    tokenizer = Tokenizer(models.WordPiece(tokens, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", tokens["[CLS]"]), ("[SEP]", tokens["[SEP]"])]
    )
    transformers.BertTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=512, do_lower_case=False
    ).save_pretrained(folder)
    torch.manual_seed(0)
    transformers.BertModel(transformers.BertConfig(vocab_size=vocabulary)).save_pretrained(folder)
    return folder


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(theirs: Callable[[Pairs], object], ours: Callable[[Pairs], object], pairs: Pairs, rounds: int):
    """Pairs per second of both, and the ratio: the median over rounds in which they take turns."""
    theirs(pairs[:2])
    ours(pairs[:2])
    times = [(seconds(lambda: theirs(pairs)), seconds(lambda: ours(pairs))) for _ in range(rounds)]
    return {
        "simalign_pairs_per_s": round(len(pairs) / statistics.median(them for them, _ in times), 2),
        "wordalign_pairs_per_s": round(len(pairs) / statistics.median(us for _, us in times), 2),
        "ratio": round(statistics.median(them / us for them, us in times), 2),
        "ratios": [round(them / us, 2) for them, us in times],
        "pairs": len(pairs),
    }


def long_pairs(pairs: Pairs, words: int, number: int) -> Pairs:
    """Consecutive sentences joined until both sides have that many words."""
    joined: Pairs = []
    source: list[str] = []
    target: list[str] = []
    for left, right in pairs:
        source, target = source + left, target + right
        if min(len(source), len(target)) >= words:
            joined.append((source, target))
            source, target = [], []
    return joined[:number]


def extraction(size: int = 25, number: int = 2000) -> dict[str, dict[str, float]]:
    """Matrices per second, from matrix to links, one by one and in stacks of 32."""
    matrices = np.random.default_rng(0).random((number, size, size)).astype(np.float32)
    results = {}
    for method in (argmax, itermax, match):
        method(matrices[0])

        def singly(method=method):
            return [np.argwhere(method(matrix)).tolist() for matrix in matrices]

        def stacked(method=method):
            return [
                np.argwhere(links).tolist()
                for start in range(0, number, 32)
                for links in method(matrices[start : start + 32])
            ]

        results[method.__name__] = {
            "one_by_one_per_s": round(number / min(seconds(singly) for _ in range(3))),
            "stacked_per_s": round(number / min(seconds(stacked) for _ in range(3))),
        }
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "speed.json")
    arguments = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    sides = [path.read_text("utf-8").split("\n") for path in (arguments.source, arguments.target)]
    every = [(left.split(), right.split()) for left, right in zip(*sides, strict=True) if left and right]
    pairs = every[: arguments.pairs]
    result: dict[str, object] = {"machine": describe(), "extraction_25x25": extraction()}

    with tempfile.TemporaryDirectory() as folder:
        model = str(mbert_shaped_model(Path(folder), (" ".join(side) for pair in every for side in pair)))

        def theirs(letters: str) -> Callable[[Pairs], object]:
            aligner = simalign.SentenceAligner(model, matching_methods=letters, layer=8)
            return lambda pairs: [aligner.get_word_aligns(*pair) for pair in pairs]

        def ours(*methods: str) -> Callable[[Pairs], object]:
            aligner = Aligner(model, layer=8, method=methods, device="cpu")
            return lambda pairs: list(aligner.stream_methods(pairs))

        rounds = arguments.rounds
        result["argmax"] = compare(theirs("a"), ours("argmax"), pairs, rounds)
        result["argmax_itermax_match"] = compare(
            theirs("mai"), ours("argmax", "itermax", "match"), pairs, rounds
        )
        result["match_120_words"] = compare(
            theirs("m"), ours("match"), long_pairs(every, words=120, number=6), 1
        )
    print(json.dumps(result, indent=2))
    arguments.output.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
