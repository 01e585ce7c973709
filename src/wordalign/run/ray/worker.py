"""What an actor does with one shard: read, align, write; the model is loaded once and kept.

A row of the dataset names a part and its shard; the row that comes back says what became of it. An error that
a user can mend comes back as a sentence and not as an exception, which Ray would wrap in pages of its own.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from wordalign.errors import InputError, ModelError, OutputError, WordalignError
from wordalign.io.records import Parser
from wordalign.io.units import COLUMNS
from wordalign.run.chunks import ChunkAligner, ChunkResult, RunConfig, align_chunks
from wordalign.run.ray.parts import FinishedPart, part_of, read_part, try_part, write_part
from wordalign.run.ray.places import Place
from wordalign.run.ray.shards import Shard, Source, check_unchanged, find_shards, read_shard

Row: TypeAlias = dict[str, str]
GIVEN_UP = ""
_KINDS = {kind.__name__: kind for kind in (InputError, OutputError, ModelError)}


@dataclass(frozen=True, slots=True)
class Task:
    """What is the same for all shards. The parsers, here and in `config`, know no files of a shard yet."""

    config: RunConfig
    parser: Parser
    folder: Place
    pair_format: str | None
    columns: tuple[str, ...] = COLUMNS
    compress: str | None = None
    processes: int = 1  # of a worker, as for `align_chunks`

    @property
    def cut(self) -> bool:
        return self.config.on_error == "skip"


class ShardAligner:
    """An actor of the pool, which aligns one shard at a time."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._aligner: ChunkAligner | None = None

    def __call__(self, batch: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
        return answered(self._align, batch)

    def _align(self, row: Row) -> Row:
        name, shard = shard_of(row)
        # A task is done again when its answer was lost with its machine: the part may be there.
        part = read_part(self._task.folder, name)
        if part is None:
            if not try_part(self._task.folder, name):
                return {"part": GIVEN_UP}
            try:
                part = write_part(self._task.folder, name, self._task.compress, self._results(shard))
            except InputError:
                check_unchanged(shard, self._task.pair_format)
                raise
        return {"part": json.dumps(asdict(part))}

    def _results(self, shard: Shard) -> Iterator[ChunkResult]:
        task = self._task
        if self._aligner is None:
            self._aligner = task.config.open()
        parser = parser_for(shard.source, task.parser, task.pair_format)
        aligner = ChunkAligner(replace(task.config, parser=parser), self._aligner.aligner)
        records = read_shard(shard, task.pair_format, task.columns, cut=task.cut)
        yield from align_chunks(aligner.cut(records), aligner, task.processes)


def plan(batch: Mapping[str, Sequence[str]], lines: int, pair_format: str | None) -> dict[str, list[str]]:
    """Cut a source into shards, as a task of its own, because all of the file is read."""

    def planned(row: Row) -> Row:
        shards = find_shards(source_of(row), lines, pair_format)
        return {"shards": json.dumps([shard.facts() for shard in shards])}

    return answered(planned, batch)


def answered(work: Callable[[Row], Row], batch: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Do the work of the one row of a batch, and answer with its result or with the reason of its failure."""
    row = {key: str(values[0]) for key, values in batch.items()}
    answer = {"name": row["name"], "failure": "", "kind": "", "host": socket.gethostname(), "part": GIVEN_UP}
    try:
        answer |= work(row)
    except WordalignError as error:
        answer |= {"failure": str(error), "kind": type(error).__name__}
    except Exception as error:
        answer |= {"failure": f"{row['name']}: {type(error).__name__}: {error}"}
    return {key: [value] for key, value in answer.items()}


def failure_of(answer: Mapping[str, Any]) -> WordalignError | None:
    """Make the error that an answer reports, if it reports one."""
    if not answer["failure"]:
        return None
    where = "" if answer["host"] == socket.gethostname() else f" (On {answer['host']}.)"
    return _KINDS.get(answer["kind"], WordalignError)(answer["failure"] + where)


def part_in(answer: Mapping[str, Any]) -> FinishedPart:
    return part_of(json.loads(answer["part"]))


def source_row(name: str, source: Source) -> Row:
    return {"name": name, "files": json.dumps([(file.uri, file.path) for file in source.files])}


def source_of(row: Row) -> Source:
    return Source(tuple(Place(*file) for file in json.loads(row["files"])))


def shard_row(name: str, shard: Shard) -> Row:
    return source_row(name, shard.source) | {"facts": json.dumps(shard.facts())}


def shard_of(row: Row) -> tuple[str, Shard]:
    return row["name"], Shard.of(source_of(row), json.loads(row["facts"]))


def parser_for(source: Source, parser: Parser, pair_format: str | None) -> Parser:
    """Make a parser like this one whose messages name the files of the source."""
    return replace(parser, files=tuple(str(file) for file in source.files), pair_format=pair_format)
