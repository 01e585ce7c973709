"""Whole documents as blocks of marked text: what of a file is translated, and all that stays as it is.

    <h1>Save</h1>            blocks "Save" and "Press <b>OK</b>."; the rest is kept as it is written,
    <p>Press <b>OK</b>.</p>  to the last character

The blocks of HTML are what stands between tags like `<p>` and `<li>`; those of Markdown are paragraphs,
headings and items. XLIFF and TMX hold the translations themselves: their blocks are units whose source
has markup and whose target has none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wordalign.io.units import UNIT_FORMATS
from wordalign.project.markup.syntax import BLOCKS, MalformedError, Token, check_document, tokens

DOCUMENTS = {
    ".html": "html", ".htm": "html", ".xhtml": "html",
    **dict.fromkeys(UNIT_FORMATS["xliff"].suffixes, "xliff"),
    ".tmx": "tmx", ".md": "markdown", ".markdown": "markdown", ".docx": "docx",
}  # fmt: skip
KINDS = ("lines", "html", "xliff", "tmx", "docx", "markdown")
BILINGUAL = ("xliff", "tmx")
_NOT_TRANSLATED = ("pre", "textarea", "svg", "math")
# What holds other sources and targets than those of the unit itself.
_ASIDE = ("alt-trans", "matches", "glossary", "note", "prop")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of marked text at `start` to `end` of a document.

    `target` is its translation where the document has it, and then `start` to `end` is the place of that.
    """

    source: str
    start: int
    end: int
    target: str | None = None


def blocks(written: str, kind: str) -> list[Block]:
    """The blocks of a document of that kind; `MalformedError` where it cannot be read."""
    if kind == "html":
        return list(_html_blocks(written))
    if kind == "markdown":
        return list(_markdown_blocks(written))
    if (outermost := check_document(written)) != kind:
        raise MalformedError(f"The document begins with <{outermost}>, so it is no {kind.upper()} file.")
    return list(_xliff_blocks(written) if kind == "xliff" else _tmx_blocks(written))


def put_in(written: str, replaced: list[tuple[Block, str]]) -> str:
    """The document with a new text for each block."""
    pieces, place = [], 0
    for block, text in replaced:
        pieces += [written[place : block.start], text]
        place = block.end
    return "".join([*pieces, written[place:]])


def plain_text(source: str, syntax: str) -> str:
    """A block without its markup, in one line; entities and placeholders stay as they are written."""
    if syntax == "markdown":
        from wordalign.project.markup.markdown import parse_markdown
        from wordalign.project.markup.syntax import PLACEHOLDER

        marked = parse_markdown(source, Counter(PLACEHOLDER.findall(source)))
        text = "".join(marked.anchors.get(place, sign) for place, sign in enumerate(marked.text))
    else:
        text, closed = "", False
        for token in tokens(source, syntax):
            if token.kind in ("text", "reference"):
                text, closed = text + source[token.start : token.end], False
            elif token.kind == "tag" and token.name != "wbr":
                # Elements side by side hold words of their own, as when they are read for aligning.
                text += " " * (token.empty or (closed and not token.closes))
                closed = token.closes
    return " ".join(text.split())


def _html_blocks(written: str) -> Iterator[Block]:
    """What stands between the tags of blocks; a tag whose partner is in another block ends a block too."""
    every = list(_translated(tokens(written, "html")))
    partner = _partners(written, every)
    run: list[int] = []
    for number, token in enumerate(every):
        is_border = token.kind == "instruction" or (token.kind == "tag" and token.name in BLOCKS)
        if not is_border:
            run.append(number)
        if is_border or number == len(every) - 1:
            yield from _blocks_of(written, every, run, partner)
            run = []


def _translated(found: Iterable[Token]) -> Iterator[Token]:
    """The tokens without those in elements that are not translated."""
    untouched = ""
    for token in found:
        if untouched and token.closes and token.name == untouched:
            untouched = ""
        elif not untouched:
            if token.name in _NOT_TRANSLATED and not token.closes and not token.empty:
                untouched = token.name
                token = token._replace(kind="instruction")
            yield token


