from __future__ import annotations

import itertools
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from wordalign import AlignConfig, Aligner, Alignment
from wordalign.encoders import Encoder
from wordalign.errors import InputError, ModelError, UnknownNameError, UsageError
from wordalign.links import (
    argmax,
    drop_null,
    itermax,
    link_entropy,
    read_null_thresholds,
    write_null_thresholds,
)
from wordalign.links.similarity import cosine_similarity, distorted, distortion, unit_rows, word_means
from wordalign.types import Encoding

CHUNK_PAIRS = Encoder.chunk_pairs


class LetterEncoder(Encoder):
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
    assert np.allclose(distorted(aligner.matrices([PAIR])[0], kappa).similarity, similarity)


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
    thresholds = aligner.find_null_thresholds(sentence_pairs, percentile=80)
    write_null_thresholds(thresholds, tmp_path / "null.json")
    stored = read_null_thresholds(tmp_path / "null.json")
    filtered = list(aligner.with_options(null=stored).stream(iter(sentence_pairs)))

    total = dropped = 0
    for pair, found in zip(sentence_pairs, filtered, strict=True):
        similarity = aligner.matrices([pair])[0].similarity
        links = argmax(similarity)
        kept = drop_null(links, similarity, thresholds.tau["argmax"])
        assert len(found.links) == kept.sum()
        total, dropped = total + links.sum(), dropped + (links & ~kept).sum()
    assert thresholds.links["argmax"] == total
    assert dropped / total == pytest.approx(0.2, abs=0.05)
    assert "null=" in aligner.with_options(null=stored).signature()
    assert "null=" not in aligner.signature()


def test_thresholds_of_other_similarities_or_methods_are_refused(letters, sentence_pairs):
    thresholds = Aligner(letters, method="argmax").find_null_thresholds(sentence_pairs)
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


@pytest.mark.parametrize(
    "pairs", [["ab"], [None], [3], [("a", "b", "c")], [(["a", 1], ["b"])], [([["a"]], ["b"])]]
)
def test_what_is_no_pair_of_sentences_is_explained(letters, pairs):
    with pytest.raises(UsageError, match=r"A pair is two sentences|A sentence is a text"):
        Aligner(letters).align_batch(pairs)


def test_the_hundredth_percentile_drops_nothing(letters, sentence_pairs):
    aligner = Aligner(letters, method="argmax")
    filtered = aligner.with_options(null=aligner.find_null_thresholds(sentence_pairs, percentile=100))
    assert filtered.align_batch(sentence_pairs) == aligner.align_batch(sentence_pairs)


def test_a_real_model_end_to_end(tiny_model):
    aligner = Aligner(str(tiny_model("bert")), layer=2, level="subword", method="itermax")
    alignment = aligner.align(["Das", "ist", "ein", "Test", "."], ["This", "is", "a", "test", "."])
    assert isinstance(alignment, Alignment)
    assert alignment.links == tuple(sorted(set(alignment.links)))
    assert len(alignment.scores) == len(alignment.links) > 0
    assert all(0 <= i < 5 and 0 <= j < 5 for i, j in alignment.links)
    assert all(0 < score <= 1 for score in alignment.scores)


def test_two_parameter_sets_of_one_method_stand_side_by_side(letters, sentence_pairs):
    specs = ["itermax:n_max=1", "itermax:n_max=3", "argmax"]
    aligner = Aligner(letters, method=specs)
    keys = ("itermax:n_max=1,alpha=0.9", "itermax:n_max=3,alpha=0.9", "argmax")
    assert aligner.methods == keys
    together = list(aligner.stream_methods(sentence_pairs))
    for key, spec in zip(keys, specs, strict=True):
        alone = Aligner(letters, method=spec).align_batch(sentence_pairs)
        assert [found[key] for found in together] == alone
        assert f"method={key} " in aligner.signature(key)
    with pytest.raises(UsageError, match="different"):
        Aligner(letters, method=["itermax", "itermax:n_max=2"])


def test_null_thresholds_of_two_parameter_sets(letters, sentence_pairs):
    aligner = Aligner(letters, method=["itermax:n_max=1", "itermax:n_max=3"])
    thresholds = aligner.find_null_thresholds(sentence_pairs, 50)
    assert thresholds.tau.keys() == set(aligner.methods)
    filtered = aligner.with_options(null=thresholds)
    for plain, fewer in zip(
        aligner.stream_methods(sentence_pairs), filtered.stream_methods(sentence_pairs), strict=True
    ):
        assert all(set(fewer[key].links) <= set(plain[key].links) for key in plain)
    assert len(set(thresholds.tau.values())) == 2


