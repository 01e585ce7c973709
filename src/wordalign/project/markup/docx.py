"""The paragraphs of a Word file as marked text, and back.

    Press Save. (Save is bold)   ->   Press <r id="3">Save</r>.

The look that most of a paragraph has is that of plain text. Runs that look otherwise and links are spans;
tabs, pictures, notes and whatever else a paragraph holds are points. Needs the extra `docx`.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from html import escape, unescape
from pathlib import Path
from typing import Any

from wordalign.errors import InputError, MissingExtraError
from wordalign.project.markup.syntax import tokens


class Docx:
    """A Word file; `fragments` has the marked text of each paragraph with words in it."""

    def __init__(self, path: str | Path) -> None:
        try:
            import docx
            from docx.opc.exceptions import PackageNotFoundError
            from docx.oxml.ns import qn
        except ModuleNotFoundError as error:
            raise MissingExtraError("Reading Word files", "docx") from error
        try:
            self._document = docx.Document(str(path))
        except (PackageNotFoundError, ValueError, KeyError) as error:
            raise InputError(f"{path} cannot be read as a Word file (.docx).") from error
        self._qn = qn
        paragraphs = [_Paragraph(node, qn) for node in self._document.element.body.iter(qn("w:p"))]
        self._paragraphs = [paragraph for paragraph in paragraphs if paragraph.has_words]
        self.fragments = [paragraph.fragment for paragraph in self._paragraphs]

    def replace(self, number: int, fragment: str) -> None:
        """Put a translation in the place of a paragraph's text."""
        self._paragraphs[number].replace(fragment)

    def save(self, path: Path) -> None:
        with path.open("wb") as stream:
            self._document.save(stream)


class _Paragraph:
    def __init__(self, node: Any, qn: Any) -> None:
        self.node, self.qn = node, qn
        self.things: list[Any] = []  # runs, links and others, by their id in the fragment
        looks: Counter[bytes] = Counter()
        for run in node.iter(qn("w:r")):
            looks[self._look(run)] += len(self._text(run) or "")
        self.usual = looks.most_common(1)[0][0] if looks else b""
        self.usual_run = next((run for run in node.iter(qn("w:r")) if self._look(run) == self.usual), None)
        self.fragment = self._fragment(node, self.usual)
        self.has_words = any(
            token.kind == "text" and self.fragment[token.start : token.end].strip()
            for token in tokens(self.fragment, "xml")
        )

    def _look(self, run: Any) -> bytes:
        from lxml import etree

        found = run.find(self.qn("w:rPr"))
        # Words are marked with languages and traces of the spelling checker, which are no look.
        return b"" if found is None else re.sub(rb"<w:(?:lang|noProof)\b[^>]*/>", b"", etree.tostring(found))

    def _text(self, run: Any) -> str | None:
        """The text of a run; None for a run that holds something else."""
        texts = []
        for child in run:
            if child.tag == self.qn("w:t"):
                texts.append(child.text or "")
            elif child.tag not in (self.qn("w:rPr"), self.qn("w:lastRenderedPageBreak")):
                return None
        return "".join(texts)

    def _fragment(self, parent: Any, usual: bytes) -> str:
        """What stands in a paragraph or a link; runs of the same look that follow each other are one."""
        out: list[str] = []
        last: bytes | None = None
        for child in parent:
            text = self._text(child) if child.tag == self.qn("w:r") else None
            if child.tag in (self.qn("w:pPr"), self.qn("w:proofErr")):
                continue
            if text is None:
                last = None
                out.append(self._other(child))
                continue
            look = self._look(child)
            if look == usual:
                out.append(escape(text, quote=False))
            elif look == last:
                out[-1] = out[-1].removesuffix("</r>") + escape(text, quote=False) + "</r>"
            else:
                out.append(f'<r id="{self._keep(child)}">{escape(text, quote=False)}</r>')
            last = look
        return "".join(out)

    def _other(self, child: Any) -> str:
        number = self._keep(child)
        if child.tag != self.qn("w:hyperlink"):
            return f'<x id="{number}"/>'
        run = child.find(self.qn("w:r"))
        return f'<h id="{number}">{self._fragment(child, b"" if run is None else self._look(run))}</h>'

    def _keep(self, thing: Any) -> int:
        self.things.append(thing)
        return len(self.things) - 1

    def replace(self, fragment: str) -> None:
        model = None if self.usual_run is None else copy.deepcopy(self.usual_run)
        inside = [self.node]
        looks = [model]
        new: list[tuple[Any, Any]] = []
        for token in tokens(fragment, "xml"):
            piece = fragment[token.start : token.end]
            if token.kind in ("text", "reference"):
                new.append((inside[-1], (looks[-1], unescape(piece))))
            elif token.closes:
                inside.pop()
                looks.pop()
            else:
                thing = self.things[int(re.findall(r"\d+", piece)[0])]
                if token.empty:
                    new.append((inside[-1], (thing, None)))
                elif token.name == "r":
                    inside.append(inside[-1])
                    looks.append(copy.deepcopy(thing))
                else:
                    link = copy.deepcopy(thing)
                    first = link.find(self.qn("w:r"))
                    for child in list(link):
                        link.remove(child)
                    new.append((inside[-1], (link, None)))
                    inside.append(link)
                    looks.append(first)
        for child in list(self.node):
            if child.tag != self.qn("w:pPr"):
                self.node.remove(child)
        for parent, (thing, text) in new:
            parent.append(thing if text is None else self._run(thing, text))

    def _run(self, model: Any, text: str) -> Any:
        from docx.oxml import OxmlElement

        run = OxmlElement("w:r")
        look = None if model is None else model.find(self.qn("w:rPr"))
        if look is not None:
            run.append(copy.deepcopy(look))
        written = OxmlElement("w:t")
        written.text = text
        written.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        run.append(written)
        return run
