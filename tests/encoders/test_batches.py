"""Batches change nothing but the speed, also when the memory is full."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st

from tiny_models import wordpiece_tokenizer
from wordalign.encoders.device.choose import forward_on, memory_is_full
from wordalign.encoders.huggingface import HuggingFaceEncoder
from wordalign.encoders.windows import LANE_TOKENS, Window, WindowRunner

# Each token of the wide model takes 128 KiB in the block's middle, once or twice at once. Room for 40 MiB
# more than is in use is enough for some 100 tokens, and for all that is small.
PROBE = """
import json, logging, resource, sys
import numpy as np
from wordalign.encoders.windows import WindowRunner
from wordalign.encoders.huggingface import HuggingFaceEncoder
from wordalign.errors import DeviceMemoryError

logging.basicConfig(level="WARNING", format="%(message)s", filename=sys.argv[2])
sentences = [["house"] * (5 + number % 30) for number in range(100)]

def encoder(tokens):
    return HuggingFaceEncoder(sys.argv[1], layer=1, device="cpu", batch_tokens=tokens)

def limit(more):
    with open("/proc/self/statm") as numbers:
        pages = int(numbers.read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, -1))

def error(found, wanted):
    return float(max(np.abs(a.vectors - b.vectors).max() for a, b in zip(found, wanted, strict=True)))

wanted = encoder(100).encode(sentences)
greedy = encoder(10**6)
limit(40 * 2**20)
told = {"first": error(greedy.encode(sentences), wanted), "again": error(greedy.encode(sentences), wanted)}
try:
    greedy.encode([["house"] * 500])
except DeviceMemoryError as failure:
    told["one sentence"] = str(failure)
told["afterwards"] = error(greedy.encode(sentences[:20]), wanted[:20])
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def short_of_memory(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process with little memory told of itself, and what it logged."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs Linux to limit a process's memory")
    folder = tmp_path_factory.mktemp("wide")
    tokenizer = wordpiece_tokenizer(["This is a house ."], 512)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32768,
        num_hidden_layers=1,
        num_attention_heads=1,
    )
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    command = [sys.executable, "-c", PROBE, str(folder), str(folder / "log")]
    probe = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert probe.returncode == 0, probe.stderr
    log = (folder / "log").read_text("utf-8").splitlines()
    return {**json.loads(probe.stdout), "log": log, "stderr": probe.stderr}


def test_full_memory_shrinks_the_batches_and_changes_no_result(short_of_memory: dict[str, Any]) -> None:
    assert short_of_memory["first"] < 1e-4
    assert short_of_memory["again"] < 1e-4


def test_full_memory_is_told_exactly_once(short_of_memory: dict[str, Any]) -> None:
    assert short_of_memory["log"] == ["The memory of cpu is full: going on with smaller batches."]


def test_a_sentence_too_long_for_the_memory_is_explained(short_of_memory: dict[str, Any]) -> None:
    assert "too small for one sentence of 502 subwords" in short_of_memory["one sentence"]


def test_shorter_sentences_go_on_after_one_that_was_too_long(short_of_memory: dict[str, Any]) -> None:
    assert short_of_memory["afterwards"] < 1e-4


@pytest.mark.parametrize("kind", ["bert", "xlmr", "qwen2"])
def test_results_do_not_depend_on_the_batches(
    tiny_model: Callable[[str], Path], sentence_pairs: list[tuple[list[str], list[str]]], kind: str
) -> None:
    sentences = [side for pair in sentence_pairs[:30] for side in pair] + [["house"] * 300, []]
    wanted, *others = (
        HuggingFaceEncoder(str(tiny_model(kind)), device="cpu", layer=2, batch_tokens=tokens).encode(
            sentences
        )
        for tokens in (1, 50, 300, 10**6)
    )
    for other in others:
        for one, two in zip(wanted, other, strict=True):
            assert one.word_of_row.tolist() == two.word_of_row.tolist()
            scale = np.abs(one.vectors).max(initial=0)
            np.testing.assert_allclose(one.vectors, two.vectors, rtol=0, atol=1e-4 * scale)


