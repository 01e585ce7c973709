"""How many workers there are, and with what."""

from __future__ import annotations

import pytest
from cluster_nodes import cluster

from tiny_models import save_tiny_model
from wordalign import align_files
from wordalign.config import AlignConfig
from wordalign.errors import UsageError
from wordalign.run.ray import ClusterConfig, align_shards, run
from wordalign.run.ray.run import _has_gpus, _room


@pytest.mark.parametrize(
    ("model", "device", "takes_gpus"),
    [
        (None, None, False),
        ("tiny", None, False),
        ("tiny", "cpu", False),
        ("tiny", "cuda", True),
        ("mbert", None, True),
        ("mbert", "cuda", True),
        ("mbert", "cpu", False),
    ],
)
def test_gpus_are_for_models_that_can_use_them(model, device, takes_gpus):
    config = AlignConfig(model, device=device)
    assert _has_gpus(config, {"CPU": 8.0, "GPU": 2.0}) == takes_gpus
    assert not _has_gpus(config, {"CPU": 8.0})


def test_vectors_need_no_gpu(tmp_path):
    (tmp_path / "vectors.json").write_text("{}")
    assert not _has_gpus(AlignConfig(str(tmp_path)), {"GPU": 1.0})


def test_room_for_workers():
    assert _room([{"CPU": 9.0, "GPU": 2.0}], cores=2, gpus=0) == 4
    assert _room([{"CPU": 9.0, "GPU": 2.0}], cores=2, gpus=1) == 2
    assert _room([{"CPU": 9.0, "GPU": 1.0}], cores=2, gpus=0.5) == 2
    assert _room([{"CPU": 9.0, "GPU": 4.0}], cores=2, gpus=2) == 2
    with pytest.raises(UsageError, match="a worker with 16 cores: there are machines with 9 cores; 4 cores"):
        _room([{"CPU": 4.0}, {"CPU": 9.0}], cores=16, gpus=0)
    with pytest.raises(UsageError, match="1 core and 2 GPUs: there are machines with 99 cores and 1 GPU"):
        _room([{"CPU": 99.0, "GPU": 1.0}], cores=1, gpus=2)


@pytest.mark.parametrize(
    ("machine_gpus", "of_each", "workers"), [(1, 0.2, 5), (1, 0.1, 10), (2, 0.6, 2), (4, 0.4, 8), (3, 1, 3)]
)
def test_a_part_of_a_gpu_is_of_one_gpu(machine_gpus, of_each, workers):
    assert _room([{"CPU": 99.0, "GPU": float(machine_gpus)}], cores=1, gpus=of_each) == workers


def test_a_worker_lives_on_one_machine():
    four = [{"CPU": 3.0}] * 3 + [{"memory": 1.0}, {"CPU": 2.0, "GPU": 1.0}]
    assert _room(four, cores=2, gpus=0) == 4
    assert _room(four, cores=2, gpus=1) == 1
    with pytest.raises(UsageError, match="a worker with 4 cores: there are machines with 3 cores; 2 cores"):
        _room(four, cores=4, gpus=0)
    with pytest.raises(UsageError, match="a worker with 3 cores and 1 GPU"):
        _room(four, cores=3, gpus=1)


@pytest.mark.parametrize("gpus", [0, -1, 1.5, float("nan"), float("inf")])
def test_a_worker_has_whole_gpus_or_a_part_of_one(gpus):
    with pytest.raises(UsageError, match="a whole number of GPUs or a part of one"):
        ClusterConfig(gpus=gpus)


def test_two_workers_share_a_gpu(tmp_path, sentence_pairs, monkeypatch):
    """The cluster says that it has a GPU, and Ray places two workers on it at the same time.

    That there is none shows only later: the model looks for one and takes the processor.
    """
    model = save_tiny_model(
        "bert", tmp_path / "model", [" ".join(side) for pair in sentence_pairs for side in pair]
    )
    pairs = tmp_path / "pairs.tsv"
    lines = ["\t".join(map(" ".join, pair)) for pair in sentence_pairs[:40]]
    pairs.write_text("\n".join(lines) + "\n", "utf-8")
    config = AlignConfig(str(model), method="argmax")
    pools = []
    real = run._room
    monkeypatch.setattr(
        run, "_room", lambda machines, cores, gpus: pools.append((gpus, real(machines, cores, gpus))) or 2
    )
    with cluster(0) as nodes:
        nodes.add(cores=2, gpus=1)
        told = ClusterConfig(nodes.address, gpus=0.5, lines=10)
        align_shards([str(pairs)], str(tmp_path / "links"), config, told)
    assert pools == [(0.5, 2)]
    align_files(pairs, tmp_path / "here.txt", config)
    parts = sorted((tmp_path / "links").glob("part-*.txt"))
    assert len(parts) == 4
    found = "".join(path.read_text("utf-8") for path in parts)
    assert found == (tmp_path / "here.txt").read_text("utf-8")
