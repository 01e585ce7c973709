"""The programs of the aligners' authors; scripts stand in for them, because no registry has them."""

from __future__ import annotations

import doctest

import pytest
from mini import make_data
from reproduction.lab import programs
from reproduction.lab.kept import keep_rows
from reproduction.lab.lab import Lab
from reproduction.lab.options import Options
from reproduction.lab.systems import NotRunError

from reproduction import originals


def write_program(folder, name, script):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_original_programs_are_read_as_ours(tmp_path):
    """Stand-ins that link the first two words of each sentence along the diagonal, in both directions."""
    write_program(
        tmp_path,
        "fast_align",
        'while [ "$1" != -i ]; do shift; done; while read -r line; do echo 0-0 1-1; done < "$2"',
    )
    write_program(tmp_path, "mkcls", "echo")
    write_program(
        tmp_path, "plain2snt.out", "touch source.vcb target.vcb source_target.snt target_source.snt"
    )
    write_program(tmp_path, "snt2cooc.out", "echo 1 1")
    write_program(
        tmp_path,
        "GIZA++",
        'while [ "$1" != -o ]; do shift; done\n'
        'while read -r line; do printf "# pair\\nand a b\\nNULL ({ 3 }) x ({ 1 }) y ({ 2 })\\n"; done '
        '< source > "$2.A3.final"',
    )
    pairs = [(("a", "b"), ("c", "d")), ((), ("c",)), (("b", "a"), ("d", "c"))]
    both = frozenset({(0, 0), (1, 1)})
    for original in programs.ORIGINALS:
        for way in original.ways:
            assert original.link(original.find(tmp_path), way, pairs) == [both, frozenset(), both]
    data = make_data(tmp_path / "data")
    lab = Lab(Options(data=data, text=data / "text", programs=tmp_path, train=False, work=tmp_path / "none"))
    cells = originals.run(lab)["cells"]
    assert {cell["program"] for cell in cells if "not_run" in cell} == {originals.OURS}
    assert {cell["scores"]["f1"] > 0.2 for cell in cells if "scores" in cell} == {True}
    failures, examples = doctest.testmod(programs)
    assert (failures, examples) == (0, 1)


def test_a_program_that_links_too_few_pairs_says_so(tmp_path):
    write_program(tmp_path, "fast_align", "echo 0-0")
    original = programs.ORIGINALS[0]
    with pytest.raises(NotRunError, match="fast_align -d -o -v linked 1 of 2 pairs"):
        original.link(tmp_path, original.papers_way, [(("a",), ("b",))] * 2)


def test_a_program_that_stops_says_so(tmp_path):
    write_program(tmp_path, "fast_align", "echo no memory >&2; exit 3")
    original = programs.ORIGINALS[0]
    with pytest.raises(NotRunError, match="fast_align stopped with code 3: no memory"):
        original.link(tmp_path, original.papers_way, [(("a",), ("b",))])


def test_all_programs_of_an_aligner_must_be_there(tmp_path):
    write_program(tmp_path, "GIZA++", "echo")
    with pytest.raises(NotRunError, match="no program mkcls given"):
        programs.ORIGINALS[1].find(tmp_path)


def test_without_programs_their_rows_are_kept(tmp_path):
    data = make_data(tmp_path / "data")
    lab = Lab(Options(data=data, text=data / "text", train=False, work=tmp_path / "none"))
    new = originals.run(lab)
    assert "Not run" in originals.show(new)
    row = next(cell for cell in new["cells"] if cell["program"] == "fast_align -d -o -v")
    old = {
        "cells": [{name: value for name, value in row.items() if name != "not_run"} | {"scores": {"f1": 0.5}}]
    }
    kept = keep_rows(new, old)["cells"]
    assert [cell["program"] for cell in kept if "scores" in cell] == ["fast_align -d -o -v"]
