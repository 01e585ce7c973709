"""A toy language: every English word has one translation, and the order is sometimes turned round."""

from __future__ import annotations

import lzma
import random
from pathlib import Path

ENGLISH = [
    "house",
    "river",
    "stone",
    "bird",
    "green",
    "walk",
    "slowly",
    "never",
    "under",
    "table",
    "light",
    "water",
    "night",
    "winter",
    "garden",
    "letter",
    "music",
    "friend",
    "window",
    "road",
    "open",
    "close",
    "small",
    "great",
    "happy",
    "quiet",
    "seven",
    "eight",
    "nine",
    "morning",
    "evening",
]

RECIPE = """
seed = 1
[prepare]
dropped_sources = ["bad"]
dropped_for = {}
max_words = 40
max_pairs = 1000
max_pairs_for = {}
styles = { unicode = 0.5, spaces = 0.25, clitics = 0.25 }
[label]
groups = []
views = ["stems"]
views_for = { bul = ["stems", "pieces"] }
rare_below = 0
prefix = 9
pieces = 300
samplers = 1
samplers_for = {}
length = 1.0
possible = 0.5
[vocabulary]
size = 420
temperature = 0.5
least = 1
longest_piece = 8
coverage = 1.0
whole_words = 20
[pack]
max_tokens = 48
least_linked = 0.2
pairs_a_shard = 200
max_pairs = 1000
max_pairs_for = {}
[train]
tokens_a_step = 1920
lengths = [16, 32, 48]
round_pairs = 300
copies = 2
temperature = 0.6
learning_rate = 0.004
rate_width = 64
embedding_rate = 0.01
weight_decay = 0.01
warmup_steps = 5
cooldown_from = 0.6
average_decay = 0.9
clip = 1.0
relabel_at = [0.4]
relabel_weight = [0.5]
relabel_least = 0.08
contrast_links = 64
masked_tokens = 0.08
[train.losses]
word = 1.0
subword = 0.5
link = 1.0
contrast = 0.25
masked = 0.1
"""

CONFIG = """
name = "toy"
vocabulary = 420
embedding = 32
width = 48
layers = 1
heads = 2
hidden = 64
dimension = 32
"""


def translate(word: str) -> str:
    return "".join(chr(ord("а") + (ord(letter) - ord("a")) % 32) for letter in reversed(word))


def toy_pair(generator: random.Random) -> tuple[list[str], list[str], list[tuple[int, int]]]:
    words = generator.sample(ENGLISH, generator.randint(3, 8))
    order = list(range(len(words)))
    if generator.random() < 0.5:
        order.reverse()
    other = [translate(words[i]) for i in order]
    links = [(i, j) for j, i in enumerate(order)] + [(len(words), len(words))]
    return [*words, "."], [*other, "."], sorted(links)


def write_text(folder: Path, languages: tuple[str, ...] = ("bul", "rus"), pairs: int = 300) -> None:
    folder.mkdir(parents=True)
    for language in languages:
        generator = random.Random(language)
        with lzma.open(folder / f"eng-{language}.tsv.xz", "wt", encoding="utf-8") as file:
            for number in range(pairs):
                english, other, _ = toy_pair(generator)
                source = "bad" if number % 10 == 0 else "good"
                file.write(f"{' '.join(english)}\t{' '.join(other)}\t{source}\n")


def write_gold(folder: Path, name: str, pairs: int = 20) -> None:
    generator = random.Random(name)
    (folder / name).mkdir(parents=True)
    made = [toy_pair(generator) for _ in range(pairs)]
    language = name.split(".")[0].removeprefix("eng-")
    for file, lines in (
        ("eng.txt", [" ".join(english) for english, _, _ in made]),
        (f"{language}.txt", [" ".join(other) for _, other, _ in made]),
        ("gold.txt", [" ".join(f"{i}-{j}" for i, j in links) for _, _, links in made]),
    ):
        (folder / name / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
