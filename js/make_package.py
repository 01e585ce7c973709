"""Puts the npm package together from the Python package's own files: `python js/make_package.py [FOLDER]`.

FOLDER is js/build/wordalign unless another is given; `npm pack js/build/wordalign` makes the file for a
registry.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import wordalign

HERE = Path(__file__).parent
PACKAGE = Path(wordalign.__file__).parent
MODEL = ("model.json", "model.onnx", "tokenizer.json", "MODEL_CARD.md")
_IMPORT = re.compile(r'\bfrom "(?:\.\./page/(\w+\.js)|\./(\w+\.js))";')


def build(folder: Path) -> None:
    """Write the package into a folder, which is replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PACKAGE / "serve/aligner", folder / "aligner")
    (folder / "page").mkdir()
    for name in page_modules():
        shutil.copy(PACKAGE / "serve/page" / name, folder / "page")
    (folder / "models/tiny").mkdir(parents=True)
    for name in MODEL:
        shutil.copy(PACKAGE / "models/tiny" / name, folder / "models/tiny")
    for file in (HERE / "package.json", HERE / "README.md", HERE.parent / "LICENSE"):
        shutil.copy(file, folder)


def page_modules() -> list[str]:
    """The modules of the web page that the aligner imports, and those that these import."""
    found: set[str] = set()
    waiting = list((PACKAGE / "serve/aligner").glob("*.js"))
    while waiting:
        path = waiting.pop()
        for of_page, beside in _IMPORT.findall(path.read_text("utf-8")):
            name = of_page or (beside if path.parent.name == "page" else "")
            if name and name not in found:
                found.add(name)
                waiting.append(PACKAGE / "serve/page" / name)
    return sorted(found)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "build/wordalign")