def _partners(written: str, every: list[Token]) -> dict[int, int]:
    """For each tag within text the number of its partner; `MalformedError` where it has none."""
    partner: dict[int, int] = {}
    waiting: list[int] = []
    for number, token in enumerate(every):
        if token.kind != "tag" or token.empty or token.name in BLOCKS:
            continue
        if not token.closes:
            waiting.append(number)
            continue
        tag = written[token.start : token.end]
        if not waiting:
            raise MalformedError(f"{tag} closes what was never opened.", token.start)
        opened = every[waiting[-1]]
        if opened.name != token.name:
            first = written[opened.start : opened.end]
            raise MalformedError(f"{tag} stands where {first} must be closed first.", token.start)
        partner[number] = waiting.pop()
        partner[partner[number]] = number
    if waiting:
        opened = every[waiting[-1]]
        raise MalformedError(f"{written[opened.start : opened.end]} is never closed.", opened.start)
    return partner


def _blocks_of(written: str, every: list[Token], run: list[int], partner: dict[int, int]) -> Iterator[Block]:
    """The blocks of some tokens that follow each other, each with the tags that its text needs."""
    part: list[int] = []
    for number in [*run, -1]:
        if number >= 0 and run[0] <= partner.get(number, number) <= run[-1]:
            part.append(number)
            continue
        texts = [n for n in part if every[n].kind in ("text", "reference", "cdata")]
        texts = [n for n in texts if written[every[n].start : every[n].end].strip()]
        if texts:
            first, last = texts[0], texts[-1]
            number_in = first
            while number_in <= last:  # a tag brings its partner, and all that stands between them
                other = partner.get(number_in, number_in)
                last = max(last, other)
                if other < first:
                    first = number_in = other
                else:
                    number_in += 1
            yield _trimmed(written, every[first].start, every[last].end)
        part = []


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_START = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+(?:\[[ xX]\][ \t]+)?)?")
_NO_TEXT = re.compile(
    r"\s*(?:\||<[^>]*>\s*$|<!--|\[[^\]]+\]:\s|[-*_=]([ \t]*[-*_=])*\s*$|:?-+:?\s*\|| {4}|\t)"
)


def _markdown_blocks(written: str) -> Iterator[Block]:
    """Paragraphs, headings and items; code, tables, rules and definitions of links are left alone."""
    fence, start, place = "", -1, 0
    lines = written.splitlines(keepends=True)
    in_header = bool(lines) and lines[0].strip() == "---"
    for number, line in enumerate(lines):
        opened = _FENCE.match(line)
        prefix = _START.match(line)
        begins = prefix is not None and bool(prefix.group().strip(" \t"))
        if in_header:
            in_header = number == 0 or line.strip() not in ("---", "...")
            skipped = True
        elif fence:
            skipped = True
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        else:
            fence = opened[1] if opened else ""
            skipped = bool(opened) or not line.strip() or (start < 0 and bool(_NO_TEXT.match(line)))
            skipped = skipped or bool(re.match(r"\s*(?:\||[-=]+\s*$)", line))
        if start >= 0 and (skipped or begins):
            yield _trimmed(written, start, place)
            start = -1
        if not skipped and start < 0:
            start = place + (len(prefix.group()) if prefix else 0)
        place += len(line)
    if start >= 0:
        yield _trimmed(written, start, place)


def _trimmed(written: str, start: int, end: int) -> Block:
    text = written[start:end]
    start += len(text) - len(text.lstrip())
    return Block(text.strip(), start, start + len(text.strip()))


@dataclass(slots=True)
class _Content:
    """What stands in an element: the tag that begins it, and its place."""

    tag: str
    start: int
    end: int = -1


