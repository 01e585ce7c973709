from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from wordalign.text import split_words

# Tiny models gain nothing from threads, and lose a lot where another process has the other core.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Where a shell started the tests in the background, Ctrl-C is ignored, and so it would be by every program
# that they start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS = Path(__file__).parent
ROOT = TESTS.parent
sys.path.insert(0, str(TESTS))  # helper modules; the package itself is the installed one

# The machines that run this are shared and slow at times: how long one example takes proves nothing.
settings.register_profile("default", deadline=None, print_blob=True)
settings.load_profile("default")

WordPair = tuple[list[str], list[str]]


def pytest_configure() -> None:
    """Lend Chromium the fonts of matplotlib where the machine has none: without any it cannot open a page."""
    folders = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
    if any(file.is_file() for folder in folders for file in Path(folder).expanduser().rglob("*.[ot]t[fc]")):
        return
    import matplotlib

    settings_file = Path(tempfile.mkdtemp(prefix="wordalign-fonts-"), "fonts.conf")
    settings_file.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
        '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>'
        f"<dir>{matplotlib.get_data_path()}/fonts/ttf</dir></fontconfig>",
        "utf-8",
    )
    os.environ["FONTCONFIG_FILE"] = str(settings_file)


def _read_pairs() -> list[WordPair]:
    columns = [line.split("\t") for line in (TESTS / "data/pairs.tsv").read_text("utf-8").splitlines()]
    eng, deu = ((ROOT / f"examples/{name}.txt").read_text("utf-8").splitlines() for name in ("eng", "deu"))
    tokenised = [(left.split(), right.split()) for left, right in columns]
    raw = [
        (list(split_words(left).words), list(split_words(right).words))
        for left, right in zip(eng, deu, strict=True)
    ]
    return tokenised + raw


@pytest.fixture(scope="session")
def sentence_pairs() -> list[WordPair]:
    """Fifty tokenised pairs of English with eleven languages."""
    return _read_pairs()


@pytest.fixture(scope="session")
def gold_folder() -> Path:
    """Word-alignment gold sets, one folder a language pair, where the machine has them."""
    folder = Path(os.environ.get("WORDALIGN_GOLD", ROOT.parent / "shared/data/gold"))
    if not folder.is_dir():
        pytest.skip("no gold sets here: set WORDALIGN_GOLD to a folder of them (docs/data.md)")
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A factory of tiny random models by kind, made once a run."""
    from tiny_models import save_tiny_model

    lines = [" ".join(side) for pair in _read_pairs() for side in pair]
    made: dict[str, Path] = {}

    def make(kind: str) -> Path:
        if kind not in made:
            made[kind] = save_tiny_model(kind, tmp_path_factory.mktemp(kind), lines)
        return made[kind]

    return make
