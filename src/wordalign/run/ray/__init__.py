"""Many machines: a corpus in shards, aligned by an actor pool of Ray Data.

In reading order: `places.py` (paths and URIs, on any file system that Arrow knows), `shards.py` (the input in
shards, and the records of a shard), `parts.py` (the parts of the output, and the manifest of what they were
made from), `worker.py` (what an actor does with a shard), `run.py` (`align_shards`, and the cluster itself).
"""

from wordalign.run.ray.run import ClusterConfig, align_shards

__all__ = ["ClusterConfig", "align_shards"]
