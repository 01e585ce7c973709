"""Gold links as people publish them: every format gives the same links, and nothing is dropped in silence."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordalign.errors import InputError, UnknownNameError
from wordalign.io.gold import parse_gold, read_gold
from wordalign.types import GoldAlignment

LINKS = st.frozensets(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=12)
GOLDS = st.lists(st.builds(GoldAlignment, LINKS, LINKS), min_size=1, max_size=6)
ANY_FOLDER = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def read(tmp_path):
    """Reads a text as a file of gold links; the notes go to `read.notes`."""

    def read_text(text: str, **options) -> list[GoldAlignment]:
        path = tmp_path / "gold.txt"
        path.write_text(text, "utf-8")
        read_text.notes = []
        return list(read_gold(path, report=read_text.notes.append, **options))

    read_text.notes = []
    return read_text


def marked(gold: GoldAlignment, first: int) -> list[tuple[int, int, bool]]:
    return [(i + first, j + first, (i, j) in gold.sure) for i, j in sorted(gold.possible)]


def as_pharaoh(golds: list[GoldAlignment], first: int = 0) -> str:
    lines = [
        " ".join(f"{i}{'-' if sure else 'p'}{j}" for i, j, sure in marked(gold, first)) for gold in golds
    ]
    return "".join(line + "\n" for line in lines)


def as_talp(golds: list[GoldAlignment]) -> str:
    lines = [" ".join(f"{i}{'s' if sure else 'p'}{j}" for i, j, sure in marked(gold, 1)) for gold in golds]
    return "".join(line + "\n" for line in lines)


def as_wpt(golds: list[GoldAlignment]) -> str:
    return "".join(
        f"{number:04} {i} {j} {'S' if sure else 'P'}\n"
        for number, gold in enumerate(golds, start=1)
        for i, j, sure in marked(gold, 1)
    )


@ANY_FOLDER
@given(golds=GOLDS)
def test_all_formats_say_the_same(read, golds):
    lengths = [31] * len(golds)
    assert read(as_pharaoh(golds)) == golds
    assert read(as_pharaoh(golds, first=1), one_based=True) == golds
    assert read(as_talp(golds), gold_format="talp") == golds
    # Sentences without links leave no trace in WPT; how many there are at the end, only the text tells.
    assert read(as_wpt(golds), gold_format="wpt", source_words=lengths, target_words=lengths) == golds


@ANY_FOLDER
@given(golds=GOLDS)
def test_lines_may_begin_with_the_sentences_id(read, golds):
    lines = as_pharaoh(golds).splitlines()
    for named in (
        [f"{number}\t{line}\n" for number, line in enumerate(lines)],
        [f"{number:04} {line}\n" for number, line in enumerate(lines, start=1)],
        [f"doc-s{number}\t{line}\n" for number, line in enumerate(lines, start=7)],
    ):
        assert read("".join(named)) == golds


@given(sure=LINKS, possible=LINKS)
def test_possible_links_include_the_sure_ones(sure, possible):
    gold = GoldAlignment(sure, possible)
    assert gold.possible == sure | possible
    assert gold.sure == sure


def test_formats_are_known_by_their_look(read):
    expected = [GoldAlignment(frozenset({(0, 0)}), frozenset({(1, 2)}))]
    assert read("0-0 1p2\n") == expected
    assert read("0-0:0.93 1?2\n") == expected
    assert read("1s1 2p3\n") == expected
    assert read("1 1 1 S\n1 2 3 P\n") == expected
    assert read("1\t1\t1\n1 2 3 P 0.5\n") == expected  # no letter is S; a confidence may follow
    assert read("17\t0-0 1p2\n")[-1] == expected[0]


def test_a_declared_format_is_taken_at_its_word(read):
    assert read("1-1\n", gold_format="talp") == read("0-0\n")
    assert read("1-1\n", one_based=True) == read("0-0\n")
    assert read("1 0 0 S\n", one_based=False) == read("0-0\n")
    with pytest.raises(UnknownNameError, match="Did you mean 'talp'"):
        read("0-0\n", gold_format="tlap")


def test_empty_and_missing_sentences_are_told(read):
    assert [len(gold.sure) for gold in read("0-0\n\n0-0\n\n")] == [1, 0, 1, 0]
    (note,) = read.notes
    assert "without gold links: 2 (first: line 2)" in note

    assert [len(gold.sure) for gold in read("0001 1 1 S\n0004 1 1 S\n")] == [1, 0, 0, 1]
    (note,) = read.notes
    assert "missing from" in note
    assert ": 2 (first: sentence 2)" in note

    assert len(read("0-0\n", source_words=[1, 4, 4])) == 3
    assert ": 2 (first: sentence 2)" in read.notes[0]


def test_sure_links_that_are_not_listed_as_possible_are_added_and_counted(read):
    """Some files list sure links twice, as S and as P; then those listed once are told."""
    (gold,) = read("1 1 1 S\n1 1 1 P\n1 2 2 S\n1 3 3 P\n")
    assert gold.possible == {(0, 0), (1, 1), (2, 2)}
    (note,) = read.notes
    assert "1 others: 1." in note
    read("1 1 1 S\n1 2 2 S\n1 3 3 P\n")
    assert not read.notes


def test_links_to_no_word_are_left_out_and_counted(read):
    assert read("1 1 1 S\n1 0 2 P\n") == [parse_gold("0-0")]
    assert "position 0, which is no word: 1" in read.notes[0]
    assert read("1 1 1 S\n1 0 1 S\n1 1 0 P\n") == [parse_gold("0-0")]
    assert "position 0, which is no word: 2" in read.notes[0]


def test_a_link_out_of_range_is_refused_with_its_place(read):
    with pytest.raises(
        InputError, match=r"gold\.txt, line 2: link 4-1 .* source sentence has 4 words.*--one-based"
    ):
        read("0-0\n4-1\n", source_words=[4, 4], target_words=[4, 4])
    with pytest.raises(InputError, match=r"sentence 0002, line 2: link 0-4 .* target sentence has 4 words"):
        read("0001 1 1 S\n0002 1 5 S\n", source_words=[4, 4], target_words=[4, 4])
    with pytest.raises(InputError, match=r"line 1: link 0-1 is out of range: the first word is 1"):
        read("0-1\n", one_based=True)
    with pytest.raises(InputError, match=r"sentence 1, line 1: link 0-0 is out of range.*--zero-based"):
        read("1 0 0 S\n")
    with pytest.raises(InputError, match="has a sentence 2, which the text does not have"):
        read("0-0\n0-0\n", source_words=[1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0\n0-0 1\n", "line 2: '1' is not a link"),
        ("0-0\nhello\n", "line 2: 'hello' is not a link"),
        ("We do not\n", "line 1: 'do' is not a link"),
        ("0-0\n0--1\n", "line 2: '0--1' is not a link"),
        ("0-0:x\n", "'0-0:x' is not a link"),
        ("1 1 1 S\nhello\n", "line 2: expected sentence, source word"),
        ("2 1 1 S\n1 1 1 S\n", "line 2: sentence 1 comes again or too late.*sort -s"),
        ("1\t0-0\n1\t0-0\n", "line 2: sentence 1 comes again"),
        ("1\t0-0\nx\t0-0\n", "'x' is not a number"),
        ("1\t0-0\n\n", "line 2: has no sentence id"),
    ],
)
def test_what_cannot_be_read_is_named(read, text, message):
    with pytest.raises(InputError, match=message):
        read(text)


def test_notes_are_warnings_where_nobody_asks_for_them(tmp_path):
    path = tmp_path / "gold.txt"
    path.write_text("0-0\n\n")
    with pytest.warns(UserWarning, match="without gold links: 1"):
        list(read_gold(path))


@pytest.mark.parametrize(
    ("pair", "sentences", "sure", "possible"),
    [
        ("eng-ces", 2501, 44292, 23131),
        ("eng-deu", 508, 9612, 921),
        ("eng-fra", 447, 4038, 13400),
        ("eng-hin", 90, 1408, 0),
        ("eng-ron", 200, 5033, 0),
    ],
)
@pytest.mark.filterwarnings("ignore:.*without gold links")
def test_the_papers_gold_sets_have_the_counts_they_should(gold_folder, pair, sentences, sure, possible):
    folder = gold_folder / pair
    texts = [folder / "eng.txt", folder / f"{pair[-3:]}.txt"]
    lengths = [[len(line.split(" ")) for line in path.read_text("utf-8").split("\n")[:-1]] for path in texts]
    golds = list(read_gold(folder / "gold.txt", source_words=lengths[0], target_words=lengths[1]))
    assert len(golds) == sentences
    assert sum(len(gold.sure) for gold in golds) == sure
    assert sum(len(gold.possible - gold.sure) for gold in golds) == possible
