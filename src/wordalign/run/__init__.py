"""Records -> lines of links, for corpora of any length: what is done to a chunk, and how chunks overlap."""

from wordalign.run.chunks import chunks
from wordalign.run.job import Done, Job, Worker
from wordalign.run.parallel import run

__all__ = ["Done", "Job", "Worker", "chunks", "run"]
