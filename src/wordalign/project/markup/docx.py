"""The paragraphs of a Word file as marked text, and back.

    Press Save. (Save is bold)   ->   Press <r id="3">Save</r>.

The look that most of a paragraph has is that of plain text. Runs that look otherwise, links and fields are
spans; tabs, pictures, notes and whatever else a paragraph holds are points. Needs the extra `docx`.
"""

from __future__ import annotations

import copy
import re
import zipfile
import zlib
from collections import Counter
from html import escape, unescape
from pathlib import Path
from typing import Any

from wordalign.errors import InputError, MissingExtraError
from wordalign.project.markup.syntax import tokens

# What a damaged archive raises while its parts are read.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError)
# What holds runs, and stays around them: links, insertions that were tracked, words that were recognised.
_NOTES = ("/footnotes", "/endnotes")
_CONTAINERS = ("w:hyperlink", "w:ins", "w:smartTag")


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
        except (PackageNotFoundError, ValueError, KeyError, SyntaxError, *_DAMAGED) as error:
            # lxml's errors of XML are SyntaxErrors
            raise InputError(
                f"{path} cannot be read as a Word file (.docx): open it in an editor and save it again."
            ) from error
        self._qn = qn
        self._notes = self._read_notes()
        paragraphs = [_Paragraph(node, qn) for root in self._roots() for node in root.iter(qn("w:p"))]
        self._paragraphs = [paragraph for paragraph in paragraphs if paragraph.has_words]
        self.fragments = [paragraph.fragment for paragraph in self._paragraphs]

    def _roots(self) -> list[Any]:
        """What holds paragraphs: the text, each header and footer of a section's own, and the notes."""
        names = [
            f"{kind}{part}" for kind in ("", "first_page_", "even_page_") for part in ("header", "footer")
        ]
        found = [getattr(section, name) for section in self._document.sections for name in names]
        return [
            self._document.element.body,
            *(part._element for part in found if not part.is_linked_to_previous),
            *(root for _, root in self._notes),
        ]

    def _read_notes(self) -> list[tuple[Any, Any]]:
        """The parts with footnotes and endnotes, which python-docx keeps as bytes, and their XML."""
        from docx.oxml import parse_xml

        parts = [
            relation.target_part
            for relation in self._document.part.rels.values()
            if relation.reltype.endswith(_NOTES)
        ]
        return [(part, parse_xml(part.blob)) for part in parts]

    def put(self, number: int, fragment: str) -> None:
        """Put a translation in the place of a paragraph's text."""
        self._paragraphs[number].put(fragment)

    def save(self, path: Path) -> None:
        from lxml import etree

        for part, root in self._notes:
            part._blob = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
        with path.open("wb") as stream:
            self._document.save(stream)


