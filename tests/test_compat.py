"""The drop-in against SimAlign 0.4 itself, on the same tiny models: equal links, every letter."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from wordalign.compat import SentenceAligner
from wordalign.errors import UsageError

simalign = pytest.importorskip("simalign")

SETTINGS = list(itertools.product(["bert", "xlmr"], ["bpe", "word"], [0.0, 0.5]))
# SimAlign's match takes networkx half a second for 60 units, so long sentences go without it.
SHORT, LONG = 28, 70


def both(model: Path, token_type: str, distortion: float, letters: str):
    options = {"token_type": token_type, "distortion": distortion, "matching_methods": letters, "layer": 3}
    return simalign.SentenceAligner(str(model), **options), SentenceAligner(str(model), **options)


def gold_pairs(folder: Path, number: int, characters: int) -> list[tuple[list[str], list[str]]]:
    """The first pairs of each gold set that have at most so many characters a side."""
    chosen: list[tuple[list[str], list[str]]] = []
    for pair in sorted(folder.iterdir()):
        language = pair.name.split("-")[1]
        sides = [(pair / f"{name}.txt").read_text("utf-8").split("\n") for name in ("eng", language)]
        fitting = (
            (eng.split(), other.split())
            for eng, other in zip(*sides, strict=True)
            if 0 < len(eng) < characters and 0 < len(other) < characters
        )
        chosen.extend(itertools.islice(fitting, number))
    return chosen


@pytest.mark.parametrize(("kind", "token_type", "distortion"), SETTINGS)
def test_links_equal_simaligns_on_shipped_pairs(tiny_model, sentence_pairs, kind, token_type, distortion):
    theirs, ours = both(tiny_model(kind), token_type, distortion, "maifr")
    for source, target in sentence_pairs:
        assert ours.get_word_aligns(source, target) == theirs.get_word_aligns(source, target)


@pytest.mark.parametrize(("kind", "token_type", "distortion"), SETTINGS)
@pytest.mark.parametrize(("letters", "number", "characters"), [("aifr", 45, LONG), ("m", 12, SHORT)])
def test_links_equal_simaligns_on_gold_pairs(
    tiny_model, gold_folder, kind, token_type, distortion, letters, number, characters
):
    theirs, ours = both(tiny_model(kind), token_type, distortion, letters)
    pairs = gold_pairs(gold_folder, number, characters)
    assert len(pairs) >= 40
    for source, target in pairs:
        assert ours.get_word_aligns(source, target) == theirs.get_word_aligns(source, target)


def test_strings_are_split_on_white_space_as_before(tiny_model):
    theirs, ours = both(tiny_model("bert"), "bpe", 0.0, "maifr")
    pair = "The museum is closed .", "Das Museum ist geschlossen ."
    assert ours.get_word_aligns(*pair) == theirs.get_word_aligns(*pair)


def test_a_long_sentence_is_not_cut_off(tiny_model, sentence_pairs):
    words = [word for source, _ in sentence_pairs for word in source]
    aligner = SentenceAligner(str(tiny_model("bert")), matching_methods="a", layer=3)
    links = aligner.get_word_aligns(words, words)["inter"]
    assert links[-1] == (len(words) - 1, len(words) - 1)


def test_an_unknown_letter_is_named(tiny_model):
    with pytest.raises(UsageError, match=r"'x'.*a, m, i, f, r"):
        SentenceAligner(str(tiny_model("bert")), matching_methods="ax")


def test_a_bundled_model_needs_no_layer():
    aligner = SentenceAligner(model="base", token_type="word", matching_methods="a")
    assert aligner.get_word_aligns("the old house", "das alte Haus") == {"inter": [(0, 0), (1, 1), (2, 2)]}
    with pytest.raises(UsageError, match="leave out layer"):
        SentenceAligner(model="base", layer=3)
