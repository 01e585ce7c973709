"""Links that are made on a device are the ones the host makes; here the device is the CPU."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from wordalign import Aligner
from wordalign.encoders import resolve
from wordalign.encoders.calibration import Calibration
from wordalign.encoders.device.bundled import DeviceEncoder
from wordalign.encoders.device.rows import RowEncoder
from wordalign.encoders.huggingface import HuggingFaceEncoder
from wordalign.errors import DeviceMemoryError, InputError, ModelError
from wordalign.links import Method
from wordalign.links.device import _Brought, _compact, _extract, _unpack
from wordalign.links.linker import Extraction, linked_cells
from wordalign.links.tensors import Scored, on_tensors, scored
from wordalign.text.pairs import as_pair


def plain(stack: np.ndarray) -> Scored:
    found = scored(torch.from_numpy(stack), None, ["usual"] * len(stack))
    assert found is not None
    return found


def never() -> Any:
    raise AssertionError("nothing was left to the host")


WordPair = tuple[list[str], list[str]]
Encoders = Callable[..., HuggingFaceEncoder]


def stacks() -> st.SearchStrategy[np.ndarray]:
    """Padded matrices in which equal values are frequent."""

    def make(seed: int, pairs: int, m: int, n: int, levels: int) -> np.ndarray:
        random = np.random.default_rng(seed)
        stack = (random.integers(0, levels + 1, (pairs, m, n)) / levels).astype(np.float32)
        for matrix in stack:
            matrix[random.integers(0, m + 1) :] = 0
            matrix[:, random.integers(0, n + 1) :] = 0
        return stack

    return st.builds(
        make,
        st.integers(0, 2**32 - 1),
        st.integers(1, 4),
        st.integers(1, 9),
        st.integers(1, 9),
        st.sampled_from([1, 3, 10, 10**6]),
    )


methods = st.one_of(
    st.sampled_from(["argmax", "forward", "reverse"]),
    st.builds("itermax:n_max={},alpha={}".format, st.integers(1, 6), st.sampled_from([0, 0.5, 0.9, 1])),
)


@settings(max_examples=300)
@given(stack=stacks(), spec=methods)
def test_every_method_gives_the_links_that_it_gives_on_arrays(stack: np.ndarray, spec: str) -> None:
    method = Method.parse(spec)
    on_device = on_tensors(method)
    assert on_device is not None
    links, left_to_host = on_device(plain(stack))
    assert left_to_host is None
    assert np.array_equal(links.numpy(), method(stack))


CURVE = Calibration(
    scale=12.0,
    bias=-1.0,
    scores=(-8.0, -2.0, 0.0, 3.0),
    log_odds=(-6.0, -1.0, 0.5, 4.0),
    sharpness=9.0,
    larger=0.8,
    smaller=0.4,
    situations={"alike": (-7.0, -2.0, -0.5, 2.0)},
)


@settings(max_examples=300)
@given(
    stack=stacks(),
    always=st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]),
    mutual=st.sampled_from([0.0, 0.3, 0.5]),
    seed=st.integers(0, 99),
)
def test_calibrated_links_and_their_probabilities_are_those_of_arrays(
    stack: np.ndarray, always: float, mutual: float, seed: int
) -> None:
    situations = np.random.default_rng(seed).choice(["usual", "alike"], len(stack)).tolist()
    method = Method.parse(f"calibrated:always={always},mutual={mutual}").with_calibration(CURVE)
    extraction = Extraction({"calibrated": method}, calibration=CURVE)
    values = scored(torch.from_numpy(stack), CURVE, situations)
    on_device = on_tensors(method)
    assert values is not None
    assert on_device is not None
    cells, scores = _unpack(_Brought(_compact(*on_device(values), values.score, None)), values, never)
    wanted, probabilities = linked_cells(stack, situations, extraction, "calibrated")
    order = np.argsort(wanted)
    assert cells.tolist() == wanted[order].tolist()
    np.testing.assert_allclose(scores, probabilities[order], rtol=0, atol=1e-6)


def test_a_row_with_very_many_links_is_left_to_the_host() -> None:
    stack = np.full((1, 40, 50), 0.999, dtype=np.float32)
    method = Method.parse("calibrated:always=0.01,mutual=0.01").with_calibration(CURVE)
    values = scored(torch.from_numpy(stack), CURVE, ["usual"])
    on_device = on_tensors(method)
    assert values is not None
    assert on_device is not None
    found = _unpack(_Brought(_compact(*on_device(values), values.score, 10)), values, lambda: "the host")
    assert found == "the host"
    # So is a stack with more links than there is room for.
    few = scored(torch.from_numpy(stack[:, :5, :5]), CURVE, ["usual"])
    assert few is not None
    assert _unpack(_Brought(_compact(*on_device(few), few.score, 10)), few, lambda: "the host") == "the host"


@settings(max_examples=100)
@given(stack=stacks())
def test_compact_links_are_all_links_in_order_with_their_similarities(stack: np.ndarray) -> None:
    links = stack > 0.5
    similarity = torch.from_numpy(stack)
    brought = _Brought(_compact(torch.from_numpy(links), None, similarity, None))
    cells, found = _unpack(brought, plain(stack), never)
    assert cells.tolist() == np.flatnonzero(links).tolist()
    assert found.tolist() == stack[links].tolist()


@pytest.mark.parametrize("spec", ["match", "itermax:n_max=50"])
def test_what_only_the_host_can_do_is_left_to_it(spec: str) -> None:
    assert on_tensors(Method.parse(spec)) is None


@pytest.fixture(scope="module")
def encoder(tiny_model: Callable[[str], Path]) -> Encoders:
    return cache(
        lambda kind, on_device, **settings: HuggingFaceEncoder(
            str(tiny_model(kind)), device="cpu", layer=3, on_device=on_device, **settings
        )
    )


@pytest.fixture(scope="module")
def pairs(sentence_pairs: list[WordPair]) -> list[WordPair]:
    """Some pairs, a few that are longer than the window of 128 subwords, and odd ones."""
    sources = [word for source, _ in sentence_pairs for word in source]
    targets = [word for _, target in sentence_pairs for word in target]
    odd: list[WordPair] = [
        ([], []),
        (["house"], []),
        ([], ["Haus"]),
        ([""], ["x"]),
        (["\x07"], ["\u200b"]),
        (["the", "", "house"], ["das", "\u200b", "Haus", "😀"]),
        (["a\ud800b"], ["ab"]),
    ]
    long = [(sources[:300], targets[:40]), (sources[:90], targets[:400]), (sources[50:350], targets[60:360])]
    return [*sentence_pairs[:20], *odd, *long, *sentence_pairs[20:30]]


def same(found: Iterator[Any], wanted: Iterator[Any]) -> None:
    """The same links but for a few in long sentences: sums in another order decide ties otherwise."""
    other = total = 0
    for there, here in zip(found, wanted, strict=True):
        assert there.keys() == here.keys()
        for name, alignment in here.items():
            assert (there[name].source, there[name].target) == (alignment.source, alignment.target)
            assert there[name].links == tuple(sorted(set(there[name].links)))
            scores = dict(zip(alignment.links, alignment.scores, strict=True))
            both = [
                (score, scores[link])
                for link, score in zip(there[name].links, there[name].scores, strict=True)
                if link in scores
            ]
            np.testing.assert_allclose(*np.array(both).reshape(-1, 2).T, rtol=0, atol=1e-5)
            differing = len(set(there[name].links) ^ set(alignment.links))
            assert differing <= 0.03 * len(alignment.links)
            other += differing > 0
            total += 1
    assert other <= 0.03 * total


METHODS = ["argmax", "itermax:n_max=3", "match", "forward", "reverse"]


@pytest.mark.parametrize(
    "options",
    [
        {"level": "subword"},
        {"level": "word"},
        {"level": "subword", "distortion": 0.5, "threshold": 0.6},
        {"level": "word", "distortion": 0.9, "null": 0.999},
        {"level": "subword", "null": 0.99},
    ],
)
@pytest.mark.parametrize("kind", ["bert", "xlmr", "gpt2"])
def test_links_are_those_of_the_host(
    encoder: Encoders, pairs: list[WordPair], kind: str, options: dict[str, Any]
) -> None:
    there, here = (Aligner(encoder(kind, on), method=METHODS, **options) for on in (True, False))
    same(there.stream_methods(pairs), here.stream_methods(pairs))


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("tokens", [1, 100, 3000])
def test_links_do_not_depend_on_the_batches(
    encoder: Encoders, pairs: list[WordPair], tokens: int, flat: bool
) -> None:
    there = Aligner(encoder("bert", True, batch_tokens=tokens, flat=flat), method=METHODS)
    here = Aligner(encoder("bert", False), method=METHODS)
    same(there.stream_methods(pairs), here.stream_methods(pairs))


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RowEncoder, "chunk_pairs", 4)


@pytest.mark.usefixtures("small_chunks")
def test_many_chunks_come_back_in_order(encoder: Encoders, pairs: list[WordPair]) -> None:
    there, here = (Aligner(encoder("bert", on), method=["argmax", "match"]) for on in (True, False))
    assert there._chunk_pairs == 4
    same(there.stream_methods(pairs), here.stream_methods(pairs))


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("good", [0, 1, 4, 7, 8, 13])
def test_what_came_before_a_bad_line_is_handed_on(
    encoder: Encoders, pairs: list[WordPair], good: int
) -> None:
    def lines() -> Iterator[WordPair]:
        yield from pairs[:good]
        raise InputError("line is bad")

    found = Aligner(encoder("bert", True)).stream(lines())
    for source, _ in pairs[:good]:
        assert next(found).source.words == tuple(source)
    with pytest.raises(InputError, match="line is bad"):
        next(found)


@pytest.mark.usefixtures("small_chunks")
def test_only_one_chunk_is_read_ahead(encoder: Encoders, pairs: list[WordPair]) -> None:
    read = 0

    def lines() -> Iterator[WordPair]:
        nonlocal read
        for pair in pairs:
            read += 1
            yield pair

    found = Aligner(encoder("bert", True)).stream(lines())
    next(found)
    assert read == 8
    found.close()


def test_full_memory_makes_smaller_batches_and_the_same_links(
    tiny_model: Callable[[str], Path],
    encoder: Encoders,
    pairs: list[WordPair],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    small = HuggingFaceEncoder(
        str(tiny_model("bert")), device="cpu", layer=3, on_device=True, batch_tokens=100_000
    )
    run = RowEncoder.__call__

    def limited(self: RowEncoder, sent: Any, first: int, last: int) -> torch.Tensor:
        windows = sent.tokens.first_window
        if sent.tokens.windows[windows[last]] - sent.tokens.windows[windows[first]] > limit:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return run(self, sent, first, last)

    monkeypatch.setattr(RowEncoder, "__call__", limited)
    limit = 2500
    with caplog.at_level(logging.WARNING, logger="wordalign"):
        same(
            Aligner(small, method=METHODS).stream_methods(pairs),
            Aligner(encoder("bert", False), method=METHODS).stream_methods(pairs),
        )
    assert [record.getMessage() for record in caplog.records] == [
        "The memory of cpu is full: going on with smaller batches."
    ]
    limit = 100
    with pytest.raises(DeviceMemoryError, match="too small for a pair with"):
        Aligner(small).align_batch(pairs)


@pytest.mark.parametrize("on_device", [True, False])
def test_a_chunk_that_was_begun_is_finished_later(
    encoder: Encoders, pairs: list[WordPair], on_device: bool
) -> None:
    aligner = Aligner(encoder("bert", on_device), method=["argmax", "match"])
    first, second, nothing = (
        aligner._begin([as_pair(pair) for pair in part]) for part in (pairs[:9], pairs[9:], [])
    )
    assert nothing() == []
    later = second()
    same(iter([*first(), *later]), aligner.stream_methods(pairs))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("level", ["word", "subword"])
def test_links_of_a_gpu_are_those_of_the_host(
    tiny_model: Callable[[str], Path], encoder: Encoders, pairs: list[WordPair], level: str
) -> None:
    there = HuggingFaceEncoder(str(tiny_model("bert")), device="cuda", layer=3)
    assert there.on_device is not None
    same(
        Aligner(there, method=METHODS, level=level, distortion=0.5).stream_methods(pairs),
        Aligner(encoder("bert", False), method=METHODS, level=level, distortion=0.5).stream_methods(pairs),
    )


def test_vectors_that_are_no_numbers_are_an_error_there_too() -> None:
    stack = torch.full((2, 3, 4), 0.5)
    stack[1, 2, 3] = torch.nan
    with pytest.raises(ModelError, match="not finite numbers"):
        _unpack(_Brought(_compact(stack > 0.4, None, stack, None)), plain(stack.numpy()), never)
    values = scored(stack, CURVE, ["usual"] * 2)
    assert values is not None
    with pytest.raises(ModelError, match="not finite numbers"):
        _unpack(_Brought(_compact(values.score > 0, None, values.score, None)), values, never)
    with pytest.raises(ModelError, match="not finite numbers"):
        _extract(_Brought(stack), ["usual"] * 2, Extraction({"match": Method.parse("match")}), "match")


@pytest.fixture(scope="module")
def on_both() -> tuple[Aligner, Aligner]:
    """The model `tiny` in float32, linked as a device does and as the host does."""
    folder = resolve("tiny").folder
    assert folder is not None
    there, here = (DeviceEncoder(folder, device="cpu", dtype="float32") for _ in range(2))
    here.on_device = None
    return Aligner(there), Aligner(here)


@pytest.mark.parametrize(
    "options",
    [{}, {"method": ["calibrated:always=0.9", "argmax", "match"]}, {"level": "subword"}, {"null": 0.998}],
)
def test_a_bundled_model_has_the_links_of_the_host(
    on_both: tuple[Aligner, Aligner], pairs: list[WordPair], options: dict[str, Any]
) -> None:
    there, here = (aligner.with_options(**options) for aligner in on_both)
    alike = [(["the", "old", "house", "is", "red", "."], ["the", "old", "house", "was", "red", "!"])]
    unspaced = [(["the", "bridge", "."], ["那", "座", "桥", "。"])]
    same(there.stream_methods([*pairs, *alike, *unspaced]), here.stream_methods([*pairs, *alike, *unspaced]))


def test_a_bundled_model_in_floats_has_nearly_the_links_that_it_has_in_int8(
    on_both: tuple[Aligner, Aligner], pairs: list[WordPair]
) -> None:
    floats, integers = on_both[0].align_batch(pairs), Aligner("tiny").align_batch(pairs)
    both = sum(len(set(one.links) & set(two.links)) for one, two in zip(floats, integers, strict=True))
    assert 2 * both > 0.97 * sum(len(found.links) for found in (*floats, *integers))
    assert on_both[0].signature().startswith("tiny@")
    assert "| float32 |" in on_both[0].signature()
