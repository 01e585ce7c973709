"""Ray Data: from the shards that are missing to the parts.

    missing shards -> dataset, a row each -> map_batches(ShardAligner) on an actor pool -> a row for each part

Ray schedules, restarts actors that died and gives their shard to them again; nothing of that is done here.
What travels through Ray are names, never text: an actor reads its shard from the file system and writes its
part there, so that no object store fills up, and a row that is lost costs nothing (`parts.py`).
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from wordalign import __version__
from wordalign.encoders import resolve
from wordalign.errors import OutputError, UnknownNameError, UsageError, WordalignError
from wordalign.io.records import Parser
from wordalign.run.job import Job
from wordalign.run.ray.joining import joined
from wordalign.run.ray.manifest import (
    Manifest,
    check_folder,
    check_settings,
    check_shards,
    read_manifest,
    tidy,
)
from wordalign.run.ray.parts import COMPRESSIONS, TRIES, Part, finished_parts, part_name, read_part
from wordalign.run.ray.places import Place
from wordalign.run.ray.reading import COLUMNS
from wordalign.run.ray.shards import SHARD_LINES, Shard, Source, find_shards, find_sources, identities
from wordalign.run.ray.worker import (
    GIVEN_UP,
    ShardAligner,
    Task,
    failure_of,
    part_in,
    plan,
    shard_row,
    source_row,
)

_PLANNED_HERE = 64 << 20  # bytes of input that are read through sooner than a task is started


@dataclass(frozen=True, slots=True)
class Setup:
    """`address` of a cluster (None starts one on this machine for the time of the run), `workers` at most
    (0: as many as there is room for), `cores` for each, and how input and output are cut."""

    address: str | None = None
    workers: int = 0
    cores: int = 1
    lines: int = SHARD_LINES
    columns: tuple[str, ...] = COLUMNS
    compress: str | None = None

    def __post_init__(self) -> None:
        if self.workers < 0 or self.cores < 1 or self.lines < 1:
            raise UsageError("Workers are 0 or more; cores of a worker and lines of a shard are 1 or more.")
        if self.compress not in (None, *COMPRESSIONS):
            raise UnknownNameError("compression", str(self.compress), COMPRESSIONS)
        if len(self.columns) != 2:
            raise UsageError("Name two columns: the source's and the target's.")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is; lines that were done before it count too."""

    parts: int
    of_parts: int
    lines: int
    of_lines: int
    errors: int


def align_shards(
    inputs: Sequence[str], output: str, job: Job, pair_format: str | None = None, setup: Setup | None = None
) -> Generator[Progress, None, None]:
    """Align the inputs (`find_sources`) into a folder of parts, and say after each part how far it is.

    `job.parser` says whether text is raw and how it is segmented; its files and format are not looked at. A
    folder that holds a part of the same work is gone on with. Other settings or another input are refused.
    """
    setup = setup or Setup()
    folder = Place.at(output)
    sources, pair_format = find_sources(inputs, pair_format)
    for place in map(Place.at, inputs):
        if f"{folder.path}/".startswith(f"{place.path}/") or place.path.startswith(f"{folder.path}/"):
            raise UsageError(
                f"The output {folder} and the input {place} lie in each other: choose another one."
            )
    found = identities(sources)
    known = read_manifest(folder, sources)
    if known is None:
        check_folder(folder)
    if not isinstance(job.parser, Parser):
        raise UsageError("On many machines the parser of a job is a `Parser`, which can be sent to them.")
    settings = _settings(job, job.parser, pair_format, setup)
    if known is not None:
        check_settings(folder, known.settings, settings)
        known = replace(known, done=finished_parts(folder, known.done.values()))
        if known.complete and known.inputs == found:
            yield _progress(known)
            return
    with ExitStack() as stack:
        if known is None or known.inputs != found:
            here = sum(sum(identity["bytes"]) for identity in found) <= _PLANNED_HERE
            if not here:
                stack.enter_context(joined(setup.address))
            shards = (_plan_here if here else _plan)(sources, setup.lines, pair_format)
            if known is not None:
                check_shards(folder, known.shards, shards)
            names = [part_name(number, job.format, setup.compress) for number in range(len(shards))]
            known = Manifest(settings, found, shards, names, known.done if known is not None else {})
        tidy(folder, records=False)
        known.write(folder)
        progress = _progress(known)
        yield progress
        done = dict(known.done)
        task = Task(job, job.parser, folder, pair_format, setup.columns, setup.compress)
        try:
            if missing := known.missing():
                stack.enter_context(joined(setup.address))
                for part in _parts(task, missing, setup):
                    done[part.name] = part
                    progress = replace(
                        progress,
                        parts=progress.parts + 1,
                        lines=progress.lines + part.rows,
                        errors=progress.errors + part.errors,
                    )
                    yield progress
        finally:
            known = replace(known, done=done)
            known.write(folder)
    tidy(folder, records=known.complete)
    if not known.complete:
        raise _not_done(known)