class _Paragraph:
    def __init__(self, node: Any, qn: Any) -> None:
        self.node, self.qn = node, qn
        self.things: list[Any] = []  # runs, links, fields and others, by their id in the fragment
        self._split_runs()
        looks: Counter[bytes] = Counter()
        for run in node.iter(qn("w:r")):
            looks[self._look(run)] += len(self._text(run) or "")
        self.usual = looks.most_common(1)[0][0] if looks else b""
        self.usual_run = next((run for run in node.iter(qn("w:r")) if self._look(run) == self.usual), None)
        self.fragment = self._fragment(list(node), self.usual)
        self.has_words = any(
            token.kind == "text" and self.fragment[token.start : token.end].strip()
            for token in tokens(self.fragment, "xml")
        )

    def _split_runs(self) -> None:
        """Let each run hold text, or one other thing: a tab, a line break, a picture …"""
        text, look = self.qn("w:t"), self.qn("w:rPr")
        for run in [child for child in self.node.iter(self.qn("w:r")) if len(child) > 1]:
            for old in run.findall(self.qn("w:lastRenderedPageBreak")):
                run.remove(old)
            held = [child for child in run if child.tag != look]
            if len(held) < 2 or all(child.tag == text for child in held):
                continue
            for child in held:
                part = self._empty_run(run)
                part.append(child)
                run.addprevious(part)
            run.getparent().remove(run)

    def _look(self, run: Any) -> bytes:
        from lxml import etree

        found = run.find(self.qn("w:rPr"))
        # Words are marked with languages and traces of the spelling checker, which are no look.
        return b"" if found is None else re.sub(rb"<w:(?:lang|noProof)\b[^>]*/>", b"", etree.tostring(found))

    def _text(self, child: Any) -> str | None:
        """The text of a run; None for what holds something else."""
        held = [part for part in child if part.tag != self.qn("w:rPr")]
        if child.tag != self.qn("w:r") or any(part.tag != self.qn("w:t") for part in held):
            return None
        return "".join(part.text or "" for part in held)

    def _fragment(self, children: list[Any], usual: bytes) -> str:
        """What stands in a paragraph or a link; runs of the same look that follow each other are one."""
        out: list[str] = []
        last: bytes | None = None
        place = 0
        while place < len(children):
            child = children[place]
            place += 1
            text = self._text(child)
            if child.tag in (self.qn("w:pPr"), self.qn("w:proofErr")):
                continue
            if text is None:
                last = None
                written, place = self._other(children, place - 1, usual)
                out.append(written)
                continue
            look, text = self._look(child), escape(text, quote=False)
            if look == usual:
                out.append(text)
            elif look == last:
                out[-1] = out[-1].removesuffix("</r>") + text + "</r>"
            else:
                out.append(f'<r id="{self._keep(child)}">{text}</r>')
            last = look
        return "".join(out)

    def _other(self, children: list[Any], place: int, usual: bytes) -> tuple[str, int]:
        """What is no text: a link with its text, a field with its result, or a point; and what comes next."""
        child = children[place]
        if child.tag in [self.qn(name) for name in _CONTAINERS]:
            number = self._keep(child)
            run = child.find(self.qn("w:r"))
            inner = self._fragment(list(child), b"" if run is None else self._look(run))
            return f'<h id="{number}">{inner}</h>', place + 1
        if self._field_mark(child) != "begin":
            return f'<x id="{self._keep(child)}"/>', place + 1
        marks = [self._field_mark(other) for other in children[place:]]
        if "end" not in marks:
            return f'<x id="{self._keep(child)}"/>', place + 1
        end = marks.index("end")
        middle = marks.index("separate") if "separate" in marks[:end] else end - 1
        if "begin" in marks[1:end]:  # fields in one another stay as they are
            middle, end = 0, len(marks) - 1 - marks[::-1].index("end")
            number = self._keep((children[place : place + end + 1], []))
            return f'<f id="{number}"></f>', place + end + 1
        shown = children[place + middle + 1 : place + end]
        number = self._keep((children[place : place + middle + 1], [children[place + end]]))
        return f'<f id="{number}">{self._fragment(shown, usual)}</f>', place + end + 1

    def _field_mark(self, child: Any) -> str:
        mark = child.find(self.qn("w:fldChar")) if child.tag == self.qn("w:r") else None
        return "" if mark is None else str(mark.get(self.qn("w:fldCharType")))

    def _keep(self, thing: Any) -> int:
        self.things.append(thing)
        return len(self.things) - 1

    def put(self, fragment: str) -> None:
        """Put a translation, marked like the fragment, in the place of what there is."""
        for child in list(self.node):
            if child.tag != self.qn("w:pPr"):
                self.node.remove(child)
        # What is open: where new runs go, the run that they look like, and what comes at its end.
        opened: list[tuple[Any, Any, list[Any]]] = [(self.node, self.usual_run, [])]
        for token in tokens(fragment, "xml"):
            piece = fragment[token.start : token.end]
            parent, model, _ = opened[-1]
            if token.kind in ("text", "reference"):
                parent.append(self._run(model, unescape(piece)))
            elif token.closes:
                for node in opened.pop()[2]:
                    parent.append(node)
            else:
                thing = self.things[int(re.findall(r"[0-9]+", piece)[0])]
                if token.empty:
                    parent.append(thing)
                elif token.name == "r":
                    opened.append((parent, thing, []))
                elif token.name == "f":
                    for node in thing[0]:
                        parent.append(node)
                    opened.append((parent, model, thing[1]))
                else:
                    first = thing.find(self.qn("w:r"))
                    for run in [child for child in thing if not child.tag.endswith("Pr")]:
                        thing.remove(run)
                    parent.append(thing)
                    opened.append((thing, first, []))

    def _run(self, model: Any, text: str) -> Any:
        from docx.oxml import OxmlElement

        run = self._empty_run(model)
        written = OxmlElement("w:t")
        written.text = text
        written.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        run.append(written)
        return run

    def _empty_run(self, model: Any) -> Any:
        """A run that looks like another."""
        from docx.oxml import OxmlElement

        run = OxmlElement("w:r")
        look = None if model is None else model.find(self.qn("w:rPr"))
        if look is not None:
            run.append(copy.deepcopy(look))
        return run
