"""How right links are: counts first, scores from them, then significance and slices.

These functions work on links in memory; `files.py` reads files side by side.
"""

from wordalign.evaluate.counts import (
    METRICS,
    Counts,
    Evaluation,
    Scores,
    add_up,
    count,
    evaluate,
    rates,
    score,
)
from wordalign.evaluate.significance import Comparison, Difference, compare
from wordalign.evaluate.slices import (
    BINS,
    by_frequency,
    by_pos,
    count_slices,
    frequency_slices,
    pos_slices,
    stanza_tags,
    word_counts,
)

__all__ = [
    "BINS",
    "METRICS",
    "Comparison",
    "Counts",
    "Difference",
    "Evaluation",
    "Scores",
    "add_up",
    "by_frequency",
    "by_pos",
    "compare",
    "count",
    "count_slices",
    "evaluate",
    "frequency_slices",
    "pos_slices",
    "rates",
    "score",
    "stanza_tags",
    "word_counts",
]
