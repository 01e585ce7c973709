"""The key under a picture: what its lines, circles, boxes and greens stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from wordalign.render.characters import ems
from wordalign.render.marks import Marks
from wordalign.render.markup import Markup, element

SIZE = 13.0
SAMPLE = 26.0
BETWEEN = 22.0
GREENS = {"sure": "#2b9348", "possible": "#b5e2bd"}  # of a grid, whose cells are light in any mode


class Legend(NamedTuple):
    parts: list[Markup]
    width: float
    height: float


def legend(
    drawn: Marks, labels: tuple[str, str | None] | None, gold: bool, style: Literal["line", "cell"]
) -> Legend:
    """One line of samples, drawn from (0, 0) down; empty when there is nothing to tell apart."""
    parts: list[Markup] = []
    x = 0.0
    for sample, label in _entries(drawn, labels, gold, style):
        parts.append(element("g", sample, transform=f"translate({x:.1f} 0)"))
        parts.append(element("text", label, x=x + SAMPLE + 6, y=14.0, font_size=SIZE, fill="ink"))
        x += SAMPLE + 6 + ems(label) * SIZE + BETWEEN
    return Legend(parts, max(0.0, x - BETWEEN), 20.0 if parts else 0.0)


def _entries(
    drawn: Marks, labels: tuple[str, str | None] | None, gold: bool, style: str
) -> Iterator[tuple[Markup, str]]:
    if labels is not None and style == "line":
        yield _line("common"), "both"
        yield _line("first"), f"{labels[0]} only"
        yield _line("second"), f"{labels[1]} only"
    elif labels is not None:
        yield circle(SAMPLE / 2, 9.0, 22.0, "ink"), labels[0]
        if labels[1] is not None:
            yield box(SAMPLE / 2, 9.0, 22.0, "ink"), labels[1]
    if gold:
        yield _green("sure", style), "sure"
        if drawn.possible:
            yield _green("possible", style), "possible"


def circle(x: float, y: float, cell: float, stroke: str) -> Markup:
    """The mark of the first method in a grid."""
    return element("circle", cx=x, cy=y, r=cell * 0.25, fill="none", stroke=stroke, stroke_width=cell * 0.085)


def box(x: float, y: float, cell: float, stroke: str) -> Markup:
    """The mark of the second method in a grid: a square around the place of the circle."""
    side = cell * 0.76
    return element("rect", x=x - side / 2, y=y - side / 2, width=side, height=side, fill="none",
                   stroke=stroke, stroke_width=cell * 0.07)  # fmt: skip


def _line(part: str) -> Markup:
    end = (
        element("circle", cx=SAMPLE - 3, cy=9.0, r=3.2, fill=part)
        if part == "first"
        else element("rect", x=SAMPLE - 6, y=6.0, width=6.0, height=6.0, fill=part)
        if part == "second"
        else Markup()
    )
    stroke = element(
        "path", d=f"M0 9h{SAMPLE:.0f}", stroke=part, stroke_width=2.4 if part != "common" else 1.8,
        stroke_dasharray="7 4" if part == "second" else None,
    )  # fmt: skip
    return Markup(stroke + end)


def _green(part: str, style: str) -> Markup:
    if style == "line":
        return element("path", d=f"M0 9h{SAMPLE:.0f}", stroke=part, stroke_width=8.0, opacity=0.75)
    return element("rect", x=SAMPLE / 2 - 9, y=0.0, width=18.0, height=18.0, fill=GREENS[part])
