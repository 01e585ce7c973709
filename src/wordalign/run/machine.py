"""What a machine has that matters to an encoder, as far as the system tells."""

from __future__ import annotations

import importlib.util
import platform
from dataclasses import dataclass
from pathlib import Path

from wordalign.encoders.threads import available_cores
from wordalign.run.memory import free_memory

_CPUINFO = Path("/proc/cpuinfo")

# Names of the kernel (x86: "flags", ARM: "Features") for instructions that multiply short numbers.
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
    """`int8` and `bfloat16` name the processor's instructions for them; `gpus` needs PyTorch."""

    processor: str
    cores: int
    free_memory: int | None
    int8: tuple[str, ...]
    bfloat16: tuple[str, ...]
    gpus: tuple[str, ...]


def describe_machine() -> Machine:
    name, flags = _processor()
    return Machine(
        name,
        available_cores(),
        free_memory(),
        tuple(shown for flag, shown in INT8.items() if flag in flags),
        tuple(shown for flag, shown in BFLOAT16.items() if flag in flags),
        _gpus(),
    )


def _processor() -> tuple[str, set[str]]:
    fields: dict[str, str] = {}
    try:
        for line in _CPUINFO.read_text().splitlines():
            key, _, value = line.partition(":")
            fields.setdefault(key.strip().lower(), value.strip())
    except OSError:
        pass
    name = fields.get("model name") or platform.processor() or platform.machine()
    return name, set(fields.get("flags", fields.get("features", "")).split())


def _gpus() -> tuple[str, ...]:
    if importlib.util.find_spec("torch") is None:
        return ()
    import torch

    return tuple(torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count()))
