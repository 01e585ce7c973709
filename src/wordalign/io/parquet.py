"""Parquet files: two columns of texts, or of lists of words; `translation.de` is a field of a column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wordalign.errors import InputError, MissingExtraError, UsageError
from wordalign.io.lines import STDIN
from wordalign.io.units import COLUMNS, Chosen, Unit

_ROWS = 1024  # read at a time


def read_parquet(path: str | Path, chosen: Chosen) -> Iterator[Unit]:
    """The pairs of a Parquet file."""
    with _opened(path) as table:
        yield from table_units(table, str(path), chosen.columns or COLUMNS)


def count_rows(path: str | Path) -> int:
    with _opened(path) as table:
        return int(table.metadata.num_rows)


def table_units(
    table: Any, name: str, columns: Sequence[str], groups: Sequence[int] | None = None
) -> Iterator[Unit]:
    """The pairs of an open `pyarrow.parquet.ParquetFile`, of all its row groups or of some; `name` is for
    messages."""
    import pyarrow

    known = table.schema_arrow.names
    missing = [column for column in columns if column.partition(".")[0] not in known]
    if missing:
        raise InputError(
            f"{name} has no column {missing[0]!r}, but {', '.join(known)}: "
            "say which with --columns SOURCE TARGET."
        )
    try:
        for batch in table.iter_batches(_ROWS, row_groups=groups, columns=list(columns)):
            for row in batch.to_pylist():
                source, target = (_value(row, column) for column in columns)
                yield Unit(source, target)
    except (pyarrow.ArrowException, UnicodeDecodeError, OSError) as error:
        raise InputError(f"Cannot read {name}: {error}") from error


def _value(row: Any, column: str) -> Any:
    """Find a value by its column: `translation.de` is the field `de` of the column `translation`."""
    for name in column.split("."):
        row = row.get(name) if isinstance(row, dict) else None
    return row


@contextmanager
def _opened(path: str | Path) -> Iterator[Any]:
    if str(path) == STDIN:
        raise UsageError("A Parquet file is not read from its beginning to its end: give a file's name.")
    if not Path(path).is_file():
        raise InputError(
            f"{path} is a directory; give a file." if Path(path).is_dir() else f"There is no file {path}."
        )
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("Reading Parquet files", "parquet") from error
    try:
        table = parquet.ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{path} is no Parquet file, or a damaged one: {error}") from error
    with table:
        yield table
