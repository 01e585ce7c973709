"""`align_shards`: a corpus on many machines, by Ray Data.

    missing shards -> dataset, a row each -> map_batches(ShardAligner) on an actor pool -> a row for each part

Ray schedules the shards, restarts actors that died and gives them their shard again.
What travels through Ray are names, never text: an actor reads its shard from the file system and writes its
part there, so that no object store fills up, and a row that is lost costs nothing (`parts.py`).
"""

from __future__ import annotations

import json
import logging
import os
import socket
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from wordalign import __version__
from wordalign.config import AlignConfig
from wordalign.encoders import resolve
from wordalign.errors import MissingExtraError, OutputError, UnknownNameError, UsageError, WordalignError
from wordalign.io.pairs import PAIR_FORMATS
from wordalign.io.records import Parser
from wordalign.io.units import COLUMNS
from wordalign.machine import available_cores
from wordalign.run.chunks import RunConfig
from wordalign.run.files import Progress, Summary
from wordalign.run.ray.parts import (
    COMPRESSIONS,
    TRIES,
    FinishedPart,
    Manifest,
    check_folder,
    check_settings,
    check_shards,
    finished_parts,
    part_name,
    read_manifest,
    read_part,
    tidy,
)
from wordalign.run.ray.places import Place
from wordalign.run.ray.shards import (
    SHARD_LINES,
    Shard,
    Source,
    find_shards,
    find_sources,
    identities,
    read_shard,
)
from wordalign.run.ray.worker import (
    GIVEN_UP,
    ShardAligner,
    Task,
    failure_of,
    parser_for,
    part_in,
    plan,
    shard_row,
    source_row,
)
from wordalign.run.text import LOOKED_AT, input_warnings

_PLANNED_HERE = 64 << 20  # bytes of input that are read through faster than a task is started
_ANSWER_SECONDS = 10


@dataclass(frozen=True, slots=True)
class ClusterConfig:
    """How the work is spread, and how input and output are cut.

    `address`  of a Ray cluster; None starts one on this machine for the time of the run
    `workers`  at most; 0 is as many as there is room for
    `cores`    of each worker
    `gpus`     of each worker, where the model runs on GPUs and the cluster has any; at 0.5 two share one
    `lines`    of a shard, and so of a part, at most
    `columns`  of Parquet files: the source's and the target's
    `compress` the parts: "gz", "xz", "zst" or None
    """

    address: str | None = None
    workers: int = 0
    cores: int = 1
    gpus: float = 1
    lines: int = SHARD_LINES
    columns: tuple[str, ...] = COLUMNS
    compress: str | None = None

    def __post_init__(self) -> None:
        if self.workers < 0 or self.cores < 1 or self.lines < 1:
            raise UsageError("Workers are 0 or more; cores of a worker and lines of a shard are 1 or more.")
        if not (0 < self.gpus <= 1 or (self.gpus > 0 and float(self.gpus).is_integer())):
            raise UsageError(f"A worker has a whole number of GPUs or a part of one, not {self.gpus:g}.")
        if self.compress not in (None, *COMPRESSIONS):
            raise UnknownNameError("compression", str(self.compress), COMPRESSIONS)
        if len(self.columns) != 2:
            raise UsageError("Name two columns: the source's and the target's.")


