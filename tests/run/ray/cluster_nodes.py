"""A real cluster on this machine: a head and nodes with processes of their own, which can be killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STORE = 80 << 20  # bytes; only names travel through it
SOON = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 1000,
    "health_check_failure_threshold": 6,
}


class Nodes:
    """A cluster of a head, which does no work, and nodes of one core each."""

    def __init__(self, count: int) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
        options = {**head, "_system_config": SOON}
        self._cluster = _patiently(lambda: Cluster(initialize_head=True, head_node_args=options))
        self._nodes: list[Any] = []
        for _ in range(count):
            self.add()

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(self, cores: int = 1, gpus: int = 0) -> None:
        options = {"num_cpus": cores, "num_gpus": gpus, "object_store_memory": STORE}
        self._nodes.append(_patiently(lambda: self._cluster.add_node(**options)))

    def busy(self) -> list[tuple[Any, int]]:
        """The nodes that are working on a shard, each with the process that has it."""
        found = []
        for node in self._nodes:
            (raylet,) = node.all_processes["raylet"]
            found += [(node, child) for child in _children(raylet.process.pid) if _works(child)]
        return found

    def wait_for_work(self, seconds: float = 60) -> tuple[Any, int]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := self.busy():
                return found[0]
            time.sleep(0.01)
        raise TimeoutError("no node works on a shard")

    def kill_worker(self) -> int:
        """Kill the process of one that is working."""
        _, process = self.wait_for_work()
        os.kill(process, signal.SIGKILL)
        return process

    def kill_node(self) -> None:
        """Kill all of a node that is working."""
        node, _ = self.wait_for_work()
        self._nodes.remove(node)
        self._cluster.remove_node(node, allow_graceful=False)

    def stop(self) -> None:
        import ray

        ray.shutdown()
        self._cluster.shutdown()


@contextmanager
def cluster(count: int, modules: Sequence[Path] = ()) -> Iterator[Nodes]:
    """A cluster of so many nodes, whose processes also import from `modules`."""
    before = dict(os.environ)
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
    path = [*map(str, modules), before.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    nodes = Nodes(count)
    try:
        yield nodes
    finally:
        nodes.stop()
        os.environ.clear()
        os.environ |= before


def _patiently(start: Callable[[], Any]) -> Any:
    """Ray gives up on a node after half a minute, which is too soon on a busy machine."""
    for _ in range(2):
        try:
            return start()
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
    return start()


def _children(process: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except FileNotFoundError:
        return []


def _works(process: int) -> bool:
    try:
        line = Path(f"/proc/{process}/cmdline").read_bytes()
        return b"ShardAligner" in line and b".submit" in line
    except (FileNotFoundError, ProcessLookupError):
        return False
