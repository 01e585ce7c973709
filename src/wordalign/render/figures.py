"""Curves like those of the paper, drawn with matplotlib, with a colour and a marker for each system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wordalign.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which people with any colour vision tell apart.
_HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_MARKERS = "osD^vPX"
_DASHES = ("--", ":", "-.")


def curves(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    *,
    x: str,
    y: str,
    across: Mapping[str, float] | None = None,
    title: str | None = None,
    log_x: bool = False,
) -> Figure:
    """Draw a line through the `(x, y)` points of each system, and a horizontal line for each system of
    `across`, whose value does not depend on x.

    The result is a figure of matplotlib, which can be changed further; `save_figure` writes it.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("Drawing curves", "figures") from error
    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for number, (name, points) in enumerate(lines.items()):
        across_x, up_y = zip(*points, strict=True) if points else ((), ())
        hue, marker = _HUES[number % len(_HUES)], _MARKERS[number % len(_MARKERS)]
        axes.plot(across_x, up_y, label=name, color=hue, marker=marker, markersize=5)
    for number, (name, height) in enumerate((across or {}).items()):
        hue = _HUES[(len(lines) + number) % len(_HUES)]
        axes.axhline(height, label=name, color=hue, linestyle=_DASHES[number % len(_DASHES)])
    if log_x:
        axes.set_xscale("log")
    axes.set(xlabel=x, ylabel=y, title=title)
    axes.grid(visible=True, alpha=0.3)
    if lines or across:
        axes.legend(frameon=False)
    return figure


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG, PNG or PDF, as the suffix says. The same figure always gives the same bytes."""
    import matplotlib

    suffix = Path(path).suffix.lower()
    dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
    with matplotlib.rc_context({"svg.hashsalt": "wordalign", "svg.fonttype": "none"}):
        figure.savefig(path, dpi=200, metadata=dated)
