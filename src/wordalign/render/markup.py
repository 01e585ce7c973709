"""XML that cannot be broken by what it shows: whatever is not marked as markup is escaped.

>>> element("text", "<script>", x=1.5, font_size=12)
'<text x="1.5" font-size="12">&lt;script&gt;</text>'
"""

from __future__ import annotations

from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

from wordalign.render.characters import drawable


class Markup(str):
    """Text that is XML already."""

    __slots__ = ()


Attribute: TypeAlias = str | float | None

FONT = "'Noto Sans', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"

# Every colour of the pictures, by the class that it fills or strokes: on light paper and on dark.
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


def element(name: str, *children: str, **attributes: Attribute) -> Markup:
    """`<name attribute="…">children</name>`; an attribute's `_` is a hyphen, None leaves it out.

    `fill` and `stroke` take a name of the palette and then follow the reader's light or dark mode.
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
    """A whole SVG on its own paper, which says in words what it shows to those who cannot see it."""
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
