"""A file -> its text: plain text, HTML, EPUB, Word, subtitles.

    <p>Caf&eacute; <b>Lux</b></p>            ->  Café Lux
    1\\n00:00:01,000 --> 00:00:02,000\\nHi!   ->  Hi!

All of these are read with Python's own libraries. Places in a text count in what is read here, which of a
plain text file is the file itself, without a byte order mark.
"""

from __future__ import annotations

import codecs
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import unquote
from xml.etree import ElementTree

from wordalign.documents.sentences import split_text
from wordalign.documents.types import Text
from wordalign.errors import InputError, UnknownNameError
from wordalign.io.lines import open_input, refuse_other_formats, shown

LARGEST = 256 << 20  # bytes, of a file and of what a zip archive unpacks to
_COMPRESSED = (".gz", ".xz", ".zst")
_BLOCKS = frozenset(
    (  # noqa: SIM905
        "address article aside blockquote body caption center dd details dialog div dl dt fieldset "
        "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary "
        "table td th tr ul"
    ).split()
)
_NO_TEXT = frozenset(
    ("head", "script", "style", "svg", "math", "template", "textarea", "select", "noscript", "rt", "rp")
)
_TIMES = re.compile(r"(?:(\d+):)?(\d+):(\d+)[.,](\d+)\s*-->\s*(?:(\d+):)?(\d+):(\d+)[.,](\d+)")
_STYLING = re.compile(r"<[^<>]{0,200}>|\{\\[^{}]{0,200}\}")
_SPEAKER = re.compile(r"[-–—]\s*\S")
# What `zipfile` and the XML parser raise for archives and files that are not what they should be.
_UNREADABLE = (
    zipfile.BadZipFile, KeyError, StopIteration, ElementTree.ParseError, NotImplementedError, RuntimeError,
    zlib.error, EOFError,
)  # fmt: skip
PAUSE = 3.0  # seconds without a subtitle that begin a new paragraph


def read_text(path: str | Path, language: str | None = None, kind: str | None = None) -> Text:
    """Read a file and find its sentences. Its name tells the kind, unless it is given: one of `KINDS`.

    `language` is an ISO 639 code ("de"); None means that it is to be recognised.
    """
    text = split_text(read_characters(path, kind), language, shown(path))
    if not len(text):
        raise InputError(f"There is no sentence in {shown(path)}: give a file with text in it.")
    return text


def read_characters(path: str | Path, kind: str | None = None) -> str:
    """The text of a file, without its markup."""
    kind = kind or kind_of(path)
    if kind not in KINDS:
        raise UnknownNameError("kind of document", kind, KINDS)
    with open_input(path) as stream:
        return KINDS[kind](stream, shown(path))


def kind_of(path: str | Path) -> str:
    """The kind of a file by its name; plain text where that says nothing.

    >>> kind_of("a.xhtml"), kind_of("b.srt.gz"), kind_of("-")
    ('html', 'subtitles', 'text')
    """
    name = Path(str(path).lower())
    suffix = name.with_suffix("").suffix if name.suffix in _COMPRESSED else name.suffix
    return _SUFFIXES.get(suffix, "text")


def _plain(stream: BinaryIO, name: str) -> str:
    data = _bytes(stream, name)
    refuse_other_formats(data[:100], name)
    return _decoded(data, name)


def _html(stream: BinaryIO, name: str) -> str:
    return html_text(_decoded(_bytes(stream, name), name))


def html_text(markup: str) -> str:
    """What of a page is text: paragraphs between empty lines, line breaks where `<br>` stands.

    >>> html_text("<h1>One</h1><p>Two<br>lines &amp; more</p><script>no()</script>")
    'One\\n\\nTwo\\nlines & more'
    """
    reader = _HtmlText()
    reader.feed(markup)
    reader.close()
    return reader.text()


