"""Marked text <-> plain text: what of a string is text, and which tags stand where in it.

    "Press <b>Save</b> {0}."   ->   text "Press Save ." | <b> over 6…10 | {0} at 11

Three kinds of things are carried. A span is an element with text in it: a start tag, an end tag, and the text
between them. A point is whatever has no text: `<br/>`, a comment, an empty element, and a placeholder (`{0}`,
`%s`, `${name}`) that the translation lacks. An anchor is a placeholder or an empty element that stands in the
translation already: it stays in the text of both sides, as one character of its own, and is not moved.

A syntax says how a string is read. `html` knows elements without end tags and entities by name; `xml` is
strict; `xliff` is XML whose `<ph>`, `<bpt>`, `<ept>` and `<it>` hold no text, and whose `<bx/>` … `<ex/>` and
the like are one span in two halves (XLIFF 1.2 and 2, TMX); `text` has placeholders alone; `markdown` has
emphasis, code and links (`markdown.py`).
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from xml.parsers import expat

from wordalign.errors import InputError, UnknownNameError

SYNTAXES = ("html", "xml", "xliff", "text", "markdown")

# It stands for an anchor in the text that is aligned: a character that is no part of any word.
ANCHOR = "\ufffc"
_BREAK = "\u200b"  # a space without width, which ends a word
DEEPEST = 100  # elements in one another; no text needs more, and each takes a place on the stack
CDATA = ("<![CDATA[", "]]>")

PLACEHOLDER = re.compile(
    r"\{\{[^\s{}<>&]{1,80}\}\}|[$%#]?\{[^\s{}<>&]{0,80}\}"  # {{name}} {0} ${name}
    r"|%\([^\s()<>&]{1,80}\)[#0+\-]?[0-9]*(?:\.[0-9]+)?[A-Za-z]"  # %(name)s
    r"|(?<![0-9%])%(?:[0-9]+\$)?[#0+\-]?[0-9]*(?:\.[0-9]+)?(?:hh|h|ll|l|z)?"  # %s %1$s %.2f
    r"[diouxXeEfFgGcs@](?![a-zß-öø-ÿ]{2})"
)
_NAME = r"[A-Za-z_][^\s<>/\"'=&]*"
_TOKEN = re.compile(
    r"(?P<comment><!--.*?-->)|(?P<cdata><!\[CDATA\[.*?\]\]>)|(?P<instruction><\?.*?\?>|<![A-Za-z][^<>]*>)"
    rf"|(?P<tag></?(?P<name>{_NAME})"
    r"(?P<attributes>(?:\s+[^\s<>/\"'=]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s<>\"'=`]+))?)*)\s*(?P<empty>/?)>)"
    r"|(?P<reference>&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});)"
    r"|(?P<wrong><(?=[A-Za-z/!?_]))",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_VOID = frozenset(  # the elements of HTML that have no end tag
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905
)
BLOCKS = frozenset(  # the elements of HTML that begin and end a line of text
    (  # noqa: SIM905
        "address article aside blockquote body button caption center col colgroup dd details dialog dir "
        "div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup "
        "hr html iframe legend li link main menu meta nav noscript object ol optgroup option p pre script "
        "section select style summary table tbody td template textarea tfoot th thead title tr ul"
    ).split()
)
_CODE = re.compile(r"<(?:x|ph)\b(?![^>]*\bctype\s*=\s*[\"']?lb\b)")  # all but line breaks
_XML_ENTITIES = ("&amp;", "&lt;", "&gt;", "&quot;", "&apos;")
_RAW = frozenset(("script", "style"))
_OPAQUE = frozenset(("ph", "bpt", "ept", "it", "ut"))
# The halves of a span in XLIFF and TMX, and the attributes that say which belong together.
_OPENING_HALF = {
    "bpt": ("rid", "i", "id"),
    "bx": ("rid", "id"),
    "sc": ("id",),
    "sm": ("id",),
}
_CLOSING_HALF = {
    "ept": ("bpt", ("rid", "i", "id")),
    "ex": ("bx", ("rid", "id")),
    "ec": ("sc", ("startRef",)),
    "em": ("sm", ("startRef",)),
}


class MalformedError(InputError):
    """Markup that cannot be read; `offset` is where in the string."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset

    def __reduce__(self) -> tuple[type[MalformedError], tuple[str, int]]:
        return type(self), (str(self), self.offset)


@dataclass(frozen=True, slots=True)
class Element:
    """A span (`opening` … `closing`) or, where it has no text, a point (all of it is `opening`).

    `start` and `end` are places in the plain text. `glued` says on which sides of a point there is no space,
    and `is_text` that it is a placeholder or has one in it, which needs spaces around it like a word.
    """

    opening: str
    closing: str
    start: int
    end: int
    children: tuple[Element, ...] = ()
    glued: tuple[bool, bool] = (False, False)
    is_text: bool = False

    @property
    def is_point(self) -> bool:
        return self.start == self.end

    def whole(self) -> str:
        """The tags of it and of all that is in it, without text."""
        return self.opening + "".join(child.whole() for child in self.children) + self.closing

    def has_placeholder(self) -> bool:
        return self.is_text or any(child.has_placeholder() for child in self.children)


