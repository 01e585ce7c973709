"""Both SVG pictures: legal XML whatever the words are, with every word in it as text and nothing else."""

from __future__ import annotations

import doctest
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from drawn_pairs import pictures
from hypothesis import given

from wordalign.errors import UsageError
from wordalign.render import grid_svg, rows_svg
from wordalign.render import svg as svg_module
from wordalign.render.characters import drawable
from wordalign.types import Alignment, GoldAlignment, Sentence

NAMESPACE = "{http://www.w3.org/2000/svg}"
OURS = {"svg", "title", "style", "rect", "g", "text", "path", "circle"}


def parsed(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg.encode("utf-8"))
    assert {element.tag.removeprefix(NAMESPACE) for element in root.iter()} <= OURS
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
    return root


def texts(root: ElementTree.Element) -> list[str]:
    """What is drawn, or, where a word was shortened, the whole of it."""
    found = []
    for element in root.iter(f"{NAMESPACE}text"):
        whole = element.find(f"{NAMESPACE}title")
        found.append((element.text or "") if whole is None else (whole.text or ""))
    return found


def drawn_words(alignment: Alignment) -> set[str]:
    return {drawable(word) for word in (*alignment.source.words, *alignment.target.words)}


@given(pictures())
def test_rows_of_anything(picture):
    alignment, second, gold = picture
    root = parsed(rows_svg(alignment, second=second, gold=gold, title="<b>\x00 & \ud800"))
    assert drawn_words(alignment) <= set(texts(root))


@given(pictures())
def test_grids_of_anything(picture):
    alignment, second, gold = picture
    svg = grid_svg(alignment.source.words, alignment.target.words, gold=gold, first=alignment.links,
                   second=None if second is None else second.links, title="<b>\x00 & \ud800")  # fmt: skip
    assert drawn_words(alignment) <= set(texts(parsed(svg)))


def strokes(root, part):
    return root.findall(f".//*[@class='wa-line-{part}']")


def test_common_and_single_links_differ_in_more_than_colour(museum, other):
    root = parsed(rows_svg(museum, second=other, labels=("one", "two")))
    common, first, second = ([group for group in strokes(root, part) if group.tag == f"{NAMESPACE}g"]
                             for part in ("common", "first", "second"))  # fmt: skip
    assert (len(common), len(first), len(second)) == (5, 1, 1)
    assert not common[0].findall(f"{NAMESPACE}circle") + common[0].findall(f"{NAMESPACE}rect")
    assert len(first[0].findall(f"{NAMESPACE}circle")) == 2
    assert len(second[0].findall(f"{NAMESPACE}rect")) == 2
    assert second[0].find(f"{NAMESPACE}path").get("stroke-dasharray")
    assert not first[0].find(f"{NAMESPACE}path").get("stroke-dasharray")
    assert {"both", "one only", "two only"} <= set(texts(root))


def test_gold_lies_under_the_links(museum, gold):
    root = parsed(rows_svg(museum, gold=gold))
    assert len(strokes(root, "sure")[0].findall(f"{NAMESPACE}path")) == len(gold.sure)
    assert len(strokes(root, "possible")[0].findall(f"{NAMESPACE}path")) == 2


def boxes(root) -> list[tuple[float, float, float]]:
    groups = [group for group in root.iter(f"{NAMESPACE}g") if group.get("class") == "wa-fill-box"]
    return [
        [(float(box.get("x")), float(box.get("width")), float(box.get("y"))) for box in group]
        for group in groups
    ]


def test_a_right_to_left_sentence_runs_from_right_to_left():
    persian = Sentence.from_words(["موزه", "دوشنبه\u200cها", "بسته", "است", "."])
    english = Sentence.from_words(["The", "museum", "is", "closed", "on", "Mondays", "."])
    root = parsed(rows_svg(Alignment((), (), english, persian)))
    source, target = boxes(root)
    assert [x for x, _, _ in source] == sorted(x for x, _, _ in source)
    assert [x for x, _, _ in target] == sorted((x for x, _, _ in target), reverse=True)
    (word,) = [text for text in root.iter(f"{NAMESPACE}text") if text.text == "بسته"]
    assert (word.get("direction"), word.get("unicode-bidi")) == ("rtl", "embed")


def test_a_long_pair_is_cut_into_bands_that_fit_and_do_not_overlap():
    words = Sentence.from_words(f"word{number}" for number in range(150))
    links = tuple((number, 149 - number if number % 10 == 0 else number) for number in range(150))
    root = parsed(rows_svg(Alignment(links, (1.0,) * 150, words, words)))
    assert float(root.get("width")) <= 1100
    rows = boxes(root)
    assert len(rows) > 10
    assert sum(map(len, rows)) == 300
    for row in rows:
        assert all(x + width < following for (x, width, _), (following, _, _) in pairwise(row))
        assert row[0][0] >= 0
        assert row[-1][0] + row[-1][1] <= float(root.get("width"))
    tops = [row[0][2] for row in rows]
    assert all(lower - upper >= 28 for upper, lower in pairwise(tops))
    # A link to another band ends in the number of the word it leads to.
    assert texts(root).count("149") == 3  # the numbers of both words 149, and the end of the link 0-149


def test_links_alone_are_drawn_with_positions():
    root = parsed(rows_svg(Alignment(((0, 2),), (1.0,))))
    assert texts(root) == ["0", "0", "1", "2"]
    assert parsed(rows_svg(Alignment((), ()))) is not None


def test_a_link_outside_the_sentences_is_refused(museum):
    wrong = Alignment(((7, 0),), (1.0,), museum.source, museum.target)
    with pytest.raises(UsageError, match="7-0 lies outside a pair of 7 and 6 words"):
        rows_svg(wrong)
    with pytest.raises(UsageError, match="0-6"):
        grid_svg(museum.source.words, museum.target.words, first=[],
                 gold=GoldAlignment(frozenset({(0, 6)}), frozenset()))  # fmt: skip


def test_the_grid_of_the_paper(museum, other, gold):
    svg = grid_svg(
        museum.source.words, museum.target.words, gold=gold, first=museum.links, second=other.links
    )
    root = parsed(svg)
    marked = [element.text for element in root.iter(f"{NAMESPACE}title")]
    assert marked.count("Mondays – montags (5-3, Argmax)") == 1
    assert marked.count("on – montags (4-3, Itermax)") == 1
    assert sum("sure)" in text for text in marked) == 6
    assert sum("possible)" in text for text in marked) == 2
    assert len(list(root.iter(f"{NAMESPACE}circle"))) == 6 + 1  # and the legend's
    assert {"Argmax", "Itermax", "sure", "possible"} <= set(texts(root))


def test_the_columns_of_a_right_to_left_sentence_run_from_right_to_left():
    root = parsed(grid_svg(["a", "b"], ["موزه", "بسته"], first=[(0, 0)]))
    first, second = (next(text for text in root.iter(f"{NAMESPACE}text") if text.text == word)
                     for word in ("موزه", "بسته"))  # fmt: skip
    assert float(first.get("x")) > float(second.get("x"))


def test_dark_and_light(museum):
    svg = rows_svg(museum)
    assert "prefers-color-scheme: dark" in svg
    classes = set(re.findall(r"wa-(?:fill|line)-\w+", svg.split("</style>")[1]))
    assert all(f".{name}{{" in svg for name in classes), "every colour has one for the dark"


def test_the_docstring_of_the_markup():
    assert doctest.testmod(svg_module) == (0, 1)
