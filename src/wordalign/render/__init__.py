"""Pictures of alignments: in a terminal, as SVG, PNG or an HTML page; and curves for papers."""

from wordalign.render.figures import curves, save_figure
from wordalign.render.html import corpus_html
from wordalign.render.svg import png
from wordalign.render.svg_grid import grid_svg
from wordalign.render.svg_rows import rows_svg
from wordalign.render.terminal import grid_text, rows_text

__all__ = ["corpus_html", "curves", "grid_svg", "grid_text", "png", "rows_svg", "rows_text", "save_figure"]
