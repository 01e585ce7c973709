"""Output of a long run that can be interrupted at any moment and resumed.

    OUT.partial   the lines so far
    OUT.state     how far they are certain: after which record, and at which size of the file

To resume, the partial file is cut to that size, and the records that it covers are read again and compared by
their digests. What is written then is what an uninterrupted run would have written, byte for byte: the work
is cut into chunks by the input alone, a state is taken between two whole chunks only, and compressed output
begins a new frame at places that the text itself decides.

A chunk counts as whole when the one after it has been read: the last one before an error in the input may
be shorter than it would have been without the error.

The state is there before the partial file gets its first line. So a partial file with lines but without a
state was made by somebody else, and is left alone.

A run with `resume` leaves the state beside the finished output. It says what the output was made from, so
that the same command can tell whether nothing is left to do, or the input or the settings have changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeAlias

from wordalign.errors import InputError, OutputError, UsageError
from wordalign.io.compression import FrameWriter, compression_of
from wordalign.io.lines import shown
from wordalign.io.output import keep_finished_lines, partial_name
from wordalign.io.records import LineError, Record, RecordBlock
from wordalign.io.whole import explained, final_name, is_special, put_in_place, remove_abandoned, write_whole

Mark: TypeAlias = tuple[int, list[str]]  # records read, and their digests

FRAME_TEXT = 128 << 10  # bytes of text in a frame of compressed output, at least
SECONDS = 2.0  # between two states, at least
_BLOCK = 1024  # records
_KIND = "wordalign run 1"


class ResumableOutput:
    """Writes the lines of a run to a file, and its errors to another one where `errors` names it.

    with ResumableOutput("links.txt", resume=True) as output:
        rest = output.start(settings, Records(files), files)     # the records that are still to be done
        for done in run(output.watch(chunks(rest)), job):        # one `Done` for each chunk
            output.write(done.lines, done.errors)
    """

    def __init__(self, path: str | Path, errors: str | Path | None = None, *, resume: bool = False) -> None:
        final = final_name(path)
        for name in (path, errors):
            if name is not None and is_special(final_name(name)):
                raise UsageError(f"A run that can be resumed needs files to write to; {name} cannot be one.")
        self.path = final
        self.partial = partial_name(final)
        self._state_path = final.with_name(final.name + ".state")
        self._errors_final = None if errors is None else final_name(errors)
        self.failed = 0
        self._before: State | None = None
        found = State.load(self._state_path) if self._state_path.exists() else None
        if self.partial.exists() or (resume and final.exists()):
            self._before = found
        if found is None:
            self._refuse_foreign_files()
        self._resume = resume
        self._saved: State | None = None  # on disk
        self._certain: State | None = None  # could be
        self._saved_at = 0.0
        self._marks: deque[Mark] = deque()
        self._last: Mark = (0, [])

    def finished(self) -> bool:
        """Whether a run with `resume` has finished this output; `verify` tells whether it was the same run.

        An output of which nothing is known is refused: it may have been made from anything.
        """
        if not self._resume or not self.path.exists():
            return False
        size = self.path.stat().st_size
        if self._before is not None and self._before.finished and self._before.output == size:
            # A run that begins anew makes an empty partial file before it removes the old state.
            return not self.partial.exists() or self.partial.stat().st_size == 0
        if self.partial.exists():
            return False
        raise UsageError(
            f"{self.path} exists, and it is not known what it was made from: the run that wrote it had no "
            "--resume, or the file was changed later. Leave --resume out to align again, or choose another "
            "output."
        )

    def verify(self, settings: Mapping[str, Any], records: Iterable[Record], names: Sequence[str]) -> None:
        """Refuse a finished output that was made with other settings or from other records."""
        assert self._before is not None
        self._check_settings(self._before, settings)
        self._skip(self._before, iter(records), Digests(len(names)), names)
        self._last, self.failed = (self._before.records, []), self._before.failed

    @property
    def overwrites(self) -> int:
        """How many records of an interrupted run will be thrown away."""
        return 0 if self._resume or self._before is None or self._before.finished else self._before.records

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._output = stack.enter_context(_PartialFile(self.path))
            if self._before is None:
                with explained(self.path):
                    self._state_path.unlink(missing_ok=True)  # of a run whose partial file is gone
            moved = self._resume and self._before is not None and self._before.finished
            self._errors = None
            if self._errors_final is not None and not (
                moved and not partial_name(self._errors_final).exists()
            ):
                self._errors = stack.enter_context(_PartialFile(self._errors_final))
            self._files = [file for file in (self._output, self._errors) if file is not None]
            self._stack = stack.pop_all()
        return self

    def start(
        self, settings: Mapping[str, Any], records: Iterable[Record], names: Sequence[str]
    ) -> Iterator[Record]:
        """Check that a run to be resumed is the same one, and return the records that are left.

        Nothing is changed on disk before this.
        """
        rest, digests = iter(records), Digests(len(names))
        before = self._before if self._resume else None
        if before is None:
            before = State(settings, 0, digests(), 0)
            with explained(self.path):
                before.save(self._state_path)  # before the files that it is about change
        else:
            self._check_settings(before, settings)
            self._check_sizes(before)
            rest = self._skip(before, rest, digests, names)
            self._saved = before
        with explained(self.path):
            remove_abandoned(self._state_path)
        for file, size in zip(self._files, (before.output, before.errors), strict=False):
            file.begin(size)
        self.failed = before.failed
        self._certain, self._digests = before, digests
        self._last = before.records, list(before.digests)
        self._saved_at = time.monotonic()
        return rest

    def watch(self, chunks: Iterable[Sequence[Record]]) -> Iterator[Sequence[Record]]:
        """The same chunks; what was read with each is remembered. This may run ahead, in another thread."""
        for chunk in chunks:
            self._digests.add(chunk)
            self._marks.append((chunk[-1].number, self._digests()))
            yield chunk

    def write(self, lines: Sequence[str], errors: Sequence[LineError] = ()) -> None:
        """Write the results of the next chunk."""
        with explained(self.path):
            self._checkpoint()
            self._output.writer.write(lines)
            if self._errors is not None:
                self._errors.writer.write(error.as_json() for error in errors)
        self.failed += len(errors)
        self._last = self._marks.popleft()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            if self._certain is None:  # the run never started, and all is left as it was
                for file in self._files:
                    file.forget()
            elif error is not None:
                self._keep(error)
            else:
                try:
                    self._finish()
                except BaseException as late:
                    self._keep(late)
                    raise

    @property
    def records(self) -> int:
        """How many records have a result."""
        return self._last[0]

    def _refuse_foreign_files(self) -> None:
        """Without a state, a partial file that holds something is not one of ours."""
        errors = [] if self._errors_final is None else [partial_name(self._errors_final)]
        for partial in (self.partial, *errors):
            if partial.exists() and partial.stat().st_size > 0:
                raise OutputError(
                    f"{partial} exists, and there is no {self._state_path.name} beside it that says how it "
                    "was made. It is not overwritten: move it away, or choose another output."
                )

    def _check_settings(self, before: State, settings: Mapping[str, Any]) -> None:
        if difference := before.difference(settings):
            raise UsageError(
                f"{self._begun(before)} with other settings: {difference}. Give the same again, "
                "or leave --resume out to start anew."
            )

    def _begun(self, before: State) -> str:
        return f"{self.path} was made" if before.finished else f"{self.partial} was begun"

    def _check_sizes(self, before: State) -> None:
        for file, size in zip(self._files, (before.output, before.errors), strict=False):
            if file.length < size:
                raise OutputError(
                    f"{file.partial} is shorter than when the run was interrupted ({file.length:,} bytes, "
                    f"not {size:,}). Leave --resume out to start anew."
                )

    def _skip(
        self, before: State, records: Iterator[Record], digests: Digests, names: Sequence[str]
    ) -> Iterator[Record]:
        """The records behind those that are done, after a check that the done ones are the same as before."""
        left = before.records
        while left and (block := list(islice(records, min(left, _BLOCK)))):
            digests.add(block)
            left -= len(block)
        changed = [
            name for name, old, new in zip(names, before.digests, digests(), strict=True) if old != new
        ]
        told = f"{' and '.join(map(shown, changed or names))} changed since {self._begun(before)}"
        advice = "Give the same again, in the same order, or leave --resume out to start anew."
        if left:
            raise InputError(
                f"{told}: {before.records:,} lines had been read, and now there are "
                f"{before.records - left:,}. {advice}"
            )
        if changed:
            raise InputError(f"{told}, somewhere in the first {before.records:,} lines. {advice}")
        first = next(records, None) if before.finished else None
        if first is not None:
            raise InputError(f"{told}: there are more lines. {advice}")
        return records

    def _checkpoint(self) -> None:
        """Take a state behind the last chunk, which is now known to be whole."""
        if self._certain is None or self._last[0] == self._certain.records:
            return
        if self._output.writer.text >= FRAME_TEXT:
            for file in self._files:
                file.writer.end_frame()
        elif any(file.writer.compression for file in self._files):
            return
        self._certain = self._state()
        if time.monotonic() - self._saved_at >= SECONDS:
            self._save(self._certain)

    def _state(self) -> State:
        records, digests = self._last
        assert self._certain is not None
        return replace(
            self._certain,
            records=records,
            digests=digests,
            output=self._output.writer.size,
            errors=self._errors.writer.size if self._errors else self._certain.errors,
            failed=self.failed,
        )

    def _save(self, state: State) -> None:
        """Save the state, after the lines that it is about."""
        for file in self._files:
            file.sync()
        state.save(self._state_path)
        self._saved, self._saved_at = state, time.monotonic()

    def _finish(self) -> None:
        with explained(self.path):
            for file in self._files:
                file.writer.end_file()
            # Two files cannot take their places at once. Should only the first one have done so when the
            # run is killed, this tells the next one.
            self._save(replace(self._state(), finished=True))
            for file in reversed(self._files):
                file.put_in_place()
            if not self._resume:
                self._state_path.unlink(missing_ok=True)

    def _keep(self, error: BaseException) -> None:
        for file in self._files:
            file.keep()
        if not self.partial.exists():
            with suppress(OSError):
                self._state_path.unlink(missing_ok=True)
            return
        if self._certain is not None and self._certain.records > (self._saved.records if self._saved else 0):
            with suppress(OSError):
                self._save(self._certain)
        error.add_note(f"The lines finished so far are in {self.partial}.")
        if self._saved is not None:
            error.add_note(f"The same command with --resume goes on after line {self._saved.records:,}.")


class _PartialFile:
    """`NAME.partial`, which one run at a time may write to; `length` is its size when it was opened.

    Nothing in it changes before `begin`.
    """

    def __init__(self, final: Path) -> None:
        self.final, self.partial = final, partial_name(final)
        with explained(final):
            self._is_new = not self.partial.exists()
            # Without a buffer: after a failure nothing is left that could still be written.
            self._stream: BinaryIO = self.partial.open("ab", buffering=0)
        _lock(self._stream, self.partial)
        self.length = os.fstat(self._stream.fileno()).st_size
        self.writer = FrameWriter(self._stream, compression_of(final))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def begin(self, size: int) -> None:
        """Cut the file behind the first `size` bytes, and write from there on."""
        with explained(self.final):
            os.truncate(self._stream.fileno(), size)
        self.writer = FrameWriter(self._stream, compression_of(self.final), size)

    def sync(self) -> None:
        os.fsync(self._stream.fileno())

    def put_in_place(self) -> None:
        self._stream.close()
        put_in_place(self.partial, self.final)

    def keep(self) -> None:
        with suppress(OSError):
            keep_finished_lines(self.partial, self.writer)

    def forget(self) -> None:
        if self._is_new:
            self.partial.unlink(missing_ok=True)


def _lock(stream: BinaryIO, path: Path) -> None:
    """Refuse a file that another run writes to, where the system has locks."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        stream.close()
        raise OutputError(f"Another run is writing {path}: wait for it, or stop it first.") from error
    except OSError:
        pass  # some network file systems have no locks


