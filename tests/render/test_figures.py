from __future__ import annotations

import sys

import pytest

from wordalign.errors import MissingExtraError
from wordalign.render import curves, save_figure

LINES = {"eflomal": [(1e3, 0.4), (1e4, 0.6), (1e5, 0.7)], "fast_align": [(1e3, 0.3), (1e5, 0.6)]}


def test_lines_and_a_line_across():
    pytest.importorskip("matplotlib")
    figure = curves(LINES, across={"embeddings": 0.75}, x="sentences", y="F1", title="Learning", log_x=True)
    (axes,) = figure.axes
    assert [line.get_label() for line in axes.lines] == ["eflomal", "fast_align", "embeddings"]
    assert list(axes.lines[0].get_ydata()) == [0.4, 0.6, 0.7]
    assert set(axes.lines[2].get_ydata()) == {0.75}
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("sentences", "F1", "Learning")
    assert axes.get_xscale() == "log"
    looks = [(line.get_color(), line.get_marker(), line.get_linestyle()) for line in axes.lines]
    assert (
        len(set(looks)) == len({colour for colour, _, _ in looks}) == len({look[1:] for look in looks}) == 3
    )


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_a_saved_figure_is_the_same_every_time(tmp_path, suffix):
    pytest.importorskip("matplotlib")
    for name in ("one", "two"):
        save_figure(curves(LINES, x="sentences", y="F1"), tmp_path / f"{name}.{suffix}")
    one, two = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert len(one) > 1000


def test_no_lines_at_all():
    pytest.importorskip("matplotlib")
    assert curves({}, x="x", y="y").axes
    assert curves({"nothing yet": []}, x="x", y="y").axes


def test_a_missing_extra_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"wordalign\[figures\]"):
        curves(LINES, x="x", y="y")