class _HtmlText(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._blocks: list[list[str]] = [[]]
        self._without: list[str] = []  # elements without text that are open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _NO_TEXT:
            self._without.append(tag)
        elif tag == "br":
            self._blocks[-1].append("\n")
        elif tag in _BLOCKS:
            self._blocks.append([])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _NO_TEXT:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._without:
            del self._without[self._without.index(tag) :]
        elif tag in _BLOCKS:
            self._without.clear()  # what was never closed ends with its paragraph
            self._blocks.append([])

    def handle_data(self, data: str) -> None:
        if not self._without:
            # Only `<br>` breaks lines.
            self._blocks[-1].append(re.sub(r"\s+", " ", data))

    def text(self) -> str:
        blocks = (
            re.sub(r" *\n *", "\n", re.sub(" {2,}", " ", "".join(block))).strip() for block in self._blocks
        )
        return "\n\n".join(filter(None, blocks))


def _subtitles(stream: BinaryIO, name: str) -> str:
    return subtitle_text(_decoded(_bytes(stream, name), name))


def subtitle_text(written: str) -> str:
    """The text of SubRip or WebVTT subtitles: one after the other, since sentences go on in the next one."""
    pieces: list[str] = []
    ended = 0.0
    for cue in re.split(r"\n\s*\n", written.replace("\r\n", "\n")):
        lines = cue.strip().split("\n")
        times = [_TIMES.match(line.strip()) for line in lines]
        at = next((number for number, found in enumerate(times) if found), None)
        if at is None:
            continue
        numbers = [float(part or 0) for part in times[at].groups()]  # type: ignore[union-attr]
        begins, ends = (h * 3600 + m * 60 + s + ms / 1000 for h, m, s, ms in (numbers[:4], numbers[4:]))
        for number, line in enumerate(lines[at + 1 :]):
            said = " ".join(_STYLING.sub("", line).split())
            if said:
                pause = number == 0 and begins - ended > PAUSE
                pieces += ["\n\n" if pause else "\n" if _SPEAKER.match(said) else " ", said]
        ended = ends
    return "".join(pieces).strip()


def _epub(stream: BinaryIO, name: str) -> str:
    """The chapters of a book in the order in which they are read."""
    with _unzipped(stream, name, "an EPUB book") as unpack:
        container = ElementTree.fromstring(unpack("META-INF/container.xml"))
        package = next(
            node.get("full-path", "") for node in container.iter() if node.tag.endswith("}rootfile")
        )
        tree = ElementTree.fromstring(unpack(package))
        items = {node.get("id"): node for node in tree.iter() if node.tag.endswith("}item")}
        order = [items.get(node.get("idref")) for node in tree.iter() if node.tag.endswith("}itemref")]
        folder = PurePosixPath(package).parent
        chapters = []
        for item in order:
            if item is not None and "html" in item.get("media-type", ""):
                path = folder / unquote(item.get("href", ""))
                chapters.append(html_text(unpack(str(path)).decode("utf-8", "replace")))
        return "\n\n".join(filter(None, chapters))


def _docx(stream: BinaryIO, name: str) -> str:
    """The paragraphs of a Word file, then its footnotes."""
    with _unzipped(stream, name, "a Word file (.docx)") as unpack:
        paragraphs: list[str] = []
        for part in ("word/document.xml", "word/footnotes.xml"):
            try:
                tree = ElementTree.fromstring(unpack(part))
            except KeyError:
                if part == "word/document.xml":
                    raise
                continue
            for paragraph in tree.iter():
                if _local(paragraph) == "p":
                    paragraphs.append("".join(map(_docx_piece, paragraph.iter())).strip())
        return "\n\n".join(filter(None, paragraphs))


def _docx_piece(node: ElementTree.Element) -> str:
    name = _local(node)
    if name == "t":
        return node.text or ""
    return {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}.get(name, "")


def _local(node: ElementTree.Element) -> str:
    return str(node.tag).rpartition("}")[2]


@contextmanager
def _unzipped(stream: BinaryIO, name: str, what: str) -> Iterator[Callable[[str], bytes]]:
    """A function that unpacks a file of an archive; whatever is wrong with it is told as one sentence."""
    try:
        with zipfile.ZipFile(io.BytesIO(_bytes(stream, name))) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
                raise InputError(f"{name} unpacks to more than {LARGEST >> 20} MiB, which is refused.")
            yield archive.read
    except (
        zipfile.BadZipFile,
        KeyError,
        StopIteration,
        ElementTree.ParseError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise InputError(
            f"{name} cannot be read as {what} ({error}): save it again, or save it as text."
        ) from error


def _bytes(stream: BinaryIO, name: str) -> bytes:
    data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InputError(f"{name} has more than {LARGEST >> 20} MiB: cut it into parts, chapters say.")
    return data


def _decoded(data: bytes, name: str) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{name} is UTF-16, not UTF-8. Convert the file first, e.g. with iconv.")
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name}, line {line}: not UTF-8. Convert the file first, e.g. with iconv."
        ) from error


KINDS: dict[str, Callable[[BinaryIO, str], str]] = {
    "text": _plain,
    "html": _html,
    "epub": _epub,
    "docx": _docx,
    "subtitles": _subtitles,
}
_SUFFIXES = {
    ".html": "html", ".htm": "html", ".xhtml": "html", ".epub": "epub", ".docx": "docx",
    ".srt": "subtitles", ".vtt": "subtitles",
}  # fmt: skip
