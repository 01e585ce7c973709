"""What goes into the page and comes out of it: files of pairs, exports, links to share."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest

from wordalign import Aligner

pytest_plugins = ("serve.browser",)

PAIRS = [
    ("Das Museum ist montags geschlossen.", "The museum is closed on Mondays."),
    ("Es regnet.", "It is raining."),
    ("Der Fluss fließt mitten durch die Stadt.", "The river flows through the middle of the town."),
]


@pytest.fixture(scope="module")
def base() -> Aligner:
    return Aligner("base")


def test_a_pair_is_exported_in_four_formats(visit, base):
    source, target = PAIRS[0]
    visited = visit("#" + urlencode({"source": source, "target": target, "method": "argmax"}))
    aligner = Aligner(base.encoder, method="argmax")
    wanted = aligner.align(source, target)
    assert visited.download("[data-export=pharaoh]") == ("alignment.txt", wanted.pharaoh().encode() + b"\n")

    name, content = visited.download("[data-export=json]")
    record = json.loads(content)
    assert name == "alignment.json"
    assert record["source"] == list(wanted.source.words)
    assert record["target_text"] == target
    assert [tuple(place) for place in record["source_offsets"]] == list(wanted.source.offsets)
    assert [tuple(link) for link in record["links"]] == list(wanted.links)
    assert record["scores"] == pytest.approx(wanted.scores, abs=2e-4)
    assert record["signature"] == aligner.signature()
    assert "edited" not in record

    name, content = visited.download("[data-export=svg]")
    drawing = ElementTree.fromstring(content)
    texts = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert name == "alignment.svg"
    assert texts == [*wanted.source.words, *wanted.target.words]
    sizes = {element.get("font-size") for element in drawing.iter("{http://www.w3.org/2000/svg}text")}
    assert sizes == {"21"}, "words as large as on the screen"
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}path"))) == len(wanted.links)

    name, content = visited.download("[data-export=png]")
    width, height = struct.unpack(">II", content[16:24])
    assert name == "alignment.png"
    assert content.startswith(b"\x89PNG")
    assert abs(width - 2 * float(drawing.get("width"))) <= 2
    assert width > height > 100

    visited.option("view", "map")
    _, content = visited.download("[data-export=svg]")
    cells = ElementTree.fromstring(content).iter("{http://www.w3.org/2000/svg}rect")
    assert len(list(cells)) == 1 + len(wanted.source) * len(wanted.target)


@pytest.mark.parametrize("form", ["bars.txt", "pairs.tsv", "pairs.jsonl", "two files", "three files"])
def test_a_file_of_pairs_is_stepped_through(visit, base, tmp_path, form):
    visited = visit()
    page = visited.page
    page.set_input_files("#file", files_of(form, tmp_path))
    page.wait_for_function("text => document.querySelector('#source').value === text", arg=PAIRS[0][0])
    assert page.inner_text("#step-count") == "3"
    if form in ("pairs.tsv", "three files"):
        assert page.input_value("#gold") == "0-0 1p1"
    if form != "bars.txt":
        return
    visited.settle()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("text => document.querySelector('#source').value === text", arg=PAIRS[1][0])
    visited.settle()
    visited.word("source", 0).click()
    visited.word("target", 2).click()
    visited.settle()
    edited = visited.links()
    assert (0, 2) in edited
    assert "1 edited" in page.inner_text("#file-name")
    page.click("#close-file")  # asks first; playwright answers no
    assert page.is_visible("#stepper")
    page.focus("#next")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("text => document.querySelector('#source').value === text", arg=PAIRS[2][0])
    assert page.is_disabled("#next")
    page.click("#previous")
    page.wait_for_function(
        "links => document.querySelector('#pharaoh').innerText === links", arg=pharaoh(edited)
    )

    name, content = visited.download("#all-pharaoh")
    assert name == "bars.links.txt"
    wanted = [set(base.align(*pair).links) for pair in PAIRS]
    assert (0, 2) not in wanted[1]
    assert content.decode().split("\n") == [
        pharaoh(wanted[0]),
        pharaoh(wanted[1] | {(0, 2)}),
        pharaoh(wanted[2]),
        "",
    ]
    name, content = visited.download("#all-json")
    records = [json.loads(line) for line in content.decode().splitlines()]
    assert name == "bars.links.jsonl"
    assert [record.get("edited", False) for record in records] == [False, True, False]
    page.click("#close-file")
    assert page.is_hidden("#stepper")


def pharaoh(links: set[tuple[int, int]]) -> str:
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


def files_of(form: str, folder: Path) -> list[Path]:
    if form.endswith("files"):
        contents = {"deu.txt": [pair[0] for pair in PAIRS], "eng.txt": [pair[1] for pair in PAIRS]}
        if form == "three files":
            contents = {"aligned.txt": ["0-0 1p1"] * len(PAIRS)} | contents
    elif form == "pairs.jsonl":
        contents = {form: [json.dumps({"source": source, "target": target}) for source, target in PAIRS]}
    elif form == "pairs.tsv":
        contents = {form: ["\t".join([*pair, "0-0 1p1"]) for pair in PAIRS]}
    else:
        contents = {form: [" ||| ".join(pair) for pair in PAIRS]}
    for name, lines in contents.items():
        (folder / name).write_text("\n".join(lines) + "\n", "utf-8")
    return [folder / name for name in contents]


def test_files_that_cannot_be_read_are_explained(visit, tmp_path):
    page = visit().page
    for name, content, said in [
        ("none.txt", b"just a line\n", "none.txt, line 1: expected ‘source ||| target’"),
        ("bad.jsonl", b'{"source": "x", "target": "y"}\n{"source": 1}\n', "bad.jsonl, line 2: expected"),
        ("latin.txt", b"caf\xe9 ||| coffee\n", "latin.txt is not UTF-8"),
        ("empty.tsv", b"", "empty.tsv is empty"),
    ]:
        (tmp_path / name).write_bytes(content)
        page.set_input_files("#file", tmp_path / name)
        page.wait_for_function("said => document.querySelector('#notice').innerText.includes(said)", arg=said)
    assert page.is_hidden("#stepper")


def test_words_of_a_file_keep_their_limits_and_empty_lines_their_place(visit, tmp_path):
    lines = [
        {"source": ["New York", "sleeps"], "target": ["New York", "schläft"]},
        {},
        {"source": ["a"], "target": ["b"]},
    ]
    text = "".join((json.dumps(line) if line else "") + "\n" for line in lines)
    (tmp_path / "words.jsonl").write_text(text, "utf-8")
    visited = visit()
    page = visited.page
    page.set_input_files("#file", tmp_path / "words.jsonl")
    page.wait_for_function("() => document.querySelector('#source').value === 'New York sleeps'")
    visited.settle()
    assert page.locator("#rows-a .source .word").all_inner_texts() == ["New York", "sleeps"]
    page.wait_for_function("() => location.hash.includes('words=source')")
    other = visit("#" + page.url.partition("#")[2])
    assert other.page.locator("#rows-a .target .word").all_inner_texts() == ["New York", "schläft"]
    _, content = visited.download("#all-pharaoh")
    assert content.decode().split("\n")[1] == ""
    assert content.count(b"\n") == 3


def test_a_link_shares_everything_and_tells_no_server(visit):
    visited = visit()
    page = visited.page
    page.fill("#source", "می‌خواهم این کتاب را بخوانم & more #1 + 100%")
    page.fill("#target", "I want to read this book")
    page.press("#target", "Enter")
    page.wait_for_function("() => document.querySelectorAll('#rows-a .target .word').length === 6")
    visited.option("method", "itermax").option("view", "both").more()
    visited.slide("parameter-n_max", 3).slide("threshold", 0.25).slide("tau", 0.98)
    page.fill("#gold", "0-1 1p4")
    page.select_option("#compare", "tiny argmax")
    visited.settle()
    visited.word("source", 0).click()
    visited.word("target", 0).click()
    visited.settle()
    page.wait_for_function("() => location.hash.includes('edits=')")
    visited.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#copy-link")
    page.wait_for_function("() => document.querySelector('#copy-link').textContent === 'Copied'")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url
    other = visit("#" + copied.partition("#")[2])
    assert other.page.input_value("#source") == page.input_value("#source")
    for where in ("#threshold", "#tau", "#gold", "#compare", "#parameter-n_max"):
        assert other.page.input_value(where) == page.input_value(where), where
    assert other.page.is_checked("input[name=view][value=both]")
    assert other.pharaoh() == visited.pharaoh()
    assert other.links("b") == visited.links("b")
    assert not any("#" in request or "book" in request for request in other.requests)
    # A link that says nonsense is taken as far as it makes sense.
    broken = visit(
        "#source=Hallo&target=Hello&method=magic&threshold=7&model=gpt&compare=x+y&edits=%2B9-9&view=3d"
    )
    assert broken.links() == {(0, 0)}
