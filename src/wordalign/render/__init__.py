"""Alignments as people look at them: in a terminal, as SVG, PNG or a page, and curves for papers."""

from wordalign.render.figures import curves, save_figure
from wordalign.render.html_corpus import corpus_html
from wordalign.render.raster import png
from wordalign.render.svg_grid import grid_svg
from wordalign.render.svg_rows import rows_svg
from wordalign.render.terminal_grid import grid_text
from wordalign.render.terminal_rows import rows_text

__all__ = ["corpus_html", "curves", "grid_svg", "grid_text", "png", "rows_svg", "rows_text", "save_figure"]
