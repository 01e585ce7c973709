"""How right links are: counts first, scores from them, then significance and slices.

Here is what works on links in memory, with numpy alone; `files.py` and `sliced.py` do the same with files.
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
from wordalign.evaluate.frequency import BINS, by_frequency, frequency_slices, word_counts
from wordalign.evaluate.pos import by_pos, pos_slices, stanza_tags
from wordalign.evaluate.significance import Comparison, Difference, compare
from wordalign.evaluate.slices import count_slices

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
