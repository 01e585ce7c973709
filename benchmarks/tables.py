"""Writes the tables of README.md and docs/ from the results: `python benchmarks/tables.py [--check]`.

What stands in a table is in `shown/`, one file for each subject.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from shown.aligners import cluster, statistical
from shown.carrying import check, doubts, markup, projection
from shown.documents import document_scale, documents, novel_groups, sentence_groups
from shown.quality import published, quality, unseen
from shown.results import ROOT
from shown.speed import cores, gpu, javascript, limit, plan, service, speed
from shown.tuning import tuning

TABLES = {
    "docs/documents.md": {
        "words": documents,
        "sentences": sentence_groups,
        "novels": novel_groups,
        "scale": document_scale,
    },
    "docs/tune.md": {"tuning": tuning},
    "docs/check.md": {"check": check},
    "docs/annotation.md": {"doubts": doubts},
    "docs/comparison.md": {"published": published, "unseen": unseen},
    "README.md": {"quality": quality, "speed": speed},
    "docs/project.md": {"projection": projection},
    "docs/transfer.md": {"markup": markup},
    "docs/service.md": {"load": service},
    "docs/javascript.md": {"javascript": javascript},
    "docs/statistical.md": {"statistical": statistical},
    "docs/cluster.md": {"cluster": cluster},
    "docs/scale.md": {"cores": cores, "limit": limit, "gpu": gpu, "plan": plan},
}


def filled(text: str, tables: dict[str, Callable[[], str]]) -> str:
    for name, make in tables.items():
        start, end = f"<!-- {name}: made by benchmarks/tables.py -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = f"{before}{start}\n{make()}\n\n{end}{after}"
    return text


def main() -> None:
    for name, tables in TABLES.items():
        path = ROOT / name
        old = path.read_text("utf-8")
        new = filled(old, tables)
        if "--check" not in sys.argv:
            path.write_text(new, "utf-8")
        elif new != old:
            sys.exit(f"{name} is stale: run python benchmarks/tables.py")


if __name__ == "__main__":
    main()
