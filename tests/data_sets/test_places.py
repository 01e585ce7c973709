"""Finding sets on the machine: where they may lie, in what order, and what is wrong with some."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from wordalign.data import find, known_sets, places, where
from wordalign.data.places import local_names
from wordalign.errors import InputError, UnknownNameError
from wordalign.types import GoldAlignment, Sentence


def make(folder: Path, gold: str = "0-0 1p2\n\n", source: str = "eng", target: str = "deu") -> Path:
    folder.mkdir(parents=True)
    (folder / f"{source}.txt").write_text("the house\nyes\n", "utf-8")
    (folder / f"{target}.txt").write_text("das Haus ja\nja\n", "utf-8")
    (folder / "gold.txt").write_text(gold, "utf-8")
    return folder


def test_a_set_is_sentences_and_gold(cache):
    make(cache / "eng-deu")
    found = find("eng-deu")
    assert (found.name, found.languages) == ("eng-deu", ("eng", "deu"))
    assert found.source == [Sentence(("the", "house")), Sentence(("yes",))]
    assert found.target[1].words == ("ja",)
    with pytest.warns(UserWarning, match="without gold links|no gold links"):
        gold = found.gold
    assert gold == [
        GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0), (1, 2)})),
        GoldAlignment(frozenset(), frozenset()),
    ]


def test_wordalign_data_comes_before_the_cache_and_may_have_shelves(cache, tmp_path, monkeypatch):
    own = tmp_path / "own"
    make(cache / "eng-deu"), make(cache / "eng-fra", target="fra")
    make(own / "gold" / "eng-deu"), make(own / "gold-dev" / "eng-deu.bicici"), make(own / "deu-mine")
    assert where("eng-deu") == cache / "eng-deu"
    monkeypatch.setenv("WORDALIGN_DATA", str(own))
    assert places() == [own, cache]
    assert where("eng-deu") == own / "gold" / "eng-deu"
    assert where("eng-deu.bicici") == own / "gold-dev" / "eng-deu.bicici"
    assert where("eng-fra") == cache / "eng-fra"
    assert where("eng-fra", data=own) is None
    assert where("eng-deu", data=cache) == cache / "eng-deu"
    assert sorted(local_names()) == ["deu-mine", "eng-deu", "eng-deu", "eng-deu.bicici", "eng-fra"]


def test_ones_own_set_by_name_or_by_path(cache, tmp_path):
    make(cache / "mine")
    assert find("mine").languages == ("eng", "deu")
    make(tmp_path / "ces-deu", source="ces")
    assert find(tmp_path / "ces-deu").languages == ("ces", "deu")
    assert find(f"{tmp_path}/ces-deu").source_path == tmp_path / "ces-deu" / "ces.txt"


def test_tags_beside_the_sentences_are_no_third_language(cache):
    (make(cache / "mine") / "eng.upos.txt").write_text("DET NOUN\nINTJ\n")
    assert find("mine").languages == ("eng", "deu")


def test_what_is_not_there_says_how_to_get_it(cache):
    with pytest.raises(InputError, match=r"wordalign data get eng-deu.*WORDALIGN_DATA") as caught:
        find("eng-deu")
    assert str(cache) in str(caught.value)
    with pytest.raises(UnknownNameError, match="Did you mean 'eng-deu'"):
        find("eng-dee")
    for name in ("", "gold", "..", ".get-x"):
        with pytest.raises(UnknownNameError):
            find(name)


def test_broken_sets_are_explained(cache, tmp_path):
    folder = make(cache / "mine")
    (folder / "deu.txt").write_text("ja\n")
    with pytest.raises(InputError, match=r"not parallel.*deu.txt has 1"):
        find("mine")
    (folder / "deu.txt").unlink()
    with pytest.raises(InputError, match=r"needs one file of sentences for each language.*it has eng"):
        find("mine")
    with pytest.raises(InputError, match=r"no gold\.txt"):
        find(tmp_path)
    far = find(make(tmp_path / "far", gold="0-0 1-3\n0-0\n"))
    with pytest.raises(InputError, match="out of range"):
        _ = far.gold


def test_importing_it_is_light():
    code = "import sys, wordalign.data; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"torch", "transformers", "scipy", "onnxruntime", "tqdm"} & set(loaded)


@pytest.mark.filterwarnings("ignore:.*gold links")
@pytest.mark.parametrize("name", known_sets())
def test_the_real_sets_have_the_registered_counts(data_folder, name):
    if where(name, data_folder) is None:
        pytest.skip(f"no {name} here")
    found, known = find(name, data_folder), known_sets()[name]
    if known.sure:
        assert len(found.gold) in known.sentences
        assert sum(len(gold.sure) for gold in found.gold) in known.sure
        assert sum(len(gold.possible - gold.sure) for gold in found.gold) in known.possible
    assert len(found.source) == len(found.target) == len(found.gold)
