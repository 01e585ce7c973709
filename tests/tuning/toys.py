"""A toy model that knows nothing, and a toy language to teach it: every word has one translation."""

from __future__ import annotations

import random
from pathlib import Path

from wordalign.types import GoldAlignment, Pair, Sentence

ENGLISH = [
    *("house", "river", "stone", "bird", "green", "walk", "slowly", "never", "under", "table", "light"),
    *("water", "night", "winter", "garden", "letter", "music", "friend", "window", "road", "open", "close"),
    *("small", "great", "happy", "quiet", "seven", "eight", "nine", "morning", "evening"),
]


def translated(word: str) -> str:
    """In letters that no bundled model knows: Glagolitic ones."""
    return "".join(chr(0x2C30 + (ord(letter) - ord("a"))) for letter in reversed(word))


def toy_pairs(count: int, seed: int = 0) -> list[tuple[Pair, GoldAlignment]]:
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        words = chance.sample(ENGLISH, chance.randint(3, 8))
        order = list(range(len(words)))
        chance.shuffle(order)
        links = frozenset((i, j) for j, i in enumerate(order))
        other = [translated(words[i]) for i in order]
        pair = Pair(Sentence.from_words([*words, "."]), Sentence.from_words([*other, "."]))
        links |= {(len(words), len(words))}
        found.append((pair, GoldAlignment(links, links)))
    return found


def write_toy_model(folder: Path) -> Path:
    """A model folder with random weights and the vocabulary of the bundled models."""
    import torch
    from tokenizers import Tokenizer

    from wordalign.encoders.resolve import bundled_tokenizer
    from wordalign.encoders.torch_module import EncoderModule, EncoderShape
    from wordalign.tuning.export import export_model, score_facts

    tokenizer = Tokenizer.from_file(str(bundled_tokenizer()))
    torch.manual_seed(1)
    shape = EncoderShape("toy", tokenizer.get_vocab_size(), 32, 64, 1, 1, 64, 32)
    module = EncoderModule(shape)
    arrays = {name: value.detach().numpy() for name, value in module.named_parameters()}
    facts = {
        "version": "1",
        "languages": ["eng"],
        "coverage": [],
        "calibration": {**score_facts(arrays), "scores": [-30.0, 30.0], "log_odds": [-30.0, 30.0]},
        "thresholds": {"always": 0.5, "mutual": 0.5},
    }
    folder.mkdir(parents=True)
    export_model(folder, arrays, shape, tokenizer, facts, [pair.source.words for pair, _ in toy_pairs(40)])
    return folder
