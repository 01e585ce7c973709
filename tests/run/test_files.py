"""`align_files` from Python, and what it says of input that is probably not what its user thinks."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from wordalign import AlignConfig, Aligner, InputError, StatisticalAligner, UsageError, align_files
from wordalign.cli import main
from wordalign.io import Parser, Record, read_lines
from wordalign.run.text import input_warnings

EXAMPLES = Path(__file__).parents[2] / "examples"
TINY = AlignConfig("tiny")


@pytest.fixture
def corpus(tmp_path, monkeypatch, sentence_pairs):
    """Two parallel files of tokenised text in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, side in (("source.txt", 0), ("target.txt", 1)):
        Path(name).write_text("".join(" ".join(pair[side]) + "\n" for pair in sentence_pairs), "utf-8")
    return ["source.txt", "target.txt"]


def test_one_call_writes_the_links_that_the_aligner_finds(corpus, sentence_pairs):
    seen = []
    found = align_files(corpus, "links.txt", TINY, progress=seen.append, report=pytest.fail)
    assert (found.lines, found.failed, found.resumed) == (50, 0, False)
    expected = [alignment.pharaoh() for alignment in Aligner("tiny").align_batch(sentence_pairs)]
    assert list(read_lines("links.txt")) == expected
    assert [(step.stage, step.lines, step.total) for step in seen] == [
        ("aligning", 0, 50),
        ("aligning", 50, 50),
    ]


def test_an_aligner_that_is_loaded_is_used_as_it_is(corpus):
    aligner = Aligner("tiny", method="argmax", threshold=0.5)
    align_files(corpus, "links.txt", aligner)
    align_files(corpus, "again.txt", aligner.config, workers=1)
    assert Path("links.txt").read_text() == Path("again.txt").read_text()


def test_the_name_of_a_model_is_enough(corpus):
    align_files(corpus, "links.txt", Aligner("tiny"))
    align_files(corpus, "by name.txt", "tiny")
    assert Path("by name.txt").read_text() == Path("links.txt").read_text()


def test_a_null_percentile_takes_a_first_pass(corpus):
    seen = []
    config = AlignConfig("tiny", method="argmax")
    align_files(
        corpus, "links.txt", config, null_percentile=60, progress=lambda step: seen.append(step.stage)
    )
    assert set(seen) == {"finding the null threshold", "aligning"}
    align_files(corpus, "all.txt", config)
    assert 0 < len(Path("links.txt").read_text()) < 0.9 * len(Path("all.txt").read_text())


def test_a_finished_run_is_not_done_again(corpus):
    assert not align_files(corpus, "links.txt", TINY, resume=True).resumed
    found = align_files(corpus, "links.txt", TINY, resume=True)
    assert (found.lines, found.resumed) == (50, True)
    with pytest.raises(UsageError, match="made with other settings"):
        align_files(corpus, "links.txt", AlignConfig("tiny", method="argmax"), resume=True)


def test_a_statistical_aligner_takes_the_same_way(corpus):
    pytest.importorskip("thot")
    aligner = StatisticalAligner("ibm1", scores=False)
    found = align_files(corpus, "links.txt", aligner, train=corpus, save_model="model")
    assert found.lines == 50
    loaded = StatisticalAligner.load("model", scores=False)
    assert loaded.trained
    align_files(corpus, "again.txt", loaded)
    assert Path("again.txt").read_text() == Path("links.txt").read_text()
    for wrong in ({"resume": True}, {"workers": 2}, {"null_percentile": 90}):
        with pytest.raises(UsageError, match="learns from all of its input at once"):
            align_files(corpus, "other.txt", aligner, **wrong)
    with pytest.raises(UsageError, match="learns nothing new"):
        align_files(corpus, "other.txt", loaded, train=corpus)
    with pytest.raises(UsageError, match="Only a statistical aligner learns"):
        align_files(corpus, "other.txt", TINY, save_model="model")


def test_a_statistical_aligner_skips_bad_lines(corpus):
    pytest.importorskip("thot")
    Path("pairs.tsv").write_text("the house\tdas haus\nno tab\na house\tein haus\n")
    found = align_files("pairs.tsv", "links.txt", StatisticalAligner("ibm1", scores=False), on_error="skip")
    assert (found.lines, found.failed) == (3, 1)
    assert [bool(line) for line in read_lines("links.txt")] == [True, False, True]
    assert json.loads(Path("links.txt.errors.jsonl").read_text())["line"] == 2