@dataclass(frozen=True, slots=True)
class State:
    """How far a run has come: what was written for the first `records` records, and from which input.

    It is a small JSON file that holds the settings, which decide about the bytes of the output, and digests
    of the input read so far. A run may be resumed from it only if both are still the same. `output` and
    `errors` are sizes in bytes; `failed` records had an error.
    """

    settings: Mapping[str, Any]
    records: int
    digests: Sequence[str]
    output: int
    errors: int = 0
    failed: int = 0
    finished: bool = False

    def save(self, path: Path) -> None:
        write_whole(path, json.dumps({"kind": _KIND, **asdict(self)}, indent=2).encode())

    @classmethod
    def load(cls, path: Path) -> State:
        try:
            fields = json.loads(path.read_text("utf-8"))
            if fields.pop("kind") != _KIND:
                raise ValueError
            return cls(**fields)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise OutputError(
                f"{path} does not say how far a run has come: remove it, and the run starts anew."
            ) from error

    def difference(self, settings: Mapping[str, Any]) -> str:
        """Which settings differ from those of the state, in words; an empty string if none does."""
        names = dict.fromkeys([*self.settings, *settings])
        changed = [name for name in names if self.settings.get(name) != settings.get(name)]
        return "; ".join(
            f"{name} was {_told(self.settings.get(name))} and is now {_told(settings.get(name))}"
            for name in changed
        )


class Digests:
    """Digests of the lines of each input file so far. Line ends and compression make no difference."""

    def __init__(self, files: int) -> None:
        self._hashes = [hashlib.blake2b(digest_size=16) for _ in range(files)]

    def add(self, records: Sequence[Record]) -> None:
        if not records:
            return
        for digest, lines in zip(self._hashes, RecordBlock.of(records).sides, strict=True):
            digest.update(b"\n".join(lines) + b"\n")

    def __call__(self) -> list[str]:
        return [digest.hexdigest() for digest in self._hashes]


def _told(value: Any) -> str:
    if isinstance(value, Mapping):  # signatures, by method
        return " and ".join(map(_told, value.values()))
    return "not set" if value is None else json.dumps(value, ensure_ascii=False)
