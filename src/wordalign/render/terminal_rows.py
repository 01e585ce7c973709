"""Two rows of words for a terminal: source words are numbered, target words carry the numbers they link to.

    The  museum  is  closed  on  Mondays  .
     0     1     2     3     ·      5     6

     0     1      2      5          3       6
    Das  Museum  ist  montags  geschlossen  .

Numbers instead of drawn lines stay readable for any number of crossing links, in any script, and across
the bands that a long pair is cut into. A dot stands for no link. Colours repeat what the numbers say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wordalign.render.bands import bands
from wordalign.render.characters import columns, is_right_to_left
from wordalign.render.marks import Marks, marks, words_of
from wordalign.render.terminal_text import FAINT, centred, hue, painted, shown
from wordalign.types import Alignment, GoldAlignment, Link

BETWEEN = 2
BETWEEN_BANDS = "┄" * 8
NO_LINK = "·"
_PART = {"common": "", "first": "¹", "second": "²"}


def rows_text(
    alignment: Alignment,
    width: int = 80,
    colour: bool = False,
    *,
    second: Alignment | None = None,
    gold: GoldAlignment | None = None,
    labels: tuple[str, str] = ("first", "second"),
) -> str:
    """The picture as lines of at most `width` columns, unless a single word is wider.

    With `second`, ¹ and ² mark the links of one alignment alone. With `gold`, ? marks a link that is only
    possible, × one that is wrong, and (5) one that is missing.
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
    key = _legend(drawn, labels, second is not None, gold is not None)
    return "\n".join(line.rstrip() for line in [*lines[1:], *(["", key] if key else [])])


@dataclass(frozen=True, slots=True)
class _Cell:
    """A word and the numbers beside it, each with its text: `((4, "4"), (5, "5?"))`."""

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
    """The words, and the numbers under them; a right-to-left sentence ends at the left."""
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


def _legend(drawn: Marks, labels: tuple[str, str], comparing: bool, gold: bool) -> str:
    parts = []
    if comparing:
        parts += [f"n¹ {labels[0]} only", f"n² {labels[1]} only"]
    if gold:
        if drawn.predicted & drawn.possible:
            parts.append("n? possible")
        parts += ["n× wrong", "(n) missing"]
    return "   ".join(parts)
