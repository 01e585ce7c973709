"""Every engine, really run: what it learns, what it survives, what it keeps."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from wordalign.aligners.statistical import StatisticalAligner
from wordalign.aligners.statistical.subwords import SubwordSplitter
from wordalign.errors import (
    InputError,
    MissingExtraError,
    ModelError,
    OutputError,
    UnknownNameError,
    UsageError,
)
from wordalign.links.symmetrize import HEURISTICS, symmetrize
from wordalign.types import Pair, Sentence


def links_of(alignments):
    return [alignment.links for alignment in alignments]


def test_it_learns_a_toy_language_and_repeats_itself(engine, toy):
    pairs = [pair for pair, _ in toy]
    found = StatisticalAligner(engine).align_corpus(pairs)
    assert len(found) == len(pairs)
    right = sum(len(set(alignment.links) & gold) for alignment, (_, gold) in zip(found, toy, strict=True))
    wanted = sum(len(gold) for _, gold in toy)
    given = sum(len(alignment.links) for alignment in found)
    assert right / wanted > 0.85
    assert right / given > 0.85
    assert all(0 <= score <= 1 for alignment in found for score in alignment.scores)
    again = StatisticalAligner(engine).align_corpus(pairs)
    assert links_of(again) == links_of(found)
    assert [alignment.scores for alignment in again] == [alignment.scores for alignment in found]


def test_it_survives_bad_input_line_by_line(engine, toy):
    long = [word for (source, _), _ in toy for word in source][:120]
    pairs = [
        ([], ["allein"]),
        (["alone"], []),
        ([], []),
        (
            ["two words", "NULL", "\t", "<NULL>", "0"],
            ["UNKNOWN_WORD", "a\nb", "|||", "\u2028", "<UNUSED_WORD>"],
        ),
        (["\ud800"], ["\x00"]),
        (long, [f"{word[::-1]}en" for word in long]),
        (["one"], ["x"] * 30),
    ]
    found = StatisticalAligner(engine).align_corpus([*pairs, *(pair for pair, _ in toy)])
    assert len(found) == len(pairs) + len(toy)
    assert links_of(found[:3]) == [(), (), ()]
    for alignment, (source, target) in zip(found, pairs, strict=False):
        assert alignment.source.words == tuple(source)
        assert all(i < len(source) and j < len(target) for i, j in alignment.links)
    # Longer than the HMM takes, and not cut off. (IBM 1 knows no positions and takes the first of equals.)
    if engine != "ibm1":
        assert max(i for i, _ in found[5].links) > 100
        assert max(j for _, j in found[5].links) > 100


def test_corpora_of_one_word_or_none(engine):
    assert links_of(StatisticalAligner(engine).align_corpus([(["a"], ["b"])])) in ([()], [((0, 0),)])
    assert links_of(StatisticalAligner(engine).align_corpus([([], ["b"]), ([], [])])) == [(), ()]
    assert StatisticalAligner(engine).align_corpus([]) == []
    with pytest.raises(InputError, match="nothing to learn from"):
        StatisticalAligner(engine).fit([([], ["b"])])


def test_a_saved_model_aligns_new_text_like_the_one_in_memory(engine, toy, tmp_path):
    pairs = [pair for pair, _ in toy]
    aligner = StatisticalAligner(engine, symmetrize="union", lowercase=True).fit(pairs[:40])
    new = [*pairs[40:46], (["UNSEEN", "the"], ["neht", "ganz", "neu"]), ([], ["x"])]
    found = aligner.align_batch(new)
    right = sum(
        len(set(alignment.links) & gold) for alignment, (_, gold) in zip(found, toy[40:46], strict=False)
    )
    assert right > 0.7 * sum(len(gold) for _, gold in toy[40:46])
    aligner.save(tmp_path / "model")
    loaded = StatisticalAligner.load(tmp_path / "model")
    assert loaded.signature() == aligner.signature()
    assert "trained on 40 pairs" in loaded.signature()
    assert loaded.align(*pairs[40]).links
    both = StatisticalAligner.load(tmp_path / "model", symmetrize=("union", "intersection"))
    for by_method, alignment in zip(both.align_batch_methods(new), found, strict=True):
        assert by_method["union"] == alignment
        assert set(by_method["intersection"].links) <= set(alignment.links)
    # Plain files only, and nothing of the text but its words.
    for file in (tmp_path / "model").rglob("*"):
        if file.suffix == ".npz":
            with np.load(file, allow_pickle=False) as arrays:
                assert all(arrays[name].dtype.kind == "i" for name in arrays.files)
        elif file.suffix == ".json":
            json.loads(file.read_text())
        elif file.is_file():
            assert not file.read_bytes().startswith(b"\x80")
            assert file.suffix not in (".src", ".trg") or file.stat().st_size == 0


def test_several_symmetrisations_of_one_training(engine, toy):
    pairs = [pair for pair, _ in toy]
    names = tuple(HEURISTICS)
    aligner = StatisticalAligner(engine, symmetrize=names)
    found = aligner.align_corpus_methods(pairs[:3], train=pairs[3:])
    forward, backward = StatisticalAligner(engine).directed(pairs[:3], train=pairs[3:])
    for by_method, there, back in zip(found, forward, backward, strict=True):
        assert len({j for _, j in there}) == len(there)  # one partner at most for each target word
        assert len({i for i, _ in back}) == len(back)
        for name in names:
            assert set(by_method[name].links) == symmetrize(there, back, name)
    assert f"symmetrize={names[2]}" in aligner.signature(names[2])


def test_a_direction_without_any_link_is_no_failure():
    """Of a single pair of words the program of eflomal links none in about every second run."""
    pytest.importorskip("eflomal")
    pairs = [(["house"], ["Haus"])]
    found = []
    for seed in range(8):
        aligner = StatisticalAligner("eflomal_gpl", seed=seed).fit(pairs)  # its links are counted, too
        found += aligner.align_corpus(pairs) + aligner.align_batch(pairs)
    assert {alignment.links for alignment in found} == {(), ((0, 0),)}


@pytest.mark.parametrize(("name", "package"), [("eflomal", "thot"), ("eflomal_gpl", "eflomal")])
def test_another_seed_gives_other_links(name, package, sentence_pairs):
    pytest.importorskip(package)
    one, other = (
        links_of(StatisticalAligner(name, seed=seed).align_corpus(sentence_pairs[:12])) for seed in (1, 2)
    )
    assert one != other


def test_no_seed_uses_the_engines_own_randomness(engine, toy):
    aligner = StatisticalAligner(engine, seed=None)
    assert len(aligner.align_corpus([pair for pair, _ in toy])) == len(toy)
    assert "seed=None" in aligner.signature()


@pytest.mark.parametrize("tokenizer", [None, "tiny", "folder"])
def test_subwords_become_words_again(toy, tmp_path, tokenizer):
    pytest.importorskip("thot")
    name = tokenizer
    if tokenizer == "folder":
        pytest.importorskip("transformers")
        name = str(tmp_path)
        SubwordSplitter("tiny").save(tmp_path / "tokenizer.json")
        (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}')
    pairs = [pair for pair, _ in toy]
    aligner = StatisticalAligner("fast_align", level="subword", tokenizer=name)
    found = aligner.align_corpus([*pairs[:10], ([], ["x"]), (["\x00"], ["x"])], train=pairs[10:], keep=True)
    right = sum(len(set(alignment.links) & gold) for alignment, (_, gold) in zip(found, toy, strict=False))
    assert right > 0.6 * sum(len(gold) for _, gold in toy[:10])
    for alignment, (source, target) in zip(found, pairs, strict=False):
        assert all(i < len(source) and j < len(target) for i, j in alignment.links)
        assert list(alignment.links) == sorted(alignment.links)
    assert found[10].links == ()
    forward, backward = aligner.directed(pairs[:10])
    assert all(set(a.links) <= f | b for a, f, b in zip(found, forward, backward, strict=False))
    aligner.save(tmp_path / "model")
    loaded = StatisticalAligner.load(tmp_path / "model")
    assert links_of(loaded.align_batch(pairs[:10])) == links_of(aligner.align_batch(pairs[:10]))
    assert f"level=subword by {name or 'base'}" in loaded.signature()


def test_lower_case_joins_spellings():
    pytest.importorskip("thot")
    pairs = [(["Dog", "cat"], ["hund", "katze"]), (["dog"], ["HUND"])] * 5
    plain, lower = (
        StatisticalAligner("fast_align", lowercase=lowercase).align_corpus(pairs)[0]
        for lowercase in (False, True)
    )
    assert lower.source.words == ("Dog", "cat")  # the words themselves stay as they were
    assert plain.links == lower.links == ((0, 0), (1, 1))
    assert lower.scores > plain.scores


def test_pairs_may_be_words_text_or_pairs():
    pytest.importorskip("thot")
    forms = [(["a", "b"], ["c", "d"]), ("a b", "c d"), Pair(Sentence(("a", "b")), Sentence(("c", "d")))]
    found = [StatisticalAligner("fast_align").align_corpus([form] * 3)[0] for form in forms]
    assert links_of(found) == [((0, 0), (1, 1))] * 3
    assert found[1].source.offsets == ((0, 1), (2, 3))
    with pytest.raises(UsageError, match="A pair is two sentences"):
        StatisticalAligner("fast_align").align_corpus([("a", "b", "c")])


def test_a_threshold_drops_links(toy):
    pytest.importorskip("thot")
    pairs = [pair for pair, _ in toy]
    all_links = StatisticalAligner("fast_align", symmetrize="union").align_corpus(pairs)
    kept = StatisticalAligner("fast_align", symmetrize="union", threshold=0.993).align_corpus(pairs)
    for every, some in zip(all_links, kept, strict=True):
        scores = dict(zip(every.links, every.scores, strict=True))
        assert some.links == tuple(link for link in every.links if scores[link] >= 0.993)
    assert links_of(kept) != links_of(all_links)


@pytest.mark.parametrize("level", ["word", "subword"])
def test_without_scores_the_links_are_the_same(engine, toy, level):
    pairs = [*(pair for pair, _ in toy[:20]), ([], ["x"])]
    scored = StatisticalAligner(engine, level=level).align_corpus(pairs)
    plain = StatisticalAligner(engine, level=level, scores=False)
    found = plain.align_corpus(pairs, keep=True)
    assert links_of(found) == links_of(scored)
    assert all(len(alignment.scores) == len(alignment.links) for alignment in scored)
    assert all(alignment.scores == () for alignment in [*found, *plain.align_batch(pairs[:3])])


def test_a_line_of_one_word_repeated(engine):
    """Rulers of dots, tables of contents: every word is as good as every other."""
    names = tuple(HEURISTICS)
    pairs = [(["."] * 130, ["."] * 110), (["a"], ["b"])]
    found = StatisticalAligner(engine, symmetrize=names).align_corpus_methods(pairs)[0]
    for name in names:
        assert len(found[name].links) <= 130 + 110, name


def test_wrong_arguments_are_explained(tmp_path):
    pytest.importorskip("thot")
    with pytest.raises(UnknownNameError, match=r"no aligner 'fastalign'\. Did you mean 'fast_align'"):
        StatisticalAligner("fastalign")
    assert StatisticalAligner("fast-align").name == "fast_align"
    with pytest.raises(UnknownNameError, match="Did you mean 'union'"):
        StatisticalAligner("ibm1", symmetrize="onion")
    with pytest.raises(UnknownNameError, match="no level 'letter'"):
        StatisticalAligner("ibm1", level="letter")
    with pytest.raises(UsageError, match="give the level 'subword' too"):
        StatisticalAligner("ibm1", tokenizer="tiny")
    with pytest.raises(ModelError, match="no tokenizer to be had by the folder"):
        StatisticalAligner("ibm1", level="subword", tokenizer=str(tmp_path))
    with pytest.raises(UsageError, match="no trained model yet"):
        StatisticalAligner("ibm1").align_batch([(["a"], ["b"])])
    with pytest.raises(UsageError, match="drops links by their scores"):
        StatisticalAligner("ibm1", threshold=0.5, scores=False)
    with pytest.raises(UsageError, match="different symmetrisations"):
        StatisticalAligner("ibm1", symmetrize=[])


@pytest.mark.parametrize(
    ("module", "engine", "extra"), [("thot", "eflomal", "statistical"), ("eflomal", "eflomal-gpl", "eflomal")]
)
def test_a_missing_engine_names_its_extra(monkeypatch, module, engine, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"'{engine}' needs .* pip install 'wordalign\[{extra}\]'"):
        StatisticalAligner(engine)


def test_a_crash_of_the_engine_is_an_error_with_a_sentence(toy, tmp_path):
    """A real program that crashes, in the place of eflomal's."""
    pytest.importorskip("eflomal")
    program = tmp_path / "eflomal"
    aligner = StatisticalAligner("eflomal_gpl", seed=None)
    aligner._engine._program = program
    for script, message in (
        ("kill -SEGV $$", r"'eflomal-gpl' was ended by SIGSEGV\."),
        ("kill -KILL $$", "SIGKILL. Most often that means that the memory was full"),
        ("echo out of range >&2; exit 3", "failed with exit status 3. It said: out of range"),
    ):
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        with pytest.raises(ModelError, match=message):
            aligner.align_corpus([toy[0][0]])
    program.chmod(0o644)
    with pytest.raises(ModelError, match=r"cannot be started .*Permission denied"):
        aligner.align_corpus([toy[0][0]])
    seeded = StatisticalAligner("eflomal_gpl")
    seeded._engine._program = program
    with pytest.raises(ModelError, match="takes no seed"):
        seeded.align_corpus([toy[0][0]])


