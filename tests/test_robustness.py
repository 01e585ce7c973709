"""The figures of benchmarks/robustness.py and soak.py, small: and that they can tell good from bad."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import wordalign

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import faults
import robustness
import soak
from hostile import FORMATS, all_sentinels, as_lines, hostile_pairs, unicode_blocks
from unpickling import unpickling, unpickling_in


@pytest.fixture(scope="module")
def reliable(tmp_path_factory):
    return robustness.reliable_sentinels(tmp_path_factory.mktemp("sentinels"))


def test_most_sentinels_have_their_links_where_all_is_well(reliable):
    assert len(reliable) > 600


@pytest.mark.parametrize(("number", "pair_format"), list(enumerate(FORMATS)))
def test_hostile_lines_crash_nothing_and_none_is_lost(tmp_path, reliable, number, pair_format):
    pairs = [pair for pair in hostile_pairs(number, 80) if pair.order is None or pair.order in reliable]
    found = robustness.fuzz_round(tmp_path, pairs, pair_format, bool(number % 2), random.Random(number))
    assert found["problems"] == []
    assert (found["lines"], found["crashes"], found["lines_lost"]) == (len(pairs), 0, 0)
    assert found["bad_lines"] == found["bad_lines_told"] > 0
    assert found["sentinels"] >= 8


def test_every_kind_of_hostile_line_comes_up():
    kinds = {pair.kind for pair in hostile_pairs(0, 1000)}
    assert {
        "Unicode block",
        "random bytes",
        "NUL",
        "bidi controls",
        "emoji",
        "mixed scripts",
        "sentinel",
    } <= kinds
    assert len(kinds) == 20


def test_blocks_are_those_of_unicode():
    blocks = unicode_blocks()
    assert (blocks["CYRILLIC"], blocks["HANGULSYLLABLES"]) == (range(0x400, 0x500), range(0xAC00, 0xD7B0))
    ends = sorted((block.start, block.stop) for block in blocks.values())
    assert all(before <= after for (_, before), (after, _) in pairwise(ends))
    assert len(blocks) > 300


def test_a_line_that_has_to_be_refused_is_known_to_be():
    bad = next(pair for pair in hostile_pairs(0, 500) if pair.kind == "lone surrogates")
    assert [as_lines(bad, name, random.Random(0))[1] for name in FORMATS] == [True, True, True, False]


def test_a_lost_or_moved_line_is_seen():
    one, other = all_sentinels()[:2]

    def line(pair):
        links = [[word, place] for place, word in enumerate(pair.order)]
        words = pair.source.decode().split()
        return json.dumps(
            {"source": words, "target": words, "methods": {"argmax": {"links": links}}}
        ).encode()

    assert robustness.wrong_with(one, False, line(one)) == ""
    assert "sentinel" in robustness.wrong_with(one, False, line(other))
    assert "cannot be read" in robustness.wrong_with(replace(one, order=None), True, line(one))
    assert "out of range" in robustness.wrong_with(one, False, line(one).replace(b"[5, ", b"[6, "))


@pytest.mark.parametrize("fault", [faults.read_only_disk, faults.without_rights, faults.streams])
def test_faults_end_in_a_sentence_and_a_clean_state(tmp_path, fault):
    found = faults.try_faults(tmp_path / "faults", [fault])
    assert [outcome for outcome in found["outcomes"] if not outcome["good"]] == []


def test_damaged_models_are_refused_before_use(tmp_path):
    found = faults.try_faults(tmp_path / "faults", [faults.damaged_models])
    assert found["tried"] == 6
    assert [outcome for outcome in found["outcomes"] if not outcome["good"]] == []


def test_half_a_file_under_the_final_name_is_seen(tmp_path):
    output = tmp_path / "links.txt"
    done = faults.Finished(1, b"", "wordalign: Cannot write links.txt: No space left on device.\n")
    assert faults.judged("full", done, "No space", output=output).good
    assert not faults.judged("full", done, "Permission", output=output).good
    assert not faults.judged("full", replace(done, stderr="Traceback …\n" + done.stderr), "No space").good
    (tmp_path / "links.txt.partial").write_bytes(b"0-0\n0-")
    assert not faults.judged("full", done, "No space", output=output).good
    (tmp_path / "links.txt.partial").write_bytes(b"0-0\n")
    output.write_bytes(b"0-0\n")
    assert not faults.judged("full", done, "No space", output=output).good


def test_nothing_unpickles():
    assert unpickling_in(Path(wordalign.__file__).parent) == {}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "import os, cloudpickle.compat",
        "weights = torch.load(path)",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=trusted)",
    ],
)
def test_what_unpickles_is_found(source):
    assert len(unpickling(source)) == 1


def test_what_does_not_unpickle_is_left_alone():
    assert unpickling("import json\nnp.load(path)\nnp.load(path, allow_pickle=False)\njson.load(f)") == []


def test_a_short_soak_has_every_line():
    found = soak.soak(400, 1.0, "tiny", "argmax", [])
    assert (found["lines_in"], found["lines_out"], found["exit"], found["said"]) == (400, 400, 0, "")


def test_growing_memory_is_seen():
    flat = [soak.Sample(second, 1000 * second, 300 << 20) for second in range(100)]
    growing = [replace(sample, rss=sample.rss + 50 * sample.lines) for sample in flat]
    assert soak.memory(flat)["slope_mib_per_million_pairs"] == 0
    assert soak.memory(growing)["slope_mib_per_million_pairs"] == pytest.approx(50e6 / (1 << 20), rel=1e-3)
    assert soak.speed_by_decile(flat) == [1000.0] * 10


def test_words_of_control_characters_get_no_link():
    controls = [chr(number) for number in (0, 1, 7, 0x1B, 0x7F, 0x202E)]
    aligner = wordalign.Aligner("tiny", method=["argmax", "match", "calibrated"])
    words = ["museum", *controls, "clo\0sed"], [*reversed(controls), "museum", "closed"]
    for found in next(iter(aligner.stream_methods([words]))).values():
        assert {(0, 6), (7, 7)} <= set(found.links)
        assert all(source in (0, 7) and target in (6, 7) for source, target in found.links)
