"""How much memory is left, as far as the system tells."""

from __future__ import annotations

from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def free_memory() -> int | None:
    """Bytes that can still be used, by the machine and by the limit of its container; None if not known."""
    known = [bytes_left for bytes_left in (_of_machine(), _of_container()) if bytes_left is not None]
    return min(known, default=None)


def _of_machine() -> int | None:
    try:
        lines = _MEMINFO.read_text().splitlines()
        fields = next(line.split() for line in lines if line.startswith("MemAvailable:"))
        return int(fields[1]) * 1024
    except (OSError, StopIteration, ValueError, IndexError):
        return None


def _of_container() -> int | None:
    try:
        limit, used = (int((_GROUP / f"memory.{name}").read_text()) for name in ("max", "current"))
    except (OSError, ValueError):  # no such files, or "max": no limit
        return None
    return max(0, limit - used)
