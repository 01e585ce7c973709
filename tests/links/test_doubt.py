"""Text in a language that the model was never trained on is noticed, once, and known text is not."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from wordalign import Aligner, align_files
from wordalign.links.doubt import ENOUGH_PAIRS, Watch
from wordalign.text.pairs import as_pair

EXAMPLES = Path(__file__).parents[2] / "examples"
# German in other letters: the words of no language, but spelt like one.
OTHER_LETTERS = str.maketrans("aeioubcdfghjklmnpqrstvwxyz", "uoaiezxwvtsrqpnmlkjhgfdcby")


@pytest.fixture(scope="module")
def aligner() -> Aligner:
    return Aligner("tiny")


@pytest.fixture(scope="module")
def known() -> list[tuple[str, str]]:
    sides = ((EXAMPLES / f"{name}.txt").read_text("utf-8").splitlines() for name in ("eng", "deu"))
    return list(zip(*sides, strict=True)) * 2


@pytest.fixture(scope="module")
def unknown(known) -> list[tuple[str, str]]:
    return [(english, german.lower().translate(OTHER_LETTERS)) for english, german in known]


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if "hardly trained" in record.getMessage()]


def test_known_text_passes_and_unknown_text_does_not(aligner, known, unknown, sentence_pairs):
    assert aligner.doubt(known) is None
    assert aligner.doubt(sentence_pairs) is None
    assert "wordalign models --languages" in aligner.doubt(unknown)
    assert "no translations" not in aligner.doubt(unknown)
    assert aligner.doubt([(german, english) for english, german in unknown]) is not None


def test_pairs_that_are_no_translations_are_doubtful_too(aligner, known):
    moved = [
        (english, german) for (english, _), (_, german) in zip(known, known[7:] + known[:7], strict=True)
    ]
    assert "no translations" in aligner.doubt(moved)


def test_single_pairs_tell_less(aligner, known, unknown):
    assert not any(aligner.doubt([pair]) for pair in known)
    assert sum(aligner.doubt([pair]) is not None for pair in unknown) > len(unknown) / 3
    assert aligner.doubt([("A b c", "x y z")]) is None
    assert aligner.doubt([]) is None


def test_models_without_probabilities_have_no_doubts(tiny_model, unknown):
    assert Aligner(str(tiny_model("bert"))).doubt(unknown[:50]) is None


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stream_tells_it_once(unknown, workers, caplog):
    aligner = Aligner("tiny")
    pairs = unknown * 20
    assert len(list(aligner.stream(pairs, workers=workers))) == len(pairs)
    aligner.align_batch(pairs)
    aligner.with_options(method="argmax").align_batch(pairs)
    assert len(told(caplog)) == 1


def test_single_calls_are_gathered(unknown, known, caplog):
    aligner = Aligner("tiny")
    for pair in unknown[: ENOUGH_PAIRS - 1]:
        aligner.align(*pair)
    assert told(caplog) == []
    aligner.align(*unknown[-1])
    assert len(told(caplog)) == 1
    caplog.clear()
    Aligner("tiny").align_batch(known)
    assert told(caplog) == []


def test_short_pairs_are_not_gathered():
    judged: list[int] = []
    watch = Watch(lambda pairs: judged.append(len(pairs)))
    short, longer = as_pair((["a", "b"], ["c", "d"])), as_pair((["a", "b", "c"], ["d", "e", "f"]))
    watch([short] * 100)
    watch([longer] * (ENOUGH_PAIRS - 1))
    assert judged == []
    watch([short, longer, longer])
    watch([longer] * 100)
    assert judged == [ENOUGH_PAIRS]


@pytest.mark.parametrize("workers", [1, 2])
def test_files_tell_it_once(unknown, tmp_path, workers, caplog):
    for place, name in enumerate(("eng", "xxx")):
        (tmp_path / name).write_text("\n".join(pair[place] for pair in unknown * 40) + "\n", "utf-8")
    reports: list[str] = []
    files = [tmp_path / "eng", tmp_path / "xxx"]
    with caplog.at_level(logging.WARNING):
        align_files(
            files, tmp_path / "links", Aligner("tiny"), raw=True, workers=workers, report=reports.append
        )
    assert [("hardly trained" in report) for report in reports] == [True]
    assert told(caplog) == []
