"""What is learned from and what is held out; and sentences about what cannot be used."""

from __future__ import annotations

import pytest
from toys import toy_pairs

from wordalign import InputError, Pair, UsageError
from wordalign.tuning.files import read_material
from wordalign.tuning.material import LEAST_TEXT, Linked, gather
from wordalign.types import GoldAlignment, Sentence

GOLD = [Linked(*one) for one in toy_pairs(60)]
TEXT = [pair for pair, _ in toy_pairs(300, seed=1)]


def test_a_part_of_the_gold_is_held_out():
    found = gather(TEXT, GOLD)
    assert (len(found.gold), len(found.held_out), found.held_out_text) == (48, 12, [])
    assert not {id(one.pair) for one in found.gold} & {id(one.pair) for one in found.held_out}
    assert len(found.text) == len(TEXT)


def test_a_part_of_the_text_is_held_out_where_there_is_no_gold():
    found = gather(TEXT)
    assert (len(found.text), len(found.held_out_text), found.held_out) == (240, 60, [])


def test_a_development_set_is_never_learned():
    found = gather([*TEXT, GOLD[0].pair], GOLD, GOLD[:20])
    assert len(found.held_out) == 20
    assert len(found.gold) == 40
    assert len(found.text) == len(TEXT)
    assert any("20 gold pairs are in the development set" in note for note in found.notes)


def test_what_is_left_out_is_told():
    empty, long = (Pair(Sentence.from_words(["a"] * n), Sentence.from_words(["b"])) for n in (0, 81))
    found = gather([*TEXT, empty, empty, long, TEXT[0]], GOLD)
    assert len(found.text) == len(TEXT)
    said = " ".join(found.notes)
    assert "2 pairs with an empty side" in said
    assert "1 pairs with more than 80 words" in said
    assert "1 pairs that were there before" in said


def test_a_little_text_beside_gold_is_left_out():
    found = gather(TEXT[:50], GOLD)
    assert found.text == []
    assert any("too few" in note for note in found.notes)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": TEXT[:10]}, f"10 usable pairs of text and no gold links.*{LEAST_TEXT} pairs"),
        ({"gold": GOLD[:15]}, "15 usable pairs with gold links"),
        ({"gold": GOLD[:8], "dev": GOLD[20:40]}, "8 usable pairs with gold links"),
        ({"gold": GOLD, "dev": GOLD[:3]}, "development set has 3 usable pairs"),
        ({"text": [Pair(pair.source, pair.source) for pair in TEXT]}, "one language twice"),
        ({}, "0 usable pairs"),
    ],
)
def test_too_little_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        gather(**given)


def test_gold_without_links_is_left_out():
    none = GoldAlignment(frozenset(), frozenset())
    found = gather(TEXT, [*GOLD, Linked(TEXT[0], none)])
    assert any("1 gold pairs without links" in note for note in found.notes)


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path):
    """Text, and the links of its first two lines."""
    return (
        write(tmp_path / "a.txt", ["the house", "a river", "old stone"]),
        write(tmp_path / "b.txt", ["das Haus", "ein Fluss", "alter Stein"]),
        write(tmp_path / "links.txt", ["0-0 1-1", "0p0 1-1"]),
    )


def test_links_of_the_first_lines(files):
    given = read_material(files[:2], gold=files[2:])
    assert [one.pair.target.words for one in given.gold] == [("das", "Haus"), ("ein", "Fluss")]
    assert given.gold[1].links.sure == {(1, 1)}
    assert [pair.source.words for pair in given.text] == [("old", "stone")]


def test_an_empty_line_has_no_gold_links(files, tmp_path):
    links = write(tmp_path / "links.txt", ["", "0-0"])
    given = read_material(files[:2], gold=[links])
    assert len(given.gold) == 1
    assert len(given.text) == 2


@pytest.mark.parametrize("kind", ["three", "bars", "tsv", "jsonl", "annotated"])
def test_gold_in_files_of_its_own(files, tmp_path, kind):
    if kind == "three":
        two = [write(tmp_path / f"{n}.txt", lines) for n, lines in (("s", ["a b"]), ("t", ["x y"]))]
        gold = [*two, write(tmp_path / "g.txt", ["0-1 1p0"])]
    elif kind == "jsonl":
        record = '{"source": ["a", "b"], "target": ["x", "y"], "links": [[0, 1]], "possible": [[1, 0]]}'
        gold = [write(tmp_path / "g.jsonl", [record])]
    elif kind == "annotated":  # as the page for annotation exports it
        fields = '"links": [[0, 1], [1, 0]], "gold": "0-1 1p0", "done": true'
        gold = [write(tmp_path / "g.jsonl", ['{"source": ["a", "b"], "target": ["x", "y"], ' + fields + "}"])]
    else:
        line = {"bars": "a b ||| x y ||| 0-1 1p0", "tsv": "a b\tx y\t0-1 1p0"}[kind]
        gold = [write(tmp_path / f"g.{'txt' if kind == 'bars' else 'tsv'}", [line])]
    (one,) = read_material(gold=gold, dev=gold).dev
    assert one.pair.source.words == ("a", "b")
    assert (one.links.sure, one.links.possible) == ({(0, 1)}, {(0, 1), (1, 0)})


def test_a_dictionary(tmp_path):
    path = write(tmp_path / "words.tsv", ["house\tHaus", "", "old town\tAltstadt\tnoun"])
    assert [len(pair.source) for pair in read_material(dictionary=path).entries] == [1, 2]


@pytest.mark.parametrize(
    ("name", "lines", "option", "error", "said"),
    [
        ("links.txt", ["0-0"] * 4, "gold", InputError, "has 4 lines, and the text has 3"),
        ("links.txt", ["0-9"], "gold", InputError, "out of range"),
        ("links.txt", ["0-0"], "dev", UsageError, "--dev takes three files"),
        ("g.tsv", ["a\tb"], "gold", InputError, "line 1: expected source, target and links"),
        ("g.txt", ["a ||| b ||| x"], "gold", InputError, "line 1"),
        ("g.txt", ["a ||| b ||| 0-5"], "gold", InputError, "out of range"),
        ("g.jsonl", ["{}"], "gold", InputError, "expected"),
        ("d.txt", ["one"], "dictionary", InputError, "line 1: expected a word or phrase"),
    ],
)
def test_bad_files_are_explained(files, tmp_path, name, lines, option, error, said):
    path = write(tmp_path / name, lines)
    with pytest.raises(error, match=said):
        read_material(files[:2], **{option: path if option == "dictionary" else [path]})


def test_files_of_different_lengths_are_refused(files, tmp_path):
    shorter = write(tmp_path / "c.txt", ["eins"])
    with pytest.raises(InputError):
        read_material([files[0], shorter])


def test_nothing_to_learn_from_is_refused(files):
    with pytest.raises(UsageError, match="Give parallel text"):
        read_material()
    with pytest.raises(UsageError, match="links alone"):
        read_material(gold=[files[2]])
