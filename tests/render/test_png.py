from __future__ import annotations

import io
import sys

import pytest
from PIL import Image

from wordalign.errors import MissingExtraError, OutputError
from wordalign.render import grid_svg, png, rows_svg
from wordalign.types import Alignment, Sentence


def pixels(data: bytes) -> tuple[tuple[int, int], bytes]:
    image = Image.open(io.BytesIO(data)).convert("L")
    return image.size, image.tobytes()


def dark(data: bytes) -> int:
    return sum(value < 60 for value in pixels(data)[1])


def without_words(alignment: Alignment) -> Alignment:
    empty = [Sentence(("",) * len(side.words)) for side in (alignment.source, alignment.target)]
    return Alignment(alignment.links, alignment.scores, *empty)


def test_a_png_shows_the_words_on_white_paper(museum):
    drawn = png(rows_svg(museum), 2.0)
    size, values = pixels(drawn)
    assert size[0] > 800
    assert values[0] == 255
    assert dark(drawn) > 2 * dark(png(rows_svg(without_words(museum)), 2.0))


@pytest.fixture
def no_system_fonts(monkeypatch):
    """A machine on which nobody installed a font."""
    import resvg_py

    real = resvg_py.svg_to_bytes
    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **options: real(**options, skip_system_fonts=True))


@pytest.mark.parametrize("draw", ["rows", "grid"])
def test_a_machine_without_fonts_draws_the_words_too(museum, no_system_fonts, draw):
    if draw == "rows":
        words, blank = rows_svg(museum), rows_svg(without_words(museum))
    else:
        words = grid_svg(museum.source.words, museum.target.words, first=(), title="A title")
        blank = grid_svg([""] * 7, [""] * 6, first=())
    assert dark(png(words)) > dark(png(blank)) + 500


@pytest.mark.parametrize("family", ["", 'font-family="Nobody Has This"', 'font-family="sans-serif"'])
def test_text_is_drawn_whatever_family_it_names(family):
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30">'
        '<rect width="90" height="30" fill="white"/><text y="20" {}>Museum</text></svg>'
    )
    assert dark(png(svg.format(family))) > 50


def test_scale(museum):
    svg = rows_svg(museum)
    (width, height), _ = pixels(png(svg, 1.0))
    assert pixels(png(svg, 3.0))[0] == (3 * width, 3 * height)


@pytest.mark.parametrize("package", ["resvg_py", "matplotlib"])
def test_a_missing_extra_says_how_to_install_it(museum, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'wordalign\[figures\]'"):
        png(rows_svg(museum))


def test_points_are_a_size_too_and_nonsense_is_refused():
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt"><path d="M0 0h9"/></svg>'
    assert pixels(png(svg, 1.0))[0] == (96, 48)
    with pytest.raises(OutputError, match="cannot be drawn"):
        png("<svg")
