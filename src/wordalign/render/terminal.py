"""Pictures for a terminal: two rows of words with numbers, or a grid.

In the rows, source words are numbered, and target words carry the numbers of the words they are linked to:

    The  museum  is  closed  on  Mondays  .
     0     1     2     3     ·      5     6

     0     1      2      5          3       6
    Das  Museum  ist  montags  geschlossen  .

Numbers stay readable where drawn lines would not: for many crossing links, in any script, and across the
bands that a long pair is cut into. A dot means that a word has no link. Colours repeat what the numbers
say.

In the grid, source words are rows and target words are columns, named by a staircase:

            ┌ Das
            │ ┌ Museum
            │ │ ┌ ist
      The   ● · ·
    museum  · ● ·
        is  · · ●

A filled circle is a link of both methods, or of the only one. An empty circle is a link of the first method
alone, a square one of the second alone. Gold cells stand in brackets, [ ] for sure and ( ) for possible
ones, on green.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wordalign.render.characters import columns, drawable, is_right_to_left, shortened
from wordalign.render.layout import Marks, bands, marks, words_of
from wordalign.types import Alignment, GoldAlignment, Link

_RIGHT_TO_LEFT_ISOLATE, _POP = "\u2067", "\u2069"

# Six of the 256 colours of terminals that read well on black and on white.
_HUES = (33, 208, 35, 170, 37, 178)
FAINT = "2"
SURE = "48;5;28;38;5;231"
POSSIBLE = "48;5;151;38;5;16"

BETWEEN = 2
BETWEEN_BANDS = "┄" * 8
NO_LINK = "·"
_PART = {"common": "", "first": "¹", "second": "²"}
_SIGNS = {"common": "●", "first": "○", "second": "□"}
_NEXT_TO_A_LABEL = 2
LONGEST_WORD = 14.0  # ems


def hue(number: int) -> str:
    return f"38;5;{_HUES[number % len(_HUES)]}"


def painted(text: str, style: str, colour: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if colour and text else text


def shown(word: str) -> str:
    """Return the word so that it cannot disturb the rest of its line, also on terminals that reorder text."""
    safe = drawable(word).strip() or "∅"
    return f"{_RIGHT_TO_LEFT_ISOLATE}{safe}{_POP}" if is_right_to_left([safe]) else safe


def centred(text: str, taken: int, width: int) -> str:
    """Pad a text that takes `taken` columns of a terminal so that it stands in the middle of `width`
    columns."""
    left = (width - taken) // 2
    return " " * left + text + " " * (width - taken - left)


def rows_text(
    alignment: Alignment,
    width: int = 80,
    colour: bool = False,
    *,
    second: Alignment | None = None,
    gold: GoldAlignment | None = None,
    labels: tuple[str, str] = ("first", "second"),
) -> str:
    """Draw two rows of words, in lines of at most `width` columns unless a single word is wider.

    With `second`, ¹ and ² mark the links that only one of the two alignments has. With `gold`, ? marks a link
    that is only possible, × marks a wrong one, and (5) a missing one.
    """
    words = words_of(alignment)
    drawn = marks(words, alignment.links, None if second is None else second.links, gold)
    shown_links = drawn.predicted | drawn.sure
    linked = {i for i, _ in shown_links}
    labelled = {link: _label(link, drawn, gold is not None) for link in shown_links}
    source = [_Cell(shown(word), _number(i, linked)) for i, word in enumerate(words[0])]
    target = [
        _Cell(shown(word), tuple((i, labelled[i, j]) for i, k in sorted(shown_links) if k == j))
        for j, word in enumerate(words[1])
    ]
    widths = [cell.width + BETWEEN for cell in source], [cell.width + BETWEEN for cell in target]
    lines: list[str] = []
    for (begin, end), (start, stop) in bands(shown_links, widths, width + BETWEEN):
        across = max(sum(widths[0][begin:end]), sum(widths[1][start:stop])) - BETWEEN
        upper = _lines(source[begin:end], across, is_right_to_left(words[0]), colour)
        lower = _lines(target[start:stop], across, is_right_to_left(words[1]), colour)
        lines += [painted(BETWEEN_BANDS, FAINT, colour), *upper, "", *reversed(lower)]
    key = _rows_legend(drawn, labels, second is not None, gold is not None)
    return "\n".join(line.rstrip() for line in [*lines[1:], *(["", key] if key else [])])


@dataclass(frozen=True, slots=True)
class _Cell:
    """A word and the numbers under it, each with the text that shows it: `((4, "4"), (5, "5?"))`."""

    word: str
    numbers: tuple[tuple[int, str], ...]

    @property
    def label(self) -> str:
        return ",".join(text for _, text in self.numbers) or NO_LINK

    @property
    def width(self) -> int:
        return max(columns(self.word), columns(self.label))


def _number(number: int, linked: set[int]) -> tuple[tuple[int, str], ...]:
    return ((number, str(number)),) if number in linked else ()


def _label(link: Link, drawn: Marks, gold: bool) -> str:
    if link not in drawn.predicted:
        return f"({link[0]})"
    judged = "" if not gold or link in drawn.sure else "?" if link in drawn.possible else "×"
    return f"{link[0]}{_PART[drawn.part(link)]}{judged}"


def _lines(cells: Sequence[_Cell], across: int, backwards: bool, colour: bool) -> tuple[str, str]:
    """Return the line of words and the line of numbers. A right-to-left sentence ends at the left."""
    words, labels = [], []
    for cell in reversed(cells) if backwards else cells:
        style = hue(cell.numbers[0][0]) if cell.numbers else FAINT
        numbers = ",".join(painted(text, hue(number), colour) for number, text in cell.numbers)
        numbers = numbers or painted(NO_LINK, FAINT, colour)
        words.append(centred(painted(cell.word, style, colour), columns(cell.word), cell.width))
        labels.append(centred(numbers, columns(cell.label), cell.width))
    indent = ""
    if backwards:
        indent = " " * (across - sum(cell.width + BETWEEN for cell in cells) + BETWEEN)
    between = " " * BETWEEN
    return indent + between.join(words), indent + between.join(labels)


def _rows_legend(drawn: Marks, labels: tuple[str, str], comparing: bool, gold: bool) -> str:
    parts = []
    if comparing:
        parts += [f"n¹ {labels[0]} only", f"n² {labels[1]} only"]
    if gold:
        if drawn.predicted & drawn.possible:
            parts.append("n? possible")
        parts += ["n× wrong", "(n) missing"]
    return "   ".join(parts)


def grid_text(
    source_words: Sequence[str],
    target_words: Sequence[str],
    *,
    first: Iterable[Link],
    second: Iterable[Link] | None = None,
    gold: GoldAlignment | None = None,
    labels: tuple[str, str] = ("first", "second"),
    width: int = 80,
    colour: bool = False,
) -> str:
    """Draw a grid. Columns that do not fit into `width` follow below."""
    drawn = marks((source_words, target_words), first, second, gold)
    rows = [shown(shortened(word, LONGEST_WORD)) for word in source_words]
    names = [shown(shortened(word, LONGEST_WORD)) for word in target_words]
    cell = 3 if gold is not None else 2
    left = max(map(columns, rows), default=0) + _NEXT_TO_A_LABEL
    order = list(range(len(names)))
    if is_right_to_left(target_words):
        order.reverse()
    at_once = max(1, (width - left - max(map(columns, names), default=0)) // cell)
    blocks = [order[start : start + at_once] for start in range(0, len(order), at_once)] or [[]]
    lines: list[str] = []
    for block in blocks:
        lines += ["", *_stairs([names[j] for j in block], left, cell)]
        for i, row in enumerate(rows):
            label = " " * (left - _NEXT_TO_A_LABEL - columns(row)) + row + " " * _NEXT_TO_A_LABEL
            lines.append(label + "".join(_cell((i, j), drawn, cell, colour) for j in block))
    key = _grid_legend(labels, second is not None, gold is not None)
    return "\n".join(line.rstrip() for line in [*lines[1:], *(["", key] if key else [])])


def _stairs(names: Sequence[str], left: int, cell: int) -> list[str]:
    before = " " * (left + (cell - 1) // 2)
    gap = " " * (cell - 1)
    return [before + f"│{gap}" * number + f"┌ {name}" for number, name in enumerate(names)]


def _cell(link: Link, drawn: Marks, cell: int, colour: bool) -> str:
    sign = _SIGNS[drawn.part(link)] if link in drawn.predicted else None
    if cell == 2:
        return f"{sign or painted('·', FAINT, colour)} "
    if link in drawn.sure:
        return painted(f"[{sign or ' '}]", SURE, colour)
    if link in drawn.possible:
        return painted(f"({sign or ' '})", POSSIBLE, colour)
    return f" {sign or painted('·', FAINT, colour)} "


def _grid_legend(labels: tuple[str, str], comparing: bool, gold: bool) -> str:
    parts = [f"● both   ○ {labels[0]} only   □ {labels[1]} only"] if comparing else []
    if gold:
        parts.append("[ ] sure   ( ) possible")
    return "   ".join(parts)
