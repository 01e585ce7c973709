from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest

from wordalign import Aligner, Alignment
from wordalign.aligners.neural import CHUNK_PAIRS
from wordalign.errors import InputError, UnknownNameError, UsageError
from wordalign.links import argmax, drop_null, itermax, read_null_thresholds, write_null_thresholds
from wordalign.links.similarity import cosine_similarity, distortion, unit_rows, word_means
from wordalign.types import Encoding


class LetterEncoder:
    """Two subwords a word, from its first and last letter; words without letters have none.

    A real, deterministic encoder that tests can predict: equal letters have equal vectors.
    """

    signature = "letters"

    def __init__(self) -> None:
        self._vectors = np.random.default_rng(0).standard_normal((0x250, 16)).astype(np.float32)
        self.encoded = 0

    def encode(self, sentences):
        self.encoded += len(sentences)
        encodings = []
        for words in sentences:
            rows = [
                (ord(letter) % 0x250, number)
                for number, word in enumerate(words)
                for letter in (word[:1] + word[-1:] if word.isalpha() else "")
            ]
            letters = np.array([letter for letter, _ in rows], dtype=int)
            encodings.append(
                Encoding(self._vectors[letters], np.array([word for _, word in rows], dtype=int))
            )
        return encodings


@pytest.fixture
def letters():
    return LetterEncoder()


PAIR = (["the", "cat", "sat", "here"], ["die", "katze", "sitzt", "hier", "heute"])


@pytest.mark.parametrize("level", ["word", "subword"])
@pytest.mark.parametrize("kappa", [0.0, 0.5])
def test_links_and_scores_come_from_the_stages_in_order(letters, level, kappa):
    aligner = Aligner(letters, level=level, method="itermax", distortion=kappa)
    alignment = aligner.align(*PAIR)
    source, target = letters.encode(PAIR)
    if level == "word":
        source, target = word_means(source), word_means(target)
    similarity = cosine_similarity(unit_rows(source.vectors), unit_rows(target.vectors))
    if kappa:
        similarity = similarity * distortion(*similarity.shape, kappa).astype(np.float32)
    expected: dict[tuple[int, int], float] = {}
    for i, j in np.argwhere(itermax(similarity)):
        words = int(source.word_of_row[i]), int(target.word_of_row[j])
        expected[words] = max(expected.get(words, 0), float(similarity[i, j]))
    assert alignment.links == tuple(sorted(expected))
    assert alignment.scores == pytest.approx([expected[link] for link in alignment.links], abs=1e-6)
    assert np.allclose(aligner.similarity(*PAIR), similarity)


def test_words_without_vectors_keep_their_index_and_get_no_link(letters):
    alignment = Aligner(letters).align(["!", "cat", "123"], ["?", "", "cat"])
    assert alignment.links == ((1, 2),)
    assert alignment.word_pairs() == [("cat", "cat")]


@pytest.mark.parametrize("pair", [([], []), ([], ["a"]), (["a"], []), ("", "x"), (["!"], ["!"])])
def test_an_empty_side_gives_an_empty_alignment(letters, pair):
    assert Aligner(letters, method=["argmax", "itermax", "match"], null=0.5).align(*pair).links == ()


def test_one_call_a_batch_and_a_stream_agree_and_keep_the_order(letters, sentence_pairs):
    aligner = Aligner(letters)
    singly = [aligner.align(*pair) for pair in sentence_pairs]
    assert aligner.align_batch(sentence_pairs) == singly
    many = itertools.islice(itertools.cycle(sentence_pairs), 2 * CHUNK_PAIRS + 7)
    streamed = list(aligner.stream(many))
    assert len(streamed) == 2 * CHUNK_PAIRS + 7
    assert all(found == expected for found, expected in zip(streamed, itertools.cycle(singly), strict=False))


def test_all_methods_at_once_equal_each_alone(letters, sentence_pairs):
    names = ["argmax", "itermax", "match", "forward", "reverse"]
    together = list(Aligner(letters, method=names).stream_methods(sentence_pairs))
    for name in names:
        alone = Aligner(letters, method=name).align_batch(sentence_pairs)
        assert [found[name] for found in together] == alone


def test_a_stream_is_lazy_and_its_memory_does_not_grow(letters):
    pulled = 0

    def endless():
        nonlocal pulled
        while True:
            pulled += 1
            yield PAIR

    stream = Aligner(letters).stream(endless())
    next(stream)
    assert pulled == CHUNK_PAIRS

    def peak(pairs: int) -> int:
        tracemalloc.start()
        for _ in itertools.islice(stream, pairs):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(CHUNK_PAIRS)
    assert peak(CHUNK_PAIRS * 12) < 1.5 * peak(CHUNK_PAIRS * 3)


def test_what_came_before_a_bad_line_is_handed_on(letters):
    def pairs():
        yield PAIR
        yield PAIR
        raise InputError("line 3")

    stream = Aligner(letters).stream(pairs())
    assert next(stream).links
    assert next(stream).links
    with pytest.raises(InputError, match="line 3"):
        next(stream)


