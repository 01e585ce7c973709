"""One pair as SVG: source words above, target words below, and a curve for each link.

    The  museum  is  closed
     │      │     │     │
    Das  Museum  ist  geschlossen

A pair too wide for the page is cut into bands. A link from one band to another ends in the number of the
word that it leads to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wordalign.render.characters import drawable, ems, face, is_right_to_left, shortened
from wordalign.render.layout import Marks, Span, bands, marks, words_of
from wordalign.render.svg import FONT, Markup, element, legend, picture
from wordalign.types import Alignment, GoldAlignment, Link

FONT_SIZE = 16.0
MARGIN = 16.0
PADDING = 8.0
BETWEEN_WORDS = 6.0
BOX = 28.0
LINKS = 92.0
BETWEEN_BANDS = 34.0
STUB = 20.0
NARROWEST = 40.0
LONGEST_WORD = 22.0  # ems
LONG_WORD = 16.0  # ems; the errors of estimated widths add up in longer words, so their width is prescribed
TYPICAL = 0.93  # the share of an estimated width that most fonts need


def rows_svg(
    alignment: Alignment,
    *,
    second: Alignment | None = None,
    gold: GoldAlignment | None = None,
    title: str | None = None,
    labels: tuple[str, str] = ("first", "second"),
    width: float = 1100.0,
) -> str:
    """Draw one pair, at most `width` wide.

    With `second`, another alignment of the same pair, links that both have are plain. Links that only the
    first has are solid with round ends, and links that only the second has are dashed with square ends.
    Gold links lie under them as broad strokes, dark green for sure and light green for possible ones: a
    stroke without a line is a missed link, and a line without a stroke is a wrong one.
    """
    words = words_of(alignment)
    drawn = marks(words, alignment.links, None if second is None else second.links, gold)
    scores = dict(zip(alignment.links, alignment.scores, strict=False))
    widths = _room(words[0]), _room(words[1])
    room = width - 2 * MARGIN
    cuts = bands(drawn.all, widths, room + BETWEEN_WORDS)
    key = legend(drawn, labels if second is not None else None, gold is not None, "line")
    rows = [sum(side[begin:end]) for cut in cuts for side, (begin, end) in zip(widths, cut, strict=True)]
    across = max(max(rows) - BETWEEN_WORDS, key.width, min(ems(title or "") * FONT_SIZE, room), NARROWEST)

    top = MARGIN
    parts: list[Markup] = []
    if title is not None:
        parts.append(
            element("text", shortened(title, room / FONT_SIZE), x=MARGIN + across / 2, y=top + 15, fill="ink",
                    text_anchor="middle", font_size=FONT_SIZE, font_weight="bold")
        )  # fmt: skip
        top += 30
    numbered = len(cuts) > 1
    linked = [{link[side] for link in drawn.predicted} for side in (0, 1)]
    for cut in cuts:
        top += 14 * numbered
        sides = [
            _row(side, begin, end, MARGIN + across / 2, top + y)
            for side, (begin, end), y in zip(words, cut, (0.0, BOX + LINKS), strict=True)
        ]
        for side, row in enumerate(sides):
            parts += _words(row, linked[side], is_right_to_left(words[side]))
            if numbered:
                parts += _numbers(row, row.top - 4 if side == 0 else row.top + BOX + 11)
        parts += _links(drawn, cut, sides[0], sides[1], words, scores)
        top += 2 * BOX + LINKS + BETWEEN_BANDS
    top += MARGIN - BETWEEN_BANDS + 14 * numbered
    if key.parts:
        parts.append(element("g", *key.parts, transform=f"translate({MARGIN:.0f} {top:.0f})"))
        top += key.height + MARGIN / 2
    described = title or f"{_shown(words[0])} – {_shown(words[1])}"
    return picture(across + 2 * MARGIN, top, f"Word alignment: {described}", *parts)


@dataclass(frozen=True, slots=True)
class _Row:
    """Where the boxes of some words lie, as `(left, width)` by the number of the word."""

    boxes: dict[int, tuple[float, float]]
    words: dict[int, str]
    top: float

    def centre(self, number: int) -> float:
        left, width = self.boxes[number]
        return left + width / 2


def _row(words: Sequence[str], begin: int, end: int, centre: float, top: float) -> _Row:
    widths = [_box_width(word) for word in words[begin:end]]
    total = sum(widths) + BETWEEN_WORDS * max(0, len(widths) - 1)
    backwards = is_right_to_left(words)
    boxes = {}
    x = centre + total / 2 if backwards else centre - total / 2
    for number, width in enumerate(widths, start=begin):
        boxes[number] = (x - width if backwards else x, width)
        x += -(width + BETWEEN_WORDS) if backwards else width + BETWEEN_WORDS
    return _Row(boxes, {number: words[number] for number in boxes}, top)


def _words(row: _Row, linked: set[int], backwards: bool) -> Iterator[Markup]:
    boxes = [
        element("rect", x=left, y=row.top, width=width, height=BOX, rx=5.0)
        for left, width in row.boxes.values()
    ]
    yield element("g", *boxes, fill="box")
    for number, word in row.words.items():
        shown = shortened(drawable(word), LONGEST_WORD)
        width = ems(shown)
        special = face(shown)
        yield element(
            "text",
            shown,
            element("title", word) if shown != word else Markup(),
            x=row.centre(number),
            y=row.top + 19.5,
            text_anchor="middle",
            font_size=FONT_SIZE,
            fill="ink" if number in linked else "faint",
            direction="rtl" if backwards else None,
            unicode_bidi="embed" if backwards else None,
            font_family=f"'{special}', {FONT}" if special else None,
            textLength=width * FONT_SIZE * TYPICAL if width > LONG_WORD else None,
            lengthAdjust="spacingAndGlyphs" if width > LONG_WORD else None,
        )


def _numbers(row: _Row, y: float) -> Iterator[Markup]:
    labels = [
        element("text", str(number), x=row.centre(number), y=y, text_anchor="middle") for number in row.boxes
    ]
    yield element("g", *labels, font_size=9.0, fill="faint")


def _links(
    drawn: Marks,
    cut: tuple[Span, Span],
    source: _Row,
    target: _Row,
    words: tuple[Sequence[str], Sequence[str]],
    scores: dict[Link, float],
) -> Iterator[Markup]:
    upper, lower = source.top + BOX, target.top
    inside = [link for link in sorted(drawn.all) if link[0] in source.boxes and link[1] in target.boxes]
    for part, links in (("possible", drawn.possible), ("sure", drawn.sure)):
        paths = [
            element("path", d=_curve(source.centre(i), upper, target.centre(j), lower))
            for i, j in inside
            if (i, j) in links
        ]
        if paths:
            yield element("g", *paths, stroke=part, stroke_width=8.0, opacity=0.75, fill="none")
    for link in inside:
        if link not in drawn.predicted:
            continue
        x1, x2 = source.centre(link[0]), target.centre(link[1])
        yield element(
            "g",
            element("title", _said(link, words, scores)),
            element("path", d=_curve(x1, upper, x2, lower), fill="none",
                    stroke_dasharray="7 4" if link in drawn.second else None),
            *_ends(drawn.part(link), ((x1, upper), (x2, lower))),
            stroke=drawn.part(link),
            stroke_width=1.8 if link in drawn.common else 2.4,
            stroke_opacity=0.35 + 0.65 * min(1.0, max(0.0, scores.get(link, 1.0))),
        )  # fmt: skip
    for side, row, y, step in ((0, source, upper, STUB), (1, target, lower, -STUB)):
        yield from _stubs(drawn, side, row, cut[1 - side], y, step)


def _stubs(drawn: Marks, side: int, row: _Row, other: Span, y: float, step: float) -> Iterator[Markup]:
    """Draw short ends of the links that lead to another band, with the numbers of the words there."""
    leading: dict[int, list[Link]] = {}
    for link in sorted(drawn.all):
        if link[side] in row.boxes and not other[0] <= link[1 - side] < other[1]:
            leading.setdefault(link[side], []).append(link)
    for number, links in leading.items():
        missed = not drawn.predicted.intersection(links)
        part = "sure" if missed else drawn.part(next(link for link in links if link in drawn.predicted))
        numbers = [str(link[1 - side]) for link in links]
        shown = ",".join(numbers[:2]) + ("…" if len(numbers) > 2 else "")
        x = row.centre(number)
        yield element("path", d=f"M{x:.1f} {y:.1f}v{step:.1f}", stroke=part, stroke_width=1.8,
                      stroke_dasharray="2 3")  # fmt: skip
        yield element("text", shown, x=x, y=y + step * 1.15 + (9 if step > 0 else 0), text_anchor="middle",
                      font_size=10.0, fill=part)  # fmt: skip


def _curve(x1: float, y1: float, x2: float, y2: float) -> str:
    middle = (y1 + y2) / 2
    return f"M{x1:.1f} {y1:.1f}C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}"


def _ends(part: str, points: Sequence[tuple[float, float]]) -> Iterator[Markup]:
    for x, y in points:
        if part == "first":
            yield element("circle", cx=x, cy=y, r=3.2, fill=part)
        elif part == "second":
            yield element("rect", x=x - 3, y=y - 3, width=6.0, height=6.0, fill=part)


def _said(link: Link, words: tuple[Sequence[str], Sequence[str]], scores: dict[Link, float]) -> str:
    pair = f"{words[0][link[0]]} – {words[1][link[1]]} ({link[0]}-{link[1]}"
    return f"{pair}, {scores[link]:.2f})" if link in scores else f"{pair})"


def _shown(words: Sequence[str]) -> str:
    return shortened(" ".join(words), 60.0)


def _room(words: Sequence[str]) -> list[float]:
    return [_box_width(word) + BETWEEN_WORDS for word in words]


def _box_width(word: str) -> float:
    return max(min(ems(drawable(word)), LONGEST_WORD) * FONT_SIZE, FONT_SIZE) + 2 * PADDING
