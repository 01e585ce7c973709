"""How fast this processor multiplies matrices of short integers: the limit for the bundled models.

Nothing that runs them can be faster than their matrix products alone, at the rate of one large product on
the same core. The product is an ONNX graph of one node, so that the library that runs the models is also the
one that is measured:

    MatMulInteger: a (SIZE, SIZE) uint8, b (SIZE, SIZE) int8, constant -> (SIZE, SIZE) int32
"""

from __future__ import annotations

import time

import numpy as np

from wordalign.encoders.onnx_file import INT32, Node, Value, onnx_bytes
from wordalign.encoders.runtime import onnxruntime

SIZE = 1024
_UINT8 = 2  # as ONNX numbers the kinds of numbers


def int8_operations_per_second(threads: int = 1, seconds: float = 0.5) -> float:
    """Multiplications and additions a second of the best of the products that fit into this time."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(_graph(), options, providers=["CPUExecutionProvider"])
    left = np.random.default_rng(0).integers(0, 255, (SIZE, SIZE), dtype=np.uint8)
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end or best == float("inf"):
        start = time.perf_counter()
        session.run(None, {"a": left})
        best = min(best, time.perf_counter() - start)
    return 2 * SIZE**3 / best


def _graph() -> bytes:
    weights = np.random.default_rng(1).integers(-63, 63, (SIZE, SIZE), dtype=np.int8)
    return onnx_bytes(
        [Node("MatMulInteger", ["a", "b"], ["y"], "product")],
        {"b": weights},
        [Value("a", _UINT8, (SIZE, SIZE))],
        [Value("y", INT32, (SIZE, SIZE))],
        {"": 17},
    )