def test_a_damaged_model_is_refused(toy, tmp_path):
    pytest.importorskip("thot")
    with pytest.raises(ModelError, match="is no folder: give the folder that"):
        StatisticalAligner.load(tmp_path / "none")
    with pytest.raises(ModelError, match="does not hold a statistical model"):
        StatisticalAligner.load(tmp_path)
    StatisticalAligner("hmm").fit([toy[0][0]]).save(tmp_path / "model")
    file = next((tmp_path / "model/engine").rglob("model.hmm_lexnd"))
    whole = file.read_bytes()
    for damage in (b"", whole[:-1], bytes([whole[0] ^ 1]) + whole[1:], None):
        file.unlink() if damage is None else file.write_bytes(damage)
        with pytest.raises(ModelError, match=rf"engine/\w+/{file.name} is missing or damaged"):
            StatisticalAligner.load(tmp_path / "model")
    file.write_bytes(whole)
    assert StatisticalAligner.load(tmp_path / "model").name == "hmm"
    facts = tmp_path / "model/model.json"
    facts.write_text(facts.read_text().replace("statistical model 2", "statistical model 1"))
    with pytest.raises(ModelError, match=r"another version of wordalign wrote it, .*: train it again\."):
        StatisticalAligner.load(tmp_path / "model")
    StatisticalAligner("ibm1").fit([toy[0][0]]).save(tmp_path / "model")  # an old model may be replaced
    assert StatisticalAligner.load(tmp_path / "model").name == "ibm1"


def test_saving_replaces_models_and_nothing_else(toy, tmp_path):
    pytest.importorskip("thot")
    aligner = StatisticalAligner("ibm1").fit([toy[0][0]])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match="which was not made by this command"):
        aligner.save(tmp_path / "mine")
    with pytest.raises(OutputError, match="is a file"):
        aligner.save(tmp_path / "mine" / "thesis.txt")
    with pytest.raises(OutputError, match="there is no folder"):
        aligner.save(tmp_path / "no" / "model")
    aligner.save(tmp_path / "model")
    modes = {path.stat().st_mode & 0o555 for path in (tmp_path / "model").rglob("*") if path.is_dir()}
    assert modes == {0o555}  # others may read it
    StatisticalAligner("hmm").fit([toy[1][0]]).save(tmp_path / "model")
    assert StatisticalAligner.load(tmp_path / "model").name == "hmm"
    # What fails half-way leaves the old model in its place.
    Path(aligner._own.name).rename(tmp_path / "gone")
    with pytest.raises(OutputError, match="Cannot write"):
        aligner.save(tmp_path / "model")
    assert StatisticalAligner.load(tmp_path / "model").name == "hmm"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gone", "mine", "model"]
    (tmp_path / "gone").rename(aligner._own.name)
