"""Word vectors of two languages as an encoder: which words have a vector, and what happens to the others."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from wordalign import Aligner
from wordalign.encoders.resolve import bundled_tokenizer
from wordalign.encoders.static import StaticEncoder
from wordalign.encoders.static.space import SpaceMap
from wordalign.encoders.static.vectors import NGrams, Vectors
from wordalign.encoders.subwords import subword_cutter
from wordalign.errors import ModelError, UsageError
from wordalign.vectors.folder import write_folder
from wordalign.vectors.map import Mapped, MapSettings, Quality

ENGLISH = ("the", "house", "is", "old", "Paris", "and", "new", ".", "we", "see")
GERMAN = ("das", "Haus", "ist", "alt", "paris", "und", "neu", ".", "wir", "sehen")
GOOD = Quality(0.9, 0.9, 0.9)


def save(folder: Path, english, german, ngrams: NGrams | None = None, quality=GOOD, **more) -> Path:
    """Words at the same place are translations; the German half is turned, and mapped back."""
    random = np.random.default_rng(0)
    rows = random.standard_normal((len(english), 6)).astype(np.float32)
    turn = np.linalg.qr(random.standard_normal((6, 6)))[0].astype(np.float32)
    centre = np.zeros(6, dtype=np.float32)
    mapped = Mapped(
        SpaceMap(centre, np.eye(6, dtype=np.float32)),
        SpaceMap(centre, turn.T),
        quality,
        7,
        True,
        "cpu",
    )
    english, german = Vectors(english, rows, ngrams), Vectors(german, rows @ turn)
    write_folder(folder, ("eng", english), ("deu", german), mapped, settings=asdict(MapSettings()), **more)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save(tmp_path / "both", ENGLISH, GERMAN)


def test_each_language_is_looked_up_in_its_own_table(folder):
    aligner = Aligner(str(folder), method="argmax")
    assert (
        aligner.align(["the", "house", "is", "old", "."], ["alt", "ist", "das", "Haus", "."]).pharaoh()
        == "0-2 1-3 2-1 3-0 4-4"
    )
    assert aligner.level == "word"
    assert aligner.signature().startswith("static:eng-deu@")
    # Raw text, and a sentence that occurs on both sides, where it means two things.
    assert aligner.align("We see the house.", "Wir sehen das Haus.").pharaoh() == "0-0 1-1 2-2 3-3 4-4"
    same = aligner.align(["is", "."], ["is", "."])
    assert same.pharaoh() == "1-1"


def test_case_falls_back_to_lower_case_and_the_rest_gets_no_link(folder):
    encoder = StaticEncoder.load(folder)
    words = ["HOUSE", "Paris", "paris", "zebra", "", "\ud800", "house"]
    (encoding,) = encoder.encode([words])
    assert encoding.word_of_row.tolist() == [0, 1, 6]  # 'Paris' is cased here, and 'paris' is not in it
    assert np.array_equal(encoding.vectors[0], encoding.vectors[2])
    assert encoder.subwords(words) == ["HOUSE", "Paris", "house"]
    (empty,) = encoder.encode([["zebra"]])
    assert empty.vectors.shape == (0, 6)
    links = Aligner(encoder, method="match").align(["zebra", "old"], ["alt", "Zebra"]).links
    assert links == ((1, 0),)


def test_unseen_words_are_built_from_ngrams_and_mapped_like_the_others(tmp_path):
    ngrams = NGrams(np.random.default_rng(1).standard_normal((50, 6)).astype(np.float32), 3, 4)
    encoder = StaticEncoder.load(save(tmp_path / "both", ENGLISH, GERMAN, ngrams))
    (encoding,) = encoder.encode([["houses", "old", "x"]])
    assert encoding.word_of_row.tolist() == [0, 1, 2]
    built = ngrams.vector("houses")
    cosine = built @ encoding.vectors[0] / np.linalg.norm(built) / np.linalg.norm(encoding.vectors[0])
    assert cosine == pytest.approx(1, abs=1e-3)
    assert encoder.target.encode([["Häuser"]])[0].vectors.shape == (0, 6)
    assert (tmp_path / "both" / "source.ngrams.npy").exists()


def test_subwords(tmp_path):
    pieces = tuple(
        dict.fromkeys(p for ps in subword_cutter(bundled_tokenizer())(["Unbelievably", "old"]) for p in ps)
    )
    folder = save(tmp_path / "both", pieces, pieces, tokenizer=bundled_tokenizer())
    encoder = StaticEncoder.load(folder)
    (encoding,) = encoder.encode([["old", "unbelievably", "zzz"]])
    assert set(encoding.word_of_row.tolist()) >= {0, 1}
    assert (encoding.word_of_row == 1).sum() > 1
    assert Aligner(str(folder)).level == "subword"
    for level in ("word", "subword"):
        found = Aligner(str(folder), level=level, method="argmax").align(
            ["old", "unbelievably"], ["Unbelievably", "old"]
        )
        assert found.pharaoh() == "0-1 1-0"


def test_half_precision_and_memory_maps(tmp_path):
    folder = save(tmp_path / "both", ENGLISH, GERMAN, dtype="float16")
    encoder = StaticEncoder.load(folder)
    assert np.load(folder / "source.npy", mmap_mode="r").dtype == np.float16
    assert encoder.encode([["the"]])[0].vectors.dtype == np.float32


def test_the_wrong_order_of_languages_is_noticed(folder, caplog):
    aligner = Aligner(str(folder))
    aligner.align_batch([(list(GERMAN[:4]) * 6, list(ENGLISH[:4]) * 6)])
    assert "in the order in which they were mapped" in caplog.text


@pytest.mark.parametrize(
    ("known", "unknown", "said"),
    [(5, 15, True), (7, 14, False), (5, 14, False), (2, 8, False)],  # below 0.3 of 20 words or more
)
def test_few_words_with_a_vector_are_told_once(folder, caplog, known, unknown, said):
    encoder = StaticEncoder.load(folder)
    words = ["old"] * known + [f"none{number}" for number in range(unknown)]
    for _ in range(2):
        encoder.encode([words])
    told = [record for record in caplog.records if "words have a vector" in record.message]
    assert len(told) == said
    if said:
        assert f"Only {known} of {known + unknown} words have a vector among those of 'eng'" in caplog.text


def test_it_is_noticed_also_where_ngrams_give_every_word_a_vector(tmp_path, caplog):
    ngrams = NGrams(np.ones((50, 6), dtype=np.float32), 3, 6)
    aligner = Aligner(str(save(tmp_path / "both", ENGLISH, GERMAN, ngrams)))
    right, wrong = (ENGLISH * 3, GERMAN * 3), (GERMAN * 3, ENGLISH * 3)
    aligner.align_batch([right])
    assert not caplog.records
    Aligner(str(tmp_path / "both")).align_batch([wrong])
    assert "of 'eng' and 30 among those of 'deu': give the languages in the order" in caplog.text


def test_a_doubtful_mapping_is_said_to_be_one(tmp_path, caplog):
    StaticEncoder.load(save(tmp_path / "good", ENGLISH, GERMAN))
    assert not caplog.records
    StaticEncoder.load(save(tmp_path / "bad", ENGLISH, GERMAN, quality=Quality(0.9, 0.9, 0.1)))
    assert "It is not certain that the mapping" in caplog.text


def cut_off(folder: Path) -> None:
    path = folder / "target.npy"
    path.write_bytes(path.read_bytes()[:-8])


def change_words(folder: Path) -> None:
    (folder / "source.words").write_text("\n".join(reversed(ENGLISH)) + "\n")


def lose_file(folder: Path) -> None:
    (folder / "source.npy").unlink()


def break_manifest(folder: Path) -> None:
    (folder / "vectors.json").write_text("{")


def other_format(folder: Path) -> None:
    facts = json.loads((folder / "vectors.json").read_text())
    (folder / "vectors.json").write_text(json.dumps({**facts, "format": 99}))


def lose_facts(folder: Path) -> None:
    facts = json.loads((folder / "vectors.json").read_text())
    del facts["target"]
    (folder / "vectors.json").write_text(json.dumps(facts))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut_off, "checksum"),
        (change_words, "checksum"),
        (lose_file, "cannot be read"),
        (break_manifest, "cannot be used"),
        (other_format, "has format 99"),
        (lose_facts, "cannot be used"),
    ],
)
def test_a_damaged_folder_is_refused(folder, damage, message):
    damage(folder)
    with pytest.raises(ModelError, match=f"{message}.*make it again"):
        Aligner(str(folder))


def test_a_folder_may_be_moved_but_options_of_other_models_are_refused(folder, tmp_path):
    moved = shutil.move(folder, tmp_path / "elsewhere")
    assert Aligner(str(moved)).align(["old"], ["alt"]).pharaoh() == "0-0"
    with pytest.raises(UsageError, match="have no layers"):
        Aligner(str(moved), layer=3)
