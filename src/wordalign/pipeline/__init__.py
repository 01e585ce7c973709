"""Records -> lines of links, for corpora of any length: what is done to a chunk, and how chunks overlap."""

from wordalign.pipeline.chunks import chunks
from wordalign.pipeline.job import Done, Job, Worker
from wordalign.pipeline.run import run

__all__ = ["Done", "Job", "Worker", "chunks", "run"]
