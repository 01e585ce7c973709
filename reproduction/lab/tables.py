"""Results as Markdown tables: our number, and in brackets the paper's and the difference.

>>> both(0.7744, 0.77)
'.774 (.77, +.00)'
>>> both(None, 0.77)
'– (.77)'
>>> both(0.812, None)
'.812'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [list(header), ["---"] * len(header), *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def number(value: float | None, digits: int = 3) -> str:
    """`.774`; a score of one is `1.000`, none is a dash."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def signed(value: float, digits: int = 2) -> str:
    rounded = round(value, digits) + 0.0  # no minus zero
    return ("+" if rounded >= 0 else "−") + number(abs(rounded), digits)


def both(ours: float | None, paper: float | None) -> str:
    if paper is None:
        return number(ours)
    if ours is None:
        return f"– ({number(paper, 2)})"
    return f"{number(ours)} ({number(paper, 2)}, {signed(ours - paper)})"


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; nothing is `none`."""
    if len(names) < 2:
        return names[0] if names else "none"
    return f"{', '.join(names[:-1])} and {names[-1]}"
