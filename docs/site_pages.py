"""Pages of the site that come from outside docs/, and links that fit both the repository and the site.

In the repository a link leads from file to file. On the site the README is the first page, and some other
files are pages as well. Links to them are rewritten, and links to files that are no page become plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent

# The files outside docs/ that become pages, and what these are called on the site.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "training/README.md": "training.md",
    "reproduction/README.md": "reproduction.md",
    "src/wordalign/models/base/MODEL_CARD.md": "model-card.md",
}

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    for source, page in PAGES.items():
        content = (ROOT / source).read_text("utf-8")
        files.append(File.generated(config, page, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    outside = {name: source for source, name in PAGES.items()}
    source = outside.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def rewritten(match: re.Match[str]) -> str:
        image, label, target, anchor = match.groups()
        if "://" in target:
            return match[0]
        led_to = os.path.normpath(os.path.join(os.path.dirname(source), target))  # noqa: PTH118, PTH120
        on_site = PAGES.get(led_to, led_to.removeprefix("docs/"))
        if files.get_file_from_path(on_site) is None:
            return label
        return f"{image}[{label}]({on_site}{anchor or ''})"

    return _LINK.sub(rewritten, markdown)
