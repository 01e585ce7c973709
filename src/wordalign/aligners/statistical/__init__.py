"""Statistical aligners, learned from parallel text: eflomal, fast_align, HMM and the IBM models."""

from wordalign.aligners.statistical.aligner import StatisticalAligner
from wordalign.aligners.statistical.engines import ENGINES, Engine

__all__ = ["ENGINES", "Engine", "StatisticalAligner"]