def _contents(written: str, names: tuple[str, ...], unit: str) -> Iterator[list[tuple[str, _Content]]]:
    """The content of the elements of these names in each unit, with their names."""
    found: list[tuple[str, _Content]] = []
    aside = depth = 0
    for token in tokens(written, "xml"):
        if token.kind != "tag":
            continue
        name = token.name.rpartition(":")[2]
        if name in _ASIDE and not token.empty:
            aside += -1 if token.closes else 1
        elif aside:
            continue
        elif name in unit.split() and not token.empty:
            if token.closes:
                yield found
            found = []
        elif name in names and not token.empty:
            if not token.closes:
                depth += 1
                if depth == 1:
                    found.append((name, _Content(written[token.start : token.end], token.end)))
            else:
                depth -= 1
                if depth == 0:
                    found[-1][1].end = token.start


def _xliff_blocks(written: str) -> Iterator[Block]:
    for found in _contents(written, ("source", "seg-source", "target"), "trans-unit segment"):
        sides = dict(found)
        if "source" not in sides or "target" not in sides:
            continue
        # Where a tool has cut the unit into sentences, each has its own translation.
        sources = _segments(written, sides.get("seg-source", sides["source"]))
        targets = _segments(written, sides["target"])
        if sources and targets:
            for name, target in targets.items():
                if name in sources:
                    yield from _bilingual(written, sources[name], target)
        else:
            yield from _bilingual(written, sides["source"], sides["target"])


def _segments(written: str, content: _Content) -> dict[str, _Content]:
    """The sentences in the content of an element, `<mrk mtype="seg" mid="1">`, by their names."""
    segments: dict[str, _Content] = {}
    opened: list[str | None] = []
    for token in tokens(written[content.start : content.end], "xml"):
        if token.kind != "tag" or token.empty or token.name.rpartition(":")[2] != "mrk":
            continue
        start, end = content.start + token.start, content.start + token.end
        if not token.closes:
            kind, name = (_attribute(written[start:end], key) for key in ("mtype", "mid"))
            opened.append(name if kind == "seg" else None)
            if kind == "seg":
                segments[name] = _Content("", end, end)
        elif opened and (closed := opened.pop()) is not None:
            segments[closed].end = start
    return segments


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf"\b{name}\s*=\s*[\"']([^\"']*)", tag)
    return found[1] if found else ""


def _tmx_blocks(written: str) -> Iterator[Block]:
    header = re.search(r"<header\b[^>]*\bsrclang\s*=\s*[\"']([^\"']*)", written)
    source_language = header[1].lower() if header else "*all*"
    for found in _contents(written, ("tuv",), "tu"):
        segments = []
        for _, variant in found:
            language = re.search(r"\blang\s*=\s*[\"']([^\"']*)", variant.tag)
            inner = written[variant.start : variant.end]
            segment = re.search(r"<seg\b[^>]*(?<!/)>(.*)</seg\s*>", inner, re.DOTALL)
            if segment is not None:
                start, end = (variant.start + segment.start(1), variant.start + segment.end(1))
                segments.append((language[1].lower() if language else "", _Content("", start, end)))
        # *all* means that any may be the source: the first is.
        source = next((content for language, content in segments if language == source_language), None)
        if source is None and segments:
            source = segments[0][1]
        for _, content in segments:
            if source is not None and content is not source:
                yield from _bilingual(written, source, content)


def _bilingual(written: str, source: _Content, target: _Content) -> Iterator[Block]:
    """The block of a unit, unless there is nothing to do: no translation, or one with all of its markup."""
    source_text, target_text = written[source.start : source.end], written[target.start : target.end]
    if target_text.strip() and not _has_tags(target_text, source_text):
        yield Block(source_text, target.start, target.end, target_text)


def _has_tags(target: str, source: str) -> bool:
    """Whether the translation has every tag of its source already."""

    def of(side: str) -> Counter[str]:
        return Counter(side[t.start : t.end] for t in tokens(side, "xliff") if t.kind == "tag")

    return of(target) == of(source) != Counter()
