"""Mapping: recovers what is the same, admits what is not, and each step does what its definition says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import disguised, language

from wordalign.encoders.static.space import centre_of, normalise
from wordalign.errors import InputError, ModelError, UsageError
from wordalign.links.similarity import unit_rows
from wordalign.vectors.map import MapSettings, Quality, map_spaces
from wordalign.vectors.map.arrays import NumpyArrays, TorchArrays, choose_arrays
from wordalign.vectors.map.induce import Dictionary, induce
from wordalign.vectors.map.linear import orthogonal, reweighted
from wordalign.vectors.map.start import by_identical_strings, by_pairs

QUICK = {"patience": 5}


def nearest(mapped, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    return (unit_rows(mapped.source(source)) @ unit_rows(mapped.target(target)).T).argmax(axis=1)


@pytest.fixture(scope="module")
def twins():
    source = language(600)
    return source, *disguised(source)


def test_a_rotated_noised_and_shuffled_copy_is_recovered_whatever_the_seed(twins):
    source, target, order = twins
    found = []
    for seed in (0, 1):
        mapped = map_spaces(source, target, MapSettings(seed=seed, **QUICK))
        assert mapped.converged
        assert mapped.quality.good
        found.append(order[nearest(mapped, source, target)])
        assert np.mean(found[-1] == np.arange(len(source))) >= 0.99
    assert np.mean(found[0] == found[1]) >= 0.99


def test_the_same_seed_gives_the_same_map(twins):
    source, target, _ = twins
    settings = MapSettings(seed=3, most_iterations=4)
    first, second = (map_spaces(source, target, settings) for _ in range(2))
    assert np.array_equal(first.source.matrix, second.source.matrix)
    assert not first.converged
    assert first.iterations == 4


def test_noise_is_refused():
    source = language(400)
    noise = np.random.default_rng(0).standard_normal(source.shape).astype(np.float32)
    quality = map_spaces(source, noise, MapSettings(**QUICK)).quality
    assert not quality.good
    with pytest.raises(
        ModelError, match=r"mapping failed: mean similarity 0\.\d+, .*% of the words.*--force"
    ):
        quality.check()


def test_another_shape_is_doubtful():
    quality = map_spaces(language(400), language(400, seed=7), MapSettings(**QUICK)).quality
    quality.check()
    assert not quality.good
    assert "not certain that the mapping is right: mean similarity" in quality.doubt()


@pytest.mark.parametrize(
    ("mutual", "recovered", "good", "hopeless"),
    [(0.5, 0.3, True, False), (0.5, 0.29, False, False), (0.5, 0.019, False, True), (0.04, 0.9, False, True)],
)
def test_where_doubt_begins_and_hope_ends(mutual, recovered, good, hopeless):
    quality = Quality(0.5, mutual, recovered)
    assert (quality.good, quality.hopeless, quality.doubt() == "") == (good, hopeless, good)


def test_few_pairs_of_a_dictionary_are_enough_to_start_from(twins):
    source, target, order = twins
    where = np.argsort(order)
    seeds = Dictionary(np.arange(40), where[:40])
    mapped = map_spaces(source, target, MapSettings(first_keep=1.0), dictionary=seeds)
    assert np.mean(order[nearest(mapped, source, target)] == np.arange(len(source))) >= 0.99
    assert mapped.iterations < 20


def test_numpy_and_torch_agree(twins):
    """The same work through torch, as on a GPU; from a dictionary, so that no random number counts."""
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    source, target, _ = twins
    x, z = (normalise(side, centre_of(side)) for side in (source, target))
    on_torch = TorchArrays(0, "cpu")
    ours = induce(x, z, NumpyArrays(0))
    theirs = induce(on_torch.put(x), on_torch.put(z), on_torch)
    assert theirs.similarity == pytest.approx(ours.similarity, abs=1e-5)
    assert np.mean(theirs.forward == ours.forward) > 0.999
    assert np.mean(theirs.backward == ours.backward) > 0.999
    dropped = on_torch.drop(on_torch.put(x), 0.25)
    assert np.isinf(on_torch.get(dropped)).mean() == pytest.approx(0.75, abs=0.02)
    assert isinstance(choose_arrays("cpu", 0), NumpyArrays)
    with pytest.raises(UsageError, match="device 'cuda:77'"):
        choose_arrays("cuda:77", 0)


def csls_by_definition(x: np.ndarray, z: np.ndarray, k: int) -> np.ndarray:
    cosine = x @ z.T
    near_z = np.sort(cosine, axis=0)[-k:].mean(axis=0)
    near_x = np.sort(cosine, axis=1)[:, -k:].mean(axis=1)
    return cosine - near_z[None, :] / 2 - near_x[:, None] / 2


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 40), st.integers(1, 5), st.integers(1, 400))
def test_induction_in_blocks_equals_the_definition(seed, n, m, k, cells):
    random = np.random.default_rng(seed)
    x, z = (unit_rows(random.standard_normal((size, 6)).astype(np.float32)) for size in (n, m))
    arrays = NumpyArrays(0)
    arrays.block_cells = cells
    found = induce(x, z, arrays, k)
    similarity = csls_by_definition(x, z, k)
    rows, columns = np.arange(n), np.arange(m)
    assert similarity[rows, found.forward] == pytest.approx(similarity.max(axis=1), abs=1e-5)
    assert similarity[found.backward, columns] == pytest.approx(similarity.max(axis=0), abs=1e-5)
    cosine = x @ z.T
    assert found.similarity == pytest.approx((cosine.max(0).mean() + cosine.max(1).mean()) / 2, abs=1e-5)
    for i, j in zip(found.mutual.source, found.mutual.target, strict=True):
        assert (found.forward[i], found.backward[j]) == (j, i)
    assert len(found.union) == n + m


def test_dropping_keeps_the_asked_share_and_changes_nothing_else():
    rows = np.random.default_rng(0).random((200, 300)).astype(np.float32)
    dropped = NumpyArrays(0).drop(rows, 0.1)
    kept = np.isfinite(dropped)
    assert kept.mean() == pytest.approx(0.1, abs=0.01)
    assert np.array_equal(dropped[kept], rows[kept])
    assert NumpyArrays(0).drop(rows, 1.0) is rows


def test_normalised_rows_are_centred_first():
    rows = language(300) * np.random.default_rng(0).uniform(0.1, 9, (300, 1)).astype(np.float32)
    rows[7] = 0
    normal = normalise(rows, centre_of(rows))
    unit = unit_rows(rows)
    assert normal[:7] == pytest.approx(unit_rows(unit - unit.mean(axis=0))[:7], abs=1e-5)
    assert not normal[7].any()


@given(st.integers(0, 10_000), st.integers(2, 12))
def test_the_orthogonal_map_undoes_a_rotation(seed, size):
    random = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(random.standard_normal((size, size)))
    x = random.standard_normal((3 * size, size))
    found = orthogonal(x.T @ (x @ rotation))
    assert found == pytest.approx(rotation, abs=1e-6)
    assert found @ found.T == pytest.approx(np.eye(size), abs=1e-6)


def test_reweighting_brings_a_linear_image_back_and_weakens_unshared_axes():
    """z is x on the first axes and noise on the others: these must count for less afterwards."""
    random = np.random.default_rng(0)
    x = random.standard_normal((500, 6))
    z = np.hstack([x[:, :3], random.standard_normal((500, 3))])
    map_x, map_z = reweighted(x, z)
    x, z = x @ map_x, z @ map_z
    assert np.corrcoef(x[:, :3].ravel(), z[:, :3].ravel())[0, 1] > 0.99
    assert x[:, 3:].std() < 0.5 * x[:, :3].std()


def test_reweighting_survives_an_axis_without_anything():
    x = language(200).copy()
    x[:, 3] = 0
    assert all(np.isfinite(matrix).all() for matrix in reweighted(x, x))


def test_dictionaries_of_words():
    source, target = ("the", "2020", "House", "a"), ("2020", "das", "haus", "House", "a", "the")
    same = by_identical_strings((*source, "x"), (*target, "x"))
    assert set(zip(same.source.tolist(), same.target.tolist(), strict=True)) == {
        (0, 5), (1, 0), (2, 3), (3, 4), (4, 6)
    }  # fmt: skip
    with pytest.raises(InputError, match="Only 1 pairs have vectors"):
        by_pairs([("THE", "Das"), ("no", "nein")], source, target, "pairs")


def test_impossible_sizes_are_refused():
    with pytest.raises(InputError, match="30 and of 20 dimensions"):
        map_spaces(language(100), language(100, 20))
    with pytest.raises(InputError, match="Too few words"):
        map_spaces(language(10), language(10))
    with pytest.raises(UsageError, match="cutoff must be 1 or more"):
        MapSettings(cutoff=0)
