"""Text -> the places of its sentences, by `sentencex`.

    "Dr. Wu came.\n\nChapter 2\n\n“Who?” she said."  ->  Dr. Wu came. | Chapter 2 | “Who?” she said.

`sentencex` (MIT, Wikimedia) knows the abbreviations and the full stops of some 300 languages, says where a
sentence is, takes a book in a fraction of a second, and needs nothing but its one wheel. What it is not
told is what a line break means. A text in which most lines end where the next word would no longer fit was
wrapped, and its line breaks are spaces; else each line is a paragraph. A line that ends long before is a
heading or a verse in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from wordalign.documents.types import Text
from wordalign.errors import MissingExtraError, UsageError
from wordalign.types import Span

# Lines of a wrapped text are at most so long, and so many of them are full.
WIDEST = 120
FULL = 0.6
# A line of a wrapped text that leaves so much of the width free, although the next word would fit, was
# ended on purpose.
FREE = 0.3
# A language is recognised by so many characters from the middle of a text.
SAMPLE = 20_000
# A quotation longer than this is cut into its sentences.
QUOTED = 200
# A sentence longer than this is cut where it can be: no aligner makes sense of it otherwise.
LONGEST = 1200
_BLANK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_CODE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]+)*")
_QUOTES = re.compile("['\"‘’‚‛“”„‟«»‹›「」『』()（）]")
_BEHIND_STOP = re.compile(r"([.!?]\s+)(\w)")
_PAUSE = re.compile(r"[;:,，、；：؛،]\s*|\s+")


def split_text(text: str, language: str | None = None, name: str = "") -> Text:
    """Find the sentences. `language` is an ISO 639 code ("de"); None means that it is to be recognised."""
    if language is None:
        language = recognised(text)
    elif not _CODE.fullmatch(language):
        raise UsageError(f"A language is an ISO 639 code, like de or pt-BR, not {language!r:.40}.")
    spans: list[Span] = []
    paragraphs: list[int] = []
    lower = not any(map(str.isupper, text))
    short = re.split("[-_]", language)[0] or "en"
    for number, (start, end) in enumerate(_paragraphs(text)):
        # A line break within a paragraph is a space to the splitter; both are one character long.
        paragraph = text[start:end].replace("\n", " ")
        for low, high in _split(_capital(paragraph) if lower else paragraph, short):
            for part in _parts(text, *_trimmed(text, start + low, start + high)):
                spans.append(part)
                paragraphs.append(number)
    return Text(text, tuple(spans), tuple(paragraphs), language, name)


def _split(paragraph: str, language: str) -> Iterator[Span]:
    """The sentences of a paragraph. What stands between quotation marks is one, unless it is long.

    A single apostrophe (`Europe ' s`) would otherwise begin a quotation that ends pages later.
    """
    try:
        from sentencex import get_sentence_boundaries
    except ModuleNotFoundError as error:
        raise MissingExtraError("Splitting texts into sentences", "documents") from error
    for found in get_sentence_boundaries(language, paragraph):
        start, end = found["start_index"], found["end_index"]
        if end - start <= QUOTED:
            yield start, end
            continue
        for part in get_sentence_boundaries(language, _QUOTES.sub(" ", paragraph[start:end])):
            yield start + part["start_index"], start + part["end_index"]


def is_known(language: str) -> bool:
    """Whether a code is that of a language that can be recognised; all with rules of their own are.

    The splitter takes any code, and finds sentences by general rules where it does not know it.
    """
    try:
        import py3langid
    except ModuleNotFoundError as error:
        raise MissingExtraError("Recognising languages", "documents") from error
    return re.split("[-_]", language)[0] in {str(code) for code, _ in py3langid.rank("a")}


def recognised(text: str) -> str:
    """The ISO 639-1 code of the language that a text is probably written in; empty for an empty text."""
    try:
        import py3langid
    except ModuleNotFoundError as error:
        raise MissingExtraError("Recognising languages", "documents") from error
    middle = max(0, (len(text) - SAMPLE) // 2)
    sample = text[middle : middle + SAMPLE]
    return str(py3langid.classify(sample)[0]) if any(map(str.isalpha, sample)) else ""


def _paragraphs(text: str) -> Iterator[Span]:
    """The places of paragraphs: what stands between empty lines, and between lines that end on purpose."""
    start = 0
    width = _width(text)
    for gap in [*_BLANK.finditer(text), None]:
        end = len(text) if gap is None else gap.start()
        place = start
        while (line_end := text.find("\n", place, end)) >= 0:
            if _ends_on_purpose(text, place, line_end, width):
                yield start, line_end
                start = line_end + 1
            place = line_end + 1
        yield start, end
        start = len(text) if gap is None else gap.end()


def _width(text: str) -> int:
    """How many characters a line holds in a text that was wrapped; 0 for one that was not."""
    lines = [line.rstrip() for line in text.split("\n")]
    filled = sorted(len(line) for line in lines if line)
    if len(filled) < 4:
        return 0
    width = filled[int(0.95 * (len(filled) - 1))]
    follow = [(line, after) for line, after in pairwise(lines) if line and after]
    if not follow or width > WIDEST:
        return 0
    full = sum(len(line) + 1 + len(after.split(None, 1)[0]) > 0.95 * width for line, after in follow)
    return width if full >= FULL * len(follow) else 0


def _ends_on_purpose(text: str, start: int, end: int, width: int) -> bool:
    if not width:
        return True
    after = text[end + 1 : end + 1 + width].split(None, 1)
    return end - start + 1 + len(after[0] if after else "") <= (1 - FREE) * width


def _capital(text: str) -> str:
    """A text without capitals with some behind its full stops: the splitter looks for them."""

    def raised(found: re.Match[str]) -> str:
        return found[1] + (found[2].upper() if len(found[2].upper()) == 1 else found[2])

    return _BEHIND_STOP.sub(raised, text)


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """The sentence, in parts at pauses where it is far too long (tables, text without full stops)."""
    while end - start > LONGEST:
        pauses = [m.end() for m in _PAUSE.finditer(text, start + LONGEST // 2, start + LONGEST)]
        cut = pauses[-1] if pauses else start + LONGEST
        yield _trimmed(text, start, cut)
        start = _trimmed(text, cut, end)[0]
    if start < end:
        yield start, end
