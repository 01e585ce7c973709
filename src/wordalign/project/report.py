"""What was found wrong in a text -> one page, which loads nothing from elsewhere and runs no script."""

from __future__ import annotations

import heapq
from collections import Counter
from html import escape

from wordalign.errors import counted
from wordalign.project.check import CheckedPair
from wordalign.types import Sentence

SHOWN = 500  # pairs on a page
MEANINGS = {
    "untranslated": "words that were left out",
    "added": "words that were added",
    "copied": "words that were not translated",
    "number": "numbers that the other side lacks",
    "url": "addresses that the other side lacks",
    "placeholder": "placeholders that the other side lacks",
    "name": "names that the other side lacks",
    "language": "sentences in another language",
}
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8886; padding: .4rem .6rem; text-align: left; vertical-align: top; }
td:first-child, td:nth-child(2) { text-align: right; font-variant-numeric: tabular-nums; }
mark { border-radius: .2rem; padding: 0 .15rem; background: #ffd54f; color: #000; }
mark.copied, mark.language { background: #90caf9; }
mark.number, mark.url, mark.placeholder, mark.name { background: #ef9a9a; }
"""


class Report:
    """Keeps the worst pairs of a text and counts what was found, in bounded memory."""

    def __init__(self, shown: int = SHOWN) -> None:
        self._shown = shown
        self._worst: list[tuple[float, int, CheckedPair]] = []  # a heap, the best of them first
        self._counts: Counter[str] = Counter()
        self._pairs = self._doubtful = self._empty = 0

    def add(self, line: int, checked: CheckedPair) -> None:
        if not checked.alignment.source.words and not checked.alignment.target.words:
            self._empty += 1
            return
        self._pairs += 1
        self._doubtful += checked.score < 0.5
        self._counts.update({finding.kind for finding in checked.findings})
        if checked.findings or checked.score < 0.5:
            heapq.heappush(self._worst, (-checked.score, -line, checked))
            if len(self._worst) > self._shown:
                heapq.heappop(self._worst)

    def summary(self) -> str:
        empty = f" Empty on both sides: {self._empty:,}." if self._empty else ""
        return (
            f"Checked {counted(self._pairs, 'pair')}; probably no translations (a score below 0.5): "
            f"{self._doubtful:,}.{empty}"
        )

    def html(self, title: str) -> str:
        """The page: counts, then the pairs with something wrong, those with the lowest scores first."""
        counts = "".join(
            f"<li><mark class='{kind}'>{kind}</mark> {counted(number, 'pair')} with {meaning}</li>"
            for kind, meaning in MEANINGS.items()
            if (number := self._counts[kind])
        )
        worst = sorted(self._worst, key=lambda entry: (-entry[0], -entry[1]))
        rows = "".join(_row(-line, checked) for _, line, checked in worst)
        return (
            "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width'>"
            f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>"
            f"<p>{self.summary()} The {len(worst):,} worst pairs are shown.</p><ul>{counts}</ul>"
            "<table><thead><tr><th>line</th><th>score</th><th>source</th><th>target</th></tr></thead>"
            f"<tbody>{rows}</tbody></table></body></html>\n"
        )


def _row(line: int, checked: CheckedPair) -> str:
    alignment = checked.alignment
    sides = (_marked(alignment.source, "source", checked), _marked(alignment.target, "target", checked))
    cells = "".join(f"<td dir='auto'>{side}</td>" for side in sides)
    return f"<tr><td>{line}</td><td>{checked.score:.2f}</td>{cells}</tr>\n"


def _marked(sentence: Sentence, side: str, checked: CheckedPair) -> str:
    """The sentence with each finding marked; what lies inside another finding is not marked again."""
    shown, end = [], 0
    own = [finding for finding in checked.findings if finding.side == side]
    for finding in sorted(own, key=lambda finding: (finding.start, -finding.end)):
        if finding.start < end:
            continue
        shown.append(_between(sentence, end, finding.start))
        hint = f"{finding.kind}: {finding.probability:.0%}"
        text = escape(sentence.surface(finding.start, finding.end))
        shown.append(f"<mark class='{finding.kind}' title='{hint}'>{text}</mark>")
        end = finding.end
    shown.append(_between(sentence, end, len(sentence)))
    return " ".join(filter(None, shown))


def _between(sentence: Sentence, start: int, end: int) -> str:
    return escape(sentence.surface(start, end)) if start < end else ""
