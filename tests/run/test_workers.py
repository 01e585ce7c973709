"""Whole runs: equal bytes with any number of workers, and nothing left behind however they end."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import numpy as np
import pytest

from wordalign import Aligner
from wordalign.aligners.neural import WORKER_BYTES
from wordalign.encoders import Encoder, load_encoder
from wordalign.errors import InputError, UnknownNameError, UsageError, WordalignError
from wordalign.io.records import Record
from wordalign.machine import available_cores, free_memory
from wordalign.parallel import WorkerProcess, cut, portable
from wordalign.run import ChunkAligner, align_chunks
from wordalign.run.chunks import default_workers

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes through /proc")


TEMPLATE = 1 if sys.platform == "linux" else 0  # the process that loads the model, which workers are forks of


def children(parent: int) -> set[int]:
    """The processes that a process and its template have started and that are not dead yet."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                state, ppid = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state != "Z":
                parents[int(folder.name)] = int(ppid)
    found = {pid for pid, ppid in parents.items() if ppid == parent}
    return found | {pid for pid, ppid in parents.items() if ppid in found}


def wait_until(condition, seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(condition())


@pytest.fixture(autouse=True)
def _nothing_left():
    threads, processes = threading.active_count(), children(os.getpid())
    yield
    assert wait_until(lambda: threading.active_count() == threads, 10)
    assert children(os.getpid()) == processes


def test_the_bytes_do_not_depend_on_the_number_of_workers(make_config, with_bad_lines):
    aligner = make_config(on_error="skip", scores=True, method=("calibrated", "itermax")).open()
    found = [
        list(align_chunks(cut(with_bad_lines([1, 70, 150]), 16), aligner, workers)) for workers in range(4)
    ]
    assert [len(done.lines) for done in found[0]] == [16] * 9 + [6]
    assert [error.number for done in found[0] for error in done.errors] == [1, 70, 150]
    for other in found[1:]:
        assert [(done.lines, done.errors) for done in other] == [
            (done.lines, done.errors) for done in found[0]
        ]


class Elsewhere(Encoder):
    """The small model, as if a GPU ran it: one that only this process may use."""

    device = "cuda:0"

    def __init__(self) -> None:
        self._model = load_encoder("tiny")
        self.signature, self.default_level = self._model.signature, "word"
        self.threads: set[str] = set()

    def encode(self, sentences):
        self.threads.add(threading.current_thread().name)
        if any("break" in words for words in sentences):
            raise RuntimeError("lost the device")
        return self._model.encode(sentences)


def test_the_encoder_of_a_gpu_stays_in_this_process_and_others_prepare_the_text(make_config, with_bad_lines):
    encoder = Elsewhere()
    config = make_config(on_error="skip", format="jsonl", method=("argmax",))
    aligner = ChunkAligner(config, Aligner(encoder, method="argmax"))
    found = []
    for workers in (1, 2):
        results = align_chunks(cut(with_bad_lines([1, 70, 150]), 16), aligner, workers)
        found.append([next(results)])
        assert len(children(os.getpid())) == (2 if workers == 2 else 0)
        found[-1].extend(results)
    assert found[0] == found[1]
    assert sum(len(done.lines) for done in found[0]) == 150
    assert [error.number for done in found[0] for error in done.errors] == [1, 70, 150]
    assert encoder.threads == {threading.current_thread().name}  # where Ctrl-C reaches it


def test_an_error_on_the_gpu_comes_after_the_chunks_before_it(make_config, pair_records):
    config = make_config(method=("argmax",))
    aligner = ChunkAligner(config, Aligner(Elsewhere(), method="argmax"))
    records = [*pair_records[:40], Record(41, (b"break ||| it",)), *pair_records[41:]]
    found = []
    with pytest.raises(RuntimeError, match="lost the device"):
        found.extend(align_chunks(cut(records, 16), aligner, 1))
    assert sum(len(done.lines) for done in found) == 32


def test_by_default_small_models_get_a_process_a_core_and_others_one(make_config):
    free = free_memory()
    most = available_cores() if free is None else max(1, min(available_cores(), free // WORKER_BYTES))
    assert default_workers(make_config().open()) == most
    assert default_workers(ChunkAligner(make_config(), Aligner(Elsewhere(), method="argmax"))) == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bad_line_stops_the_run_after_the_lines_before_it(make_config, with_bad_lines, workers):
    found = []
    with pytest.raises(InputError, match=r"pairs\.txt, line 70"):
        found.extend(align_chunks(cut(with_bad_lines([70, 80, 90]), 16), make_config().open(), workers))
    assert sum(len(done.lines) for done in found) == 69


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("readable", [5, 40])
def test_input_that_breaks_off_gives_what_was_read(make_config, pair_records, workers, readable):
    def broken():
        yield from pair_records[:readable]
        raise InputError("The file ends in the middle.")

    found = []
    with pytest.raises(InputError, match="ends in the middle"):
        found.extend(align_chunks(cut(broken(), 16), make_config().open(), workers))
    assert sum(len(done.lines) for done in found) == readable


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_no_records_give_nothing(make_config, workers):
    assert list(align_chunks([], make_config().open(), workers)) == []


def test_a_single_chunk_starts_no_process(make_config, pair_records):
    aligner = make_config().open()
    results = align_chunks(aligner.cut(pair_records), aligner, 4)
    assert len(next(results).lines) == len(pair_records)
    assert not children(os.getpid())
    results.close()


def test_input_without_end_is_read_as_it_is_used(make_config, pair_records):
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield pair_records[:4]

    results = align_chunks(endless(), make_config().open(), 2)
    for handed_on in range(1, 9):
        next(results)
        assert taken <= handed_on + 4
    assert len(children(os.getpid())) == TEMPLATE + 2
    results.close()  # and the fixture sees that nothing is left


@pytest.mark.parametrize("which", [min, max])
def test_a_killed_worker_or_template_is_an_error_in_words(make_config, pair_records, which):
    """The template is older than its workers, so the number of its process is lower."""
    results = align_chunks((pair_records[:8] for _ in range(10_000)), make_config().open(), 2)
    next(results)
    os.kill(which(children(os.getpid())), signal.SIGKILL)
    with pytest.raises(WordalignError, match=r"worker process was killed \(SIGKILL\).*fewer workers"):
        list(results)


def test_a_worker_that_cannot_start_its_work_says_why(make_config, pair_records):
    process = WorkerProcess(make_config(layer=3).open)
    with pytest.raises(UsageError, match="has one layer to read"):
        process(pair_records[:2])
    process.stop()


def test_a_process_that_cannot_be_started_is_an_error_in_words(make_config, pair_records, monkeypatch):
    aligner = make_config().open()
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(WordalignError, match="Cannot start a worker process: No such file"):
        list(align_chunks(cut(pair_records, 4), aligner, 2))


def test_a_function_that_the_process_cannot_find_is_an_error_and_no_endless_wait(monkeypatch):
    module = types.ModuleType("only_here")
    exec("def make():\n    return len", vars(module))
    vars(module)["make"].__module__ = "only_here"
    monkeypatch.setitem(sys.modules, "only_here", module)
    process = WorkerProcess(vars(module)["make"])
    try:
        with pytest.raises(RuntimeError, match="only_here"):
            process([1, 2])
    finally:
        process.stop()


def test_errors_keep_their_class_sentence_and_notes():
    error = UnknownNameError("model", "tny", ["tiny"])
    error.add_note("A note.")
    back = pickle.loads(pickle.dumps(portable(error)))
    assert type(back) is UnknownNameError
    assert str(back) == str(error)
    assert back.__notes__ == ["A note."]
    full = pickle.loads(
        pickle.dumps(portable(np._core._exceptions._ArrayMemoryError((10**9, 10**9), np.dtype("f4"))))
    )
    assert type(full) is MemoryError
    assert "Unable to allocate" in str(full)
    unexpected = pickle.loads(pickle.dumps(portable(KeyError("x"))))
    assert str(unexpected) == "A worker process failed: KeyError: 'x'"
    assert "KeyError" in unexpected.__notes__[0]


def test_a_negative_number_of_workers_is_refused(make_config):
    with pytest.raises(UsageError, match="not -1"):
        align_chunks([], make_config().open(), -1)


ENDLESS = """
import sys
from wordalign.config import AlignConfig
from wordalign.io.records import Parser, Record
from wordalign.run import RunConfig, align_chunks
chunk = [Record(number, (b"the old museum ||| das alte Museum",)) for number in range(1, 9)]
try:
    config = RunConfig(Parser(("x",), "bars"), AlignConfig("tiny"))
    for done in align_chunks((chunk for _ in iter(int, 1)), config.open(), 2):
        print(len(done.lines), flush=True)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_a_run_that_is_ended_by_a_signal(how):
    command = subprocess.Popen(
        [sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout.readline() == b"8\n"
    workers = children(command.pid)
    assert len(workers) == TEMPLATE + 2
    command.send_signal(how)
    _, said = command.communicate(timeout=60)
    # After SIGTERM nobody is left to keep a worker from telling that its pipe broke.
    assert how == signal.SIGTERM or said == b""
    assert command.returncode == (130 if how == signal.SIGINT else -how)
    assert wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


@pytest.mark.skipif(sys.platform != "linux", reason="there is no template")
def test_a_worker_that_cannot_be_started_is_an_error_in_words():
    """The others work on: only whoever waits for that worker is told."""
    code = (
        "import os, sys\n"
        "from wordalign.template import alike\n"
        "from wordalign.parallel import stop_all\n"
        "from fork_fails import make\n"
        "workers = alike(make, 2)\n"
        "print(workers[0](1))\n"
        "try: workers[1](1)\n"
        "except Exception as error: print(error)\n"
        "print(workers[0](2)); stop_all(workers)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)]),
        },
    )
    assert done.stdout.splitlines() == ["1", done.stdout.splitlines()[1], "2"], done.stderr
    assert "ended unexpectedly, with status 1; its last output may tell why" in done.stdout
    assert "Cannot start a worker process: Resource temporarily unavailable" in done.stderr


def _mib(process: int) -> float:
    """The memory of a process, with its part of what it shares."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="the system does not count memory")
def test_workers_share_the_memory_of_the_model(make_config, pair_records):
    """A worker that loaded the model itself would have 150 MiB more than nothing."""
    used = []
    for workers in (2, 4):
        results = align_chunks((pair_records[:8] for _ in iter(int, 1)), make_config().open(), workers)
        for _ in range(4 * workers):
            next(results)
        processes = children(os.getpid())
        assert len(processes) == TEMPLATE + workers
        used.append(sum(map(_mib, processes)))
        results.close()
    assert used[1] - used[0] < 2 * 60


def test_a_model_that_was_unloaded_is_loaded_again(make_config, pair_records):
    aligner = make_config().open()
    before = aligner(pair_records[:8])
    aligner.aligner.encoder.unload()
    assert aligner(pair_records[:8]) == before
