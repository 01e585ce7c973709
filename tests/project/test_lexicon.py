"""Phrase pairs against their definition, counts against plain counting, and every format read back."""

from __future__ import annotations

import csv
import json
from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.cli import main
from wordalign.errors import UsageError
from wordalign.project.lexicon import Lexicon
from wordalign.project.lexicon_formats import COLUMNS, lexicon_lines, write_lexical_tables
from wordalign.project.phrases import phrase_spans
from wordalign.text import split_words
from wordalign.types import Alignment, Sentence


@st.composite
def linked(draw):
    lengths = draw(st.integers(0, 7)), draw(st.integers(0, 7))
    cells = [(i, j) for i in range(lengths[0]) for j in range(lengths[1])]
    return draw(st.sets(st.sampled_from(cells), max_size=10)) if cells else set(), *lengths


def literal_phrase_spans(links, source_length, target_length, max_length, tight):
    """Every two spans, and the definition."""
    for start in range(source_length):
        for end in range(start + 1, min(start + max_length, source_length) + 1):
            for target_start in range(target_length):
                for target_end in range(target_start + 1, min(target_start + max_length, target_length) + 1):
                    inside = {(i, j) for i, j in links if start <= i < end and target_start <= j < target_end}
                    touching = {
                        (i, j) for i, j in links if start <= i < end or target_start <= j < target_end
                    }
                    if not inside or inside != touching:
                        continue
                    edges = {start, end - 1} <= {i for i, _ in inside} and {target_start, target_end - 1} <= {
                        j for _, j in inside
                    }
                    if edges or not tight:
                        yield start, end, target_start, target_end


@given(linked(), st.integers(1, 8), st.booleans())
def test_phrase_pairs_are_those_of_the_definition(sentence, max_length, tight):
    links, *lengths = sentence
    found = [tuple(spans) for spans in phrase_spans(links, *lengths, max_length, tight=tight)]
    assert len(set(found)) == len(found)
    assert set(found) == set(literal_phrase_spans(links, *lengths, max_length, tight))


def test_a_phrase_has_a_word():
    with pytest.raises(UsageError, match="at least one word"):
        list(phrase_spans([], 1, 1, 0))


def aligned(source: str, target: str, links: str) -> Alignment:
    pairs = tuple(tuple(map(int, link.split("-"))) for link in links.split())
    return Alignment(
        pairs, (1.0,) * len(pairs), Sentence(tuple(source.split())), Sentence(tuple(target.split()))
    )


HOUSE = aligned("the old house .", "das alte Haus .", "0-0 1-1 2-2 3-3")
CAT = aligned("the cat sleeps", "die Katze schläft gerade", "0-0 1-1 2-2")


def entries_of(*alignments: Alignment, **options):
    with Lexicon(**options) as lexicon:
        for alignment in alignments:
            lexicon.add(alignment)
        return list(lexicon.entries())


@given(st.lists(linked(), max_size=8), st.integers(1, 3))
def test_counts_do_not_depend_on_the_memory_there_is(sentences, buffered):
    vocabulary = ("a", "b", "c")
    alignments = []
    for links, m, n in sentences:
        ordered = tuple(sorted(links))
        source, target = (Sentence(tuple(vocabulary[k % 3] for k in range(length))) for length in (m, n))
        alignments.append(Alignment(ordered, (1.0,) * len(ordered), source, target))
    expected = Counter(
        (" ".join(a.source.words[i:k]), " ".join(a.target.words[j:m]))
        for a in alignments
        for i, k, j, m in literal_phrase_spans(set(a.links), len(a.source), len(a.target), 4, tight=True)
    )
    few, many = (entries_of(*alignments, buffered=size) for size in (buffered, 1000))
    assert few == many
    assert {(entry.source, entry.target): entry.count for entry in many} == expected
    for entry in many:
        of_source = sum(count for (source, _), count in expected.items() if source == entry.source)
        of_target = sum(count for (_, target), count in expected.items() if target == entry.target)
        assert entry.target_given_source == pytest.approx(entry.count / of_source)
        assert entry.source_given_target == pytest.approx(entry.count / of_target)


def test_entries_have_probabilities_and_examples():
    the = next(entry for entry in entries_of(HOUSE, HOUSE, CAT) if entry.source == "the")
    assert (the.target, the.count, the.source_given_target) == ("das", 2, 1.0)
    assert the.target_given_source == pytest.approx(2 / 3)
    assert the.examples == (("the old house .", "das alte Haus ."),)
    two = entries_of(HOUSE, HOUSE, CAT, examples=2)[0]
    assert len(two.examples) == 2


def test_what_a_phrase_may_hold():
    def sources(**options):
        return {entry.source for entry in entries_of(HOUSE, **options)}

    assert "house ." not in sources()
    assert "house ." in sources(punctuation=True)
    assert "the old house" in sources()
    assert not any("the" in source.split() for source in sources(stop_words=["The"]))
    assert sources(max_length=1) == {"the", "old", "house"}
    assert "sleeps gerade" not in {f"{e.source} {e.target}" for e in entries_of(CAT)}
    assert ("sleeps", "schläft gerade") in {(e.source, e.target) for e in entries_of(CAT, loose=True)}


def test_phrases_of_raw_text_are_written_as_they_stand_there():
    source, target = split_words("Long-term plans"), split_words("長期計画")
    both = Alignment(
        ((0, 0), (1, 1), (2, 1), (3, 2), (3, 3)), (1.0,) * 5, source, target
    )  # long 長, - term 期, plans 計画
    found = {(entry.source, entry.target) for entry in entries_of(both, lowercase=True)}
    assert ("long-term plans", "長期計画") in found
    assert ("plans", "計画") in found