def _settings(job: Job, parser: Parser, pair_format: str | None, setup: Setup) -> dict[str, Any]:
    """All that a part depends on. The model is loaded here first: what is wrong with it is said at once. It
    is only asked for its name, and this machine may have no GPU."""
    worker = replace(job, config=replace(job.config, device="cpu")).open()
    return {
        "wordalign": __version__,
        "signatures": worker.signatures,
        "chunks": worker.aligner._chunk_pairs,
        "format": job.format,
        "scores": job.scores,
        "on_error": job.on_error,
        "input_format": pair_format,
        "raw": parser.raw,
        "segmenter": parser.segmenter,
        "columns": list(setup.columns) if pair_format == "parquet" else None,
        "shard_lines": setup.lines,
        "compress": setup.compress,
    }


def _plan_here(sources: Sequence[Source], lines: int, pair_format: str | None) -> list[Shard]:
    return [shard for source in sources for shard in find_shards(source, lines, pair_format)]


def _plan(sources: Sequence[Source], lines: int, pair_format: str | None) -> list[Shard]:
    """The shards of all sources, in order; a task for each source, for it is read through."""
    import ray.data

    names = [str(number) for number in range(len(sources))]
    rows = [source_row(name, source) for name, source in zip(names, sources, strict=True)]
    read = partial(plan, lines=lines, pair_format=pair_format)
    dataset = ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(read, batch_size=1)
    facts = {}
    for answer in _rows(dataset):
        facts[answer["name"]] = json.loads(answer["shards"])
    return [
        Shard.of(source, each) for name, source in zip(names, sources, strict=True) for each in facts[name]
    ]


def _parts(task: Task, missing: Sequence[tuple[str, Shard]], setup: Setup) -> Iterator[Part]:
    """The parts as they are done, in any order. Those that were given up do not come."""
    import ray
    import ray.data

    gpus = _gpus(task.job, ray.cluster_resources())
    if gpus:
        task = replace(task, processes=setup.cores)  # a GPU waits for words; a core has its own model
    machines = [machine["Resources"] for machine in ray.nodes() if machine["Alive"]]
    room = _room(machines, setup.cores, gpus)
    most = min(setup.workers or len(missing), len(missing))
    dataset = ray.data.from_items(
        [shard_row(name, shard) for name, shard in missing], override_num_blocks=len(missing)
    ).map_batches(
        ShardAligner,
        fn_constructor_args=(task,),
        batch_size=1,
        num_cpus=setup.cores,
        num_gpus=gpus,
        # One shard at a time for each actor: one that waits behind another is one that a free actor could do.
        # The pool may shrink to one: actors of a lost machine can only come back where others have left.
        # Ray restarts actors without end; how often a shard is tried is counted in `parts.py`.
        compute=ray.data.ActorPoolStrategy(
            min_size=1, max_size=most, initial_size=min(room, most), max_tasks_in_flight_per_actor=1
        ),
    )
    for answer in _rows(dataset):
        if answer["part"] == GIVEN_UP:
            continue
        part = part_in(answer)
        if read_part(task.folder, part.name) != part:
            raise OutputError(
                f"{answer['host']} wrote {part.name}, but it is not in {task.folder} here: the output must "
                "be a folder that all machines share."
            )
        yield part


def _rows(dataset: Any) -> Iterator[Mapping[str, Any]]:
    """The answers of a dataset; a failure among them is raised, and so is what Ray could not help."""
    from ray.exceptions import RayError

    try:
        for answer in dataset.iter_rows():
            if failure := failure_of(answer):
                raise failure
            yield answer
    except RayError as error:
        reason = next((line for line in reversed(str(error).splitlines()) if line.strip()), "no reason given")
        raise WordalignError(
            f"Ray stopped: {reason.strip()} The parts that are done stay; the same command does the rest."
        ) from error


def _gpus(job: Job, resources: Mapping[str, float]) -> int:
    """One for each worker, if there are any and the model can use one."""
    can_use = resolve(job.config.model).kind == "huggingface"
    wanted = can_use and not (job.config.device or "").startswith("cpu")
    return int(wanted and resources.get("GPU", 0) >= 1)


def _room(machines: Sequence[Mapping[str, float]], cores: int, gpus: int) -> int:
    """For how many workers there is room now. Each needs all of its cores on one machine: Ray would wait for
    such a machine without end."""
    wanted = {"CPU": cores, "GPU": gpus}
    room = sum(
        int(min(machine.get(kind, 0) // number for kind, number in wanted.items() if number))
        for machine in machines
    )
    if room < 1:
        worker = f"{cores} cores and a GPU" if gpus else f"{cores} cores"
        most = max((machine.get("CPU", 0) for machine in machines), default=0)
        raise UsageError(f"No machine has room for a worker of {worker}: the largest has {most:g} cores.")
    return room


def _progress(manifest: Manifest) -> Progress:
    done = manifest.done.values()
    return Progress(
        len(manifest.done),
        len(manifest.parts),
        sum(part.rows for part in done),
        sum(shard.lines for shard in manifest.shards),
        sum(part.errors for part in done),
    )


def _not_done(manifest: Manifest) -> WordalignError:
    missing = manifest.missing()
    name, shard = missing[0]
    return WordalignError(
        f"{len(missing):,} of {len(manifest.parts):,} parts could not be made: the workers that had them "
        f"died {TRIES} times, perhaps for want of memory. The first is {name}, lines {shard.before + 1:,} to "
        f"{shard.before + shard.lines:,} of {' and '.join(map(str, shard.source.files))}. "
        "The same command tries only these again."
    )
