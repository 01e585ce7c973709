"""The paper's grids as SVG: source words are rows, target words are columns.

Sure cells are dark green and possible ones light green. A circle is a link of the first method, a box a
link of the second (Jalili Sabet et al. 2020, figures of alignment examples).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from wordalign.render.characters import drawable, ems, face, is_right_to_left, shortened
from wordalign.render.layout import marks
from wordalign.render.svg import FONT, GREENS, Markup, box, circle, element, legend, picture
from wordalign.types import GoldAlignment, Link

MARGIN = 16.0
LONGEST_WORD = 14.0  # ems
SLANT = 55.0  # degrees of the words above the columns
CELLS, LINES, MARK = "#ffffff", "#d5dae1", "#000000"


def grid_svg(
    source_words: Sequence[str],
    target_words: Sequence[str],
    *,
    gold: GoldAlignment | None = None,
    first: Iterable[Link],
    second: Iterable[Link] | None = None,
    labels: tuple[str, str] = ("Argmax", "Itermax"),
    title: str | None = None,
) -> str:
    """Draw one pair as a grid. The columns of a right-to-left sentence run from right to left."""
    first, second = frozenset(first), None if second is None else frozenset(second)
    drawn = marks((source_words, target_words), first, second, gold)
    cell = 24.0 if max(len(source_words), len(target_words)) <= 60 else 17.0
    size = cell * 0.62
    rows = [shortened(drawable(word), LONGEST_WORD) for word in source_words]
    columns = [shortened(drawable(word), LONGEST_WORD) for word in target_words]
    # Single characters, as of Chinese, stand upright above their columns.
    slant = SLANT if any(ems(word) > 1.3 for word in columns) else 0.0
    longest = max(map(ems, columns), default=0.0) * size
    key = legend(drawn, (labels[0], labels[1] if second is not None else None), gold is not None, "cell")

    left = MARGIN + max(map(ems, rows), default=0.0) * size + 8
    top = MARGIN + (24 if title is not None else 0)
    top += (longest * math.sin(math.radians(slant)) + size * 0.8 if slant else size * 1.6) + 4
    across, down = cell * len(columns), cell * len(rows)
    backwards = is_right_to_left(target_words)
    at = [left + cell * (len(columns) - 1 - j if backwards else j) for j in range(len(columns))]
    # Slanted words reach beyond the last column.
    reach = [
        x + cell + ems(word) * size * math.cos(math.radians(slant))
        for x, word in zip(at, columns, strict=True)
    ]
    right = max(reach if slant else [], default=0.0)
    width = max(left + across, right, MARGIN + key.width, MARGIN + ems(title or "") * 16.0) + MARGIN

    parts: list[Markup] = []
    if title is not None:
        parts.append(element("text", title, x=MARGIN, y=MARGIN + 14, font_size=16.0, font_weight="bold",
                             fill="ink"))  # fmt: skip
    parts.append(element("rect", x=left, y=top, width=across, height=down, fill=CELLS))
    for part, cells in (("possible", drawn.possible), ("sure", drawn.sure)):
        squares = [
            element("rect", element("title", _said(i, j, source_words, target_words, part)),
                    x=at[j], y=top + cell * i, width=cell, height=cell)
            for i, j in sorted(cells)
        ]  # fmt: skip
        if squares:
            parts.append(element("g", *squares, fill=GREENS[part]))
    lines = "".join(f"M{left:.1f} {top + cell * i:.1f}h{across:.1f}" for i in range(len(rows) + 1))
    lines += "".join(f"M{left + cell * j:.1f} {top:.1f}v{down:.1f}" for j in range(len(columns) + 1))
    parts.append(element("path", d=lines, stroke=LINES, stroke_width=1.0, fill="none"))
    for number, word in enumerate(rows):
        parts.append(_word(word, source_words[number], size, x=left - 6, y=top + cell * (number + 0.68),
                           anchor="end"))  # fmt: skip
    for number, word in enumerate(columns):
        x, y = at[number] + cell * (0.62 if slant else 0.5), top - 5
        parts.append(_word(word, target_words[number], size, x=x, y=y, anchor="start" if slant else "middle",
                           slant=slant))  # fmt: skip
    for links, mark, label in ((second or (), box, labels[1]), (first, circle, labels[0])):
        parts += [
            element("g", element("title", _said(i, j, source_words, target_words, label)),
                    mark(at[j] + cell / 2, top + cell * (i + 0.5), cell, MARK))
            for i, j in sorted(links)
        ]  # fmt: skip
    bottom = top + down + 14
    parts.append(element("g", *key.parts, transform=f"translate({MARGIN:.0f} {bottom:.1f})"))
    described = (
        title or f"{shortened(' '.join(source_words), 60.0)} – {shortened(' '.join(target_words), 60.0)}"
    )
    return picture(width, bottom + key.height + MARGIN, f"Word alignment: {described}", *parts)


def _word(
    shown: str, word: str, size: float, *, x: float, y: float, anchor: str, slant: float = 0.0
) -> Markup:
    special = face(shown)
    return element(
        "text",
        shown,
        element("title", word) if shown != word else Markup(),
        x=x,
        y=y,
        font_size=size,
        fill="ink",
        text_anchor=anchor,
        font_family=f"'{special}', {FONT}" if special else None,
        transform=f"rotate({-slant:.0f} {x:.2f} {y:.2f})" if slant else None,
    )


def _said(i: int, j: int, source: Sequence[str], target: Sequence[str], what: str) -> str:
    return f"{source[i]} – {target[j]} ({i}-{j}, {what})"
