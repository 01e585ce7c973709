"""SVG -> PNG, by resvg.

resvg is one small wheel without system libraries, under MIT; it shapes Arabic and Indic scripts itself and
takes the fonts of the machine. Words in a script that no font here covers stay empty.
"""

from __future__ import annotations

from functools import cache

from wordalign.errors import MissingExtraError, OutputError


def png(svg: str, scale: float = 2.0) -> bytes:
    """The picture as PNG, `scale` pixels for each unit of the SVG; always on light paper."""
    if not _fonts_found():
        raise OutputError(
            "This machine has no fonts, so that a PNG would show no words: install some (on Debian, say, "
            "fonts-noto-core), or write SVG."
        )
    return _render(svg, scale)


@cache
def _fonts_found() -> bool:
    blank = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">{}</svg>'
    return _render(blank.format('<text y="15">W</text>'), 1.0) != _render(blank.format(""), 1.0)


def _render(svg: str, scale: float) -> bytes:
    try:
        import resvg_py
    except ImportError as error:
        raise MissingExtraError("Drawing PNG", "figures") from error
    try:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=scale, dpi=96.0))
    except (ValueError, RuntimeError) as error:
        raise OutputError(f"This SVG cannot be drawn: {error}.") from error