def records(*lines: str) -> list[Record]:
    return [Record(number, tuple(line.encode().split(b"\n"))) for number, line in enumerate(lines, start=1)]


TWO_FILES = Parser(("a.txt", "b.txt"))


@pytest.mark.parametrize(
    ("lines", "parser", "word"),
    [
        (["The clock has stopped.\nDie Uhr ist stehen geblieben."], TWO_FILES, "stopped."),
        (["The clock has stopped .\nDie Uhr ist stehen geblieben."], TWO_FILES, "geblieben."),
        (["No, it has not\nNein , das nicht"], TWO_FILES, "No,"),
        (["a ||| b", "Has it stopped? ||| Steht sie ?"], Parser(("p",), "bars"), "stopped?"),
        (['{"source": "It stopped.", "target": "x"}'], Parser(("p",), "jsonl"), "stopped."),
        (["hello\n时钟停了。"], TWO_FILES, "时钟停了。"),
        (["hello\nนาฬิกาเก่าบนผนังหยุดเดินแล้ว"], TWO_FILES, "นาฬิกาเก่าบนผนังหยุดเดินแล้ว"),
    ],
)
def test_text_that_looks_untokenised_gets_one_warning(lines, parser, word):
    (warning,) = input_warnings(records(*lines), parser)
    assert f"does not look tokenised (as in '{word}')" in warning
    assert "Give --raw" in warning


@pytest.mark.parametrize(
    ("lines", "parser"),
    [
        (["The clock has stopped .\nDie Uhr ist stehen geblieben ."], TWO_FILES),
        (["Mr. Smith , of the U.S.\nHerr Smith"], TWO_FILES),
        (["The clock has stopped.\nDie Uhr steht."], Parser(("a", "b"), raw=True)),
        (["a clock\n时钟 停 了 。", "a\n钟"], TWO_FILES),
        (["a clock\nนาฬิกา เก่า บน ผนัง"], TWO_FILES),
        (["\n", "a\nb"], TWO_FILES),
        (['{"source": ["It", "stopped."], "target": ["x."]}', "no json"], Parser(("p",), "jsonl")),
        ([f"title {number}\nTitel" for number in range(30)] + ["Smith Bros.\nSmith"], TWO_FILES),
    ],
)
def test_tokenised_text_gets_no_warning(lines, parser):
    assert list(input_warnings(records(*lines), parser)) == []


def test_the_command_names_raw_once_and_only_where_it_helps(capfd, tmp_path):
    files = [str(EXAMPLES / name) for name in ("eng.txt", "deu.txt")]
    output = ["-o", str(tmp_path / "links.txt"), "--model", "tiny"]
    assert main(["align", *files, *output]) == 0
    said = capfd.readouterr().err
    assert said.count("--raw") == said.count("\n") == 1
    assert "eng.txt does not look tokenised" in said
    assert main(["align", *files, *output, "--raw"]) == 0
    assert capfd.readouterr().err == ""


def test_python_is_warned(corpus):
    Path("raw.tsv").write_text("It has stopped.\tSie steht.\n")
    with pytest.warns(UserWarning, match="Give --raw"):
        align_files("raw.tsv", "links.txt", TINY)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        align_files(corpus, "links.txt", TINY)


def test_a_third_column_is_left_out_and_that_is_said_once(corpus, capfd):
    Path("wide.tsv").write_text("Yes\tJa\nNo\tNein\tOui\n" * 10)
    assert main(["align", "wide.tsv", "-o", "links.txt", "--model", "tiny"]) == 0
    said = capfd.readouterr().err
    assert said.startswith("wordalign: wide.tsv has more than two columns (as in line 2)")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["source.txt", "--scores", "target.txt"],
        ["--scores", "source.txt", "target.txt"],
        ["source.txt", "target.txt", "--scores"],
    ],
)
def test_options_may_stand_between_file_names(corpus, words):
    assert main(["align", *words, "-o", "links.txt", "--model", "tiny"]) == 0
    assert Path("links.txt").read_text().startswith("0-0:")


def test_file_names_that_look_like_options_follow_two_hyphens(corpus):
    Path("source.txt").rename("-s.txt")
    assert main(["align", "-o", "links.txt", "--model", "tiny", "--", "-s.txt", "target.txt"]) == 0
    assert len(list(read_lines("links.txt"))) == 50


