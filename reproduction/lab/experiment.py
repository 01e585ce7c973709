"""One table or figure: how it is computed, kept, shown and drawn.

`run` gives what goes into the JSON file; `show` and `draw` see nothing but that and the paper's numbers, so
Markdown and figures can be made again without computing anything.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.machine import describe as describe_machine

from reproduction.lab.figures import save_figure, save_picture
from reproduction.lab.files import write_whole
from reproduction.lab.kept import keep_rows
from reproduction.lab.lab import Lab
from reproduction.lab.options import ROOT, add_options, read_options
from wordalign.errors import WordalignError

Result = dict[str, Any]


@dataclass(frozen=True)
class Experiment:
    """`name` is the module's and the files'; `paper` which table or figure it reproduces.

    `uses` names, beside the gold sets, what the result depends on (see `Lab.describe`); `draw` gives
    figures by the end of their file names: matplotlib's, or SVG text.
    """

    name: str
    title: str
    paper: str
    uses: tuple[str, ...]
    run: Callable[[Lab], Result]
    show: Callable[[Result], str]
    draw: Callable[[Result], Mapping[str, Any]] | None = None

    @property
    def command(self) -> str:
        return f"python -m reproduction.{self.name}"

    def inputs(self, lab: Lab) -> Result:
        # A change of the experiment itself makes its old result stale too.
        code = (ROOT / f"reproduction/{self.name}.py").read_bytes()
        return lab.describe(self.uses) | {"code": hashlib.sha256(code).hexdigest()[:16]}

    def perform(self, lab: Lab) -> Result:
        """The result, from its file where that is finished and nothing it depends on has changed."""
        path = lab.options.out / f"{self.name}.json"
        inputs = json.loads(json.dumps(self.inputs(lab)))
        if path.exists() and not lab.options.force:
            kept: Result = json.loads(path.read_text("utf-8"))
            if kept.get("inputs") == inputs:
                lab.say(f"{self.name}: nothing has changed since {path}")
                return kept
        lab.say(f"{self.name}: {self.title} ({self.paper})")
        start = time.perf_counter()
        old = json.loads(path.read_text("utf-8"))["result"] if path.exists() else {}
        result = self.run(lab)
        if lab.options.keep:
            result = keep_rows(result, old)
        seconds = round(time.perf_counter() - start, 1)
        document = {
            "title": self.title,
            "paper": self.paper,
            "command": self.command,
            "inputs": inputs,
            "made": {"seconds": seconds, "machine": describe_machine()},
            "result": result,
        }
        write_whole(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
        lab.say(f"{self.name}: done in {seconds} s")
        kept = json.loads(path.read_text("utf-8"))
        self.publish(kept, lab.options.out)
        return kept

    def publish(self, document: Result, folder: Path, *, figures: bool = True) -> None:
        """Markdown and figures of a result, beside its JSON file."""
        write_whole(folder / f"{self.name}.md", self.page(document))
        if not figures:
            return
        for ending, figure in (self.draw(document["result"]) if self.draw else {}).items():
            path = folder / "-".join(filter(None, (self.name, ending)))
            if isinstance(figure, str):
                save_picture(figure, path)
            else:
                save_figure(figure, path)

    def page(self, document: Result) -> str:
        return f"# {self.title} ({self.paper})\n\n{self.show(document['result'])}\n"


def main(experiment: Experiment) -> None:
    """The command of one experiment."""
    parser = argparse.ArgumentParser(
        prog=experiment.command, description=f"{experiment.title} ({experiment.paper} of the paper)."
    )
    add_options(parser)
    lab = Lab(read_options(parser, parser.parse_args()))
    try:
        document = experiment.perform(lab)
    except WordalignError as error:
        sys.exit(f"{experiment.command}: {error}")
    print(experiment.page(document))
