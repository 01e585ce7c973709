"""Vectors on disk: every format there and back, and what is damaged is refused in a sentence."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from wordalign.encoders.static.vectors import Vectors, hashes
from wordalign.errors import InputError, OutputError, UsageError
from wordalign.vectors.read import read_vectors
from wordalign.vectors.train import Training, check_outputs, train
from wordalign.vectors.write import write_vectors

WORDS = ("the", "Straße", "पानी", "10 000", "\u2028", "c")


@pytest.fixture
def vectors() -> Vectors:
    return Vectors(WORDS, np.random.default_rng(0).normal(size=(len(WORDS), 5)).astype(np.float32))


@pytest.mark.parametrize("name", ["v.vec", "v.vec.gz", "v.npy"])
def test_there_and_back(tmp_path, vectors, name):
    write_vectors(tmp_path / name, vectors)
    back = read_vectors(tmp_path / name)
    assert back.words == WORDS
    assert back.matrix == pytest.approx(vectors.matrix, rel=1e-5)
    assert isinstance(back.matrix, np.memmap)  # never all of it in memory
    assert read_vectors(tmp_path / name, limit=2).words == WORDS[:2]
    assert not [path for path in tmp_path.iterdir() if path.stem != "v" and path.name != "v.vec.gz"]
    content = (tmp_path / name).read_bytes()
    write_vectors(tmp_path / name, vectors)
    assert (tmp_path / name).read_bytes() == content


def test_gzip_is_known_by_its_content_and_text_needs_no_header(tmp_path):
    (tmp_path / "glove.txt").write_bytes(gzip.compress(b"the 0.5 1\nof -1 2e-1\nthe 9 9\n"))
    found = read_vectors(tmp_path / "glove.txt")
    assert found.words == ("the", "of")
    assert found.matrix.tolist() == pytest.approx(np.array([[0.5, 1], [-1, 0.2]]))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("v.vec", b"", "no file of vectors"),
        ("v.vec", b"hello\n", "no file of vectors"),
        ("v.vec", b"3 2\na 1 2\nb 1 2\n", "promises 3 vectors, but ends after 2: it is cut off"),
        ("v.vec", b"2 3\na 1 2 3\nb 1 2\n", "line 3: 2 numbers instead of 3"),
        ("v.vec", b"1 2\na 1 x\n", "line 2: expected a word and numbers, found 'a 1 x'"),
        ("v.vec", b"1 2\na 1 nan\n", "line 2: a vector holds numbers without a value"),
        ("v.vec.gz", gzip.compress(b"1 2\na 1 2\n" * 99)[:-20], "is damaged"),
        ("v.bin", b"\x00" * 40, "no complete fastText model"),
        ("v.bin", b"", "no complete fastText model"),
        ("v.npy", b"PK\x03\x04", "no numpy array"),
    ],
)
def test_damaged_files_are_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_vectors(tmp_path / name)


def test_other_files_are_refused(tmp_path, vectors):
    with pytest.raises(InputError, match="There is no file"):
        read_vectors(tmp_path / "none.vec")
    with pytest.raises(InputError, match="is a directory"):
        read_vectors(tmp_path)
    write_vectors(tmp_path / "v.npy", vectors)
    (tmp_path / "v.words").write_text("the\n")
    with pytest.raises(InputError, match=r"6 rows, but .*v\.words 1 words"):
        read_vectors(tmp_path / "v.npy")
    with pytest.raises(UsageError, match=r"written as .vec, .vec.gz, .npy, not as 'v.txt'"):
        write_vectors(tmp_path / "v.txt", vectors)
    for path in (tmp_path / "no" / "v.vec", tmp_path / "no" / "v.bin"):
        with pytest.raises(OutputError, match=rf"Cannot write .*/{path.name}: there is no folder .*/no\."):
            check_outputs([path])
    with pytest.raises(OutputError, match="there is no folder"):
        write_vectors(tmp_path / "no" / "v.vec", vectors)
    before = sorted(tmp_path.iterdir())
    check_outputs([tmp_path / "v.npy", tmp_path / "new.bin"])
    assert sorted(tmp_path.iterdir()) == before


def test_an_array_that_would_run_code_is_not_loaded(tmp_path):
    np.save(tmp_path / "v.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="no numpy array"):
        read_vectors(tmp_path / "v.npy")


LINES = ["the old bridge was closed", "die alte Brücke war geschlossen", "पुराना पुल बंद था"] * 20
SMALL = Training(dimensions=8, buckets=200, min_count=2, epochs=1)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("gensim")
    folder = tmp_path_factory.mktemp("trained")
    model = train(LINES, SMALL)
    for name in ("v.vec", "v.bin", "v.npy"):
        model.save(folder / name)
    return folder


def test_training_is_repeatable_and_formats_agree(trained):
    again = train(LINES, SMALL).vectors
    text, numbers, binary = (read_vectors(trained / name) for name in ("v.vec", "v.npy", "v.bin"))
    assert again.words == text.words == numbers.words == binary.words
    assert np.array_equal(again.matrix, numbers.matrix)
    assert text.matrix == pytest.approx(again.matrix, rel=1e-4, abs=1e-7)
    assert binary.matrix == pytest.approx(again.matrix, rel=1e-4, abs=1e-6)
    assert (text.ngrams, numbers.ngrams) == (None, None)


def test_unseen_words_are_built_as_the_reference_builds_them(trained):
    from gensim.models.fasttext import load_facebook_vectors

    reference = load_facebook_vectors(str(trained / "v.bin"))
    ngrams = read_vectors(trained / "v.bin").ngrams
    for word in ("bridges", "Brückenbau", "पुलों", "日本語", "a", "🎉x"):
        assert ngrams.vector(word) == pytest.approx(reference[word], rel=1e-4, abs=1e-7), word
    assert sum(1 for _ in hashes("her", 3, 4)) == 5


@pytest.mark.parametrize("cut", [10, 100, 300, 3000])
def test_a_cut_off_model_is_refused(trained, tmp_path, cut):
    (tmp_path / "v.bin").write_bytes((trained / "v.bin").read_bytes()[:cut])
    with pytest.raises(InputError, match="no complete fastText model"):
        read_vectors(tmp_path / "v.bin")


def test_too_little_text_is_said_to_be_too_little():
    pytest.importorskip("gensim")
    with pytest.raises(InputError, match="Only 0 words occur 5 times"):
        train(["one line"], Training(dimensions=4, buckets=10))
    with pytest.raises(UsageError, match="epochs must be 1 or more"):
        Training(epochs=0)
