"""The bundled models' encoder on a device: the same vectors as the module that defines it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from wordalign.encoders import resolve
from wordalign.encoders.dequantise import load_module
from wordalign.encoders.device.bundled import DeviceEncoder
from wordalign.encoders.device.module import FlatModule, _agree, pick_attend

LENGTHS = (5, 1, 33, 12)


@pytest.fixture(scope="module")
def folder():
    return resolve("tiny").folder


def test_sentences_end_to_end_have_the_vectors_of_padded_ones(folder):
    module = load_module(folder)
    flat = FlatModule(module)
    ids = torch.randint(300, 5000, (sum(LENGTHS),), generator=torch.Generator().manual_seed(0))
    windows = torch.tensor([0, *LENGTHS]).cumsum(0).int()
    positions = torch.cat([torch.arange(length) for length in LENGTHS]).int()
    with torch.inference_mode():
        found = flat(ids, positions, windows, max(LENGTHS))
        for first, last in zip(windows[:-1].tolist(), windows[1:].tolist(), strict=True):
            alone = module(ids[None, first:last], torch.ones(1, last - first))[0]
            torch.testing.assert_close(found[first:last], alone, rtol=0, atol=1e-4)


def test_vectors_on_the_host_are_those_on_the_device(folder):
    encoder = DeviceEncoder(folder, device="cpu", dtype="float32")
    words = ["Das", "Museum", "ist", "geschlossen", "."]
    (found,) = encoder.encode([words])
    assert encoder.device == "cpu"
    assert found.group_of_row is not None
    assert found.group_of_row.tolist()[-1] == 1
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-4)


def test_attention_that_gives_something_else_is_not_taken(folder):
    module = load_module(folder)
    heads, size = module.shape.heads, module.shape.width // module.shape.heads
    plain = pick_attend(module)
    weight = module.project.weight
    assert _agree(plain, plain, heads, size, weight)
    assert not _agree(lambda *given: 1.1 * plain(*given), plain, heads, size, weight)

    def broken(*given):
        raise RuntimeError("no compiler")

    assert not _agree(broken, plain, heads, size, weight)


KERNEL = """
import torch
from wordalign.encoders.device.attention import padded_attention
from wordalign.encoders.device.fused import rotary_attention
from wordalign.encoders.torch_module import rotary_table, rotate

torch.manual_seed(0)
cosine, sine = rotary_table(512, 64)
for lengths in ([5, 7, 32], [40, 1, 0, 150, 64], [1], [31, 2, 2]):
    windows = torch.tensor([0, *lengths]).cumsum(0).int()
    positions = torch.cat([torch.arange(length) for length in lengths])
    mixed = torch.randn(sum(lengths), 3, 3, 64)
    angles = cosine[positions][:, None], sine[positions][:, None]
    query, key, value = mixed.unbind(1)
    wanted = padded_attention(rotate(query, *angles), rotate(key, *angles), value, windows, max(lengths))
    found = rotary_attention(mixed, cosine.contiguous(), sine.contiguous(), windows, max(lengths))
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-4)
"""


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs Triton")
def test_the_fused_kernel_is_attention_with_rotary_positions():
    """In a process of its own, where Triton interprets kernels instead of compiling them."""
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", KERNEL], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
