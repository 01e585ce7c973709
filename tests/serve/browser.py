"""Fixtures for tests of the web page: the real service, and the machine's own Chromium.

Where there is no Chromium (Debian: `apt-get install chromium`) or no playwright, these tests are skipped.
`WORDALIGN_CHROMIUM` names another browser to use.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from serve.browser_service import serving

CHROMIUM = os.environ.get("WORDALIGN_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-proxy-server",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where `wordalign serve` serves both bundled models."""
    pytest.importorskip("fastapi")
    with serving("--model", "base", "--model", "tiny") as url:
        yield url


# Playwright keeps an event loop running in its thread: a module's end is the latest to let it go.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium here: apt-get install chromium, or set WORDALIGN_CHROMIUM")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Callable[..., Visit]]:
    """A function that opens the page in a window of its own: `visit("#source=...", width=390)`."""
    visits: list[Visit] = []

    def open_page(fragment: str = "", *, at: str = address, words: bool = True, **options: Any) -> Visit:
        size = {"width": options.pop("width", 1200), "height": options.pop("height", 900)}
        context = browser.new_context(viewport=size, accept_downloads=True, **options)
        visits.append(Visit(context, at, fragment))
        if words:
            visits[-1].settle()
        return visits[-1]

    yield open_page
    for visited in visits:
        visited.context.close()
        assert not visited.complaints, visited.complaints
        assert not visited.abroad, f"requests left the service: {visited.abroad}"


class Visit:
    """A page with what it asked for and what it complained about."""

    def __init__(self, context: Any, address: str, fragment: str) -> None:
        self.context = context
        self.page = context.new_page()
        self.requests: list[str] = []
        self.abroad: list[str] = []
        self.complaints: list[str] = []
        self._address = address
        self.page.on("request", self._asked)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._said)
        self.page.goto(address + fragment)

    def _asked(self, request: Any) -> None:
        if request.url.startswith(self._address):
            self.requests.append(request.url.removeprefix(self._address))
        elif not request.url.startswith(("blob:", "data:")):
            self.abroad.append(request.url)

    def _said(self, message: Any) -> None:
        # A 4xx answer is logged by the browser itself, however kindly the page takes it.
        if message.type == "error" and "the server responded with a status" not in message.text:
            self.complaints.append(message.text)

    @property
    def alignments(self) -> int:
        """How often the service was asked to align."""
        return self.requests.count("v1/align")

    def settle(self) -> Visit:
        """Wait until the drawing shows the state: nothing asked for, nothing planned."""
        self.page.wait_for_function(
            "() => !document.querySelector('#figure').classList.contains('waiting')"
            " && (document.querySelector('#rows-a .word') || document.querySelector('#figure').hidden"
            " || document.querySelector('#panels').hidden || !document.querySelector('#notice').hidden)"
        )
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        return self

    def option(self, name: str, value: str) -> Visit:
        """Choose a radio button: `option("method", "argmax")`."""
        self.page.check(f"input[name={name}][value={value}]", force=True)
        return self.settle()

    def slide(self, name: str, value: float) -> Visit:
        self.page.evaluate(
            "([name, value]) => { const slider = document.getElementById(name); slider.value = value;"
            " slider.dispatchEvent(new Event('input', { bubbles: true })); }",
            [name, value],
        )
        return self.settle()

    def more(self) -> Visit:
        self.page.evaluate("() => { document.getElementById('more').open = true; }")
        return self

    def links(self, panel: str = "a") -> set[tuple[int, int]]:
        """The links that are drawn, without those that gold has and the method has not."""
        keys = self.page.eval_on_selector_all(
            f"#rows-{panel} .link:not(.missed)", "links => links.map((link) => link.dataset.key)"
        )
        return {(int(i), int(j)) for i, j in (key.split("-") for key in keys)}

    def pharaoh(self) -> str:
        return self.page.inner_text("#pharaoh")

    def word(self, side: str, index: int, panel: str = "a") -> Any:
        return self.page.locator(f"#rows-{panel} .word[data-side={side}][data-index='{index}']")

    def download(self, click: str) -> tuple[str, bytes]:
        """The name and content of the file that a click gives."""
        with self.page.expect_download() as waiting:
            self.page.click(click)
        with open(waiting.value.path(), "rb") as stream:  # noqa: PTH123
            return waiting.value.suggested_filename, stream.read()
