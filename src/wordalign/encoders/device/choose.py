"""Where a model runs: choosing the device, feeding it, and knowing when its memory is full."""

from __future__ import annotations

from collections.abc import Callable

import torch

from wordalign.encoders.windows import Forward
from wordalign.errors import UnknownNameError, UsageError
from wordalign.types import Floats, Ints

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def pick_device(device: str | None) -> torch.device:
    """Return the named device, or the best that this machine has."""
    if device in (None, "auto"):
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        where = torch.device(device)
        torch.empty(0, device=where)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise UsageError(f"The device {device!r} cannot be used here: {reason}") from error
    return where


def dtype_of(name: str) -> torch.dtype:
    """The kind of numbers of this name."""
    if name not in _DTYPES:
        raise UnknownNameError("dtype", name, _DTYPES)
    return _DTYPES[name]


def forward_on(device: torch.device, model: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Forward:
    """Make a function of numpy arrays that runs the model on the device and returns float32 arrays."""

    def forward(ids: Ints, mask: Ints) -> Floats:
        with torch.inference_mode():
            hidden = model(torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device))
            vectors: Floats = hidden.float().cpu().numpy()
        return vectors

    return forward


# Only CUDA has an error class of its own; the CPU and Apple's GPUs say it in words. The last two are what
# oneDNN, the CPU's matrix library, and the C++ one say of a process at its limit (ulimit -v).
_FULL = (
    "out of memory",
    "can't allocate memory",
    "not enough memory",
    "could not create a primitive",
    "bad_alloc",
)


def memory_is_full(error: Exception) -> bool:
    said = str(error).lower()
    full = isinstance(error, (torch.OutOfMemoryError, MemoryError)) or (
        isinstance(error, RuntimeError) and any(words in said for words in _FULL)
    )
    if full and torch.cuda.is_available():
        torch.cuda.empty_cache()
    return full
