"""Figures: matplotlib where there are axes, the package's own SVG for alignments."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reproduction.lab.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Distinct in grey and for the colour-blind (Okabe and Ito); a system keeps its colour in all figures.
COLOURS = {
    "base": "#0072B2",
    "tiny": "#56B4E9",
    "eflomal": "#D55E00",
    "fast_align": "#E69F00",
    "ibm4": "#CC79A7",
    "fasttext": "#009E73",
    "mbert": "#000000",
    "xlmr": "#777777",
    "own": "#7F3C8D",
}
SPARE = ("#8C564B", "#17BECF", "#BCBD22", "#A5AA99")
LANGUAGE_COLOURS = dict(
    zip(
        ("ces", "deu", "fas", "fra", "hin", "ron"),
        ("#0072B2", "#D55E00", "#777777", "#009E73", "#CC79A7", "#E69F00"),
        strict=True,
    )
)


def colour(system: str, number: int = 0) -> str:
    return COLOURS.get(system, SPARE[number % len(SPARE)])


def new_figure(columns: int = 1, width: float = 6.4, height: float = 3.8) -> tuple[Figure, Any]:
    """A figure with a row of axes, in the style of all of them."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    # The same file from the same numbers, so that nothing changes in the repository when nothing changed.
    plt.rcParams.update({"svg.hashsalt": "wordalign", "svg.fonttype": "none", "font.size": 9})
    figure, axes = plt.subplots(1, columns, figsize=(width, height), layout="constrained", squeeze=False)
    for axis in axes[0]:
        axis.grid(axis="y", color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes[0]


def save_figure(figure: Figure, path: Path) -> list[Path]:
    """PNG and SVG beside each other; `path` has no suffix."""
    import matplotlib.pyplot as plt

    paths = [path.with_suffix(".png"), path.with_suffix(".svg")]
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(paths[0], dpi=130, metadata={"Software": None})
    figure.savefig(paths[1], metadata={"Date": None, "Creator": None})
    plt.close(figure)
    # matplotlib leaves spaces at line ends.
    lines = paths[1].read_text("utf-8").splitlines()
    paths[1].write_text("\n".join(line.rstrip() for line in lines) + "\n", "utf-8")
    return paths


def save_picture(svg: str, path: Path) -> None:
    """An SVG picture of the package's own, and a PNG of it where that can be drawn here."""
    from wordalign.errors import WordalignError
    from wordalign.render import png

    write_whole(path.with_suffix(".svg"), svg)
    # No fonts, or no renderer: the SVG is the figure, the PNG a convenience.
    with contextlib.suppress(WordalignError):
        write_whole(path.with_suffix(".png"), png(svg))
