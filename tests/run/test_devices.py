"""The model in a process of its own, workers around it; here the device is the CPU."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from device_models import load, load_failing
from wordalign import AlignConfig, Aligner, align_files
from wordalign.errors import DeviceMemoryError, UsageError, WordalignError
from wordalign.run import devices
from wordalign.run.devices import DeviceProcesses, devices_of
from wordalign.text.pairs import as_pair

CONFIG = AlignConfig("tiny", device="cuda")  # which `load` replaces by the CPU


@pytest.fixture
def pairs(tmp_path: Path, sentence_pairs: list[tuple[list[str], list[str]]]) -> Path:
    lines = [" ".join(source) + " ||| " + " ".join(target) for source, target in sentence_pairs[:30]]
    path = tmp_path / "pairs.txt"
    path.write_text("\n".join([*lines, "", "a ||| "]) + "\n", "utf-8")
    return path


@pytest.fixture
def on_devices(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files are aligned on these devices, each with a process of its own."""
    names = ["cpu"]
    monkeypatch.setattr(devices, "devices_of", lambda config: tuple(names))
    monkeypatch.setattr(DeviceProcesses.__init__, "__defaults__", (load,))
    return names


def test_lines_do_not_depend_on_workers_or_devices(
    tmp_path: Path, pairs: Path, on_devices: list[str]
) -> None:
    found = []
    for names, workers in ((["cpu"], 2), (["cpu", "cpu"], 3)):
        on_devices[:] = names
        output = tmp_path / f"links-{workers}.jsonl"
        summary = align_files(pairs, output, CONFIG, output_format="jsonl", scores=True, workers=workers)
        assert summary.lines == 32
        found.append(output.read_text("utf-8"))
    assert found[0] == found[1]
    assert "float32" in found[0]
    one_process = Aligner(load(CONFIG))
    lines = pairs.read_text("utf-8").splitlines()[:30]
    wanted = one_process.align_batch([[side.split() for side in line.split(" ||| ")] for line in lines])
    align_files(pairs, tmp_path / "links.txt", CONFIG, workers=2)
    assert (tmp_path / "links.txt").read_text().splitlines()[:30] == [one.pharaoh() for one in wanted]


def test_the_encoder_in_this_process_does_all_that_the_other_one_does() -> None:
    with DeviceProcesses(CONFIG, ["cpu"], 1, load) as processes:
        there, here = Aligner.from_config(CONFIG, encoder=processes.encoder), Aligner(load(CONFIG))
        assert (there.signature(), there.level, there.methods) == (here.signature(), here.level, here.methods)
        pair = "The museum is closed.", "Das Museum ist geschlossen."
        assert there.align(*pair) == here.align(*pair)
        assert there.matrices([pair])[0].similarity.shape == (5, 5)
        words = "museum", "geschlossen"
        assert list(there.encoder.subwords(words)) == here.encoder.subwords(words)
        first, second = (there._begin([here.align(*pair) and _pair(pair)]) for _ in range(2))
        assert second()[0] == first()[0]


def _pair(pair: tuple[str, str]):

    return as_pair(pair)


def test_an_error_of_the_device_is_told_as_it_is(
    tmp_path: Path, pairs: Path, on_devices: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DeviceProcesses.__init__, "__defaults__", (load_failing,))
    with pytest.raises(DeviceMemoryError, match="too small"):
        align_files(pairs, tmp_path / "links.txt", CONFIG, workers=2)


def test_a_device_process_that_is_killed_ends_the_run_with_a_sentence() -> None:
    with DeviceProcesses(CONFIG, ["cpu"], 0, load) as processes:
        aligner = Aligner.from_config(CONFIG, encoder=processes.encoder)
        process = processes._processes[0]._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with pytest.raises(WordalignError, match="on its device ended"):
            aligner.align("A house.", "Ein Haus.")


def test_processes_and_descriptors_are_gone_afterwards() -> None:
    before = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    with DeviceProcesses(CONFIG, ["cpu"], 3, load) as processes:
        process = processes._processes[0]._process
        assert process is not None
        assert processes.free_workers == 3
        assert len(processes.take_workers(1)) == 1
        assert processes.free_workers == 2
        taken = processes
    assert process.poll() is not None
    del taken, processes
    if before:
        # The connection of this process is closed with its encoder, the one that was taken by its worker.
        assert len(list(Path("/proc/self/fd").iterdir())) <= before + 2


@pytest.mark.parametrize(
    ("model", "device", "wanted"),
    [
        (None, None, ()),
        ("tiny", "cpu", ()),
        ("tiny", "auto", ("cuda",)),
        ("tiny", "cuda", ("cuda",)),
        ("tiny", "cuda:0,cuda:1", ("cuda:0", "cuda:1")),
        ("tiny", "all", ("cuda:0", "cuda:1")),
        ("tiny", "mps", ()),
        ("mbert", None, ("cuda",)),
        ("mbert", "cpu", ()),
    ],
)
def test_which_devices_a_run_uses(
    monkeypatch: pytest.MonkeyPatch, model: str | None, device: str | None, wanted: tuple[str, ...]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert devices_of(AlignConfig(model, device=device)) == wanted


def test_devices_that_are_not_there_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert devices_of(AlignConfig("tiny", device="auto")) == ()
    with pytest.raises(UsageError, match="no GPU here"):
        devices_of(AlignConfig("tiny", device="all"))
    with pytest.raises(UsageError, match="twice"):
        devices_of(AlignConfig("tiny", device="cuda:0,cuda:0"))
    with pytest.raises(UsageError, match="one device"):
        Aligner("tiny", device="cuda:0,cuda:1")


def test_auto_without_a_gpu_is_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    aligner = Aligner("tiny", device="auto")
    assert aligner.encoder.device == "cpu"
    assert replace(aligner.config, device=None) == Aligner("tiny").config