def test_a_batch_holds_no_more_padded_tokens_than_allowed() -> None:
    shapes: list[tuple[int, int]] = []

    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        shapes.append((ids.shape[0], ids.shape[1]))
        return ids[:, :, None].astype(float)

    lengths = [3, 50, 1, 7, 7, 0, 20, 2]
    windows = [
        Window(number, list(range(length)), np.arange(length), np.arange(length))
        for number, length in enumerate(lengths)
    ]
    vectors = WindowRunner(forward, pad=0, tokens=21, is_full=memory_is_full).run(windows)
    assert [found[:, 0].tolist() for found in vectors] == [window.ids for window in windows]
    assert all(rows == 1 or rows * columns <= 21 for rows, columns in shapes)
    assert len(shapes) < len(lengths)


def test_an_error_that_is_not_about_memory_is_not_taken_for_one() -> None:
    def multiply(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return ids.float() @ mask.float()  # (2, 3) by (2, 3) cannot be multiplied

    forward = forward_on(torch.device("cpu"), multiply)

    windows = [Window(number, [1, 2, 3], np.arange(3), np.arange(3)) for number in range(2)]
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        WindowRunner(forward, pad=0, tokens=100, is_full=memory_is_full).run(windows)


def same_windows(number: int, tokens: int) -> list[Window]:
    return [Window(place, [place] * tokens, np.arange(tokens), np.arange(tokens)) for place in range(number)]


def test_lanes_run_batches_at_the_same_time_and_find_the_same() -> None:
    both = threading.Barrier(2, timeout=30)

    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        both.wait()  # nobody passes alone
        return ids[:, :, None].astype(np.float32)

    windows = same_windows(8, LANE_TOKENS)
    runner = WindowRunner(forward, pad=0, tokens=2 * LANE_TOKENS, is_full=memory_is_full, lanes=2)
    assert [found[0, 0] for found in runner.run(windows)] == list(range(8))
    # A few are divided, although they would fit into one batch.
    runner = WindowRunner(forward, pad=0, tokens=1000, is_full=memory_is_full, lanes=2)
    assert [found[0, 0] for found in runner.run(windows[:2])] == [0, 1]


@pytest.mark.parametrize(("lanes", "tokens"), [(1, 12), (1, 10 * LANE_TOKENS), (4, LANE_TOKENS // 2)])
def test_what_fits_into_one_batch_is_divided_only_where_that_pays(lanes: int, tokens: int) -> None:
    batches = []

    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        batches.append(ids.shape)
        return ids[:, :, None].astype(np.float32)

    windows = [*same_windows(2, tokens), *same_windows(1, tokens - 5)]
    WindowRunner(forward, pad=0, tokens=10_000, is_full=memory_is_full, lanes=lanes).run(windows)
    assert batches == [(3, tokens)]


@pytest.mark.parametrize("lanes", [1, 3])
def test_a_full_memory_halves_the_batches(lanes: int) -> None:
    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        if len(ids) > 1:
            raise MemoryError
        return ids[:, :, None].astype(np.float32)

    runner = WindowRunner(forward, pad=0, tokens=400, is_full=out_of_memory, lanes=lanes)
    assert [found[0, 0] for found in runner.run(same_windows(20, LANE_TOKENS))] == list(range(20))


def test_a_memory_that_is_full_with_several_lanes_is_used_by_one() -> None:
    at_work = threading.Semaphore(1)  # there is room for one window

    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        if len(ids) > 1 or not at_work.acquire(blocking=False):
            raise MemoryError
        time.sleep(0.001)
        at_work.release()
        return ids[:, :, None].astype(np.float32)

    runner = WindowRunner(forward, pad=0, tokens=LANE_TOKENS, is_full=out_of_memory, lanes=4)
    assert [found[0, 0] for found in runner.run(same_windows(40, LANE_TOKENS))] == list(range(40))


def out_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=40), st.integers(0, 30))
def test_sentences_of_different_lengths_are_not_padded_for_nothing(lengths: list[int], padding: int) -> None:
    """Each batch wastes at most as many tokens as another batch would cost, and keeps its order."""
    shapes: list[tuple[int, int]] = []

    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        shapes.append((ids.size, int(mask.sum())))
        return ids[:, :, None].astype(np.float32)

    windows = [
        Window(number, [number + 1] * length, np.arange(length), np.arange(length))
        for number, length in enumerate(lengths)
    ]
    runner = WindowRunner(forward, pad=0, tokens=200, is_full=memory_is_full, padding=padding)
    vectors = runner.run(windows)
    assert [found[:, 0].tolist() for found in vectors] == [window.ids for window in windows]
    for size, tokens in shapes:
        assert size <= 200
        assert size - tokens <= max(padding, 1) or tokens == 0