def test_terms_are_found_whatever_their_case():
    with Lexicon() as lexicon:
        lexicon.add(HOUSE)
        lexicon.add(CAT)
        assert [entry.target for entry in lexicon.entries(terms=["Old  House"])] == ["alte Haus"]
        assert lexicon.missing(["CAT", "dog"]) == ["dog"]
        assert list(lexicon.entries(terms=[])) == []
        with pytest.raises(UsageError, match="read already"):
            lexicon.add(HOUSE)


def test_lexical_tables_are_those_of_extract_lex(tmp_path):
    """The expected lines are what Marian's `extract_lex` writes for this corpus, sorted."""
    with Lexicon("links") as lexicon:
        for alignment in (HOUSE, CAT, aligned("the the", "das", "0-0")):
            lexicon.add(alignment)
        write_lexical_tables(lexicon, tmp_path / "lex")
    assert sorted((tmp_path / "lex.s2t").read_text("utf-8").splitlines()) == sorted(
        [
            ". . 1.0000000",
            "Haus house 1.0000000",
            "Katze cat 1.0000000",
            "NULL the 0.2500000",
            "alte old 1.0000000",
            "das the 0.5000000",
            "die the 0.2500000",
            "gerade NULL 1.0000000",
            "schläft sleeps 1.0000000",
        ]
    )
    assert "NULL gerade 1.0000000" in (tmp_path / "lex.t2s").read_text("utf-8").splitlines()
    assert "the NULL 1.0000000" in (tmp_path / "lex.t2s").read_text("utf-8").splitlines()


def test_formats_are_read_back():
    odd = aligned('say "a<b&c"', "sage »a<b&c«;x", "0-0 1-1")
    entries = entries_of(odd)
    rows = [dict(zip(COLUMNS, line.split("\t"), strict=True)) for line in lexicon_lines(entries, "tsv")][1:]
    lines = list(lexicon_lines(entries, "csv"))
    assert lines[0].startswith("\ufeff")
    sheet = list(csv.DictReader([lines[0].removeprefix("\ufeff"), *lines[1:]]))
    assert rows == sheet
    objects = [json.loads(line) for line in lexicon_lines(entries, "jsonl")]
    assert [row["source"] for row in rows] == [entry["source"] for entry in objects]
    assert objects[0]["examples"] == [['say "a<b&c"', "sage »a<b&c«;x"]]
    tbx = ElementTree.fromstring("\n".join(lexicon_lines(entries, "tbx", ("en", "de"))))
    space = {"t": "urn:iso:std:iso:30042:ed-2"}
    terms = [term.text for term in tbx.iterfind(".//t:term", space)]
    assert '"a<b&c"' in terms
    assert len(tbx.findall(".//t:conceptEntry", space)) == len({entry.source for entry in entries})


def run(command: str) -> int:
    return main(command.split())


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eng.txt").write_text("the old house\nthe cat\n\n", "utf-8")
    (tmp_path / "deu.txt").write_text("das alte Haus\ndie Katze\n\n", "utf-8")
    (tmp_path / "links.txt").write_text("0-0 1-1 2-2\n0-0 1-1\n\n", "utf-8")
    (tmp_path / "terms.txt").write_text("old house\ndog\n", "utf-8")
    return tmp_path


def test_the_command_takes_given_links(corpus, capsys):
    assert run("lexicon eng.txt deu.txt --links links.txt -o out.tsv --max-length 1") == 0
    rows = [line.split("\t")[:3] for line in (corpus / "out.tsv").read_text("utf-8").splitlines()[1:]]
    assert rows == [
        ["cat", "Katze", "1"],
        ["house", "Haus", "1"],
        ["old", "alte", "1"],
        ["the", "das", "1"],
        ["the", "die", "1"],
    ]
    assert run("lexicon eng.txt deu.txt --links links.txt --terms terms.txt --max-length 1") == 0
    said = capsys.readouterr()
    assert [line.split("\t")[1] for line in said.out.splitlines()[1:]] == ["alte Haus"]
    assert "This text has no translation for 1 of 2 terms: dog" in said.err


def test_the_command_finds_links(corpus, capsys):
    assert run("lexicon eng.txt deu.txt --model tiny --workers 1") == 0
    assert ["house", "Haus"] in [line.split("\t")[:2] for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ("--format tbx", "--languages en de"),
        ("--format lex", "-o"),
        ("--min-count 0", "1 or more"),
        ("--min-probability 2", "between 0 and 1"),
        ("--max-length 0", "above 0"),
        ("--examples -1", "0 or more"),
        ("--method argmax match", "one method"),
        ("-o eng.txt", "overwritten"),
    ],
)
def test_wrong_usage_is_told_in_words(corpus, capsys, options, advice):
    assert run(f"lexicon eng.txt deu.txt --links links.txt {options}") == 2
    assert advice in capsys.readouterr().err


@pytest.mark.parametrize(
    ("links", "advice"),
    [
        ("0-0\n0-0\n", "goes on after line 2"),
        ("0-0\n0-0\n\n\n", "links.txt goes on"),
        ("0-9\n\n\n", "range"),
    ],
)
def test_links_of_another_text_are_told(corpus, capsys, links, advice):
    (corpus / "links.txt").write_text(links, "utf-8")
    assert run("lexicon eng.txt deu.txt --links links.txt -o out.tsv") == 1
    assert advice in capsys.readouterr().err
    assert not (corpus / "out.tsv").exists()


def test_a_list_without_terms_is_refused(corpus, capsys):
    (corpus / "terms.txt").write_text("\n", "utf-8")
    assert run("lexicon eng.txt deu.txt --links links.txt --terms terms.txt -o out.tsv") == 1
    assert "terms.txt holds no terms" in capsys.readouterr().err
    assert not (corpus / "out.tsv").exists()
