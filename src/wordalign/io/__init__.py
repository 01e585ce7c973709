"""Parallel sentences and links on disk."""

from wordalign.io.lines import count_lines, read_lines
from wordalign.io.links import LINK_FORMATS, line_writer, parse_pharaoh, read_links
from wordalign.io.output import open_output
from wordalign.io.pairs import PAIR_FORMATS, guess_pair_format, tokenized
from wordalign.io.records import (
    LineError,
    Parser,
    Record,
    Records,
    check_parallel,
    read_pairs,
    read_two_files,
)

__all__ = [
    "LINK_FORMATS",
    "PAIR_FORMATS",
    "LineError",
    "Parser",
    "Record",
    "Records",
    "check_parallel",
    "count_lines",
    "guess_pair_format",
    "line_writer",
    "open_output",
    "parse_pharaoh",
    "read_lines",
    "read_links",
    "read_pairs",
    "read_two_files",
    "tokenized",
]
