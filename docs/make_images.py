"""Makes the pictures of docs/figures.md anew: python docs/make_images.py

The bundled model links the pairs; the gold links were drawn by hand for this page. PNG needs the extra
`figures` and fonts for Devanagari and Arabic, the picture of the page playwright and Chromium.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from wordalign import Aligner
from wordalign.render import corpus_html, curves, grid_svg, png, rows_svg, save_figure
from wordalign.types import GoldAlignment

IMAGES = Path(__file__).parent / "images"

GERMAN = (
    ["I", "have", "never", "seen", "the", "museum", "that", "closes", "on", "Mondays", "."],
    ["Ich", "habe", "das", "Museum", ",", "das", "montags", "geschlossen", "ist", ",", "nie", "gesehen", "."],
)
GOLD = GoldAlignment(
    sure=frozenset({(0, 0), (1, 1), (2, 10), (3, 11), (4, 2), (5, 3), (6, 5), (7, 7), (9, 6), (10, 12)}),
    possible=frozenset({(7, 8), (8, 6)}),
)
HINDI = (
    "The museum is closed on Mondays and on public holidays.",
    "संग्रहालय सोमवार और सार्वजनिक छुट्टियों के दिन बंद रहता है।",
)
PERSIAN = (
    "The museum is closed on Mondays, but the library is open!",
    "موزه دوشنبه‌ها بسته است، اما کتابخانه باز است!",
)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    aligner = Aligner(method=["argmax", "itermax"])
    (found,) = aligner.stream_methods([GERMAN])
    argmax, itermax = found["argmax"], found["itermax"]
    pictures = {
        "rows": rows_svg(Aligner().align(*GERMAN)),
        "compare": rows_svg(argmax, second=itermax, gold=GOLD, labels=("argmax", "itermax")),
        "grid": grid_svg(*GERMAN, gold=GOLD, first=argmax.links, second=itermax.links),
        "hindi": rows_svg(Aligner().align(*HINDI)),
        "persian": rows_svg(Aligner().align(*PERSIAN)),
    }
    for name, svg in pictures.items():
        (IMAGES / f"{name}.svg").write_text(svg + "\n", "utf-8")
    # As PNG too, since the fonts of whoever reads this may lack the scripts.
    for name in ("hindi", "persian"):
        (IMAGES / f"{name}.png").write_bytes(png(pictures[name]))
    invented = {"statistical": [(10**power, 0.3 + 0.09 * power) for power in range(2, 6)]}
    save_figure(
        curves(invented, across={"embeddings": 0.8}, x="parallel sentences", y="F1", log_x=True),
        IMAGES / "curves.svg",
    )
    photograph(corpus_html(Aligner().stream([GERMAN, HINDI, PERSIAN]), title="Museums"), "corpus.png")


def photograph(page: str, name: str) -> None:
    """A page as Chromium shows it."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(page, "utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 960, "height": 600})
        tab.goto(f"{file.as_uri()}#q=museum")
        tab.hover(".source .word >> nth=2")
        tab.screenshot(path=IMAGES / name, animations="disabled")
        browser.close()


if __name__ == "__main__":
    main()
