"""The example of a reading app, in Chromium: it loads the npm package without a bundler."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from javascript.node import MODULES, ROOT
from serve.hosting import hosting

pytest_plugins = ("serve.browser",)


@pytest.fixture
def folder(package: Path, tmp_path: Path) -> Path:
    """What js/ looks like once the package is built."""
    shutil.copytree(ROOT / "js/example", tmp_path / "js/example")
    (tmp_path / "js/build").mkdir()
    (tmp_path / "js/build/wordalign").symlink_to(package)
    (tmp_path / "js/node_modules").symlink_to(MODULES)
    return tmp_path / "js"


def test_pointing_at_a_word_lights_its_counterpart(folder, browser):
    complaints: list[str] = []
    with hosting(folder) as host:
        page = browser.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{host}example/reader.html")
        page.wait_for_function(
            "() => document.getElementById('state').textContent.startsWith('Point')", timeout=120_000
        )
        for word, partners in (
            ("Sonntagmorgen", ["Sonntagmorgen", "Sunday", "morning"]),
            ("Igel", ["Igel", "hedgehog"]),
        ):
            page.locator(".word", has_text=word).hover()
            assert page.locator(".lit").all_inner_texts() == partners
        page.locator(".word", has_text="song").focus()
        assert page.locator(".lit").all_inner_texts() == ["Lied", "song"]
        first = page.locator(".text").first
        assert (
            first.inner_text() == "Es war an einem Sonntagmorgen im Herbst, gerade als der Buchweizen blühte."
        )
        page.close()
    assert not complaints
