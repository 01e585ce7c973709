"""The page for annotation in a test: making a project, and reading what the page shows and keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serve.browser import Visit

PAIRS = [
    ("Das Museum ist montags geschlossen.", "The museum is closed on Mondays."),
    ("Es regnet.", "It is raining."),
    ("Er hat vor zehn Jahren mit dem Rauchen aufgehört.", "He gave up smoking ten years ago."),
]
TSV = "".join(f"{source}\t{target}\n" for source, target in PAIRS)


class Desk:
    """A visit of annotate.html."""

    def __init__(self, visited: Visit) -> None:
        self.visited = visited
        self.page = visited.page
        self.page.set_default_timeout(10_000)

    @classmethod
    def home(cls, visit: Any, **options: Any) -> Desk:
        desk = cls(visit("annotate.html", words=False, **options))
        desk.page.wait_for_selector("#home:not([hidden])")
        return desk

    @classmethod
    def begun(cls, visit: Any, text: str = TSV, *, annotator: str = "Ann", **options: Any) -> Desk:
        """A new project of pasted pairs."""
        return cls.home(visit, **options).begin(text, annotator=annotator)

    def begin(self, text: str = TSV, *, annotator: str = "Ann", method: str | None = None) -> Desk:
        self.page.fill("#new-paste", text)
        return self._make(annotator, method)

    def open_files(self, *files: Path, annotator: str = "Ann", method: str | None = None) -> Desk:
        self.page.set_input_files("#new-files", files)
        self.page.wait_for_function("() => document.querySelector('#new-name').value !== ''")
        return self._make(annotator, method)

    def _make(self, annotator: str, method: str | None) -> Desk:
        self.page.fill("#new-annotator", annotator)
        if method is not None:
            self.page.select_option("#new-method", label=method)
        self.page.click("#new-make")
        self.page.wait_for_selector("#desk:not([hidden]) #rows .word")
        return self.settle()

    def settle(self) -> Desk:
        """Wait until everything is drawn and saved."""
        self.page.wait_for_function("() => document.querySelector('#saved').dataset.state === 'saved'")
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        return self

    def word(self, side: str, index: int) -> Any:
        return self.page.locator(f"#rows .word[data-side={side}][data-index='{index}']")

    def drag(self, side: str, start: int, end: int) -> Desk:
        first, last = (self.word(side, index).bounding_box() for index in (start, end))
        self.page.mouse.move(first["x"] + 4, first["y"] + 4)
        self.page.mouse.down()
        self.page.mouse.move(last["x"] + 4, last["y"] + 4, steps=8)
        self.page.mouse.up()
        return self.settle()

    def link(self, source: int, target: int) -> Desk:
        self.word("source", source).click()
        self.word("target", target).click()
        return self.settle()

    def key(self, *keys: str) -> Desk:
        for key in keys:
            self.page.keyboard.press(key)
        return self.settle()

    def go_to(self, number: int) -> Desk:
        self.page.fill("#step", str(number))
        self.page.press("#step", "Enter")
        self.page.focus("#figure")
        return self.settle()

    def project(self) -> dict[str, Any]:
        """What `Save file` gives."""
        return json.loads(self.visited.download("#save-file")[1])

    def pair(self) -> dict[str, Any]:
        return self.project()["pairs"][int(self.page.input_value("#step")) - 1]

    def links(self) -> dict[str, str]:
        return self.pair()["links"]

    def drawn(self) -> set[str]:
        return set(
            self.page.eval_on_selector_all(
                "#rows .link.sure, #rows .link.possible", "links => links.map((link) => link.dataset.key)"
            )
        )

    def export(self, kind: str) -> tuple[str, bytes]:
        self.page.select_option("#export-format", kind)
        return self.visited.download("#export")
