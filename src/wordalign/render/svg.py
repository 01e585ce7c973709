"""What all SVG pictures are made of: XML elements, the palette, the legend; and SVG turned into PNG.

No text can break the XML, because whatever is not marked as markup is escaped.

>>> element("text", "<script>", x=1.5, font_size=12)
'<text x="1.5" font-size="12">&lt;script&gt;</text>'
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias
from xml.sax.saxutils import escape, quoteattr

from wordalign.errors import MissingExtraError, OutputError
from wordalign.render.characters import drawable, ems
from wordalign.render.layout import Marks


class Markup(str):
    """Text that is XML already and must not be escaped."""

    __slots__ = ()


Attribute: TypeAlias = str | float | None

FONT = "'Noto Sans', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"

# Every colour of the pictures, by the name that `element` takes, for light paper; below, for dark paper.
LIGHT = {
    "paper": "#ffffff",
    "box": "#edf0f4",
    "ink": "#1b1f24",
    "faint": "#69707c",
    "line": "#d5dae1",
    "common": "#4a5568",
    "first": "#0067a3",
    "second": "#c44e00",
    "sure": "#1a7f37",
    "possible": "#a3dbae",
}
_DARK = {
    "paper": "#14171c",
    "box": "#282d36",
    "ink": "#e8eaed",
    "faint": "#9aa3af",
    "line": "#3a414c",
    "common": "#b4becb",
    "first": "#5cb8f0",
    "second": "#ff9d5c",
    "sure": "#238636",
    "possible": "#8fd19e",
}
_STYLE = (
    "@media (prefers-color-scheme: dark) {"
    + "".join(f".wa-fill-{name}{{fill:{hue}}}.wa-line-{name}{{stroke:{hue}}}" for name, hue in _DARK.items())
    + "}"
)

# The cells of a grid are light in either mode, so their greens do not follow it.
GREENS = {"sure": "#2b9348", "possible": "#b5e2bd"}

_LEGEND_SIZE = 13.0
_SAMPLE = 26.0  # the width of a sample in the legend
_BETWEEN_ENTRIES = 22.0


def element(name: str, *children: str, **attributes: Attribute) -> Markup:
    """Write `<name attribute="…">children</name>`.

    An underscore in the name of an attribute becomes a hyphen, and an attribute that is None is left out.
    `fill` and `stroke` may name a colour of the palette, which then follows the reader's light or dark
    mode.
    """
    classes = []
    written = []
    for key, value in attributes.items():
        if value is None:
            continue
        if key in ("fill", "stroke") and value in LIGHT:
            classes.append(f"wa-{'fill' if key == 'fill' else 'line'}-{value}")
            value = LIGHT[str(value)]
        elif isinstance(value, float):
            value = f"{value:.2f}".rstrip("0").rstrip(".")
        written.append(f" {key.replace('_', '-')}={quoteattr(drawable(str(value)))}")
    if classes:
        written.append(f' class="{" ".join(classes)}"')
    content = "".join(child if isinstance(child, Markup) else escape(drawable(child)) for child in children)
    opening = f"<{name}{''.join(written)}"
    return Markup(f"{opening}>{content}</{name}>" if content else f"{opening}/>")


def picture(width: float, height: float, title: str, *children: Markup) -> str:
    """Put a whole SVG together, on its own paper, with a title that tells those who cannot see it what it
    shows."""
    size = f"{width:.0f} {height:.0f}"
    across, down = size.split()
    return element(
        "svg",
        element("title", title),
        element("style", Markup(_STYLE)),
        element("rect", width=across, height=down, fill="paper"),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        width=across,
        height=down,
        viewBox=f"0 0 {size}",
        role="img",
        direction="ltr",
        font_family=FONT,
        style="max-width:100%;height:auto",
    )


class Legend(NamedTuple):
    """The line under a picture that says what its lines, circles, boxes and greens mean."""

    parts: list[Markup]
    width: float
    height: float


def legend(
    drawn: Marks, labels: tuple[str, str | None] | None, gold: bool, style: Literal["line", "cell"]
) -> Legend:
    """Draw one line of samples from (0, 0) down. It is empty when there is nothing to tell apart."""
    parts: list[Markup] = []
    x = 0.0
    for sample, label in _entries(drawn, labels, gold, style):
        parts.append(element("g", sample, transform=f"translate({x:.1f} 0)"))
        parts.append(element("text", label, x=x + _SAMPLE + 6, y=14.0, font_size=_LEGEND_SIZE, fill="ink"))
        x += _SAMPLE + 6 + ems(label) * _LEGEND_SIZE + _BETWEEN_ENTRIES
    return Legend(parts, max(0.0, x - _BETWEEN_ENTRIES), 20.0 if parts else 0.0)


def _entries(
    drawn: Marks, labels: tuple[str, str | None] | None, gold: bool, style: str
) -> Iterator[tuple[Markup, str]]:
    if labels is not None and style == "line":
        yield _line("common"), "both"
        yield _line("first"), f"{labels[0]} only"
        yield _line("second"), f"{labels[1]} only"
    elif labels is not None:
        yield circle(_SAMPLE / 2, 9.0, 22.0, "ink"), labels[0]
        if labels[1] is not None:
            yield box(_SAMPLE / 2, 9.0, 22.0, "ink"), labels[1]
    if gold:
        yield _green("sure", style), "sure"
        if drawn.possible:
            yield _green("possible", style), "possible"


def circle(x: float, y: float, cell: float, stroke: str) -> Markup:
    """Draw the mark of the first method in a grid."""
    return element("circle", cx=x, cy=y, r=cell * 0.25, fill="none", stroke=stroke, stroke_width=cell * 0.085)


def box(x: float, y: float, cell: float, stroke: str) -> Markup:
    """Draw the mark of the second method in a grid, a square around the place of the circle."""
    side = cell * 0.76
    return element("rect", x=x - side / 2, y=y - side / 2, width=side, height=side, fill="none",
                   stroke=stroke, stroke_width=cell * 0.07)  # fmt: skip


def _line(part: str) -> Markup:
    end = (
        element("circle", cx=_SAMPLE - 3, cy=9.0, r=3.2, fill=part)
        if part == "first"
        else element("rect", x=_SAMPLE - 6, y=6.0, width=6.0, height=6.0, fill=part)
        if part == "second"
        else Markup()
    )
    stroke = element(
        "path", d=f"M0 9h{_SAMPLE:.0f}", stroke=part, stroke_width=2.4 if part != "common" else 1.8,
        stroke_dasharray="7 4" if part == "second" else None,
    )  # fmt: skip
    return Markup(stroke + end)


def _green(part: str, style: str) -> Markup:
    if style == "line":
        return element("path", d=f"M0 9h{_SAMPLE:.0f}", stroke=part, stroke_width=8.0, opacity=0.75)
    return element("rect", x=_SAMPLE / 2 - 9, y=0.0, width=18.0, height=18.0, fill=GREENS[part])


def png(svg: str, scale: float = 2.0) -> bytes:
    """Turn an SVG picture into PNG, with `scale` pixels for each unit of the SVG, always on light paper.

    resvg draws it: a small wheel without system libraries, which shapes Arabic and Indic scripts itself. It
    takes the fonts of the machine for the scripts they cover. DejaVu Sans, which comes with matplotlib,
    stands in wherever they do not serve, so that a machine without any fonts draws Latin, Greek, Cyrillic,
    Arabic and Hebrew words too. A character that none of the fonts has is drawn as an empty box.
    """
    try:
        import matplotlib
        import resvg_py
    except ImportError as error:
        raise MissingExtraError("Drawing PNG", "figures") from error
    fonts = Path(matplotlib.get_data_path(), "fonts", "ttf")
    try:
        drawn = resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=scale,
            dpi=96.0,
            font_files=[str(fonts / name) for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")],
            # resvg ends its search for a font with the generic families. By default those are Arial and Times
            # New Roman, without which it would draw no text at all.
            sans_serif_family="DejaVu Sans",
            serif_family="DejaVu Sans",
        )
    except (ValueError, RuntimeError) as error:
        raise OutputError(f"This SVG cannot be drawn: {error}.") from error
    return bytes(drawn)
