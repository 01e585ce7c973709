"""Files beside files: they count as their lines do, whatever these look like, in memory that stays."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordalign.errors import InputError
from wordalign.evaluate import Counts, count
from wordalign.evaluate.files import LinkFile, judge_files
from wordalign.io import parse_pharaoh
from wordalign.io.gold import parse_gold
from wordalign.types import Pair, Sentence

NUMBERS = st.one_of(st.integers(0, 12).map(str), st.sampled_from(["00", "01", "7"]))
TOKENS = st.builds(lambda i, mark, j: f"{i}{mark}{j}", NUMBERS, st.sampled_from("---p"), NUMBERS)
PREDICTED = st.builds(
    lambda i, j, score: f"{i}-{j}{score}", NUMBERS, NUMBERS, st.sampled_from(["", "", ":0.5"])
)
LINES = st.lists(TOKENS, max_size=8).map(" ".join)
PREDICTED_LINES = st.lists(PREDICTED, max_size=8).map("  ".join)


@pytest.fixture
def files(tmp_path):
    """Writes texts to files and counts them; the notes go to `files.notes`."""

    def run(gold: str, *predicted: str, names=("a.txt", "b.txt"), **options):
        (tmp_path / "gold.txt").write_text(gold, "utf-8")
        found = []
        for name, text in zip(names, predicted, strict=False):
            (tmp_path / name).write_text(text, "utf-8")
            found.append(LinkFile(tmp_path / name))
        run.notes = []
        judged = judge_files(tmp_path / "gold.txt", found, report=run.notes.append, **options)
        return [sentence.counts() for sentence in judged]

    run.notes = []
    return run


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(LINES, PREDICTED_LINES), min_size=1, max_size=6))
def test_files_count_as_their_lines_do(files, rows):
    gold, links = ("".join(line + "\n" for line in side) for side in zip(("0-0", ""), *rows, strict=True))
    expected = [count(parse_gold("0-0"), [])]
    expected += [count(parse_gold(one), parse_pharaoh(other)) for one, other in rows]
    assert files(gold, links) == [(counts,) for counts in expected]


def test_every_link_format_says_the_same_compressed_or_not(files, tmp_path):
    gold = "0-0 1p1\n0-1\n"
    expected = [(Counts(2, 2, 1, 1),), (Counts(1, 0, 0, 1),)]
    records = [{"links": [[0, 0], [1, 1]], "signature": "m"}, {"links": [[1, 0]], "signature": "m"}]
    for name, text in {
        "a.txt": "0-0 1-1\n1-0\n",
        "scored.txt": "1-1:0.25 0-0:1e-3\n1-0:1.0\n",
        "methods.txt": "0-0 1-1\t0-0\n1-0\t\n",
        "ids.txt": "1\t0-0 1-1\n2\t1-0\n",
        "a.wpt": "1 1 1\n1 2 2\n2 2 1\n",
        "a.tsv": "a b\tx y\t0-0 1-1\na b\tx y\t1-0\n",
        "a.jsonl": "".join(json.dumps(record) + "\n" for record in records),
    }.items():
        assert files(gold, text, names=(name,)) == expected, name
        assert [note for note in files.notes if "several" in note] == files.notes[: name == "methods.txt"], (
            name
        )
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress(text.encode()))
        judged = judge_files(tmp_path / "gold.txt", [LinkFile(packed)], report=print)
        assert [sentence.counts() for sentence in judged] == expected, packed


def test_several_methods_are_told(files):
    files("0-0\n", "0-0\t0-0\n")
    assert "several methods: 1 (first: line 1). The first method's are scored." in files.notes[0]


def test_a_one_based_gold_file_beside_predictions_from_zero(files):
    assert files("1-1 2p2\n", "0-0 1-1\n", one_based=True) == [(Counts(2, 2, 1, 1),)]
    assert files("0001 1 1 S\n0001 2 2 P\n", "0-0 1-1\n") == [(Counts(2, 2, 1, 1),)]


def test_missing_sentences_count_and_are_told(files):
    assert files("0-0\n0-0\n0-0\n", "0-0\n") == [
        (Counts(1, 1, 1, 1),),
        (Counts(0, 0, 0, 1),),
        (Counts(0, 0, 0, 1),),
    ]
    assert files.notes[0].endswith(
        "a.txt: 2 (first: sentence 2). They count as sentences without predicted links."
    )


def test_extra_sentences_do_not_count_and_are_told(files):
    assert files("0-0\n", "0-0\n0-0\n\n") == [(Counts(1, 1, 1, 1),)]
    assert files.notes[0].endswith(": 2 (first: sentence 2). They were not scored.")


def test_sentences_that_the_gold_lacks_or_has_empty_make_predictions_wrong(files):
    assert files("0-0\n\n", "0-0\n0-0\n")[1] == (Counts(1, 0, 0, 0),)
    assert "without gold links: 1 (first: line 2)" in files.notes[0]
    assert files("1 1 1 S\n3 1 1 S\n", "0-0\n0-0\n0-0\n")[1] == (Counts(1, 0, 0, 0),)
    assert "1 (first: sentence 2)" in files.notes[0]


def test_sentences_are_matched_by_their_ids(files):
    """A file of predictions may lack a sentence in the middle, if ids tell which."""
    assert files("1\t0-0\n2\t1-1\n", "2\t1-1\n") == [(Counts(0, 0, 0, 1),), (Counts(1, 1, 1, 1),)]
    assert files("a\t0-0\n", "a\t0-0\n") == [(Counts(1, 1, 1, 1),)]
    with pytest.raises(InputError, match=r"a\.txt, sentence b, line 1: the gold has sentence a here"):
        files("a\t0-0\n", "b\t0-0\n")


def test_words_show_links_out_of_range(files):
    texts = [Pair(Sentence(("a", "b")), Sentence(("x",)))]
    with pytest.raises(InputError, match=r"gold\.txt, line 1: link 1-1 .* target sentence has 1 words\. If"):
        files("0-0 1-1\n", "0-0\n", texts=texts)
    with pytest.raises(
        InputError, match=r"a\.txt, line 1: link 2-0 .* source sentence has 2 words\. .*--raw"
    ):
        files("0-0\n", "2-0\n", texts=texts)
    with pytest.raises(InputError, match=r"gold\.txt, line 1: link 1-1 .* target sentence has 1 words"):
        files("0-0 1-1\n", "a b\tx\t0-0\n", names=("a.tsv",))
    with pytest.raises(InputError, match="has a sentence 2, which the text does not have"):
        files("0-0\n0-0\n", "0-0\n", texts=texts)
    with pytest.raises(InputError, match=r"sentence 1, line 1: link 2-0 .* source sentence has 2 words\.$"):
        files("1 3 1 S\n", "0-0\n", texts=texts)
    assert len(files("0-0\n", "0-0\n", texts=texts * 3)) == 3


def test_sure_links_that_are_not_listed_as_possible_are_counted_over_all_lines(files):
    files("0-0 0p0 1-1\n2-2 3-3\n4p4\n", "0-0\n0-0\n0-0\n")
    assert "as it does 1 others: 3. They were added" in files.notes[0]


def test_odd_file_names_stay_in_notes(files):
    files("0-0\n", "0-0\n0-0\n", names=("a{b}.txt",))
    assert "a{b}.txt beyond the last" in files.notes[0]


def test_the_signature_of_jsonl(files, tmp_path):
    path = tmp_path / "links.jsonl"
    path.write_text('{"links": [], "signature": "m | method=argmax"}\n')
    assert LinkFile(path).signature == "m | method=argmax"
    two = '{"links": [], "signature": "m"}\n{"links": [], "signature": "n"}\n'
    files("0-0\n0-0\n", two, names=("a.jsonl",))
    assert "another signature than the first: 1 (first: line 2)" in files.notes[0]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "0-0\n1-x\n", "line 2: '1-x' is not a link"),
        ("a.tsv", "a\tb\t0-0\na\tb\n", "line 2: expected source, TAB"),
        ("a.jsonl", '{"links": []}\n{"x": 1}\n', "line 2: .*there is no 'links'"),
        ("a.jsonl", '{"links": []}\n{"links": [[1]]}\n', "line 2: "),
        ("a.jsonl", '{"links": []}\n{\n', "line 2: "),
        ("a.jsonl", '{"links": []}\n[]\n', "line 2: "),
        ("a.jsonl", '{"links": []}\n{"links": [["a", 1]]}\n', 'line 2: .*"a", 1. is not a link'),
    ],
)
def test_a_line_without_links_is_named(files, name, text, message):
    with pytest.raises(InputError, match=message):
        files("0-0\n0-0\n", text, names=(name,))


def test_gold_without_any_link_is_refused(files):
    for gold in ("", "\n\n"):
        with pytest.raises(InputError, match="holds no gold links"):
            files(gold, "0-0\n")


def corpus(folder, sentences: int):
    line = " ".join(f"{i}-{i}" for i in range(25))
    gold, links = folder / f"gold{sentences}.txt", folder / f"links{sentences}.txt"
    for path in (gold, links):
        path.write_text((line + "\n") * sentences)
    return gold, links


def total(gold, links) -> Counts:
    counts = Counts()
    for sentence in judge_files(gold, [LinkFile(links)], report=print):
        counts += sentence.counts()[0]
    return counts


def test_memory_does_not_grow_with_the_file(tmp_path):
    def peak(sentences: int) -> int:
        files = corpus(tmp_path, sentences)
        tracemalloc.start()
        try:
            assert total(*files).sure == 25 * sentences
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(500)
    assert peak(8000) < 1.2 * peak(2000)


@pytest.mark.speed
def test_files_are_judged_faster_than_links_are_parsed_one_by_one(tmp_path):
    """As a ratio in the same run, best of several in turn."""
    gold, links = corpus(tmp_path, 4000)

    def seconds(work) -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    def parsed() -> Counts:
        counts = Counts()
        for one, other in zip(gold.read_text().split("\n"), links.read_text().split("\n"), strict=True):
            counts += count(parse_gold(one), parse_pharaoh(other))
        return counts

    assert total(gold, links) == parsed()
    fast, slow = (min(times) for times in zip(
        *((seconds(lambda: total(gold, links)), seconds(parsed)) for _ in range(3)), strict=True
    ))  # fmt: skip
    assert fast < 0.5 * slow