def align_shards(
    sources: Sequence[str],
    output: str,
    align: AlignConfig | None = None,
    cluster: ClusterConfig | None = None,
    *,
    raw: bool = False,
    segmenter: str | None = None,
    input_format: str | None = None,
    output_format: str = "pharaoh",
    scores: bool = False,
    min_score: float = 0.0,
    on_error: str = "stop",
    progress: Callable[[Progress], object] = lambda progress: None,
    report: Callable[[str], object] = warnings.warn,
) -> Summary:
    """Align files or folders (`find_sources`) into a folder of parts.

    The options are those of `align_files`. A run that was interrupted is resumed when it is called again with
    the same output; other settings or another input are refused. `progress` is called after each part, and
    counts lines that were done before.
    """
    if segmenter and not raw:
        raise UsageError("--segmenter splits raw text: give --raw too.")
    cluster = cluster or ClusterConfig()
    folder = Place.at(output)
    inputs, pair_format = find_sources(sources, input_format)
    for place in map(Place.at, sources):
        if f"{folder.path}/".startswith(f"{place.path}/") or place.path.startswith(f"{folder.path}/"):
            raise UsageError(
                f"The output {folder} and the input {place} lie in each other: choose another one."
            )
    found = identities(inputs)
    known = read_manifest(folder, inputs)
    if known is None:
        check_folder(folder)
    # Each worker replaces the files and the format of the parser by those of its shard.
    parser = Parser(tuple(sources), PAIR_FORMATS[0], raw, segmenter)
    config = RunConfig(parser, align or AlignConfig(), output_format, scores, on_error, min_score)
    settings = _settings(config, parser, pair_format, cluster)
    if known is not None:
        check_settings(folder, known.settings, settings)
        known = replace(known, done=finished_parts(folder, known.done.values()))
        if known.complete and known.inputs == found:
            return _summary(known, folder, resumed=True)
    with ExitStack() as stack:
        if known is None or known.inputs != found:
            here = sum(sum(identity["bytes"]) for identity in found) <= _PLANNED_HERE
            if not here:
                stack.enter_context(joined(cluster.address))
            shards = (_plan_here if here else _plan)(inputs, cluster.lines, pair_format)
            if known is not None:
                check_shards(folder, known.shards, shards)
            names = [part_name(number, output_format, cluster.compress) for number in range(len(shards))]
            known = Manifest(settings, found, shards, names, known.done if known is not None else {})
        if known.shards and not known.done:
            _look_at_first_lines(known.shards[0], parser, pair_format, cluster.columns, report)
        tidy(folder, records=False)
        known.write(folder)
        resumed = known.complete
        progress(_progress(known))
        task = Task(config, parser, folder, pair_format, cluster.columns, cluster.compress)
        try:
            if missing := known.missing():
                stack.enter_context(joined(cluster.address))
                for part in _parts(task, missing, cluster):
                    known = replace(known, done={**known.done, part.name: part})
                    progress(_progress(known))
        except KeyboardInterrupt as interrupt:
            done, every = len(known.done), len(known.parts)
            interrupt.add_note(f"{done:,} of {every:,} parts are done: the same command does the others.")
            raise
        finally:
            known.write(folder)
    tidy(folder, records=known.complete)
    if not known.complete:
        raise _not_done(known)
    return _summary(known, folder, resumed)


def _look_at_first_lines(
    shard: Shard,
    parser: Parser,
    pair_format: str | None,
    columns: Sequence[str],
    report: Callable[[str], object],
) -> None:
    """Report what looks wrong. An error is left to the workers, which know what to do with it."""
    with suppress(WordalignError):
        head = list(islice(read_shard(shard, pair_format, columns), LOOKED_AT))
        for warning in input_warnings(head, parser_for(shard.source, parser, pair_format)):
            report(warning)


def _settings(
    config: RunConfig, parser: Parser, pair_format: str | None, cluster: ClusterConfig
) -> dict[str, Any]:
    """All that a part depends on. The model is loaded here first: what is wrong with it is said at once.

    A model that could run on a GPU is only asked for its signature, and this machine may have none. Any other
    is loaded as the workers will load it, with the options that it may refuse.
    """
    on_gpus = _runs_on_gpus(config.align)
    if on_gpus:
        bundled = resolve(config.align.model).kind == "onnx"
        dtype = None if bundled else config.align.dtype
        asked = f"{config.align.device} {config.align.dtype}" if bundled else None
        config = replace(config, align=replace(config.align, device="cpu", dtype=dtype))
    aligner = config.open()
    return {
        "wordalign": __version__,
        "signatures": aligner.signatures,
        **({"device": asked} if on_gpus and asked else {}),
        "chunks": aligner.aligner._chunk_pairs,
        "format": config.format,
        "scores": config.scores,
        "min_score": config.min_score,
        "on_error": config.on_error,
        "input_format": pair_format,
        "raw": parser.raw,
        "segmenter": parser.segmenter,
        "columns": list(cluster.columns) if pair_format == "parquet" else None,
        "shard_lines": cluster.lines,
        "compress": cluster.compress,
    }


def _plan_here(sources: Sequence[Source], lines: int, pair_format: str | None) -> list[Shard]:
    return [shard for source in sources for shard in find_shards(source, lines, pair_format)]


def _plan(sources: Sequence[Source], lines: int, pair_format: str | None) -> list[Shard]:
    """Find the shards of all sources, in order. Each source is read through, by a task of its own."""
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


