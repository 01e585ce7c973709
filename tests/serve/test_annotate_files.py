"""What goes into a project and comes out of it: every format, read back by the library's own readers."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from serve.annotating import PAIRS, Desk
from wordalign.cli import main
from wordalign.io import read_links
from wordalign.io.gold import read_gold

pytest_plugins = ("serve.browser",)

WORDS = [("Das Haus , ja .", "The house , yes ."), ("Er schläft .", "He is sleeping ."), ("", "")]
GOLD = ["0-0 1-1 2p2 3-3 4-4", "0-0 1p1 1-2 2-3", ""]


@pytest.fixture
def annotated(visit, tmp_path: Path) -> Desk:
    """A project of two tokenised files with gold links."""
    for name, lines in (
        ("source.txt", [source for source, _ in WORDS]),
        ("target.txt", [target for _, target in WORDS]),
        ("gold.txt", GOLD),
    ):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    files = [tmp_path / name for name in ("source.txt", "target.txt", "gold.txt")]
    return Desk.home(visit).open_files(*files)


def test_gold_links_of_files_become_the_links_of_the_project(annotated):
    pairs = annotated.project()["pairs"]
    assert [pair["source"] for pair in pairs] == [source.split() for source, _ in WORDS]
    assert pairs[0]["links"] == {
        "0-0": "sure",
        "1-1": "sure",
        "2-2": "possible",
        "3-3": "sure",
        "4-4": "sure",
    }
    assert pairs[0]["suggested"], "the method's opinion stands beside them"
    assert annotated.page.input_value("#step") == "1"
    annotated.page.click("#tools-box summary")
    assert "the links of all" in annotated.page.inner_text("#scores caption")


@pytest.mark.parametrize("kind", ["pharaoh", "talp", "naacl"])
def test_links_are_read_back_by_the_readers_of_gold_links(annotated, tmp_path, kind):
    name, content = annotated.export(kind)
    (tmp_path / name).write_bytes(content)
    lengths = [[len(side.split()) for side in sides] for sides in zip(*WORDS, strict=True)]
    found = list(
        read_gold(tmp_path / name, source_words=lengths[0], target_words=lengths[1], report=lambda _: None)
    )
    (tmp_path / "wanted.txt").write_text("".join(f"{line}\n" for line in GOLD), "utf-8")
    wanted = list(
        read_gold(
            tmp_path / "wanted.txt", source_words=lengths[0], target_words=lengths[1], report=lambda _: None
        )
    )
    assert found == wanted


def test_evaluate_scores_exported_links_as_perfect(annotated, tmp_path, capsys):
    for kind in ("pharaoh", "jsonl"):
        name, content = annotated.export(kind)
        (tmp_path / name).write_bytes(content)
    name = annotated.page.inner_text("#desk-title")
    main(["evaluate", str(tmp_path / f"{name}.gold.txt"), str(tmp_path / f"{name}.jsonl"), "--json"])
    scores = json.loads(capsys.readouterr().out)["systems"][0]
    assert scores["aer"] == 0


def test_jsonl_comes_back_with_links_nulls_comments_and_flags(visit, tmp_path):
    desk = Desk.begun(visit)
    desk.word("source", 3).focus()
    desk.key("n")
    desk.word("source", 1).focus()
    desk.key("p")
    desk.page.fill("#comment", "a comment")
    desk.page.check("#done")
    desk.settle()
    name, content = desk.export("jsonl")
    (tmp_path / name).write_bytes(content)
    found = list(read_links(tmp_path / name))
    assert [" ".join(alignment.source.words) for alignment in found][1] == "Es regnet ."
    again = Desk.home(visit).open_files(tmp_path / name, method="nothing")
    fields = ("source", "target", "source_text", "target_offsets", "links", "nulls", "comment", "done")
    wanted = [{field: pair[field] for field in fields} for pair in desk.project()["pairs"]]
    assert [{field: pair[field] for field in fields} for pair in again.project()["pairs"]] == wanted


def test_tmx_is_well_formed_and_comes_back(visit, tmp_path):
    text = 'Er sagt: <ja> & "nein".\tHe says: <yes> & "no".\n'
    desk = Desk.begun(visit, text)
    desk.link(0, 5)
    name, content = desk.export("tmx")
    (tmp_path / name).write_bytes(content)
    root = ElementTree.fromstring(content)
    assert [segment.text for segment in root.iter("seg")] == text.strip().split("\t")
    again = Desk.home(visit).open_files(tmp_path / name)
    fields = ("source", "target", "source_text", "target_offsets", "links")
    assert {field: again.pair()[field] for field in fields} == {field: desk.pair()[field] for field in fields}
    (tmp_path / "raw.tmx").write_bytes(content.replace(b'type="x-wordalign-links"', b'type="x"'))
    raw = Desk.home(visit).open_files(tmp_path / "raw.tmx")
    assert raw.pair()["source"] == desk.pair()["source"]


def test_finished_pairs_are_exported_alone_with_their_words(visit, tmp_path):
    desk = Desk.begun(visit).go_to(2)
    desk.page.check("#done")
    desk.page.check("#export-done")
    desk.settle()
    assert desk.export("source")[1].decode() == "Es regnet .\n"
    assert desk.export("target")[1].decode() == "It is raining .\n"
    assert desk.export("pharaoh")[1].decode().count("\n") == 1


def test_a_spreadsheet_is_opened(visit, tmp_path):
    content = 'source,target\r\n"Er sagt, ""ja"".","He says\nyes."\r\n\r\nEs regnet.,It is raining.\r\n'
    (tmp_path / "sheet.csv").write_bytes(content.encode())
    desk = Desk.home(visit).open_files(tmp_path / "sheet.csv")
    pairs = desk.project()["pairs"]
    assert [pair.get("source_text") for pair in pairs] == ['Er sagt, "ja".', None, "Es regnet."]
    assert pairs[1]["source"] == []


def test_files_that_cannot_be_taken_are_explained(visit, tmp_path):
    page = Desk.home(visit).page
    for name, content, said in [
        ("half.csv", b'"open,\nx\n', "half.csv: the quote that opens in line 1"),
        ("long.csv", b"one column\n" * 50_000, "line 1: expected source and target"),
        ("one.csv", b"a\nb,c\n", "line 1: expected source and target"),
        ("bad.tmx", b"<tmx><body>", "bad.tmx: the file is not well-formed XML"),
        ("none.tmx", b"<tmx><body></body></tmx>", "no translation units"),
        ("latin.txt", b"caf\xe9 ||| coffee\n", "latin.txt is not UTF-8"),
    ]:
        (tmp_path / name).write_bytes(content)
        page.set_input_files("#new-files", tmp_path / name)
        page.wait_for_function("said => document.querySelector('#notice').innerText.includes(said)", arg=said)


def test_links_without_words_are_told_and_left_out(visit, tmp_path):
    (tmp_path / "off.tsv").write_text("a b\tc d\t0-0 5-1\n", "utf-8")
    desk = Desk.home(visit).open_files(tmp_path / "off.tsv", method="nothing")
    assert "there are no words for 5-1" in desk.page.inner_text("#notice")
    assert desk.links() == {"0-0": "sure"}


def test_preparing_can_be_stopped(visit):
    desk = Desk.home(visit)
    held: list = []
    desk.page.route("**/v1/align", lambda route: held.append(route))
    desk.page.fill("#new-paste", "".join(f"Satz {k}\tSentence {k}\n" for k in range(40)))
    desk.page.click("#new-make")
    desk.page.wait_for_selector("#new-stop:not([hidden])")
    desk.page.click("#new-stop")
    while not held:
        desk.page.wait_for_timeout(20)
    held[0].continue_()
    desk.page.wait_for_selector("#new-stop", state="hidden")
    assert desk.page.is_visible("#home")
    assert desk.page.locator("#projects tbody tr").count() == 0
    assert desk.page.input_value("#new-paste"), "what was pasted is still there"


def test_pairs_stand_in_a_table_that_is_sorted(visit):
    desk = Desk.begun(visit)
    desk.page.click("#list-box summary")
    desk.page.wait_for_selector("#list tbody tr")

    def numbers() -> list[str]:
        return desk.page.locator("#list tbody td:first-child").all_inner_texts()

    assert numbers() == ["1", "2", "3"]
    desk.page.click("#list th button:has-text('Words')")
    assert numbers() == ["3", "1", "2"]
    desk.page.click("#list th button:has-text('Words')")
    assert numbers() == ["2", "1", "3"]
    desk.page.click("#list [aria-label='Go to pair 1']")
    assert desk.page.input_value("#step") == "1"
    desk.page.select_option("#order", "long")
    assert desk.page.input_value("#step") == "3"
    desk.key("PageDown")
    assert desk.page.input_value("#step") == "1"
    assert len(PAIRS) == 3
