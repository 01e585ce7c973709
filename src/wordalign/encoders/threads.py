"""How many threads an encoder should use here."""

from __future__ import annotations

import os
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def available_cores() -> int:
    """The cores that this process may use: by its affinity, and by the quota of its container."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = map(int, _QUOTA.read_text().split())
    except (OSError, ValueError):  # no such file, or "max"
        return cores
    return max(1, min(cores, quota // period))


def default_threads() -> int:
    """All available cores, or fewer where OMP_NUM_THREADS says so, as for every numerical library."""
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(int(asked), available_cores()) if asked.isdecimal() and int(asked) else available_cores()
