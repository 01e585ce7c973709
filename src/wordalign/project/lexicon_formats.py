"""A lexicon as a file: for people, spreadsheets, programs, machine translation and terminology tools.

tsv, csv  a line for each pair, with the names of the columns in the first line
jsonl     a JSON object for each pair, with all examples
lex       two files, OUTPUT.s2t and OUTPUT.t2s, as Moses and Marian (`--shortlist`) read them
tbx       TermBase eXchange (ISO 30042:2019): an entry for each source, with all its translations
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from wordalign.errors import UnknownNameError
from wordalign.io import open_output
from wordalign.project.lexicon import Entry, Lexicon

LEXICON_FORMATS = ("tsv", "csv", "jsonl", "lex", "tbx")
COLUMNS = (
    "source", "target", "count", "target_given_source", "source_given_target",
    "example_source", "example_target",
)  # fmt: skip


def lexicon_lines(
    entries: Iterable[Entry], lexicon_format: str, languages: tuple[str, str] = ("und", "und")
) -> Iterator[str]:
    """The lines of a lexicon; for TBX the entries must be sorted by source, and `languages` are named."""
    if lexicon_format == "tsv":
        yield "\t".join(COLUMNS)
        yield from ("\t".join(cell.replace("\t", " ") for cell in _cells(entry)) for entry in entries)
    elif lexicon_format == "csv":
        # Spreadsheets take a file without this mark for one that is not UTF-8.
        yield "\ufeff" + ",".join(COLUMNS)
        yield from (_csv_line(_cells(entry)) for entry in entries)
    elif lexicon_format == "jsonl":
        yield from (json.dumps(asdict(entry), ensure_ascii=False) for entry in entries)
    elif lexicon_format == "tbx":
        yield from _tbx_lines(entries, languages)
    else:
        raise UnknownNameError("lexicon format", lexicon_format, LEXICON_FORMATS)


def write_lexical_tables(lexicon: Lexicon, output: str | Path) -> None:
    """Write OUTPUT.s2t, lines of `target source p(target|source)`, and OUTPUT.t2s the other way round.

    The lexicon must be one of the kind "links".
    """
    with open_output(f"{output}.s2t") as write_forward, open_output(f"{output}.t2s") as write_backward:
        for entry in lexicon.entries(by_source=True):
            write_forward(f"{entry.target} {entry.source} {entry.target_given_source:.7f}")
            write_backward(f"{entry.source} {entry.target} {entry.source_given_target:.7f}")


def _cells(entry: Entry) -> list[str]:
    example = entry.examples[0] if entry.examples else ("", "")
    probabilities = [f"{share:.4f}" for share in (entry.target_given_source, entry.source_given_target)]
    return [entry.source, entry.target, str(entry.count), *probabilities, *example]


def _csv_line(cells: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()


def _tbx_lines(entries: Iterable[Entry], languages: tuple[str, str]) -> Iterator[str]:
    source_language, target_language = map(quoteattr, languages)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<tbx type="TBX-Basic" style="dca" xml:lang={source_language} xmlns="urn:iso:std:iso:30042:ed-2">'
    )
    yield "<tbxHeader><fileDesc><sourceDesc><p>Found by wordalign lexicon in parallel text.</p>"
    yield "</sourceDesc></fileDesc></tbxHeader>"
    yield "<text><body>"
    for number, (source, found) in enumerate(groupby(entries, key=lambda entry: entry.source), start=1):
        translations = list(found)
        yield f'<conceptEntry id="c{number}">'
        context = translations[0].examples[0][0] if translations[0].examples else ""
        yield f"<langSec xml:lang={source_language}>{_term(source, context)}</langSec>"
        yield f"<langSec xml:lang={target_language}>"
        for entry in translations:
            yield _term(entry.target, entry.examples[0][1] if entry.examples else "")
        yield "</langSec></conceptEntry>"
    yield "</body></text></tbx>"


def _term(term: str, context: str) -> str:
    shown = f'<descrip type="context">{_xml(context)}</descrip>' if context else ""
    return f"<termSec><term>{_xml(term)}</term>{shown}</termSec>"


def _xml(text: str) -> str:
    """Text without the control characters that XML does not allow."""
    return escape("".join(sign for sign in text if sign >= " " or sign in "\t\n"))
