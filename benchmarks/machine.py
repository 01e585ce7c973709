"""What a benchmark ran on, to be kept beside its numbers."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

from wordalign.machine import available_cores


def describe() -> dict[str, object]:
    packages = (
        "wordalign",
        "numpy",
        "scipy",
        "torch",
        "transformers",
        "tokenizers",
        "onnxruntime",
        "simalign",
    )
    return {
        "processor": _processor(),
        "cores": available_cores(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "load_before": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in packages},
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
