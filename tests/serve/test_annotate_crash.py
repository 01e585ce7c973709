"""What the page says is saved is there when the whole browser was killed.

In a module of its own: it starts browsers itself, which no other browser of the same process may be open for.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from serve.annotating import TSV, Desk

pytest_plugins = ("serve.browser",)


def test_every_saved_edit_survives_the_death_of_the_browser(address, tmp_path):
    """The whole browser is killed (-9) as soon as the page says that an edit is saved."""
    playwright = pytest.importorskip("playwright.sync_api")
    from serve.browser import CHROMIUM, FLAGS, Visit

    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    profile = tmp_path / "profile"

    def browser(driver):
        return driver.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, args=FLAGS, accept_downloads=True
        )

    with playwright.sync_playwright() as driver:
        context = browser(driver)
        desk = Desk(Visit(context, address, "annotate.html")).begin(TSV)
        where = desk.page.url
        desk.link(0, 6).link(1, 2)
        desk.page.fill("#comment", "kept")
        desk.settle()
        edited = desk.project()
        _kill(profile)
    with playwright.sync_playwright() as driver:
        context = browser(driver)
        desk = Desk(Visit(context, "", where))
        desk.page.wait_for_selector("#rows .word")
        assert desk.project() == edited
        context.close()


def _kill(profile: Path) -> None:
    """End the browser that uses this profile, and nothing else, without a chance to write anything."""
    found = subprocess.run(
        ["pgrep", "-f", f"user-data-dir={profile}"], capture_output=True, text=True, check=True
    ).stdout.split()
    for number in map(int, found):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
