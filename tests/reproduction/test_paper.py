"""The paper's numbers, typed once in paper.toml: against some that were typed here again, and each other."""

from __future__ import annotations

import math

import pytest
from reproduction.lab.paper import LABELS, LANGUAGES, paper_scores, read_paper

# Read from the paper's tables for this test.
SPOTS = [
    ("table2", "word", "fast_align", "ces", [0.76, 0.25]),
    ("table2", "subword", "xlmr argmax", "fas", [0.71, 0.29]),
    ("table2", "prior", "Östling 2015: Bayesian", "ron", [0.73, 0.27]),
    ("table2", "prior", "Garg et al. 2019: Multitask", "deu", [None, 0.20]),
    ("table3", "subword", "mbert match", "fra", [0.90]),
    ("table4", "mbert", "3 0.95", "ces", [0.81, 0.91, 0.86, 0.15]),
    ("table4", "fasttext", "2 1.0", "hin", [0.53, 0.39, 0.45, 0.55]),
    ("table5", "fasttext", "argmax distortion", "ces", [0.89, 0.68, 0.77, 0.23]),
    ("table5", "mbert", "match null", "deu", [0.80, 0.73, 0.76, 0.24]),
    ("table6", "word", "eflomal", "AUX", [0.63]),
    ("table6", "subword", "mbert", "VERB", [0.69]),
    ("table7", "word", "ibm4", "fas", [0.55, 0.48, 0.51, 0.49]),
    ("table7", "word", "xlmr argmax", "deu", [0.93, 0.68, 0.79, 0.22]),
    ("table7", "subword", "fasttext itermax", "hin", [0.14, 0.05, 0.07, 0.93]),
    ("table8", "mbert", "itermax distortion", "hin", [0.53, 0.35, 0.42, 0.58]),
    ("table9", "word", "ibm4 intersection", "ron", [0.95, 0.47, 0.63, 0.37]),
]


@pytest.mark.parametrize(("table", "section", "row", "column", "expected"), SPOTS)
def test_numbers_are_those_of_the_paper(table, section, row, column, expected):
    found = paper_scores(table, section, row, column)
    assert [found.get(name) for name in read_paper()[table]["columns"]] == expected


def test_an_empty_cell_of_the_paper_is_nothing():
    assert paper_scores("table2", "prior", "Garg et al. 2019: Multitask", "ces") is None
    assert paper_scores("table2", "word", "no such system", "ces") is None


def rows(*tables: str):
    for table in tables:
        for section, found in read_paper()[table].items():
            if isinstance(found, dict) and section != "auxiliary_distance":
                for row, cells in found.items():
                    for column in cells:
                        yield (table, section, row, column), paper_scores(table, section, row, column)


LONG = ("table4", "table5", "table7", "table8", "table9")


def test_f1_is_the_harmonic_mean_of_precision_and_recall():
    checked = 0
    for where, scores in rows(*LONG):
        if "precision" in scores:
            # Two digits: each of the three is off by up to .005.
            expected = 2 * scores["precision"] * scores["recall"] / (scores["precision"] + scores["recall"])
            assert math.isclose(scores["f1"], expected, abs_tol=0.011), where
            checked += 1
    assert checked > 300


def test_without_possible_links_aer_is_what_f1_leaves():
    for where, scores in rows("table2", *LONG):
        if where[3] in ("fas", "hin", "ron") and "f1" in scores:
            assert math.isclose(scores["f1"] + scores["aer"], 1, abs_tol=0.0101), where


def same(first, second):
    """Equal but for the last digit, in which some tables of the paper differ."""
    return all(abs(first[key] - second[key]) < 0.0101 for key in first.keys() & second.keys())


def test_tables_that_repeat_each_other_agree():
    for (_, section, row, language), scores in rows("table2"):
        assert same(scores, paper_scores("table7", section, row, language)), (row, language)
    for (_, level, row, language), scores in rows("table3"):
        if "match" not in row:
            assert same(scores, paper_scores("table7", level, row, language)), (row, language)
    for (_, _, row, language), scores in rows("table9"):
        if row.endswith("grow-diag-final-and"):
            assert same(scores, paper_scores("table7", "word", row.split()[0], language)), (row, language)
    for table, level in (("table5", "word"), ("table8", "subword")):
        for (_, system, row, language), scores in rows(table):
            method, setting = row.split()
            if setting == "plain" and method != "match":
                assert same(scores, paper_scores("table7", level, f"{system} {method}", language)), (
                    table,
                    row,
                )
    for system in ("mbert", "fasttext"):
        for setting, method in (("1", "argmax"), ("2 0.9", "itermax")):
            for language in ("deu", "ces", "hin"):
                one = paper_scores("table4", system, setting, language)
                assert same(one, paper_scores("table5", system, f"{method} plain", language))


def test_everything_is_there():
    paper = read_paper()
    assert set(paper["table1"]["sets"]) == set(LANGUAGES)
    assert len(paper["table4"]["mbert"]) == len(paper["table4"]["fasttext"]) == 7
    for table in ("table5", "table8"):
        assert len(paper[table]["mbert"]) == len(paper[table]["fasttext"]) == 9
    assert len(paper["table7"]["word"]) == len(paper["table7"]["subword"]) == 9
    assert len(paper["table9"]["word"]) == 6
    assert set(paper["table12"]["seconds"]) < set(LABELS)
