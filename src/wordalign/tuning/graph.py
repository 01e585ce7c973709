"""The encoder as an ONNX graph, written node by node: float32, or int8 with the same nodes.

    input_ids, attention_mask (batch, length) int64 -> vectors (batch, length, dimension) float32

The graph uses onnxruntime's own operators where they are faster on a CPU than the standard ones (rotary
positions, attention, matrix products with int8 weights). A sum and its layer norm stay two nodes: as one
(SkipLayerNormalization) they take six times as long, a third of all time. In the int8 graph each weight
matrix has one scale a column, the embedding one scale a row, and what enters a matrix product a fixed range,
measured beforehand (`ranges.py`): a range taken from the batch at hand would make a sentence's vectors depend
on its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from wordalign.encoders.onnx_file import FLOAT, INT32, INT64, Array, Node, Value, onnx_bytes

CONTRIB = "com.microsoft"

# The smallest and largest value that enters each matrix product, by the product's name.
Ranges: TypeAlias = Mapping[str, tuple[float, float]]


def quantise(matrix: Array, axis: int, levels: int) -> tuple[Array, Array]:
    """Symmetric int8 along `axis`: integers up to `levels`, and the scales with that axis removed."""
    scales = np.maximum(np.abs(matrix).max(axis, keepdims=True), 1e-8) / levels
    return np.clip(np.round(matrix / scales), -levels, levels).astype(np.int8), scales.squeeze(axis).astype(
        np.float32
    )


class Graph:
    """Collects nodes and initializers; every method returns the name of what it made."""

    def __init__(self, levels: int | None, ranges: Ranges) -> None:
        self.levels = levels  # None: float32
        self.ranges = ranges
        self.entering: dict[str, str] = {}  # what enters each matrix product, by the product's name
        self.nodes: list[Node] = []
        self.weights: dict[str, Array] = {}

    def constant(self, name: str, array: npt.ArrayLike) -> str:
        self.weights[name] = np.asarray(array)
        return name

    def node(self, kind: str, inputs: list[str], name: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(Node(kind, inputs, [name], name, domain, attributes))
        return name

    def linear(self, x: str, weight: Array, bias: Array | None, name: str) -> str:
        """x @ weight.T + bias, weight (out, in)."""
        self.entering[name] = x
        if self.levels is None:
            product = self.node("MatMul", [x, self.constant(f"{name}.weight", weight.T)], f"{name}.product")
            if bias is None:
                return product
            return self.node("Add", [product, self.constant(f"{name}.bias", bias)], f"{name}.sum")
        integers, scales = quantise(weight.T, 0, self.levels)
        low, high = self.ranges[name]
        step = np.float32((high - low) / 255)
        x_scale = self.constant(f"{name}.input.scale", step)
        x_zero = self.constant(f"{name}.input.zero", np.uint8(np.clip(round(-low / step), 0, 255)))
        inputs = [
            self.node("QuantizeLinear", [x, x_scale, x_zero], f"{name}.input"),
            self.constant(f"{name}.weight", integers),
            x_scale,
            self.constant(f"{name}.scale", scales),
            x_zero,
            self.constant(f"{name}.zero", np.zeros(len(scales), np.int8)),
        ]
        if bias is not None:
            inputs.append(self.constant(f"{name}.bias", bias))
        return self.node("MatMulIntegerToFloat", inputs, f"{name}.product", CONTRIB)

    def embed(self, ids: str, table: Array) -> str:
        """Rows of the embedding, (batch, length, size)."""
        if self.levels is None:
            return self.node("Gather", [self.constant("embedding", table), ids], "embedded")
        integers, scales = quantise(table, 1, 127)
        rows = self.node("Gather", [self.constant("embedding", integers), ids], "embedding.rows")
        rows = self.node("Cast", [rows], "embedding.float", to=FLOAT)
        factor = self.node(
            "Gather", [self.constant("embedding.scale", scales[:, None]), ids], "embedding.factor"
        )
        return self.node("Mul", [rows, factor], "embedded")

    def add_norm(self, x: str, addition: str, weight: str, bias: str, name: str) -> tuple[str, str]:
        """x + addition and its layer norm: (norm, sum)."""
        total = self.node("Add", [x, addition], f"{name}.total")
        normed = self.node("LayerNormalization", [total, weight, bias], f"{name}.norm", axis=-1, epsilon=1e-5)
        return normed, total


def build_graph(
    arrays: Mapping[str, Array],
    config: dict[str, Any],
    levels: int | None = None,
    ranges: Ranges | None = None,
) -> bytes:
    """Weights, named as in `torch_module.py` -> model: int8 with `levels` and `ranges`, else float32."""
    return assemble(collect(arrays, config, levels, ranges), config)


def collect(
    arrays: Mapping[str, Array], config: dict[str, Any], levels: int | None, ranges: Ranges | None
) -> Graph:
    """All nodes and weights of the encoder."""
    graph = Graph(levels, ranges or {})
    heads, size = config["heads"], config["width"] // config["heads"]
    angles = np.arange(config["positions"])[:, None] * 10_000.0 ** (-np.arange(0, size, 2) / size)
    cosine = graph.constant("rotary.cosine", np.cos(angles).astype(np.float32))
    sine = graph.constant("rotary.sine", np.sin(angles).astype(np.float32))
    zero = graph.constant("zero", np.zeros(1, np.int64))
    thirds = graph.constant("thirds", np.full(3, config["width"], np.int64))
    keys = graph.node("Cast", ["attention_mask"], "keys", to=INT32)

    x = graph.embed("input_ids", arrays["embedding.weight"])
    if "widen.weight" in arrays:
        x = graph.linear(x, arrays["widen.weight"], arrays["widen.bias"], "widen")

    def norm(name: str) -> tuple[str, str]:
        weight, bias = (
            graph.constant(f"{name}.{kind}", arrays[f"{name}.{kind}"]) for kind in ("weight", "bias")
        )
        return weight, bias

    normed = graph.node(
        "LayerNormalization", [x, *norm("blocks.0.norm1")], "first.norm", axis=-1, epsilon=1e-5
    )
    for number in range(config["layers"]):
        name = f"blocks.{number}"

        def weights(part: str, name: str = name) -> tuple[Array, Array, str]:
            return arrays[f"{name}.{part}.weight"], arrays[f"{name}.{part}.bias"], f"{name}.{part}"

        qkv = graph.linear(normed, *weights("qkv"))
        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        graph.nodes.append(Node("Split", [qkv, thirds], parts, f"{name}.split", attributes={"axis": -1}))
        query, key = (
            graph.node(
                "RotaryEmbedding", [part, zero, cosine, sine], f"{part}.turned", CONTRIB, num_heads=heads
            )
            for part in parts[:2]
        )
        attended = graph.node(
            "MultiHeadAttention",
            [query, key, parts[2], "", keys],
            f"{name}.attended",
            CONTRIB,
            num_heads=heads,
        )
        normed, x = graph.add_norm(
            x, graph.linear(attended, *weights("out")), *norm(f"{name}.norm2"), f"{name}.middle"
        )
        hidden = graph.node("Gelu", [graph.linear(normed, *weights("up"))], f"{name}.gelu", CONTRIB)
        last = number + 1 == config["layers"]
        following = "norm" if last else f"blocks.{number + 1}.norm1"
        normed, x = graph.add_norm(x, graph.linear(hidden, *weights("down")), *norm(following), f"{name}.end")
    projected = graph.linear(normed, arrays["project.weight"], None, "project")
    graph.node("LpNormalization", [projected], "vectors", axis=-1, p=2)
    return graph


def assemble(graph: Graph, config: dict[str, Any], more: Sequence[str] = ()) -> bytes:
    """Nodes and weights -> the bytes of a model; `more` are values inside the graph that it gives, too."""
    shape = ["batch", "length"]
    inputs = [Value(name, INT64, shape) for name in ("input_ids", "attention_mask")]
    outputs = [Value("vectors", FLOAT, [*shape, config["dimension"]]), *(Value(name, FLOAT) for name in more)]
    return onnx_bytes(graph.nodes, graph.weights, inputs, outputs, {"": 17, CONTRIB: 1})
