"""The small parts, against what they say they do."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.aligners.statistical.corpus import Vocabulary, cuts, number_pairs, pair_links
from wordalign.aligners.statistical.eflomal import count_priors, prior_lines
from wordalign.aligners.statistical.engines import Corpus, Directed, Direction, Side
from wordalign.aligners.statistical.programs import Program, run_programs
from wordalign.aligners.statistical.subwords import SubwordSplitter, word_links

words = st.lists(st.sampled_from("abcde"), max_size=9)
word_pairs = st.lists(st.tuples(words, words), max_size=6)


@given(st.integers(0, 5000), st.integers(0, 5000), st.integers(1, 700))
def test_pieces_cover_a_pair_in_order(source, target, most):
    found = list(cuts(source, target, most))
    for i, i_end, j, j_end in found:
        assert 0 < i_end - i <= most
        assert 0 < j_end - j <= most
    if not (source and target):
        assert not found
        return
    if max(source, target) <= most:
        assert found == [(0, source, 0, target)]
    for length, pieces in ((source, [cut[:2] for cut in found]), (target, [cut[2:] for cut in found])):
        assert {place for piece in pieces for place in range(*piece)} == set(range(length))
        if length >= len(found):  # a word more than once only where there are not enough for all pieces
            assert all(before[1] == after[0] for before, after in itertools.pairwise(pieces))


@given(word_pairs, st.integers(1, 4), st.data())
def test_partners_of_pieces_become_links_of_pairs(pairs, most, data):
    vocabularies = Vocabulary(), Vocabulary()
    numbered = number_pairs(pairs, vocabularies, most)
    corpus = numbered.corpus
    partners = []
    for side, other in ((corpus.target, corpus.source), (corpus.source, corpus.target)):
        choices = [
            data.draw(st.integers(-1, length - 1))
            for words, length in zip(side.sentences(), other.lengths, strict=True)
            for _ in words
        ]
        partners.append(np.array(choices, dtype=np.int32))
    found = pair_links(numbered, Directed(Direction(partners[0]), Direction(partners[1])), len(pairs), True)
    assert len(found) == len(pairs)
    assert sum(len(links.forward) for links in found) == (partners[0] >= 0).sum()
    assert sum(len(links.backward) for links in found) == (partners[1] >= 0).sum()
    expected = [(set(), set()) for _ in pairs]
    at = [0, 0]
    for number, top, left, height, width in zip(
        numbered.pair, numbered.source, numbered.target, corpus.source.lengths, corpus.target.lengths,
        strict=True,
    ):  # fmt: skip
        row, column = partners[0][at[0] : at[0] + width], partners[1][at[1] : at[1] + height]
        expected[number][0].update((top + i, left + j) for j, i in enumerate(row) if i >= 0)
        expected[number][1].update((top + i, left + j) for i, j in enumerate(column) if j >= 0)
        at = [at[0] + width, at[1] + height]
    assert [(set(links.forward), set(links.backward)) for links in found] == expected
    for links in found:
        for link in {*links.forward, *links.backward}:
            assert links.scores[link] == ((link in links.forward) + (link in links.backward)) / 2
    # The first few pairs alone have the same links.
    few = len(pairs) // 2
    ends = [side.lengths[: numbered.pieces_of(few)].sum() for side in (corpus.target, corpus.source)]
    cut = Directed(Direction(partners[0][: ends[0]]), Direction(partners[1][: ends[1]]))
    assert pair_links(numbered, cut, few, True) == found[:few]


@given(word_pairs, st.integers(1, 4))
def test_numbers_stand_for_the_words_of_the_pieces(pairs, most):
    vocabularies = Vocabulary(), Vocabulary()
    numbered = number_pairs(pairs, vocabularies, most)
    for place, side, starts in (
        (0, numbered.corpus.source, numbered.source),
        (1, numbered.corpus.target, numbered.target),
    ):
        names = list(vocabularies[place])
        assert side.types == len(names) == len(set(side.words.tolist()))
        for number, start, words in zip(numbered.pair, starts, side.sentences(), strict=True):
            spelled = [names[word] for word in words]
            assert spelled == pairs[number][place][start : start + len(words)]
        # As Thot numbers them: in order of appearance.
        assert list(dict.fromkeys(side.words.tolist())) == list(range(len(names)))


@given(word_pairs.filter(lambda pairs: any(left and right for left, right in pairs)), st.data())
def test_priors_are_counted_as_eflomals_own_tool_does(pairs, data):
    """Against a transcription of what eflomal-makepriors counts, a pair and a link at a time."""
    corpus = number_pairs(pairs, (Vocabulary(), Vocabulary()), 100).corpus
    partners: list[list[list[int]]] = [[], []]
    for source, target in zip(corpus.source.sentences(), corpus.target.sentences(), strict=True):
        partners[0].append([data.draw(st.integers(-1, len(source) - 1)) for _ in target])
        partners[1].append([data.draw(st.integers(-1, len(target) - 1)) for _ in source])
    lexicon, jumps, fertilities = Counter(), (Counter(), Counter()), (Counter(), Counter())
    for number, sides in enumerate(zip(corpus.source.sentences(), corpus.target.sentences(), strict=True)):
        for way in (0, 1):
            row, others = partners[way][number], sides[way]
            last = -1
            for word, partner in enumerate(row):
                if partner >= 0:
                    if way == 0:
                        lexicon[others[partner], sides[1][word]] += 1
                    jumps[way][partner - last] += 1
                    last = partner
            jumps[way][len(others) - last] += 1
            for partner, fertility in Counter(partner for partner in row if partner >= 0).items():
                fertilities[way][others[partner], min(fertility, 7)] += 1
    flat = [np.array(sum(rows, []), dtype=np.int32) for rows in partners]  # noqa: RUF017
    counted = count_priors(corpus, Directed(Direction(flat[0]), Direction(flat[1])))

    def as_counter(rows):
        return Counter({(tuple(row[:-1]) if len(row) > 2 else row[0]): row[-1] for row in rows.tolist()})

    assert as_counter(counted["words"]) == lexicon
    assert as_counter(counted["jumps_forward"]) == jumps[0]
    assert as_counter(counted["jumps_backward"]) == jumps[1]
    assert as_counter(counted["fertilities_forward"]) == fertilities[0]
    assert as_counter(counted["fertilities_backward"]) == fertilities[1]


def test_priors_of_other_words_are_left_out():
    side = Side(np.array([0, 1]), np.array([2]), 2)
    corpus = Corpus(side, side)
    both = Direction(np.array([0, 1], dtype=np.int32))
    priors = count_priors(corpus, Directed(both, both))
    lines = prior_lines(priors, {1: 0}, {1: 0, 7: 1})
    # One word pair (numbered from 1), the jumps of both directions, one fertility a direction.
    assert lines == ["2 3 1 1 1 1 1", "1 1 1", "1 3", "1 3", "1 1 1", "1 1 1"]


def test_subwords_know_their_words():
    splitter = SubwordSplitter()
    ((units, of_word), empty) = splitter.split([["unbelievably", "x", "unbelievably"], []])
    assert len(units) == len(of_word) > 3
    assert of_word == sorted(of_word)
    assert set(of_word) == {0, 1, 2}
    assert units[: of_word.count(0)] == units[-of_word.count(2) :]
    assert empty == ([], [])


@given(
    st.dictionaries(st.tuples(st.integers(0, 8), st.integers(0, 8)), st.floats(0, 1)),
    st.lists(st.integers(0, 3), min_size=9, max_size=9),
    st.lists(st.integers(0, 3), min_size=9, max_size=9),
)
def test_words_are_linked_if_any_of_their_subwords_are(links, of_source, of_target):
    found = word_links(links, of_source, of_target)
    for i in range(4):
        for j in range(4):
            scores = [score for (a, b), score in links.items() if (of_source[a], of_target[b]) == (i, j)]
            assert found.get((i, j)) == (max(scores) if scores else None)


def test_thot_numbers_words_as_the_worker_says():
    """In order of appearance after three of its own; 1 for what it never saw."""
    thot = pytest.importorskip("thot.alignment")
    from wordalign.aligners.statistical.thot_worker import index

    model = thot.FastAlignModel()
    sentences = [([str(i) for i in (0, 1, 0)], ["0"]), *(([str(i)], [str(i - 1)]) for i in range(2, 12))]
    for source, target in sentences:
        model.add_sentence_pair(source, target, 1)
    model.start_training()
    model.train()
    model.end_training()
    for word in map(str, range(15)):
        assert index(word, model.src_vocab_size) == model.get_src_word_index(word)
        assert index(word, model.trg_vocab_size) == model.get_trg_word_index(word)


def test_programs_run_in_any_thread_and_leave_signals_as_they_were(tmp_path):
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    program = Program([sys.executable, "-c", "open('done', 'a').write('x')"], tmp_path)
    run_programs([program, program], 1, "It")
    thread = threading.Thread(target=run_programs, args=([program], 1, "It"))
    thread.start()
    thread.join()
    assert (tmp_path / "done").read_text() == "xxx"
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before


def test_a_handler_of_the_users_stays(tmp_path):
    """It runs, and decides; the program goes on."""
    script = (
        "import signal, sys\n"
        "from pathlib import Path\n"
        "from wordalign.aligners.statistical.programs import Program, run_programs\n"
        "signal.signal(signal.SIGTERM, lambda *_: print('handled', flush=True))\n"
        "send = 'import os, signal; os.kill(os.getppid(), signal.SIGTERM)'\n"
        "run_programs([Program([sys.executable, '-c', send], Path('.'))], 1, 'It')\n"
        "print('went on')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split("\n")[:2]) == (0, ["handled", "went on"]), done.stderr
