"""Run the cells of a notebook in order and keep what they show: `python docs/make_notebook.py NOTEBOOK …`.

The cells run in IPython, in the notebook's own folder, with nothing else: no server, no browser. A cell that
fails stops the run, and the file stays as it was.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from wordalign.io.whole import write_whole


def run_cells(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """What each code cell shows, as a notebook stores it."""
    shell = InteractiveShell()
    shown: list[list[dict[str, Any]]] = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        with capture_output(display=True) as captured:
            done = shell.run_cell("".join(cell["source"]), store_history=True)
        done.raise_error()
        outputs: list[dict[str, Any]] = []
        # The value of the last line is displayed, and its text printed: the first is what a notebook keeps.
        text = captured.stdout
        data, metadata = shell.display_formatter.format(done.result) if done.result is not None else ({}, {})
        if data:
            text = text[: text.rfind("Out[")] if "Out[" in text else text
        if text:
            outputs.append({"output_type": "stream", "name": "stdout", "text": text.splitlines(True)})
        if data:
            stored = {kind: value.splitlines(True) for kind, value in data.items() if isinstance(value, str)}
            outputs.append(
                {
                    "output_type": "execute_result",
                    "execution_count": len(shown) + 1,
                    "metadata": metadata,
                    "data": stored,
                }
            )
        shown.append(outputs)
    return shown


def main(names: list[str]) -> None:
    for name in names:
        path = Path(name).resolve()
        notebook = json.loads(path.read_text("utf-8"))
        os.chdir(path.parent)
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, (cell, outputs) in enumerate(zip(cells, run_cells(notebook), strict=True), start=1):
            cell["execution_count"], cell["outputs"] = number, outputs
        write_whole(path, (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1:])