@pytest.mark.parametrize("output", [[], ["-o", "links.txt"], ["-o", "-"]])
def test_errors_do_not_mix_with_links_on_standard_output(corpus, capfd, output):
    options = ["--on-error", "skip", "--errors", "-", "--model", "tiny"]
    assert main(["align", *corpus, *options, *output]) == 2
    assert "give --errors a file's name" in capfd.readouterr().err
    assert not Path("-").exists()


def test_directed_links_of_an_encoder(corpus, capfd):
    for direction in ("forward", "reverse"):
        assert main(["align", *corpus, "--direction", direction, "-o", direction, "--model", "tiny"]) == 0
        assert main(["align", *corpus, "--method", direction, "-o", "method", "--model", "tiny"]) == 0
        assert Path(direction).read_text() == Path("method").read_text()
    assert Path("forward").read_text() != Path("reverse").read_text()
    assert main(["align", *corpus, "--direction", "forward", "--method", "argmax"]) == 2
    assert "leave it or --method out" in capfd.readouterr().err


def test_directed_links_of_a_statistical_aligner_become_one_again(corpus, capfd):
    pytest.importorskip("thot")
    aligner = ["--aligner", "fast_align"]
    assert main(["align", *corpus, *aligner, "-o", "both"]) == 0
    for direction in ("forward", "reverse"):
        assert main(["align", *corpus, *aligner, "--direction", direction, "-o", direction]) == 0
    assert main(["symmetrize", "forward", "reverse", "-o", "joined"]) == 0
    assert Path("joined").read_text() == Path("both").read_text()
    # As fast_align has it, the forward direction gives each target word one partner at most.
    for line in read_lines("forward"):
        targets = [link.partition("-")[2] for link in line.split()]
        assert len(targets) == len(set(targets))
    assert main(["align", *corpus, *aligner, "--direction", "forward", "--symmetrize", "union"]) == 2
    assert "leave one of them out" in capfd.readouterr().err


TRACE = """
import sys, threading

entered, on_the_way = set(), set()

def note(frame, event, argument):
    code = frame.f_code
    # Functions alone: bodies of modules and classes run when they are imported.
    if event == "call" and code.co_flags & 1 and "/wordalign/" in code.co_filename:
        entered.add(code.co_filename)
        if code.co_filename.endswith("io/records.py") and code.co_name == "_more":
            # The first pair is about to be read: its way began with all that wait for it.
            while frame is not None:
                on_the_way.add(frame.f_code.co_filename)
                frame = frame.f_back
        if on_the_way:
            on_the_way.add(code.co_filename)

from wordalign.cli import main
from wordalign.aligners import neural
from wordalign.encoders import onnx
from wordalign.run import files

threading.setprofile(note)
sys.setprofile(note)
main(sys.argv[1:])
sys.setprofile(None)
ours = {name for name in on_the_way if "/wordalign/" in name}
print(*(f"{name} {name in ours}" for name in sorted(entered)), sep="\\n", file=sys.stderr)
"""


def test_one_pair_is_followed_from_the_command_line_to_the_output_line_through_few_files():
    """A pair passes through at most 28 files; with options, model and machine the run enters a few more."""
    files = [str(EXAMPLES / name) for name in ("eng.txt", "deu.txt")]
    done = subprocess.run(
        [sys.executable, "-c", TRACE, "align", *files, "--raw"], capture_output=True, text=True, check=True
    )
    entered = done.stderr.splitlines()
    assert "0-0" in done.stdout
    assert any(line.endswith("text/words.py True") for line in entered), done.stderr
    assert len([line for line in entered if line.endswith("True")]) <= 28, done.stderr
    assert len(entered) <= 34, done.stderr


def test_empty_files_are_told(tmp_path):
    empty = tmp_path / "empty.txt"
    empty.touch()
    told: list[str] = []
    found = align_files([empty, empty], tmp_path / "links.txt", report=told.append)
    assert found.lines == 0
    assert told == [f"There is nothing to align: {empty} and {empty} are empty."]


def test_a_format_is_of_files_of_pairs(tmp_path):
    eng, deu, pairs = (tmp_path / name for name in ("eng", "deu", "pairs"))
    for path, text in zip((eng, deu, pairs), ("house\n", "Haus\n", "house\tHaus\n"), strict=True):
        path.write_text(text)
    output = tmp_path / "links"
    with pytest.raises(UsageError, match="in two files a line is a sentence"):
        align_files([eng, deu], output, input_format="tsv")
    assert align_files(pairs, output, input_format="tsv").lines == 1
    with pytest.raises(InputError, match="If the translations are in a file of their own, give that too"):
        align_files(eng, output)