def _parts(
    task: Task, missing: Sequence[tuple[str, Shard]], cluster: ClusterConfig
) -> Iterator[FinishedPart]:
    """Give the parts as they are finished, in any order. Parts that were given up are left out."""
    import ray
    import ray.data

    gpus = cluster.gpus if _has_gpus(task.config.align, ray.cluster_resources()) else 0
    if gpus:
        task = replace(task, processes=cluster.cores)  # a GPU waits for words; a core has its own model
    machines = [machine["Resources"] for machine in ray.nodes() if machine["Alive"]]
    room = _room(machines, cluster.cores, gpus)
    most = min(cluster.workers or len(missing), len(missing))
    dataset = ray.data.from_items(
        [shard_row(name, shard) for name, shard in missing], override_num_blocks=len(missing)
    ).map_batches(
        ShardAligner,
        fn_constructor_args=(task,),
        batch_size=1,
        num_cpus=cluster.cores,
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
    """Give the rows of a dataset. A failure that a row reports is raised, and so is a failure of Ray."""
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


def _has_gpus(align: AlignConfig, resources: Mapping[str, float]) -> bool:
    """Whether workers take GPUs: if there are any and the model can use one."""
    wanted = _runs_on_gpus(align) and not (align.device or "").startswith("cpu")
    return wanted and resources.get("GPU", 0) >= 1


def _runs_on_gpus(align: AlignConfig) -> bool:
    """Whether workers may use a GPU: any Hugging Face model, and a bundled one that is asked to."""
    kind = resolve(align.model).kind
    return kind == "huggingface" or (kind == "onnx" and align.device not in (None, "cpu"))


def _room(machines: Sequence[Mapping[str, float]], cores: int, gpus: float) -> int:
    """Count the workers that there is room for now; refuse a worker that fits on no machine.

    A worker needs all of its cores and GPUs on one machine, and a part of a GPU is of a single one. Ray would
    wait for such a machine without end.
    """

    def of(machine: Mapping[str, float]) -> int:
        for_cores = int(machine.get("CPU", 0) // cores)
        whole = int(machine.get("GPU", 0))
        if not gpus:
            return for_cores
        # A tenth of a GPU goes ten times into it, which 1 // 0.1 does not know.
        return min(for_cores, whole * int(1 / gpus + 1e-9) if gpus < 1 else int(whole // gpus))

    room = sum(map(of, machines))
    if room < 1:
        there = sorted({(machine.get("CPU", 0), machine.get("GPU", 0)) for machine in machines}, reverse=True)
        raise UsageError(
            f"No machine has room for a worker with {_hardware(cores, gpus)}: there are machines with "
            f"{'; '.join(_hardware(*machine) for machine in there[:4])}. Ask for less (--cores, --gpus), or "
            "add a machine."
        )
    return room


def _hardware(cores: float, gpus: float) -> str:
    """(4, 1) -> 4 cores and 1 GPU"""
    return f"{cores:g} core{'s' * (cores != 1)}" + (f" and {gpus:g} GPU{'s' * (gpus > 1)}" if gpus else "")


def _progress(manifest: Manifest) -> Progress:
    lines = sum(part.rows for part in manifest.done.values())
    total = sum(shard.lines for shard in manifest.shards)
    return Progress("aligning", lines, total, len(manifest.done), len(manifest.parts))


def _summary(manifest: Manifest, folder: Place, resumed: bool) -> Summary:
    parts = manifest.done.values()
    lines, failed = sum(part.rows for part in parts), sum(part.errors for part in parts)
    return Summary(lines, failed, resumed, f"{folder}/part-*.errors.jsonl", len(parts))


def _not_done(manifest: Manifest) -> WordalignError:
    missing = manifest.missing()
    name, shard = missing[0]
    return WordalignError(
        f"{len(missing):,} of {len(manifest.parts):,} parts could not be made: the workers that had them "
        f"died {TRIES} times, perhaps for want of memory. The first is {name}, lines {shard.before + 1:,} to "
        f"{shard.before + shard.lines:,} of {' and '.join(map(str, shard.source.files))}. "
        "The same command tries only these again."
    )


@contextmanager
def joined(address: str | None) -> Iterator[None]:
    """Join the cluster, or start one on this machine; one that this process has joined already stays."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # what it has to say is in its log files
    try:
        import ray
        import ray.data
    except ModuleNotFoundError as error:
        raise MissingExtraError("--engine ray", "ray") from error
    started = not ray.is_initialized()
    if started:
        if address:
            _check_reachable(address)
        try:
            _start(address)
        except Exception as error:  # Ray raises whatever it finds, up to a plain Exception
            failed = f"join the Ray cluster at {address}" if address else "start Ray on this machine"
            raise WordalignError(f"Cannot {failed}: {error}") from error
    try:
        for handler in logging.getLogger("ray.data").handlers:
            if handler.name == "console":
                handler.setLevel(logging.CRITICAL)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.autoscaling_config.actor_pool_util_upscaling_threshold = 1.0
        yield
    finally:
        if started:
            ray.shutdown()


def _start(address: str | None) -> None:
    import ray

    where = {} if address else {"num_cpus": available_cores(), "include_dashboard": False}
    with _silence():
        for patience in (True, False):
            try:
                ray.init(address or "local", log_to_driver=False, logging_level=logging.ERROR, **where)
                return
            except Exception as error:
                # Half a minute is all that Ray gives itself, which a busy machine may exceed once.
                if address or not patience or "timed out during startup" not in str(error):
                    raise
                ray.shutdown()


def _check_reachable(address: str) -> None:
    """Refuse at once an address at which nobody answers; Ray would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), timeout=_ANSWER_SECONDS).close()
    except OSError as error:
        raise WordalignError(f"There is no Ray cluster at {address}: {error.strerror or error}.") from error


@contextmanager
def _silence() -> Iterator[None]:
    """Let nothing through to standard error, where Ray writes from C++ before its log levels are in force."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
