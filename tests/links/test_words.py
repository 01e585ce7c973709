"""Word links from unit links, against the definition taken literally."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wordalign.links.linker import link_keys, word_alignments
from wordalign.types import Pair, Sentence

PAIRS = [Pair(Sentence((f"s{number}",)), Sentence((f"t{number}",))) for number in range(4)]
unit_links = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.integers(0, 2) | st.integers(0, 2**21 - 1),
        st.integers(0, 2) | st.integers(0, 2**21 - 1),
        st.floats(0, 1, width=32),
    )
)


@given(unit_links, st.sampled_from([0.0, 0.3, 1.0]))
def test_the_best_unit_of_two_words_is_their_link(
    found: list[tuple[int, int, int, float]], threshold: float
) -> None:
    pair, source, target = (np.array([link[k] for link in found], dtype=np.int64) for k in range(3))
    scores = np.array([link[3] for link in found], dtype=np.float32)
    alignments = word_alignments(PAIRS, link_keys(pair, source, target), scores, threshold)
    for number, alignment in enumerate(alignments):
        best: dict[tuple[int, int], float] = {}
        for owner, i, j, score in found:
            if owner == number and score >= threshold:
                best[i, j] = max(score, best.get((i, j), 0.0))
        assert dict(zip(alignment.links, alignment.scores, strict=True)) == best
        assert list(alignment.links) == sorted(best)
        assert (alignment.source, alignment.target) == (PAIRS[number].source, PAIRS[number].target)
