"""Files of parallel text -> a file with a line of links for each pair.

    align_files(["corpus.en.gz", "corpus.de.gz"], "links.txt.zst", AlignConfig("tiny"), raw=True, resume=True)

Everything that `wordalign align` does happens here: the input is read and cut into chunks, all cores work on
them, the lines are written in order, an interrupted run is resumed, and lines that cannot be used are skipped
or stop the run. Memory stays constant, whatever the length of the input.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from wordalign import __version__
from wordalign.config import AlignConfig
from wordalign.encoders import resolve
from wordalign.errors import UsageError, counted
from wordalign.io.checkpoint import ResumableOutput
from wordalign.io.compression import compression_of
from wordalign.io.lines import STDIN
from wordalign.io.links import line_writer
from wordalign.io.output import StreamedOutput
from wordalign.io.units import Chosen
from wordalign.io.whole import is_special, refuse_overwriting
from wordalign.run.chunks import (
    ChunkAligner,
    ChunkResult,
    LinkedChunk,
    RunConfig,
    align_chunks,
    format_chunk,
    parse_chunk,
)
from wordalign.run.text import Files, ParallelText, format_of
from wordalign.types import Pair

if TYPE_CHECKING:
    from wordalign.aligners.neural import Aligner
    from wordalign.aligners.statistical import StatisticalAligner
    from wordalign.run.devices import DeviceProcesses

Output: TypeAlias = ResumableOutput | StreamedOutput


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: its `stage` in words, the `lines` of this stage that are done, and of how many.

    `total` is None where the number of lines is not known. On many machines `parts` of `of_parts` are done.
    """

    stage: str
    lines: int
    total: int | None
    parts: int = 0
    of_parts: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run has done: `lines` with a result, of which `failed` were skipped with an error.

    `resumed` is True where the output was finished before and nothing was left to do. `errors` is the file
    (on many machines a pattern of files) that says what was wrong with the failed lines. `parts` counts the
    files of the output.
    """

    lines: int
    failed: int
    resumed: bool = False
    errors: str | None = None
    parts: int = 1


def align_files(
    sources: Files,
    output: str | Path | None = None,
    aligner: str | AlignConfig | Aligner | StatisticalAligner | None = None,
    *,
    raw: bool = False,
    segmenter: str | None = None,
    input_format: str | None = None,
    columns: Sequence[str | int] | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
    output_format: str = "pharaoh",
    scores: bool = False,
    min_score: float = 0.0,
    null_percentile: float | None = None,
    workers: int = 0,
    resume: bool = False,
    on_error: str = "stop",
    errors: str | Path | None = None,
    train: Files | None = None,
    save_model: str | Path | None = None,
    progress: Callable[[Progress], object] = lambda progress: None,
    report: Callable[[str], object] = warnings.warn,
) -> Summary:
    """Align parallel text in files and write one line of links for each line of input.

    `sources` are two parallel files or one file of pairs, plain or compressed; "-" is standard input.
    `output` is the file of links, by default standard output; it appears when it is whole. `aligner` is
    the name of a model, a configuration, an aligner, or a statistical aligner, trained or not; by default the
    bundled model.

    `raw`             the text is not tokenised: find the words, with a `segmenter` for scripts without spaces
    `input_format`    of a file of pairs: "bars", "tsv", "jsonl", "csv", "tmx", "xliff" or "parquet"; by
                      default its suffix tells
    `columns`         of CSV and Parquet: the names of the source's and the target's; of CSV without a row of
                      names, their numbers
    `source_language`, `target_language`  of TMX and XLIFF, where a file has several
    `output_format`   of the links: "pharaoh", "tsv" or "jsonl"; `scores` writes the score of each link too
    `min_score`       write no links for a pair that is less probably a translation than that
    `null_percentile` drop links above this percentile of entropy, found in a first pass over the files
    `workers`         processes that share the work; by default what suits the model and the machine
    `resume`          continue an interrupted run of the same input and settings, or begin one
    `on_error`        "stop" at a line that cannot be used, or "skip" it: it gets an empty result, and a
                      line in the file `errors` (by default OUTPUT.errors.jsonl) says what was wrong
    `train`           more parallel text for a statistical aligner to learn from, given like `sources`
    `save_model`      the folder for what a statistical aligner has learned
    `progress`        is called at the start and after each chunk
    `report`          is called with sentences that the user should read; by default they are warnings

    >>> align_files(["examples/eng.txt", "examples/deu.txt"], "links.txt", raw=True)  # doctest: +SKIP
    Summary(lines=10, failed=0, resumed=False, errors=None, parts=1)
    """
    chosen = Chosen.of(columns, source_language, target_language)
    text = ParallelText(sources, input_format, chosen, raw=raw, segmenter=segmenter)
    errors = _errors_file(output, errors, on_error)
    more = None
    if train is not None:
        part = chosen.part_for(format_of(train, input_format))
        more = ParallelText(train, input_format, part, raw=raw, segmenter=segmenter)
    if input_format is not None and all(len(given.files) == 2 for given in (text, more) if given):
        raise UsageError("--input-format is that of one file of pairs; in two files a line is a sentence.")
    for name in (output, errors):
        refuse_overwriting(name, [*text.files, *(more.files if more else [])])
    if more is not None and STDIN in text.files and STDIN in more.files:
        raise UsageError("Standard input can be read once: as input or as --train.")
    if null_percentile is not None and not text.rereadable:
        raise UsageError(
            "--null reads the input twice, which a stream does not allow: give files, or --null-tau, "
            "or --null-thresholds with what `wordalign null-threshold` found on a sample."
        )
    # Only JSON says where words stand, and only the score of a pair may look at its text.
    parser = replace(text.parser, places=output_format == "jsonl" or min_score > 0)
    config = RunConfig(parser, AlignConfig(), output_format, scores, on_error, min_score)
    target = _open_output(output, errors, resume)
    if isinstance(aligner, str):
        aligner = AlignConfig(model=aligner)
    if aligner is not None and not isinstance(aligner, AlignConfig):
        from wordalign.aligners.statistical import StatisticalAligner

        if isinstance(aligner, StatisticalAligner):
            if resume or workers or null_percentile is not None:
                raise UsageError(
                    "A statistical aligner learns from all of its input at once: "
                    "leave --resume, --workers and --null out."
                )
            _align_by_learning(text, target, aligner, config, more, save_model, progress, report)
            return Summary(target.records, target.failed, False, errors)
    if train is not None or save_model is not None:
        raise UsageError("Only a statistical aligner learns: leave --train and --save-model out.")

    def load(stack: ExitStack) -> tuple[ChunkAligner, dict[str, Any]]:
        devices = None
        if (aligner is None or isinstance(aligner, AlignConfig)) and workers != 1:
            devices = _devices(aligner or AlignConfig(), workers, stack)
        chunk_aligner = _load(aligner, config, text, null_percentile, devices, progress)
        return chunk_aligner, _settings(chunk_aligner, text, output)

    with ExitStack() as stack:
        if target.finished():
            _, settings = load(stack)
            target.verify(settings, text.records(on_error), text.files)
            return Summary(target.records, target.failed, True, errors)
    # Opened before the model is loaded: an output that cannot be written is known at once.
    with target, ExitStack() as stack:
        if target.overwrites:
            report(
                f"overwriting {counted(target.overwrites, 'line')} of an interrupted run; "
                "--resume would keep what is there."
            )
        chunk_aligner, settings = load(stack)
        records = target.start(settings, text.records(on_error), text.files)
        chunks = target.watch(text.checked(chunk_aligner.cut(records), report, chunk_aligner.aligner.doubt))
        _write(align_chunks(chunks, chunk_aligner, workers), target, text.lines, progress)
    return Summary(target.records, target.failed, False, errors)


def _write(
    results: Iterator[ChunkResult], target: Output, total: int | None, progress: Callable[[Progress], object]
) -> None:
    progress(Progress("aligning", target.records, total))
    with closing(results):  # type: ignore[type-var]
        for result in results:
            target.write(result.lines, result.errors)
            progress(Progress("aligning", target.records, total))


def _load(
    aligner: AlignConfig | Aligner | None,
    config: RunConfig,
    text: ParallelText,
    null_percentile: float | None,
    devices: DeviceProcesses | None,
    progress: Callable[[Progress], object],
) -> ChunkAligner:
    """Load the model, and find the null thresholds where they are asked for."""
    if aligner is None or isinstance(aligner, AlignConfig):
        from wordalign.aligners.neural import Aligner

        aligner = Aligner.from_config(
            aligner or AlignConfig(), encoder=None if devices is None else devices.encoder
        )
    if null_percentile is not None:
        pairs = text.pairs(config.on_error)
        counted = _counted(pairs, "finding the null threshold", text.lines, progress)
        aligner = aligner.with_options(null=aligner.find_null_thresholds(counted, null_percentile))
    return ChunkAligner(replace(config, align=aligner.config), aligner, devices)


def _devices(config: AlignConfig, workers: int, stack: ExitStack) -> DeviceProcesses | None:
    """Start the processes of the GPUs that are asked for; they end with the stack."""
    if config.device in (None, "cpu") and resolve(config.model).kind != "huggingface":
        return None
    from wordalign.run.devices import DeviceProcesses, default_workers, devices_of

    devices = devices_of(config)
    if not devices:
        return None
    return stack.enter_context(DeviceProcesses(config, devices, workers or default_workers(len(devices))))


def _counted(
    pairs: Iterable[Pair], stage: str, total: int | None, progress: Callable[[Progress], object]
) -> Iterator[Pair]:
    for number, pair in enumerate(pairs):
        if number % 256 == 0:
            progress(Progress(stage, number, total))
        yield pair


def _settings(aligner: ChunkAligner, text: ParallelText, output: str | Path | None) -> dict[str, Any]:
    """Collect all that decides about the bytes of the output, other than the input."""
    config, parser, chosen = aligner.config, text.parser, text.chosen
    return {
        "wordalign": __version__,
        "model": aligner.signatures,
        "pairs in a chunk": aligner.aligner._chunk_pairs,
        "--device": config.align.device,
        "--dtype": config.align.dtype,
        "--format": config.format,
        "--scores": config.scores,
        "--min-score": config.min_score,
        "--input-format": parser.pair_format or "two files",
        "--columns": chosen.columns and list(chosen.columns),
        "--source-language": chosen.source_language,
        "--target-language": chosen.target_language,
        "--raw": parser.raw,
        "--segmenter": parser.segmenter,
        "--on-error": config.on_error,
        "compression of the output": compression_of(output or ""),
    }


def _align_by_learning(
    text: ParallelText,
    target: Output,
    aligner: StatisticalAligner,
    config: RunConfig,
    train: ParallelText | None,
    save_model: str | Path | None,
    progress: Callable[[Progress], object],
    report: Callable[[str], object],
) -> None:
    """Align the whole input as one chunk: an untrained aligner learns from it, a trained one starts once."""
    if aligner.trained and (train is not None or save_model is not None):
        raise UsageError("A trained aligner learns nothing new: leave --train and --save-model out.")
    if save_model is not None:
        from wordalign.aligners.statistical.folder import check_target

        check_target(save_model)
    with target:
        records = target.start({}, text.records(config.on_error), text.files)
        whole = [list(records)]
        (chunk,) = target.watch(text.checked(whole, report)) if whole[0] else whole
        parsed = parse_chunk(chunk, config)
        if parsed.failure is not None:
            raise parsed.failure
        if aligner.trained:
            progress(Progress(f"aligning with a model of {aligner.name}", 0, len(chunk)))
            found = aligner.align_batch_methods(parsed.pairs)
        else:
            progress(Progress(f"training {aligner.name}", 0, len(chunk)))
            more = train.pairs(config.on_error) if train is not None else ()
            found = aligner.align_corpus_methods(parsed.pairs, more, keep=save_model is not None)
            if save_model is not None:
                aligner.save(save_model)
        # Only now is it known how many pairs were learned from, which signatures say.
        signatures = {name: aligner.signature(name) for name in aligner.methods}
        linked = LinkedChunk(found, parsed.errors)
        result = format_chunk(linked, line_writer(config.format, config.scores, signatures, config.min_score))
        if chunk:
            target.write(result.lines, result.errors)


def _open_output(output: str | Path | None, errors: str | Path | None, resume: bool) -> Output:
    if output is None or str(output) == STDIN:
        if resume:
            raise UsageError("--resume goes on with a file: give it with -o.")
        return StreamedOutput(None, errors)
    if not resume and is_special(Path(output)):
        return StreamedOutput(output, errors)
    return ResumableOutput(output, errors, resume=resume)


def _errors_file(output: str | Path | None, errors: str | Path | None, on_error: str) -> str | None:
    if on_error == "stop":
        if errors is not None:
            raise UsageError("--errors is for lines that are skipped: give --on-error skip too.")
        return None
    if errors is not None and str(errors) == STDIN:
        raise UsageError("Errors would mix with the links on standard output: give --errors a file's name.")
    if output is None or str(output) == STDIN:
        return str(errors or "errors.jsonl")
    name = str(errors or f"{output}.errors.jsonl")
    if Path(name).resolve() == Path(output).resolve():
        raise UsageError(f"{name} cannot be both the output and the file of errors.")
    return name
