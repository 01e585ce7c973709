"""Corpora of any length: `align_files` reads, aligns and writes; `ray/` does the same on many machines.

`chunks.py` has what is done to one chunk of records and how chunks are worked on side by side, `files.py` the
input, the output and all between them, `measure.py` how fast it is here.
"""

from wordalign.run.chunks import ChunkAligner, ChunkResult, RunConfig, align_chunks
from wordalign.run.files import Progress, Summary, align_files
from wordalign.run.text import ParallelText

__all__ = [
    "ChunkAligner",
    "ChunkResult",
    "ParallelText",
    "Progress",
    "RunConfig",
    "Summary",
    "align_chunks",
    "align_files",
]