@dataclass(frozen=True, slots=True)
class Marked:
    """Plain text, the elements in it in order, and the anchors by their places."""

    text: str
    elements: tuple[Element, ...]
    anchors: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Target:
    """A translation: its plain text, how it is written, and where each character of the text is written.

    Character i of `text` is `written[places[i] : places[i + 1]]`.
    """

    text: str
    written: str
    places: list[int]
    anchors: dict[int, str]


class Token(NamedTuple):
    """A piece of markup: `kind` is text, reference, tag, comment, cdata or instruction."""

    kind: str
    start: int
    end: int
    name: str = ""
    closes: bool = False
    empty: bool = False


def check_syntax(syntax: str) -> str:
    if syntax not in SYNTAXES:
        raise UnknownNameError("syntax", syntax, SYNTAXES)
    return syntax


def guess_syntax(source: str) -> str:
    """`html` where there is a tag, a comment or an entity; else `text`, in which & and < are letters."""
    found = ("<" in source or "&" in source) and _TOKEN.search(source)
    return "html" if found else "text"


def tokens(written: str, syntax: str) -> Iterator[Token]:
    """The pieces of a string, in order and without gaps; `MalformedError` for a tag that is none."""
    if syntax == "text":
        yield Token("text", 0, len(written))
        return
    place = 0
    while (found := _TOKEN.search(written, place)) is not None:
        kind, start, end = str(found.lastgroup), found.start(), found.end()
        name = found["name"] or ""
        if found["tag"]:
            kind = "tag"
        if kind == "wrong":
            shown = written[start : start + 30]
            raise MalformedError(f"{shown!r} begins a tag that does not end: write &lt; for the sign.", start)
        if start > place:
            yield Token("text", place, start)
        if kind != "tag":
            yield Token(kind, start, end)
        else:
            closes = written[start + 1] == "/"
            key = name.lower() if syntax == "html" else name
            empty = bool(found["empty"]) or (syntax == "html" and key in _VOID)
            opaque = _RAW if syntax == "html" else _OPAQUE if syntax == "xliff" else ()
            if key.rpartition(":")[2] in opaque and not closes and not empty:
                end, empty = _end_of_opaque(written, found, key), True
            yield Token("tag", start, end, key, closes, empty)
        place = end
    if place < len(written):
        yield Token("text", place, len(written))


def _end_of_opaque(written: str, found: re.Match[str], key: str) -> int:
    """Where an element ends whose content is no text."""
    depth = 1
    for tag in re.compile(rf"<(/?){re.escape(key)}(?=[\s/>])[^<>]*?(/?)>", re.I).finditer(
        written, found.end()
    ):
        depth += -1 if tag[1] else 0 if tag[2] else 1
        if depth == 0:
            return tag.end()
    raise MalformedError(f"{found.group()} is never closed.", found.start())


def parse_target(written: str, syntax: str) -> Target:
    """Read a translation, which is plain text but for entities, placeholders and elements without text.

    Signs that would be markup are written as entities, so that the result can always be read.
    """
    if syntax == "markdown":
        syntax = "text"
    text: list[str] = []
    pieces: list[str] = []
    sizes: list[int] = []
    anchors: dict[int, str] = {}
    for token in tokens(written, syntax):
        piece = written[token.start : token.end]
        if token.kind == "text":
            place = 0
            for found in PLACEHOLDER.finditer(piece):
                _add_plain(piece[place : found.start()], syntax, text, pieces, sizes)
                anchors[len(sizes)] = found.group()
                text.append(ANCHOR)
                pieces.append(found.group())
                sizes.append(len(found.group()))
                place = found.end()
            _add_plain(piece[place:], syntax, text, pieces, sizes)
        elif token.kind == "reference" and (meant := _meaning(piece, syntax)):
            # An entity may mean two characters: all of it is written for the first.
            text.append(meant)
            pieces.append(piece)
            sizes += [len(piece)] + [0] * (len(meant) - 1)
        elif token.kind == "reference":
            _add_plain(piece, syntax, text, pieces, sizes)
        elif token.kind == "tag" and token.empty:
            anchors[len(sizes)] = piece
            text.append(ANCHOR)
            pieces.append(piece)
            sizes.append(len(piece))
        else:
            raise MalformedError(
                f"The translation has markup of its own, {piece[:40]!r}: give it as plain text.", token.start
            )
    places = [0]
    for size in sizes:
        places.append(places[-1] + size)
    return Target("".join(text), "".join(pieces), places, anchors)


