"""What this machine offers: cores, threads, free memory, and the instructions that matter to an encoder.

Limits of a container count everywhere: a process that may use two cores of a large machine sees two, and
a container with a memory limit has the memory that its limit leaves. Both kinds of Linux control groups are
read (version 1 and version 2), from the group of this process up to the outermost one that it can see.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")
_MEMINFO = Path("/proc/meminfo")
_CPUINFO = Path("/proc/cpuinfo")

# The kernel's names (x86: "flags", ARM: "Features") of instructions that multiply short numbers.
INT8 = {
    "amx_int8": "AMX",
    "avx512_vnni": "AVX-512 VNNI",
    "avx_vnni": "AVX VNNI",
    "i8mm": "I8MM",
    "asimddp": "dot product",
}
BFLOAT16 = {"amx_bf16": "AMX", "avx512_bf16": "AVX-512 BF16", "bf16": "BF16"}


@dataclass(frozen=True, slots=True)
class Machine:
    """`int8` and `bfloat16` name the processor's instructions for them; `gpus` are those PyTorch sees."""

    processor: str
    cores: int
    free_memory: int | None
    int8: tuple[str, ...]
    bfloat16: tuple[str, ...]
    gpus: tuple[str, ...]


def describe_machine() -> Machine:
    """Describe the machine as far as the system tells."""
    name, flags = _processor()
    return Machine(
        name,
        available_cores(),
        free_memory(),
        tuple(shown for flag, shown in INT8.items() if flag in flags),
        tuple(shown for flag, shown in BFLOAT16.items() if flag in flags),
        _gpus(),
    )


def available_cores() -> int:
    """Count the cores that this process may use, by its affinity and by the CPU quota of its container."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quotas = []
    for group in _groups("cpu"):
        text = _read(group / "cpu.max")  # version 2: "QUOTA PERIOD", or "max PERIOD" where there is no limit
        if text is None:
            text = f"{_read(group / 'cpu.cfs_quota_us')} {_read(group / 'cpu.cfs_period_us')}"
        quota, _, period = text.partition(" ")
        if quota.isdecimal() and period.isdecimal() and int(period):  # no limit is "max", or -1
            quotas.append(int(quota) // int(period))
    return max(1, min([cores, *quotas]))


def default_threads() -> int:
    """All available cores, or fewer where OMP_NUM_THREADS says so, as for every numerical library."""
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(int(asked), available_cores()) if asked.isdecimal() and int(asked) else available_cores()


def free_memory() -> int | None:
    """The bytes that can still be used on the machine and within the limit of the container; None if unknown.

    The kernel counts cached files as used memory of a container. Those that were not read lately
    are given back before anybody is refused memory: they count as free here, as in `MemAvailable`.
    """
    known = [left for group in _groups("memory") if (left := _left_in(group)) is not None]
    available = _fields(_MEMINFO).get("MemAvailable")
    if available is not None:
        known.append(available * 1024)
    return min(known, default=None)


def give_back_memory() -> None:
    """Give what was freed back to the system, where the C library keeps it otherwise."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)


def _left_in(group: Path) -> int | None:
    version_2 = ("memory.max", "memory.current", "inactive_file")
    version_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    for limit_name, used_name, cached_name in (version_2, version_1):
        limit, used = _read(group / limit_name), _read(group / used_name)
        if limit and used and limit.isdecimal() and used.isdecimal():  # no limit is "max"
            cached = min(_fields(group / "memory.stat").get(cached_name, 0), int(used))
            return max(0, int(limit) - int(used) + cached)
    return None


def _groups(controller: str) -> Iterator[Path]:
    """The folders of this process's control groups, innermost first; the limits of all of them count."""
    for line in (_read(_OWN_GROUPS) or "0::/").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        root = _CONTROL_GROUPS / controller if controllers else _CONTROL_GROUPS
        own = root / path.lstrip("/")
        # In a container the path may be that of the host, which cannot be seen; the root is its own group.
        yield from (folder for folder in (own, *own.parents) if folder.is_relative_to(root))


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None


def _fields(path: Path) -> dict[str, int]:
    """The numbers of a file of `name value` or `name: value kB` lines."""
    lines = [line.replace(":", " ").split() for line in (_read(path) or "").splitlines()]
    return {line[0]: int(line[1]) for line in lines if len(line) > 1 and line[1].isdecimal()}


def _processor() -> tuple[str, set[str]]:
    fields: dict[str, str] = {}
    for line in (_read(_CPUINFO) or "").splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip().lower(), value.strip())
    name = fields.get("model name") or platform.processor() or platform.machine()
    return name, set(fields.get("flags", fields.get("features", "")).split())


def _gpus() -> tuple[str, ...]:
    if importlib.util.find_spec("torch") is None:
        return ()
    import torch

    return tuple(torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count()))
