"""What a process may use in a container: cores by its quota, memory by its limit, without cached files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wordalign import machine
from wordalign.machine import available_cores, default_threads, describe_machine, free_memory

MiB = 1 << 20


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A made-up /sys/fs/cgroup, /proc/self/cgroup and /proc/meminfo, with eight cores and 64 GiB."""

    def write(own_groups: str, files: dict[str, object]) -> None:
        (tmp_path / "own").write_text(own_groups)
        for name, content in files.items():
            (tmp_path / "cgroup" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "cgroup" / name).write_text(f"{content}\n")

    (tmp_path / "meminfo").write_text("MemTotal: 99999999 kB\nMemAvailable:   67108864 kB\n")
    monkeypatch.setattr(machine, "_CONTROL_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(machine, "_OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(machine, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)))
    return write


VERSION_1 = "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/\n"


@pytest.mark.parametrize(
    ("own_groups", "files", "cores"),
    [
        ("0::/\n", {}, 8),
        ("0::/\n", {"cpu.max": "max 100000"}, 8),
        ("0::/\n", {"cpu.max": "300000 100000"}, 3),
        ("0::/\n", {"cpu.max": "250000 100000"}, 2),
        ("0::/\n", {"cpu.max": "50000 100000"}, 1),
        ("0::/\n", {"cpu.max": "9900000 100000"}, 8),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "a/cpu.max": "400000 100000"}, 4),
        (VERSION_1, {"cpu/cpu.cfs_quota_us": 200000, "cpu/cpu.cfs_period_us": 100000}, 2),
        (VERSION_1, {"cpu/docker/abc/cpu.cfs_quota_us": -1, "cpu/docker/abc/cpu.cfs_period_us": 100000}, 8),
    ],
)
def test_the_quota_of_the_container_bounds_the_cores(system, monkeypatch, own_groups, files, cores):
    system(own_groups, files)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert available_cores() == default_threads() == describe_machine().cores == cores


@pytest.mark.parametrize(
    ("own_groups", "files", "free"),
    [
        ("0::/\n", {}, 65536),
        ("0::/\n", {"memory.max": "max", "memory.current": 5 * MiB}, 65536),
        ("0::/\n", {"memory.max": 1000 * MiB, "memory.current": 300 * MiB}, 700),
        (
            "0::/\n",
            {
                "memory.max": 1000 * MiB,
                "memory.current": 990 * MiB,
                "memory.stat": f"anon {200 * MiB}\ninactive_file {750 * MiB}\nactive_file {40 * MiB}",
            },
            760,
        ),
        ("0::/\n", {"memory.max": 100 * MiB, "memory.current": 101 * MiB}, 0),
        (
            "0::/a/b\n",
            {
                "a/b/memory.max": 900 * MiB,
                "a/b/memory.current": 0,
                "a/memory.max": 600 * MiB,
                "a/memory.current": 500 * MiB,
            },
            100,
        ),
        (
            VERSION_1,
            {
                "memory/memory.limit_in_bytes": 1000 * MiB,
                "memory/memory.usage_in_bytes": 990 * MiB,
                "memory/memory.stat": f"inactive_file 0\ntotal_inactive_file {500 * MiB}",
            },
            510,
        ),
    ],
)
def test_the_memory_of_a_container_is_what_its_limit_leaves_and_cached_files_are_free(
    system, own_groups, files, free
):
    system(own_groups, files)
    assert free_memory() == free * MiB


def test_memory_is_unknown_where_the_system_tells_nothing(system, tmp_path):
    system("", {})
    (tmp_path / "meminfo").unlink()
    assert free_memory() is None


def test_threads_are_bounded_by_the_usual_variable(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert default_threads() == available_cores() >= 1
    for value, expected in {"1": 1, "1,4": 1, "999": available_cores(), "many": available_cores()}.items():
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        assert default_threads() == expected


def test_nothing_else_counts_cores():
    """Quotas count everywhere only if everybody asks here."""
    package = Path(machine.__file__).parent
    asking = [
        path.name
        for path in package.rglob("*.py")
        if any(name in path.read_text("utf-8") for name in ("cpu_count", "sched_getaffinity"))
    ]
    assert asking == ["machine.py"]