_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def _add_plain(piece: str, syntax: str, text: list[str], pieces: list[str], sizes: list[int]) -> None:
    text.append(piece)
    if syntax == "text" or not ("&" in piece or "<" in piece or "]]>" in piece):
        pieces.append(piece)
        sizes += [1] * len(piece)
        return
    for place, sign in enumerate(piece):
        # A lone > is good everywhere but behind two brackets, where it ends CDATA.
        escaped = sign in "&<" or (sign == ">" and piece[max(0, place - 2) : place] == "]]")
        pieces.append(_ESCAPES[sign] if escaped else sign)
        sizes.append(len(pieces[-1]))


def _meaning(reference: str, syntax: str) -> str:
    """The character of an entity; nothing where there is none of that name."""
    if syntax != "html" and reference[1] != "#" and reference not in _XML_ENTITIES:
        return ""
    meant = html.unescape(reference)
    return "" if meant == reference else meant


class _Open(NamedTuple):
    token: Token
    written: str
    start: int
    items: list[Element]


def parse_source(written: str, syntax: str, in_target: Counter[str] | None = None) -> Marked:
    """Read marked text. `in_target` are the anchors of the translation, and how many of each there are."""
    if syntax == "markdown":
        from wordalign.project.markup.markdown import parse_markdown

        return parse_markdown(written, in_target)
    reader = _Reader(written, syntax, Counter(in_target or ()))
    for token in tokens(written, syntax):
        reader.add(token)
    marked = reader.finish()
    if syntax in ("xml", "xliff"):
        check_xml(written)
    return marked


class _Reader:
    """Collects plain text and elements from tokens."""

    def __init__(self, written: str, syntax: str, in_target: Counter[str]) -> None:
        self.written, self.syntax = written, syntax
        self.left = in_target
        self.text: list[str] = []
        self.size = 0
        self.anchors: dict[int, str] = {}
        self.open = [_Open(Token("tag", 0, 0), "", 0, [])]
        self.breaks = self.closed = False  # whether a word ends here, and whether an end tag came last

    def add(self, token: Token) -> None:
        piece = self.written[token.start : token.end]
        if token.kind == "tag" and token.name != "wbr":
            # Two elements side by side hold their own words: <li>a</li><li>b</li>, a<br/>b; but s<i>i</i>x.
            self.breaks |= token.empty or token.name in BLOCKS or (self.closed and not token.closes)
            self.closed = token.closes
        if token.kind == "text":
            self.add_text(piece, token.start)
        elif token.kind == "reference":
            meant = _meaning(piece, self.syntax)
            if not meant and self.syntax != "html":
                raise MalformedError(f"There is no entity {piece} in XML.", token.start)
            self._add_plain(meant or piece)
        elif token.kind == "cdata":
            self.open.append(_Open(token, CDATA[0], self.size, []))
            self._add_with_placeholders(piece[len(CDATA[0]) : -len(CDATA[1])])
            self.close_with(self.open.pop(), CDATA[1])
        elif token.kind == "tag" and token.closes:
            self._close(token, piece)
        elif token.kind == "tag" and not token.empty:
            if len(self.open) > DEEPEST:
                raise MalformedError(f"Elements are nested more than {DEEPEST} deep.", token.start)
            self.open.append(_Open(token, piece, self.size, []))
        elif token.kind == "tag" and self.left[piece] > 0:
            self._add_anchor(piece)
        else:
            self.add_point(piece)

    def add_text(self, piece: str, offset: int = 0) -> None:
        strict = self.syntax in ("xml", "xliff")
        if strict and (wrong := re.search("[&<]", piece)):
            sign = wrong.group()
            raise MalformedError(
                f"{sign} stands alone in {piece[wrong.start() :][:20]!r}: write {_ESCAPES[sign]}.",
                offset + wrong.start(),
            )
        self._add_with_placeholders(piece)

    def _add_with_placeholders(self, piece: str) -> None:
        place = 0
        for found in PLACEHOLDER.finditer(piece):
            self._add_plain(piece[place : found.start()])
            if self.left[found.group()] > 0:
                self._add_anchor(found.group())
            else:
                self.add_point(found.group(), is_text=True)
            place = found.end()
        self._add_plain(piece[place:])

    def _add_plain(self, piece: str) -> None:
        if piece:
            if self.breaks and self.text and self.text[-1][-1].isalnum() and piece[0].isalnum():
                piece = _BREAK + piece
            self.breaks = self.closed = False
            self.text.append(piece)
            self.size += len(piece)

    def _add_anchor(self, piece: str) -> None:
        self.left[piece] -= 1
        self.anchors[self.size] = piece
        self._add_plain(ANCHOR)

    def add_point(self, piece: str, is_text: bool = False) -> None:
        self._add_element(Element(piece, "", self.size, self.size, is_text=is_text))

    def _add_element(self, element: Element) -> None:
        self.open[-1].items.append(element)

    def _close(self, token: Token, piece: str) -> None:
        if len(self.open) == 1:
            raise MalformedError(f"{piece} closes what was never opened.", token.start)
        opened = self.open.pop()
        if opened.token.name != token.name:
            raise MalformedError(
                f"{piece} stands where {opened.written} must be closed first: tags must be nested.",
                token.start,
            )
        self.close_with(opened, piece)

    def close_with(self, opened: _Open, closing: str) -> None:
        self._add_element(Element(opened.written, closing, opened.start, self.size, tuple(opened.items)))

    def finish(self) -> Marked:
        if len(self.open) > 1:
            last = self.open[-1]
            raise MalformedError(f"{last.written} is never closed.", last.token.start)
        self._refuse_surplus()
        elements = tuple(self.open[0].items)
        if self.syntax == "xliff":
            elements = _joined(elements)
        return finished("".join(self.text), elements, self.anchors)

    def _refuse_surplus(self) -> None:
        for piece, count in self.left.items():
            if count > 0 and (piece.startswith("<") or piece in self.written):
                raise MalformedError(
                    f"The translation has {piece} more often than the source: it must occur as often."
                )


