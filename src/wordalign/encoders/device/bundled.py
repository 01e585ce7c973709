"""A model folder in the format of the bundled ones, on a GPU: the int8 file as a torch module."""

from __future__ import annotations

from pathlib import Path

from wordalign.encoders.dequantise import load_module
from wordalign.encoders.device.choose import dtype_of, forward_on, memory_is_full, pick_device
from wordalign.encoders.device.module import FlatModule
from wordalign.encoders.device.rows import RowEncoder
from wordalign.encoders.onnx import OnnxEncoder
from wordalign.encoders.windows import WindowRunner

# The kinds of numbers by device. Half precision has ten binary digits, which is as many as the weights and
# what enters the products have in int8; bfloat16 has seven, and links differ more often.
DEFAULT_DTYPE = {"cuda": "float16", "mps": "float16"}
# Few large batches: with small ones the host spends more time on calling than the GPU on computing.
BATCH_TOKENS = 131072


class DeviceEncoder(OnnxEncoder):
    """The same folder, words and calibration as an `OnnxEncoder`; only the arithmetic is in floats.

    Vectors stay on the device when only links are wanted (`on_device`). The signature says the kind of
    numbers, because scores differ a little from those in int8.
    """

    one_process_per_core = False
    int8_operations = None  # type: ignore[assignment]
    chunk_pairs = 256

    def __init__(
        self,
        folder: str | Path,
        *,
        device: str | None = None,
        dtype: str | None = None,
        batch_tokens: int = BATCH_TOKENS,
        fused: bool = True,
    ) -> None:
        where = pick_device(device)
        dtype = dtype or DEFAULT_DTYPE.get(where.type, "float32")
        self._module = load_module(folder).requires_grad_(False).to(where, dtype_of(dtype))
        super().__init__(folder)
        self.device = str(where)
        self.signature += f" | {dtype}"
        self.on_device = RowEncoder(
            self._subwords,
            self._frame,
            where,
            flat=FlatModule(self._module, fused),
            batch_tokens=batch_tokens,
        )

    def _open(self, folder: Path) -> WindowRunner:
        where = self._module.project.weight.device
        tokens = BATCH_TOKENS if where.type != "cpu" else 1024
        return WindowRunner(forward_on(where, self._module), 0, tokens, memory_is_full, str(where))