def test_null_thresholds_are_found_with_the_distortion_that_they_are_used_with(letters, sentence_pairs):
    plain, pulled = (Aligner(letters, method="argmax", distortion=kappa) for kappa in (0.0, 1.0))
    expected = []
    for matrix in plain.matrices(sentence_pairs):
        similarity = distorted(matrix, 1.0).similarity
        expected.extend(link_entropy(similarity)[argmax(similarity)].tolist())
    found = pulled.find_null_thresholds(sentence_pairs, 70).tau["argmax"]
    assert found == pytest.approx(np.percentile(expected, 70), abs=1e-5)
    assert found != pytest.approx(plain.find_null_thresholds(sentence_pairs, 70).tau["argmax"], abs=1e-5)


def test_an_unknown_method_has_no_signature(letters):
    with pytest.raises(UnknownNameError, match="no method of this aligner 'nonexistent'"):
        Aligner(letters).signature("nonexistent")


def test_an_aligner_does_not_change(letters):
    aligner = Aligner(letters)
    for name in ("threshold", "level", "config", "anything"):
        with pytest.raises(AttributeError, match="does not change: make another one with with_options"):
            setattr(aligner, name, 5)


def test_other_options_on_the_same_model(letters):
    aligner = Aligner(letters, method="argmax", threshold=0.2, segmenter=list)
    other = aligner.with_options(method="itermax", threshold=0.5, level="word")
    assert other.encoder is aligner.encoder
    assert (other.methods, other.config.threshold, other.level) == (("itermax",), 0.5, "word")
    assert (aligner.methods, aligner.config.threshold, aligner.level) == (("argmax",), 0.2, "subword")
    assert other.align("你好", "ab").source.words == ("你", "好")
    assert aligner.with_options(method=None).methods == ("itermax",)
    with pytest.raises(UsageError, match="is loaded, with its layer and dtype: make a new Aligner"):
        aligner.with_options(layer=3, dtype="bfloat16")


def test_a_configuration_has_a_way_of_its_own():
    with pytest.raises(UsageError, match=r"Aligner\.from_config"):
        Aligner(AlignConfig("tiny"))


@pytest.mark.parametrize("method", ["itermax:n_max=0", "itermax:alpha=7", "calibrated:always=2"])
def test_values_that_a_method_refuses_are_refused_at_once(method):
    with pytest.raises(UsageError):
        Aligner("tiny", method=method)


@pytest.mark.parametrize("level", ["word", "subword"])
def test_vectors_that_are_no_numbers_are_an_error(letters, level):
    letters._vectors[ord("t")] = np.nan
    with pytest.raises(ModelError, match="not finite numbers"):
        Aligner(letters, level=level).align(*PAIR)


@pytest.mark.parametrize("side", [None, 3, [None], {"a": 1}.values()])
def test_what_is_no_sentence_is_explained(letters, side):
    with pytest.raises(UsageError, match="A sentence is a text or a list of words"):
        Aligner(letters).align(side, "b")


@pytest.mark.parametrize("kind", ["bundled", "huggingface"])
def test_one_aligner_serves_eight_threads(kind, tiny_model, sentence_pairs):
    model = "tiny" if kind == "bundled" else str(tiny_model("bert"))
    aligner = Aligner(model, method=["argmax", "itermax"])
    expected = list(aligner.stream_methods(sentence_pairs))
    # Each thread meets words that no other has asked for, so that all of them fill the caches at once.
    own = [
        [(left, [f"{word}{thread}" for word in right]) for left, right in sentence_pairs]
        for thread in range(8)
    ]
    alone = [aligner.align_batch(pairs) for pairs in own[:2]]
    fresh = Aligner(model, method=["argmax", "itermax"])
    with ThreadPoolExecutor(8) as threads:
        shared = list(threads.map(lambda _: list(fresh.stream_methods(sentence_pairs)), range(8)))
        different = list(threads.map(fresh.align_batch, own))
    assert all(found == expected for found in shared)
    assert different[:2] == alone


def test_a_stream_over_several_processes_gives_the_same_in_order(sentence_pairs):
    aligner = Aligner("tiny", method=["argmax", "itermax"], distortion=0.5)
    many = [pair for pair in sentence_pairs for _ in range(60)]
    assert list(aligner.stream(iter(many), workers=2)) == aligner.align_batch(many)
    assert list(aligner.stream(iter(many[:3]), workers=0)) == aligner.align_batch(many[:3])


def test_workers_need_a_model_with_a_name(letters):
    with pytest.raises(UsageError, match="load the model by its name"):
        list(Aligner(letters).stream([PAIR], workers=2))
    assert len(list(Aligner(letters).stream([PAIR], workers=0))) == 1
    with pytest.raises(UsageError, match="not -1"):
        Aligner(letters).stream([PAIR], workers=-1)
