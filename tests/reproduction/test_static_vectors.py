"""Text -> vectors -> maps -> folders, on a language that is English spelled backwards."""

from __future__ import annotations

import json
import lzma
import random

import numpy as np
import pytest
from mini import make_data
from reproduction.lab.lab import Lab
from reproduction.lab.options import Options
from reproduction.lab.systems import NotRunError, map_qualities
from reproduction.static_vectors import main

from wordalign.errors import InputError

pytest.importorskip("gensim", reason="learning vectors needs gensim: pip install 'wordalign[static]'")

WORDS = [
    a + b for a in ("ba", "co", "di", "fu", "ge", "ho", "ju") for b in ("nak", "rel", "sim", "tov", "zup")
]


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    chance = random.Random(1)
    lines = []
    for _ in range(300):
        words = chance.sample(WORDS, 6)
        lines.append(f"{' '.join(words)}\t{' '.join(word[::-1] for word in words)}\tsource\n")
    with lzma.open(folder / "eng-deu.tsv.xz", "wt", encoding="utf-8") as stream:
        stream.writelines(lines)
    options = ["--work", folder / "work", "--text", folder, "--languages", "deu", "--sentences", 250]
    options += ["--levels", "word", "--dimensions", 12, "--epochs", 1, "--threads", 1, "--buckets", 100]
    dictionary = folder / "work/dictionaries/deu.tsv"
    dictionary.parent.mkdir(parents=True)
    dictionary.write_text("".join(f"{word}\t{word[::-1]}\tmirror\n" for word in WORDS), "utf-8")
    main([*("text", "train", "heads", "learn", "apply", "score"), *map(str, options)])
    return folder / "work"


def test_the_two_sides_no_longer_go_together(work):
    eng, deu = ((work / f"text/eng-deu/{side}.txt").read_text("utf-8").split("\n") for side in ("eng", "deu"))
    mirrored = [" ".join(word[::-1] for word in line.split(" ")) for line in eng]
    assert sorted(mirrored) == sorted(deu)
    assert sum(one == two for one, two in zip(mirrored, deu, strict=True)) < 20
    assert len(eng) == 251


def test_heads_are_the_vectors_a_byte_a_number(work):
    head = np.load(work / "heads/word/eng-deu/eng.npy")
    full = np.load(work / "vectors/word/eng-deu/eng.npy")
    assert head.dtype == np.int8
    assert head.shape == full.shape == (len(WORDS), 12)
    cosines = (head * full).sum(1) / np.linalg.norm(head.astype(float), axis=1) / np.linalg.norm(full, axis=1)
    assert cosines.min() > 0.999
    words = (work / "heads/word/eng-deu/eng.words").read_text("utf-8").split("\n")[:-1]
    assert sorted(words) == sorted(WORDS)


def test_what_was_made_from_what_is_kept(work):
    found = map_qualities(work / "mapped")["word/eng-deu"]
    assert found["made"]["deu"]["lines"] == 250
    assert found["made"]["eng"]["words"] == 1500
    assert found["translation"]["test_words"] == len(WORDS)
    assert found["translation"]["dictionary"] == "mirror"
    assert 0 <= found["recovered"] <= 1


def test_vectors_of_a_failed_map_are_no_row(work, tmp_path):
    manifest = work / "mapped/word/eng-deu/vectors.json"
    text = manifest.read_text("utf-8")
    lab = Lab(Options(data=make_data(tmp_path), vectors=work / "mapped", work=tmp_path / "work"))
    changed = json.loads(text)
    try:
        for recovered in (0.01, 0.05):
            changed["mapping"] |= {"good": False, "mutual": 0.4, "recovered": recovered}
            manifest.write_text(json.dumps(changed), "utf-8")
            if recovered > 0.02:  # a doubtful map has its row
                Lab(lab.options).encoder(lab.system("fasttext"), "word", "deu")
            else:
                with pytest.raises(NotRunError, match="the map failed, 1% recovered"):
                    lab.encoder(lab.system("fasttext"), "word", "deu")
    finally:
        manifest.write_text(text, "utf-8")


def test_a_start_from_identical_strings_needs_some(work):
    (work / "maps/word/eng-deu.npz").rename(work / "maps/word/kept.npz")
    with pytest.raises(InputError, match="Only 0 identical words"):
        main(["learn", "--work", str(work), "--languages", "deu", "--levels", "word", "--identical"])
    (work / "maps/word/kept.npz").rename(work / "maps/word/eng-deu.npz")
