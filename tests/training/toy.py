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
machine_translated = ["machine"]
machine_share = 0.0
enough_by_people = 100
max_words = 40
max_pairs = 1000
max_pairs_for = {}
max_entries = 20
styles = { unicode = 0.5, spaces = 0.25, clitics = 0.25 }
[label]
groups = []
max_pairs = 1000
max_pairs_for = {}
word_lists = ["list"]
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
size = 345
temperature = 0.5
least = 1
longest_piece = 8
coverage = 1.0
whole_words = 2
[pack]
max_tokens = 48
least_linked = 0.2
max_pairs = 1000
max_pairs_for = {}
max_entries = 1000
[train]
tokens_a_step = 1000
temperature = 0.6
shares = { entries = 0.05, copies = 0.05, joined = 0.2, same = 0.05 }
own_part = 0.0
teacher_part = { entries = 0.5, copies = 0.0, joined = 0.5, same = 0.5 }
joint_layers = 1
longest_gold = 64
teachers = 2
tunings = 1
[train.joins]
joined = 300
paraphrases = 50
distance = 2
copies = 20
"""

# A model to start from, which knows nothing yet.
CONFIG = {
    "name": "toy", "vocabulary": 345, "embedding": 32, "width": 64, "layers": 1, "heads": 1, "hidden": 64,
    "dimension": 32,
}  # fmt: skip

# What is learned, and how, by stage.
_TEXT = """
[train.{stage}]
steps = {steps}
rate = 0.004
warm = 3
average = 0.8
low = 0.15
high = 0.6
link = 1.0
word = 1.0
subword = 0.5
contrast = 0.25
contrast_links = 64
masked = 0.1
masked_share = {masked}
mixed = 0.2
soft = {soft}
"""
_GOLD = """
[train.gold_{stage}]
steps = 3
rate = 0.0001
warm = 2
average = 0.8
by_people = 4
by_machine = 2
gold = {{ masked_share = 0.1, word = 0.5 }}
"""
RECIPE += "".join(
    _TEXT.format(stage=stage, steps=steps, masked=masked, soft=soft)
    for stage, steps, masked, soft in (
        ("pretrain", 70, 0.02, "false"),
        ("teacher", 3, 0.05, "false"),
        ("student", 3, 0.0, "true"),
        ("tiny", 3, 0.0, "true"),
    )
) + "".join(_GOLD.format(stage=stage) for stage in ("teacher", "student", "tiny"))


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
    """The languages share their English sentences; every tenth pair is of a source that must not be used."""
    folder.mkdir(parents=True)
    for language in languages:
        generator = random.Random("english")
        with lzma.open(folder / f"eng-{language}.tsv.xz", "wt", encoding="utf-8") as file:
            for number in range(pairs):
                english, other, _ = toy_pair(generator)
                source = "bad" if number % 10 == 0 else "machine" if number % 10 == 1 else "good"
                file.write(f"{' '.join(english)}\t{' '.join(other)}\t{source}\n")
        with lzma.open(folder / f"dict-{language}.tsv.xz", "wt", encoding="utf-8") as file:
            file.writelines(f"{word}\t{translate(word)}\tlist\n" for word in ENGLISH)


def write_gold(folder: Path, name: str, pairs: int = 20) -> None:
    generator = random.Random(name)
    (folder / name).mkdir(parents=True)
    made = [toy_pair(generator) for _ in range(pairs)]
    first, second = name.split(".")[0].split("-")
    for file, lines in (
        (f"{first}.txt", [" ".join(english) for english, _, _ in made]),
        (f"{second}.txt", [" ".join(other) for _, other, _ in made]),
        ("gold.txt", [" ".join(f"{i}-{j}" for i, j in links) for _, _, links in made]),
    ):
        (folder / name / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
