"""`wordalign evaluate` as its user runs it: files in, a table or JSON out, everything odd said."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from wordalign.cli import main

GOLD = "0-0 1-1 2p2\n0-0 1-2\n0-1 1-0\n"
GOOD = "0-0 1-1 2-2\n0-0 1-2\n0-1 1-0\n"
BAD = "0-0 1-1\n0-0\n1-1\n"
TEXTS = {
    "gold.txt": GOLD,
    "good.txt": GOOD,
    "bad.txt": BAD,
    "eng.txt": "the museum closes\nthe museum today\nopen doors\n",
    "deu.txt": "das Museum schließt\ndas heutige Museum\nTüren offene\n",
    "eng.upos.txt": "DET NOUN VERB\nDET NOUN ADV\nADJ NOUN\n",
    "deu.upos.txt": "DET NOUN VERB\nDET ADJ NOUN\nNOUN ADJ\n",
    "corpus.txt": "the the museum ||| das das Museum\nthe doors ||| das Türen\n",
}

BY_POS = ["gold.txt", "bad.txt", "--by", "pos", "--tags"]
BY_FREQUENCY = ["gold.txt", "bad.txt", "--by", "frequency", "--corpus"]
WORDS = ["--source", "eng.txt", "--target", "deu.txt"]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs the command in a folder with the files above; gives exit code, output and complaints."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, "utf-8")

    def run_command(*arguments: str, text: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        try:
            code = main(["evaluate", *arguments])
        except SystemExit as stop:
            code = stop.code
        found = capsys.readouterr()
        assert "Traceback" not in found.err
        return code, found.out, found.err

    return run_command


def figures(output: str, name: str) -> list[str]:
    (line,) = [line for line in output.splitlines() if line.startswith(f"{name} ")]
    return line.split()[1:]


def test_a_table_of_scores_and_counts(run):
    code, output, errors = run("gold.txt", "good.txt", "bad.txt")
    assert (code, errors) == (0, "")
    assert figures(output, "good.txt") == ["1.0000", "1.0000", "1.0000", "0.0000", "7", "7", "6", "6"]
    assert figures(output, "bad.txt") == ["0.7500", "0.5000", "0.6000", "0.4000", "4", "3", "3", "6"]
    assert "good.txt: no signature" in output
    assert "scored against gold.txt, 3 sentences, by wordalign " in output


def test_json_has_all_figures_unrounded(run):
    code, output, _ = run("gold.txt", "bad.txt", "--json")
    record = json.loads(output)
    (system,) = record["systems"]
    assert code == 0
    assert system["counts"] == {"predicted": 4, "right_possible": 3, "right_sure": 3, "sure": 6}
    assert system["f1"] == pytest.approx(0.6, abs=1e-15)
    assert (record["gold"], record["sentences"], record["notes"]) == ("gold.txt", 3, [])


def test_the_signature_is_the_files_or_the_users(run, tmp_path):
    lines = [{"links": [[0, 0]], "signature": "tiny@1 | method=argmax"}] * 3
    (tmp_path / "links.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    _, output, _ = run("gold.txt", "links.jsonl", "bad.txt", "--signature", "eflomal 2.0")
    assert "links.jsonl: tiny@1 | method=argmax\nbad.txt: eflomal 2.0\n" in output
    code, _, errors = run("gold.txt", "bad.txt", "--signature", "a", "--signature", "b")
    assert (code, errors) == (2, "wordalign: There are more --signature than files of links.\n")


def test_which_is_better_and_is_it_chance(run, tmp_path):
    for name, text in {"gold.txt": GOLD, "good.txt": GOOD, "bad.txt": BAD}.items():
        (tmp_path / name).write_text(text * 40)
    code, output, _ = run("gold.txt", "bad.txt", "good.txt", "--paired", "--resamples", "200")
    assert code == 0
    assert "good.txt is better than bad.txt, by more than chance: F1 1.0000 against 0.6000" in output
    _, same, _ = run("gold.txt", "good.txt", "good.txt", "--paired", "--json")
    (comparison,) = json.loads(same)["comparisons"]
    assert comparison["differences"]["f1"]["p_bootstrap"] == 1
    assert comparison["verdict"] == "good.txt and good.txt are equal: F1 1.0000."
    code, _, errors = run("gold.txt", "good.txt", "--paired")
    assert code == 2
    assert "give two files of links or more" in errors


def test_a_file_that_is_given_twice_has_two_lines(run):
    code, output, _ = run("gold.txt", "bad.txt", "bad.txt")
    assert code == 0
    _, first, second, *_ = output.splitlines()
    assert first == second
    assert first.startswith("bad.txt ")


def test_by_frequency(run):
    code, output, errors = run(
        "gold.txt", "bad.txt", "--by", "frequency", "--corpus", "corpus.txt", "--bins", "0,1,2",
        "--source", "eng.txt", "--target", "deu.txt",
    )  # fmt: skip
    assert (code, errors) == (0, "")
    assert figures(output, "0")[4:] == ["1", "0", "0", "1"]
    assert figures(output, "1")[4:] == ["1", "1", "1", "3"]
    assert figures(output, "2+")[4:] == ["2", "2", "2", "2"]
    two = ["--corpus", "eng.txt", "deu.txt"]
    code, output, _ = run(
        "gold.txt", "bad.txt", "--by", "frequency", "--source", "eng.txt", "--target", "deu.txt", *two
    )
    assert code == 0
    assert figures(output, "10000+") == ["-"] * 4 + ["0"] * 4


def test_links_that_carry_words_need_no_texts(run, tmp_path):
    lines = zip(*(TEXTS[name].splitlines() for name in ("eng.txt", "deu.txt", "bad.txt")), strict=True)
    (tmp_path / "links.tsv").write_text("".join("\t".join(line) + "\n" for line in lines), "utf-8")
    code, output, _ = run(
        "gold.txt", "links.tsv", "--by", "frequency", "--corpus", "corpus.txt", "--bins", "0,1,2"
    )
    assert code == 0
    assert figures(output, "2+")[4:] == ["2", "2", "2", "2"]


def test_by_part_of_speech(run):
    code, output, errors = run("gold.txt", "bad.txt", "--by", "pos", "--tags", "eng.upos.txt")
    assert (code, errors) == (0, "")
    assert figures(output, "DET")[4:] == ["2", "2", "2", "2"]
    assert figures(output, "NOUN")[4:] == ["2", "1", "1", "3"]
    assert figures(output, "ADJ")[4:] == ["0", "0", "0", "1"]
    _, output, _ = run(
        "gold.txt", "bad.txt", "--by", "pos", "--tags", "eng.upos.txt", "--target-tags", "deu.upos.txt"
    )
    assert figures(output, "ADJ")[4:] == ["1", "0", "0", "1"]
    _, output, _ = run("gold.txt", "bad.txt", "--by", "pos", "--tags", "eng.upos.txt", "--json")
    (system,) = json.loads(output)["systems"]
    assert system["by_pos"]["DET"]["f1"] == 1


def test_notes_go_to_standard_error_and_into_json(run, tmp_path):
    (tmp_path / "short.txt").write_text("0-0 1-1 2-2\n")
    code, output, errors = run("gold.txt", "short.txt", "--json")
    assert code == 0
    assert errors.startswith("wordalign: note: Sentences missing from short.txt: 2 (first: sentence 2).")
    assert json.loads(output)["notes"][0].startswith("Sentences missing from short.txt: 2")


def test_formats_and_first_indices_can_be_declared(run, tmp_path):
    (tmp_path / "wpt.txt").write_text("1 1 1 S\n1 2 2 S\n1 3 3 P\n2 1 1 S\n2 2 3 S\n3 1 2 S\n3 2 1 S\n")
    (tmp_path / "one.txt").write_text("1-1 2-2 3p3\n1-1 2-3\n1-2 2-1\n")
    expected = figures(run("gold.txt", "bad.txt")[1], "bad.txt")
    for arguments in (["wpt.txt"], ["wpt.txt", "--format", "wpt"], ["one.txt", "--one-based"]):
        assert figures(run(arguments[0], "bad.txt", *arguments[1:])[1], "bad.txt") == expected
    assert figures(run("one.txt", "bad.txt", "--format", "talp")[1], "bad.txt") == expected
    code, _, errors = run("one.txt", "bad.txt", "--source", "eng.txt", "--target", "deu.txt")
    assert code == 1
    assert errors.startswith("wordalign: one.txt, line 1: link 3-3 (counted from 0) is out of range")
    assert "--one-based" in errors


def test_links_on_standard_input(run):
    code, output, _ = run("gold.txt", "-", text=BAD)
    assert code == 0
    assert figures(output, "-")[2] == "0.6000"
    code, output, _ = run("-", "bad.txt", text=GOLD)
    assert figures(output, "bad.txt")[2] == "0.6000"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "-"], "Only one of the files can be standard input."),
        (["gold.txt", "bad.txt", "--source", "eng.txt"], "Give both texts, --source and --target."),
        (["gold.txt", "bad.txt", "--by", "frequency"], "give one with --corpus"),
        (
            ["gold.txt", "bad.txt", "--by", "frequency", "--corpus", "corpus.txt"],
            "--source and --target, or links in",
        ),
        (["gold.txt", "bad.txt", "--by", "pos"], "a file with --tags, or --stanza"),
        (["gold.txt", "bad.txt", "--by", "pos", "--stanza", "en"], "give it with --source and --target"),
        (["gold.txt", "bad.txt", "--corpus", "corpus.txt"], "belong to --by frequency"),
        (["gold.txt", "bad.txt", "--tags", "eng.upos.txt"], "belong to --by pos"),
        (["gold.txt", "bad.txt", "good.txt", "--paired", "--by", "pos", "--tags", "x"], "one at a time"),
        (["gold.txt", "bad.txt", "--bins", "1,x"], "is no list of numbers"),
        (
            ["gold.txt", "bad.txt", "--by", "frequency", "--corpus", "a", "b", "c"],
            "two parallel files, or one",
        ),
    ],
)
def test_what_cannot_work_is_refused_as_wrong_usage(run, arguments, message):
    code, output, errors = run(*arguments)
    assert (code, output) == (2, "")
    assert message in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold.txt", "nowhere.txt"], "There is no file nowhere.txt."),
        (["nowhere.txt", "bad.txt"], "There is no file nowhere.txt."),
        (["eng.txt", "bad.txt"], "eng.txt, sentence the, line 1: 'museum' is not a link"),
        ([*BY_POS, "short.txt"], "Sentence 1 has 1 source tags, too few for its link 1-1"),
        ([*BY_POS, "two.txt"], "Sentence 3 has no source tags"),
        ([*BY_POS, "long.txt", *WORDS], "Sentence 1 has 3 source words, but 4 tags."),
        ([*BY_FREQUENCY, "eng.txt", *WORDS], "A corpus of two files is given as --corpus SOURCE TARGET."),
    ],
)
def test_what_cannot_be_used_is_explained(run, tmp_path, arguments, message):
    (tmp_path / "short.txt").write_text("X\n")
    (tmp_path / "two.txt").write_text("X X X\n" * 2)
    (tmp_path / "long.txt").write_text("X X X X\n" * 3)
    code, output, errors = run(*arguments)
    assert (code, output) == (1, "")
    assert message in errors


def test_the_installed_command(run, tmp_path):
    command = [sys.executable, "-m", "wordalign", "evaluate", "gold.txt", "bad.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert figures(done.stdout, "bad.txt")[2] == "0.6000"


def test_a_gold_set_against_itself_and_without_its_possible_links(run, gold_folder, tmp_path):
    gold = gold_folder / "eng-fra" / "gold.txt"
    (tmp_path / "sure.txt").write_text(
        "".join(
            " ".join(token for token in line.split() if "-" in token) + "\n"
            for line in gold.read_text().splitlines()
        )
    )
    (tmp_path / "all.txt").write_text(gold.read_text().replace("p", "-"))
    texts = ["--source", str(gold.parent / "eng.txt"), "--target", str(gold.parent / "fra.txt")]
    for name, links in {"sure.txt": "4,038", "all.txt": "17,438"}.items():
        code, output, _ = run(str(gold), name, *texts)
        assert code == 0
        assert figures(output, name) == ["1.0000"] * 3 + ["0.0000", links, links, "4,038", "4,038"]
