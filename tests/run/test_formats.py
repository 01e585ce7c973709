"""`align_files` on files whose pairs are no lines: links, the number of lines and resuming are the same."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from wordalign import AlignConfig, Aligner, InputError, StatisticalAligner, UsageError, align_files
from wordalign.cli import main
from wordalign.io import checkpoint, read_lines
from wordalign.parallel import cut
from wordalign.run import ChunkAligner

TINY = AlignConfig("tiny")
FORMATS = ("csv", "tmx", "xliff", "parquet")


@pytest.fixture
def corpus(tmp_path, monkeypatch, sentence_pairs):
    """The same fifty pairs in a file of each format, with the arguments that each needs."""
    monkeypatch.chdir(tmp_path)
    pairs = [(" ".join(source), " ".join(target)) for source, target in sentence_pairs]
    with Path("pairs.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(
            [("n", "English", "other"), *((n, *pair) for n, pair in enumerate(pairs))]
        )
    units = [
        f'<tu><tuv xml:lang="en"><seg>{escape(source)}</seg></tuv><tuv xml:lang="fr"><seg>x</seg></tuv>\n'
        f'<tuv xml:lang="de"><seg>{escape(target)}</seg></tuv></tu>'
        for source, target in pairs
    ]
    Path("pairs.tmx").write_text(f'<tmx><header srclang="en"/><body>{"".join(units)}</body></tmx>', "utf-8")
    units = [
        f"<trans-unit><source>{escape(source)}</source>\n<target>{escape(target)}</target></trans-unit>"
        for source, target in pairs
    ]
    Path("pairs.xlf").write_text(f"<xliff><file><body>{''.join(units)}</body></file></xliff>", "utf-8")
    import pyarrow
    from pyarrow import parquet

    source, target = (list(side) for side in zip(*pairs, strict=True))
    parquet.write_table(pyarrow.table({"source": source, "target": target}), "pairs.parquet")
    return {
        "csv": ("pairs.csv", {"columns": ["English", "other"]}),
        "tmx": ("pairs.tmx", {"target_language": "de"}),
        "xliff": ("pairs.xlf", {}),
        "parquet": ("pairs.parquet", {}),
    }


@pytest.fixture(scope="module")
def expected(sentence_pairs):
    return [alignment.pharaoh() for alignment in Aligner("tiny").align_batch(sentence_pairs)]


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_gives_the_links_of_its_pairs(corpus, expected, name):
    file, chosen = corpus[name]
    found = align_files(file, "links.txt", TINY, workers=1, report=pytest.fail, **chosen)
    assert (found.lines, found.failed) == (50, 0)
    assert list(read_lines("links.txt")) == expected


@pytest.mark.parametrize("name", ["csv", "tmx"])
def test_workers_do_not_change_the_result(corpus, expected, name):
    file, chosen = corpus[name]
    align_files(file, "links.txt", TINY, workers=2, **chosen)
    assert list(read_lines("links.txt")) == expected


@pytest.mark.parametrize("name", FORMATS)
def test_an_interrupted_run_is_resumed(corpus, expected, name, monkeypatch):
    monkeypatch.setattr(ChunkAligner, "cut", lambda self, records: cut(records, 10))
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    file, chosen = corpus[name]

    def stop(progress):
        if progress.lines >= 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        align_files(file, "links.txt", TINY, workers=1, resume=True, progress=stop, **chosen)
    begun = []
    align_files(file, "links.txt", TINY, workers=1, resume=True, progress=begun.append, **chosen)
    assert begun[0].lines >= 10
    assert list(read_lines("links.txt")) == expected
    assert align_files(file, "links.txt", TINY, resume=True, **chosen).resumed


def test_another_choice_is_another_run(corpus):
    align_files("pairs.tmx", "links.txt", TINY, resume=True, target_language="de")
    with pytest.raises(UsageError, match=r"--target-language was \"de\" and is now \"fr\""):
        align_files("pairs.tmx", "links.txt", TINY, resume=True, target_language="fr")


def test_a_bad_row_is_skipped_and_keeps_its_line(corpus, expected):
    text = Path("pairs.csv").read_text("utf-8").splitlines()
    Path("pairs.csv").write_text("\n".join([*text[:3], "only one", *text[3:]]) + "\n", "utf-8")
    columns = ["English", "other"]
    found = align_files("pairs.csv", "links.txt", TINY, columns=columns, on_error="skip")
    assert (found.lines, found.failed) == (51, 1)
    assert list(read_lines("links.txt")) == [*expected[:2], "", *expected[2:]]
    (error,) = map(json.loads, read_lines("links.txt.errors.jsonl"))
    assert error["line"] == 3
    assert "pairs.csv, row 3 (line 4): expected 3 columns or more, found 1" in error["reason"]


def test_what_is_malformed_ends_the_run_and_keeps_the_lines_before(corpus):
    text = Path("pairs.tmx").read_text("utf-8")
    Path("pairs.tmx").write_text(text[: text.rindex("<tuv")], "utf-8")
    with pytest.raises(InputError, match=r"pairs\.tmx, line 51: an XML parser refuses it .*ends too early"):
        align_files("pairs.tmx", "links.txt", TINY, target_language="de", on_error="skip")
    assert not Path("links.txt").exists()
    assert len(list(read_lines("links.txt.partial"))) == 49


def test_a_statistical_aligner_learns_from_a_memory(corpus):
    pytest.importorskip("thot")
    found = align_files(
        "pairs.tmx", "links.txt", StatisticalAligner("ibm1"), target_language="de", train="pairs.xlf"
    )
    assert found.lines == 50


def test_the_command_chooses_columns_and_languages(corpus, expected, capsys):
    model = ["--model", "tiny", "--workers", "1"]
    assert main(["align", "pairs.csv", "--columns", "English", "other", *model]) == 0
    assert capsys.readouterr().out.splitlines() == expected
    assert main(["align", "pairs.tmx", "--source-language", "en", "--target-language", "de", *model]) == 0
    assert capsys.readouterr().out.splitlines() == expected
    assert main(["align", "pairs.tmx", *model]) == 1
    assert "more than two languages, en, fr, de: choose two with" in capsys.readouterr().err
    assert main(["align", "pairs.tmx", "--columns", "a", "b", *model]) == 2
    assert "--columns is for CSV and Parquet files" in capsys.readouterr().err


def test_other_commands_read_the_same_files(corpus, capsys):
    model = ["--model", "tiny", "--workers", "1"]
    assert main(["check", "pairs.xlf", *model]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 50
    assert main(["lexicon", "pairs.csv", "--columns", "English", "other", *model]) == 0
    from_csv = capsys.readouterr().out
    assert main(["lexicon", "pairs.parquet", *model]) == 0
    assert capsys.readouterr().out == from_csv


def test_many_machines_refuse_what_they_do_not_read(corpus, capsys):
    assert main(["align", "pairs.tmx", "--engine", "ray", "-o", "parts"]) == 2
    assert "--engine ray does not read TMX files" in capsys.readouterr().err
    assert main(["align", "pairs.tmx", "--engine", "ray", "-o", "parts", "--target-language", "de"]) == 2
    assert "--target-language is for TMX and XLIFF files" in capsys.readouterr().err
