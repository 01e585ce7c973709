"""Many machines: a corpus in shards, aligned by an actor pool of Ray Data, restartable shard by shard.

In reading order: places.py (paths and URIs, on any file system that Arrow knows), shards.py (the input ->
shards), reading.py (a shard -> records), parts.py (its lines -> one whole part of the output), manifest.py
(what the parts were made from and how), worker.py (what an actor does with a shard), joining.py
(the cluster itself), run.py (Ray Data).
"""

from wordalign.run.ray.run import Progress, Setup, align_shards

__all__ = ["Progress", "Setup", "align_shards"]
