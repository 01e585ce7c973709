"""One chunk: what a aligner makes of it, and of lines that cannot be used."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from wordalign import Aligner
from wordalign.encoders import Encoder
from wordalign.errors import DeviceMemoryError, InputError, UnknownNameError
from wordalign.run import ChunkAligner
from wordalign.types import Encoding


class Choosy(Encoder):
    """An encoder that cannot do sentences with certain words; `together` has the sizes of its batches."""

    signature = "choosy"

    def __init__(self, error: Exception, *refused: str) -> None:
        self._error, self._refused = error, set(refused)
        self.together: list[int] = []

    def encode(self, sentences):
        self.together.append(len(sentences))
        if any(self._refused & set(words) for words in sentences):
            raise self._error
        rows = [
            [np.frombuffer(word.encode().ljust(64)[:64], np.uint8) for word in words] for words in sentences
        ]
        return [
            Encoding(np.array(vectors, np.float32).reshape(-1, 64), np.arange(len(vectors)))
            for vectors in rows
        ]


@pytest.mark.parametrize("options", [{}, {"method": ("argmax", "match"), "scores": True, "format": "jsonl"}])
def test_an_aligner_of_chunks_gives_the_lines_of_the_aligner(
    make_config, pair_records, sentence_pairs, options
):
    config = pickle.loads(pickle.dumps(make_config(**options)))
    aligner = config.open()
    done = aligner(pair_records[:50])
    found = list(aligner.aligner.stream_methods(sentence_pairs))
    assert not done.errors
    assert done.failure is None
    if not options:
        assert done.lines == [by_method["calibrated"].pharaoh() for by_method in found]
    else:
        records = [json.loads(line) for line in done.lines]
        for record, by_method in zip(records, found, strict=True):
            assert record["methods"]["match"]["links"] == [list(link) for link in by_method["match"].links]
            assert record["methods"]["match"]["signature"] == aligner.signatures["match"]


def test_a_bad_line_is_skipped_with_its_reason(make_config, pair_records, with_bad_lines):
    aligner = make_config(on_error="skip").open()
    done = aligner(with_bad_lines([3, 7, 50])[:50])
    good = aligner(pair_records[:50]).lines
    assert [error.number for error in done.errors] == [3, 7, 50]
    assert "found 0 separators" in done.errors[0].reason
    assert "not UTF-8" in done.errors[1].reason
    assert [number for number, line in enumerate(done.lines, start=1) if not line] == [3, 7, 50]
    assert len(done.lines) == 50
    assert sum(ours == theirs for ours, theirs in zip(done.lines, good, strict=True)) >= 45


def test_a_bad_line_stops_after_the_lines_before_it(make_config, with_bad_lines):
    done = make_config().open()(with_bad_lines([30, 40, 50])[:50])
    assert len(done.lines) == 29
    assert isinstance(done.failure, InputError)
    assert "pairs.txt, line 30" in str(done.failure)


def test_an_empty_result_has_a_column_for_each_method_and_the_words_where_they_are_known(
    make_config, pair_records
):
    config = make_config(on_error="skip", format="tsv", method=("argmax", "itermax"))
    encoder = Choosy(DeviceMemoryError("Too long."), "Museum")
    aligner = ChunkAligner(config, Aligner(encoder, method=config.align.method))
    bad = replace(pair_records[4], lines=(b"the Museum ||| das Museum",))
    done = aligner([*pair_records[:4], bad, replace(pair_records[5], lines=(b"none",))])
    assert done.lines[4:] == ["the Museum\tdas Museum\t\t", "\t\t\t"]
    assert [(error.number, error.reason.partition(":")[0]) for error in done.errors] == [
        (5, "Too long."), (6, "pairs.txt, line 6"),
    ]  # fmt: skip


@pytest.mark.parametrize("error", [DeviceMemoryError("Too long."), ValueError("a bug")])
def test_a_pair_that_cannot_be_aligned_fails_alone(make_config, pair_records, error):
    config = make_config(on_error="skip", method=("argmax",))
    lines = [b"refuse this ||| x" if number in (9, 10, 33) else None for number in range(1, 51)]
    records = [
        record if line is None else replace(record, lines=(line,))
        for record, line in zip(pair_records[:50], lines, strict=True)
    ]
    encoder = Choosy(error, "refuse")
    done = ChunkAligner(config, Aligner(encoder, method="argmax"))(records)
    good = ChunkAligner(config, Aligner(Choosy(error), method="argmax"))(pair_records[:50])
    assert [error.number for error in done.errors] == [9, 10, 33]
    assert str(error) in done.errors[0].reason
    for number, (ours, theirs) in enumerate(zip(done.lines, good.lines, strict=True), start=1):
        assert ours == ("" if number in (9, 10, 33) else theirs)
    assert len(encoder.together) < 40  # halved, not one by one


def test_a_model_that_does_nothing_right_is_not_skipped_line_by_line(make_config, pair_records):
    config = make_config(on_error="skip", method=("argmax",))
    refused = {word for record in pair_records[:50] for word in record.lines[0].decode().split()}
    aligner = ChunkAligner(config, Aligner(Choosy(RuntimeError("device lost"), *refused), method="argmax"))
    with pytest.raises(RuntimeError, match="device lost"):
        aligner(pair_records[:50])


def test_without_skip_the_error_of_the_model_comes_through(make_config, pair_records):
    aligner = ChunkAligner(
        make_config(), Aligner(Choosy(DeviceMemoryError("Too long."), "the"), method="argmax")
    )
    with pytest.raises(DeviceMemoryError, match="Too long"):
        aligner(pair_records[:50])


@pytest.mark.parametrize(
    ("option", "said"),
    [({"format": "xml"}, "pharaoh"), ({"on_error": "ask"}, "skip"), ({"level": "letter"}, "subword")],
)
def test_wrong_options_are_known_at_once(make_config, option, said):
    with pytest.raises(UnknownNameError, match=said):
        make_config(**option)
