"""Make the picture of docs/javascript.md: `python docs/make_reader_image.py`.

Needs Chromium, the packages of the extra `test`, and js/ with its package built (`npm ci --prefix js`,
`make npm`).
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests"))

from serve.browser import CHROMIUM, FLAGS  # noqa: E402
from serve.hosting import hosting  # noqa: E402


def main() -> None:
    with hosting(DOCS.parent / "js") as host, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 720, "height": 620})
        page.goto(f"{host}example/reader.html")
        page.locator(".word", has_text="blühte").hover(timeout=60_000)
        page.wait_for_selector(".translation .lit")
        page.mouse.move(5, 5)
        page.screenshot(path=DOCS / "images/reader.png", full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
