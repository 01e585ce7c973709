"""How many workers there are, and with what."""

from __future__ import annotations

import pytest

from wordalign.config import AlignConfig
from wordalign.errors import UsageError
from wordalign.run.ray.run import _gpus, _room


@pytest.mark.parametrize(
    ("model", "device", "gpus"),
    [
        (None, None, 0),
        ("tiny", None, 0),
        ("tiny", "cpu", 0),
        ("tiny", "cuda", 1),
        ("mbert", None, 1),
        ("mbert", "cuda", 1),
        ("mbert", "cpu", 0),
    ],
)
def test_a_gpu_for_models_that_can_use_one(model, device, gpus):
    config = AlignConfig(model, device=device)
    assert _gpus(config, {"CPU": 8.0, "GPU": 2.0}) == gpus
    assert _gpus(config, {"CPU": 8.0}) == 0


def test_vectors_need_no_gpu(tmp_path):
    (tmp_path / "vectors.json").write_text("{}")
    assert _gpus(AlignConfig(str(tmp_path)), {"GPU": 1.0}) == 0


def test_room_for_workers():
    assert _room([{"CPU": 9.0, "GPU": 2.0}], cores=2, gpus=0) == 4
    assert _room([{"CPU": 9.0, "GPU": 2.0}], cores=2, gpus=1) == 2
    with pytest.raises(UsageError, match="a worker of 16 cores: the largest has 9"):
        _room([{"CPU": 9.0}], cores=16, gpus=0)


def test_a_worker_lives_on_one_machine():
    four = [{"CPU": 3.0}] * 3 + [{"memory": 1.0}, {"CPU": 2.0, "GPU": 1.0}]
    assert _room(four, cores=2, gpus=0) == 4
    assert _room(four, cores=2, gpus=1) == 1
    with pytest.raises(UsageError, match="a worker of 4 cores: the largest has 3"):
        _room(four, cores=4, gpus=0)
    with pytest.raises(UsageError, match="a worker of 3 cores and a GPU"):
        _room(four, cores=3, gpus=1)
