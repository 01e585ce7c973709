"""Models as the process of a device opens them, where the device is the CPU; other processes import this."""

from __future__ import annotations

from wordalign import AlignConfig
from wordalign.encoders import Encoder, resolve
from wordalign.encoders.device.bundled import DeviceEncoder
from wordalign.encoders.device.rows import RowEncoder
from wordalign.errors import DeviceMemoryError

CHUNK = 7


def load(config: AlignConfig) -> Encoder:
    """What the process of a device opens here instead of a model on a GPU."""
    folder = resolve(config.model).folder
    assert folder is not None
    encoder = DeviceEncoder(folder, device="cpu", dtype="float32")
    rows = encoder.on_device
    assert isinstance(rows, RowEncoder)
    rows.chunk_pairs = CHUNK
    return encoder


def load_failing(config: AlignConfig) -> Encoder:
    encoder = load(config)
    rows = encoder.on_device
    assert isinstance(rows, RowEncoder)

    def full(tokens: object) -> object:
        raise DeviceMemoryError("The memory of the device is too small.")

    rows.send = full  # type: ignore[method-assign,assignment]
    return encoder
