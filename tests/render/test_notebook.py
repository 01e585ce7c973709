from __future__ import annotations

import subprocess
import sys
from xml.etree import ElementTree

import pytest

from wordalign.types import Alignment, Sentence


def test_a_notebook_shows_an_alignment_as_a_picture(museum):
    formatters = pytest.importorskip("IPython.core.formatters")
    shown, _ = formatters.DisplayFormatter().format(museum)
    root = ElementTree.fromstring(shown["text/html"])
    assert root.tag.endswith("svg")
    assert shown["text/plain"].startswith("Alignment(links=")


def test_words_stay_words_in_a_notebook():
    words = Sentence.from_words(["<script>alert(1)</script>"])
    html = Alignment(((0, 0),), (1.0,), words, words)._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_nothing_is_imported_before_a_picture_is_asked_for():
    code = "import sys, wordalign.types; print('wordalign.render' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
    code = "import sys, wordalign.render; print({'matplotlib', 'resvg_py', 'scipy'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
