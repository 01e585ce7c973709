"""The similarity matrices by themselves: what they hold, and the links that are found in them."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

from wordalign import Aligner, Pair, Sentence
from wordalign.encoders import Encoder
from wordalign.links.linker import MOST_PAIRS
from wordalign.links.similarity import distorted, distortion
from wordalign.types import Encoding


@pytest.fixture(scope="module")
def pairs(sentence_pairs):
    found = [Pair(Sentence(tuple(left)), Sentence(tuple(right))) for left, right in sentence_pairs[:12]]
    return [*found, Pair(Sentence(()), Sentence(("alone",))), Pair(Sentence(()), Sentence(()))]


@pytest.mark.parametrize("level", ["word", "subword"])
def test_a_batch_of_matrices_has_no_distortion(pairs, level):
    aligner = Aligner("tiny", level=level, distortion=0.5)
    for pair, matrix in zip(pairs, aligner.matrices(pairs), strict=True):
        rows, columns = matrix.similarity.shape
        assert (len(matrix.word_of_row), len(matrix.word_of_column)) == (rows, columns)
        plain = Aligner(aligner.encoder, level=level).matrices([pair])[0]
        np.testing.assert_allclose(matrix.similarity, plain.similarity, atol=1e-5)
        expected = plain.similarity * distortion(rows, columns, 0.5)
        np.testing.assert_allclose(distorted(plain, 0.5).similarity, expected, atol=1e-5)


def test_links_of_given_matrices_are_the_aligners_own(pairs):
    aligner = Aligner(
        "tiny", method=["argmax", "itermax", "match"], distortion=0.5, null=0.999, threshold=0.1
    )
    plain = Aligner(aligner.encoder).matrices(pairs)
    assert list(aligner.extract(pairs, plain)) == list(aligner.stream_methods(pairs))
    words = [(list(pair.source.words), list(pair.target.words)) for pair in pairs]
    assert list(aligner.extract(words, aligner.matrices(words))) == list(aligner.stream_methods(pairs))


def test_any_number_of_matrices_has_its_links():
    aligner = Aligner("tiny")
    pair = Pair(Sentence(("house",)), Sentence(("house",)))
    found = aligner.align_batch([pair])
    matrices = aligner.matrices([pair]) * (MOST_PAIRS + 2)
    extracted = aligner.extract([pair] * len(matrices), matrices)
    assert [next(iter(by_method.values())) for by_method in extracted] == found * len(matrices)


@pytest.mark.parametrize("model", ["tiny", "bert"])
def test_subwords_name_the_rows_of_the_encoding(model, tiny_model, pairs):
    aligner = Aligner(model if model == "tiny" else str(tiny_model(model)), level="subword")
    sentences = [pair.target.words for pair in pairs] + [("😀", "a" * 700, "\udc00")]
    for words, encoding in zip(sentences, aligner.encoder.encode(sentences), strict=True):
        labels = aligner.encoder.subwords(words)
        assert len(labels) == len(encoding.word_of_row)
        for number, word in enumerate(words):
            text = "".join(
                label for label, of in zip(labels, encoding.word_of_row, strict=True) if of == number
            )
            if word.isascii() and word.isalpha() and "[UNK]" not in text:
                assert text.replace("▁", "").replace("##", "").lower() == word.lower()


class PairByPair(Encoder):
    """Gives the two sentences of a pair one after the other, and counts the vectors that somebody holds."""

    signature = "pair by pair"

    def __init__(self) -> None:
        self.held = self.most = 0

    def encode(self, sentences):
        return [encoding for _, encoding in sorted(self.encode_each(sentences), key=lambda found: found[0])]

    def encode_each(self, sentences):
        for number in sorted(range(len(sentences)), key=lambda number: sentences[number][0]):
            vectors = np.eye(2, 3, dtype=np.float32)
            self.held += 1
            weakref.finalize(vectors, self._let_go)
            self.most = max(self.most, self.held)
            yield number, Encoding(vectors, np.arange(2))

    def _let_go(self) -> None:
        self.held -= 1


def test_vectors_are_let_go_as_soon_as_their_pair_is_compared(monkeypatch):
    monkeypatch.setattr("wordalign.links.linker.unit_encodings", lambda encodings, level: encodings)
    monkeypatch.setattr("wordalign.links.linker.UNIT_ROWS", 2)  # those of one sentence
    encoder = PairByPair()
    pairs = [((f"{number:02}", "a"), (f"{number:02}", "b")) for number in range(20)]
    repeated = [*pairs, pairs[3], (pairs[4][1], pairs[4][1])]
    assert len(Aligner(encoder).matrices(repeated)) == 22
    assert encoder.most <= 4
