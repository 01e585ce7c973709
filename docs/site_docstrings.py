"""Docstrings as Markdown: examples become blocks of code, and aligned lists of names become real lists.

A docstring is written for those who read the source. Markdown would take `>>>` for a quotation and would join
the lines of an aligned list.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^>>> .*\n(?:(?!>>> |\n).+\n)*)+", re.MULTILINE)
_LISTED = re.compile(r"^(`\w+`|\w+) {2,}(\S.*)$|^(`\w+`) (\S.*)$")  # one space only after the longest name
_CONTINUED = re.compile(r"^ {6,}(\S.*)$")


class Docstrings(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(docstring: str) -> str:
    """Return the docstring as Markdown."""
    lines: list[str] = []
    for line in docstring.split("\n"):
        within = bool(lines) and lines[-1].startswith("- ")
        listed, continued = _LISTED.match(line), _CONTINUED.match(line)
        if listed is not None and (listed[1] or within):
            if not within:
                lines.append("")
            name, meaning = (part for part in listed.groups() if part is not None)
            lines.append(f"- `{name.strip('`')}`: {meaning}")
        elif continued is not None and within:
            lines[-1] += f" {continued[1]}"
        else:
            lines.append(line)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
    found = _EXAMPLE.sub(lambda example: f"```python\n{example[0].rstrip()}\n```\n", text + "\n")
    return found.rstrip("\n")
