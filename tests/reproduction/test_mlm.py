"""The masked language model of the reproduction: what it may see, and that it is a model as any other."""

from __future__ import annotations

import argparse
import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest
from reproduction.mlm.rows import make_rows
from reproduction.mlm.sentences import check, write_sentences

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

ENGLISH = [f"this is the number {number} of all sentences" for number in range(40)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """English sentences with German and French translations; the first ten have both."""
    (tmp_path / "text").mkdir()
    for language, numbers in (("deu", range(20)), ("fra", [*range(10), *range(20, 40)])):
        lines = [f"{ENGLISH[number]}\t{language} satz mit nummer {number}\tx\n" for number in numbers]
        with lzma.open(tmp_path / f"text/eng-{language}.tsv.xz", "wt", encoding="utf-8") as file:
            file.writelines(lines)
    with lzma.open(tmp_path / "text/mono-ces.txt.xz", "wt", encoding="utf-8") as file:
        file.writelines(["krátká věta\n", "tohle je dost dlouhá věta\n"])
    return tmp_path


def test_of_each_group_one_language_is_kept(data: Path) -> None:
    path = data / "sentences.tsv.gz"
    write_sentences(data, path)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        kept = [line.rstrip("\n").split("\t") for line in file]
    assert check(data, path) == 0
    # One of every group, and the single sentence that is long enough.
    assert len(kept) == 41
    assert {language for language, _ in kept} == {"eng", "deu", "fra", "ces"}
    numbers = sorted(int("".join(filter(str.isdigit, text))) for language, text in kept if language != "ces")
    assert numbers == list(range(40))


def test_the_check_finds_translations(data: Path) -> None:
    path = data / "sentences.tsv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        # Joined by their English sentence, which is not kept itself.
        file.write("deu\tDEU satz mit nummer 3!\nfra\tfra satz mit nummer 3\n")
    assert check(data, path) == 1


def test_rows_hold_every_sentence_once() -> None:
    random = np.random.default_rng(1)
    lengths = random.integers(1, 31, 200)
    tokens = random.integers(5, 100, lengths.sum())
    ids, positions, sentences = make_rows(tokens, lengths, 2, 3, length=32)
    found = []
    for row in range(len(ids)):
        for number in range(1, sentences[row].max() + 1):
            inside = sentences[row] == number
            assert positions[row][inside].tolist() == list(range(inside.sum()))
            found.append(tuple(ids[row][inside].tolist()))
    ends = np.cumsum(lengths)
    wanted = [(2, *tokens[end - length : end].tolist(), 3) for end, length in zip(ends, lengths, strict=True)]
    assert sorted(found) == sorted(wanted)
    assert (ids[sentences == 0] == 0).all()


def test_words_are_hidden_as_in_bert() -> None:
    from reproduction.mlm.train import MASK, SPECIAL, hide

    torch.manual_seed(1)
    ids = torch.randint(0, 1000, (50, 100), dtype=torch.int32)
    shown, where, what = hide(ids, 1000, 1000)
    assert len(set(where.tolist())) == 1000
    assert torch.equal(ids.flatten()[where].long(), what)
    assert (what >= SPECIAL).all()
    changed = (shown != ids).flatten()
    assert not changed[[place for place in range(5000) if place not in set(where.tolist())]].any()
    masked = (shown.flatten()[where] == MASK).float().mean()
    same = (shown.flatten()[where] == what).float().mean()
    assert 0.75 < masked < 0.85
    assert 0.06 < same < 0.15


def test_a_saved_model_is_the_same_in_transformers(tmp_path: Path) -> None:
    from reproduction.mlm.model import Bert, Shape, save
    from transformers import AutoModelForMaskedLM

    torch.manual_seed(1)
    ours = Bert(Shape(vocabulary=50, width=16, layers=3, heads=2, positions=12))
    for weight in ours.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    save(ours, tmp_path)
    theirs = AutoModelForMaskedLM.from_pretrained(tmp_path, dtype=torch.float32).eval()
    ids = torch.randint(5, 50, (2, 12))
    places = torch.arange(12).repeat(2, 1)
    with torch.no_grad():
        states = ours.states(ids, places, torch.ones_like(ids))
        found = theirs(ids, output_hidden_states=True)
        where, what = torch.arange(24), ids.flatten()
        loss = ours(ids, places, torch.ones_like(ids), where, what)
        their_loss = torch.nn.functional.cross_entropy(found.logits.reshape(24, -1), what)
    for one, other in zip(states, found.hidden_states, strict=True):
        assert torch.allclose(one, other, atol=0.02)
    assert abs(loss - their_loss) < 0.02


def test_sentences_of_a_row_do_not_see_each_other() -> None:
    from reproduction.mlm.model import Bert, Shape

    torch.manual_seed(1)
    model = Bert(Shape(vocabulary=50, width=16, layers=2, heads=2, positions=12))
    ids = torch.randint(5, 50, (1, 10))
    places = torch.tensor([[0, 1, 2, 3, 4, 0, 1, 2, 3, 4]])
    numbers = torch.tensor([[1] * 5 + [2] * 5])
    with torch.no_grad():
        both = model.states(ids, places, numbers)[-1]
        alone = model.states(ids[:, 5:], places[:, 5:], numbers[:, 5:])[-1]
    assert torch.allclose(both[:, 5:], alone, atol=1e-5)


def test_it_learns_stops_and_resumes(data: Path) -> None:
    from reproduction.mlm import vocabulary
    from reproduction.mlm.train import Training

    from wordalign import Aligner

    work = data / "work"
    work.mkdir()
    write_sentences(data, work / "sentences.tsv.gz")
    tokenizer = vocabulary.learn(work / "sentences.tsv.gz", 60)
    vocabulary.save_tokenizer(tokenizer, work / "model")
    np.savez(work / "tokens.npz", **vocabulary.pack(tokenizer, work / "sentences.tsv.gz"))
    options = argparse.Namespace(
        seconds=1e6, stop_after=0.01, resume=False, rows=1, rate=1e-3, width=16, layers=2, heads=2, seed=1,
        note_every=0.0,
    )  # fmt: skip
    first = Training(work, options)
    first.run()
    options.resume = True
    second = Training(work, options)
    assert second.steps == first.steps > 0
    second.run()
    assert second.steps > first.steps
    assert len(second.log) > len(first.log)
    found = Aligner(str(work / "model"), layer=1).align(["this", "is", "the"], ENGLISH[3].split())
    assert (0, 0) in found.links
