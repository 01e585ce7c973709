from __future__ import annotations

import io
import sys

import pytest

from wordalign.errors import MissingExtraError, OutputError
from wordalign.render import png, raster, rows_svg
from wordalign.types import Alignment, Sentence


def pixels(data: bytes):
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(data)).convert("L")
    return image.size, image.tobytes()


def drawn(svg: str, scale: float = 1.0) -> bytes:
    pytest.importorskip("resvg_py")
    try:
        return png(svg, scale)
    except OutputError:
        pytest.skip("no fonts here")


def test_a_png_shows_the_words_on_white_paper(museum):
    size, words = pixels(drawn(rows_svg(museum), 2.0))
    unnamed = Alignment(museum.links, museum.scores, Sentence(("",) * 7), Sentence(("",) * 6))
    assert size[0] > 800
    assert words[0] == 255
    dark = sum(value < 60 for value in words)
    _, blank = pixels(drawn(rows_svg(unnamed), 2.0))
    assert dark > 2 * sum(value < 60 for value in blank)


def test_scale(museum):
    svg = rows_svg(museum)
    (width, height), _ = pixels(drawn(svg, 1.0))
    (wider, higher), _ = pixels(drawn(svg, 3.0))
    assert (wider, higher) == (3 * width, 3 * height)


def test_a_missing_extra_says_how_to_install_it(museum, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    raster._fonts_found.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'wordalign\[figures\]'"):
        png(rows_svg(museum))


def test_a_machine_without_fonts_is_told_so(museum, monkeypatch):
    resvg_py = pytest.importorskip("resvg_py")
    real = resvg_py.svg_to_bytes
    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **options: real(**options, skip_system_fonts=True))
    raster._fonts_found.cache_clear()
    with pytest.raises(OutputError, match="no fonts"):
        png(rows_svg(museum))
    raster._fonts_found.cache_clear()


def test_points_are_a_size_too_and_nonsense_is_refused():
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt"><path d="M0 0h9"/></svg>'
    assert pixels(drawn(svg, 1.0))[0] == (96, 48)
    with pytest.raises(OutputError, match="cannot be drawn"):
        png("<svg")