def test_one_very_long_sentence_does_not_blow_up_its_neighbours(letters):
    long = ["word"] * 1500
    pairs = [PAIR] * 31 + [(long, long)]
    tracemalloc.start()
    found = Aligner(letters, method="argmax", level="word").align_batch(pairs)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found[0] == Aligner(letters, method="argmax", level="word").align(*PAIR)
    one_matrix = 1500 * 1500 * 4
    assert most < 12 * one_matrix


def test_a_repeated_sentence_is_encoded_once(letters):
    Aligner(letters).align_batch([PAIR] * 10)
    assert letters.encoded == 2


def test_raw_text_is_split_and_keeps_its_offsets(letters):
    alignment = Aligner(letters).align("The cat, here.", "Die Katze hier.")
    assert alignment.source.words == ("The", "cat", ",", "here", ".")
    assert alignment.source.offsets[3] == (9, 13)


def test_threshold_drops_the_links_below_it(letters):
    everything = Aligner(letters).align(*PAIR)
    middle = sorted(everything.scores)[len(everything.scores) // 2]
    kept = Aligner(letters, threshold=middle).align(*PAIR)
    assert dict(zip(kept.links, kept.scores, strict=True)) == {
        link: score
        for link, score in zip(everything.links, everything.scores, strict=True)
        if score >= middle
    }
    assert "threshold" in Aligner(letters, threshold=middle).signature()


def test_null_by_percentile_in_two_passes_or_from_the_disk(letters, sentence_pairs, tmp_path):
    aligner = Aligner(letters, method="argmax", level="word")
    thresholds = aligner.calibrate_null(sentence_pairs, percentile=80)
    write_null_thresholds(thresholds, tmp_path / "null.json")
    stored = read_null_thresholds(tmp_path / "null.json")
    filtered = list(aligner.with_null(stored).stream(iter(sentence_pairs)))

    total = dropped = 0
    for pair, found in zip(sentence_pairs, filtered, strict=True):
        similarity = aligner.similarity(*pair)
        links = argmax(similarity)
        kept = drop_null(links, similarity, thresholds.tau["argmax"])
        assert len(found.links) == kept.sum()
        total, dropped = total + links.sum(), dropped + (links & ~kept).sum()
    assert thresholds.links["argmax"] == total
    assert dropped / total == pytest.approx(0.2, abs=0.05)
    assert "null=" in aligner.with_null(stored).signature()
    assert "null=" not in aligner.signature()


def test_thresholds_of_other_similarities_or_methods_are_refused(letters, sentence_pairs):
    thresholds = Aligner(letters, method="argmax").calibrate_null(sentence_pairs)
    with pytest.raises(UsageError, match=r"level=subword.*level=word"):
        Aligner(letters, method="argmax", level="word", null=thresholds)
    with pytest.raises(UsageError, match="not for itermax"):
        Aligner(letters, method="itermax", null=thresholds)


def test_the_signature_tells_all_that_a_score_depends_on(letters):
    aligner = Aligner(letters, method=["argmax", "itermax:n_max=3"], level="word", distortion=0.5, null=0.9)
    assert aligner.signature("itermax").startswith(
        "letters | level=word | distortion=0.5 | method=itermax:n_max=3,alpha=0.9 | null=0.9 | wordalign "
    )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"level": "words"}, UnknownNameError, "Did you mean 'word'"),
        ({"method": "matchh"}, UnknownNameError, "Did you mean 'match'"),
        ({"method": []}, UsageError, "one or more"),
        ({"method": ["argmax", "argmax"]}, UsageError, "different"),
        ({"distortion": 2.0}, UsageError, "between 0 and 1"),
        ({"threshold": 5}, UsageError, "between 0 and 1"),
        ({"threshold": float("nan")}, UsageError, "between 0 and 1"),
        ({"null": -1.0}, UsageError, "between 0 and 1"),
    ],
)
def test_wrong_options_are_explained(letters, options, error, message):
    with pytest.raises(error, match=message):
        Aligner(letters, **options)


@pytest.mark.parametrize("pairs", [["ab"], [("a", "b", "c")], [(["a", 1], ["b"])], [([["a"]], ["b"])]])
def test_what_is_no_pair_of_sentences_is_explained(letters, pairs):
    with pytest.raises(UsageError, match=r"A pair is two sentences|A sentence is a text"):
        Aligner(letters).align_batch(pairs)


def test_the_hundredth_percentile_drops_nothing(letters, sentence_pairs):
    aligner = Aligner(letters, method="argmax")
    filtered = aligner.with_null(aligner.calibrate_null(sentence_pairs, percentile=100))
    assert filtered.align_batch(sentence_pairs) == aligner.align_batch(sentence_pairs)


def test_a_real_model_end_to_end(tiny_model):
    aligner = Aligner(str(tiny_model("bert")), layer=2, level="subword", method="itermax")
    alignment = aligner.align(["Das", "ist", "ein", "Test", "."], ["This", "is", "a", "test", "."])
    assert isinstance(alignment, Alignment)
    assert alignment.links == tuple(sorted(set(alignment.links)))
    assert len(alignment.scores) == len(alignment.links) > 0
    assert all(0 <= i < 5 and 0 <= j < 5 for i, j in alignment.links)
    assert all(0 < score <= 1 for score in alignment.scores)