def finished(text: str, elements: tuple[Element, ...], anchors: dict[int, str]) -> Marked:
    """Elements without a word become points; each point learns where it stands without a space."""
    return Marked(text, tuple(_finished(element, text) for element in elements), anchors)


def _finished(element: Element, text: str) -> Element:
    start, end = element.start, element.end
    if text[start:end].strip():
        return replace(element, children=tuple(_finished(child, text) for child in element.children))
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    glued = bool(before.strip()), bool(after.strip())
    # A code of XLIFF that is written like a word stands for one: "you have <x id='1'/> new messages".
    is_word = bool(_CODE.match(element.opening)) and not (before.isalnum() or after.isalnum())
    return Element(element.whole(), "", start, start, (), glued, is_word or element.has_placeholder())


def _joined(elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """Make one span of two halves, where they stand side by side in one element and are nested."""
    level: list[Element] = []
    waiting: list[tuple[tuple[str, str], int]] = []
    for element in elements:
        if element.children:
            element = replace(element, children=_joined(element.children))
        kind, key = _half(element)
        level.append(element)
        if kind == "opening":
            waiting.append((key, len(level) - 1))
        elif kind == "closing" and key in (names := [name for name, _ in waiting]):
            # What was opened in between and is still open stays a point.
            at = len(names) - 1 - names[::-1].index(key)
            index = waiting[at][1]
            del waiting[at:]
            first, inner = level[index], tuple(level[index + 1 : -1])
            level[index:] = [Element(first.opening, element.opening, first.start, element.start, inner)]
    return tuple(level)


def _half(element: Element) -> tuple[str, tuple[str, str]]:
    """Which half of a span a point is, and what it has in common with the other half."""
    nothing = "", ("", "")
    if element.closing or not element.is_point:
        return nothing
    found = re.match(rf"<(?:[^\s:<>/]+:)?({_NAME})", element.opening)
    if found is None:
        return nothing
    tag = element.opening[: element.opening.index(">") + 1]
    attributes = {name: double or single for name, double, single in _ATTRIBUTE.findall(tag)}
    name = found[1]
    if name in _OPENING_HALF:
        keys = _OPENING_HALF[name]
    elif name in _CLOSING_HALF:
        name, keys = _CLOSING_HALF[name]
    else:
        return nothing
    value = next((attributes[key] for key in keys if key in attributes), None)
    return (
        nothing if value is None else ("opening" if found[1] in _OPENING_HALF else "closing", (name, value))
    )


def check_xml(written: str) -> None:
    """Refuse what an XML parser would refuse; `written` is what may stand inside an element."""
    check_document(f"<r>{written}</r>", before=len("<r>"))


def check_document(written: str, before: int = 0) -> str:
    """Refuse a document that is not well-formed; places are told without the first `before` characters.

    Gives the name of its outermost element, without a prefix.
    """
    names: list[str] = []
    parser = expat.ParserCreate(encoding="utf-8")
    parser.StartElementHandler = lambda name, attributes: names.append(name)
    try:
        parser.Parse(written, True)
    except UnicodeEncodeError as error:
        raise MalformedError(
            "It holds half of a surrogate pair, which is no character.", error.start
        ) from None
    except expat.ExpatError as error:
        lines = written.split("\n")[: error.lineno - 1]
        offset = max(0, sum(len(line) + 1 for line in lines) + error.offset - before)
        said = expat.ErrorString(error.code)
        raise MalformedError(f"An XML parser refuses it: {said}.", min(offset, len(written))) from None
    return names[0].rpartition(":")[2]
