"""The JavaScript package beside the Python one: the same links? how fast? how large?

    npm ci --prefix js
    python benchmarks/javascript.py TEXT [--native node_modules/onnxruntime-node/dist/index.js]

TEXT is a folder of files eng-LANGUAGE.tsv.xz. Links of pairs in all its languages are compared, in Node and
in Chromium; then all take turns with a part of these pairs, one pair a call on one thread. `--native`
measures the library onnxruntime-node too. Results go to benchmarks/results/javascript.json.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import json
import lzma
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"

from machine import describe
from playwright.sync_api import sync_playwright

from wordalign import Aligner, Alignment
from wordalign.serve.static_page import write_static_page

HERE = Path(__file__).parent
JS = HERE.parent / "js"
PACKAGE = JS / "build/wordalign"
RUNTIME = JS / "node_modules/onnxruntime-web/dist"
RUN_IN_PAGE = """async (pairs) => {
  const { load } = await import("wordalign");
  const began = performance.now();
  self.aligner ??= await load();
  const loaded = performance.now();
  const links = [];
  for (const [source, target] of pairs) links.push((await self.aligner.align(source, target)).links);
  const seconds = (performance.now() - loaded) / 1000;
  const written = links.map((some) => some.map((link) => [link.source, link.target, link.probability]));
  return JSON.stringify({ load: (loaded - began) / 1000, seconds, links: written });
}"""

Pair = tuple[str, str]
Links = list[list[tuple[int, int, float]]]
Run = Callable[[list[Pair]], tuple[float, Links]]


def read_pairs(folder: Path, count: int) -> dict[str, list[Pair]]:
    """The first pairs of each language, together at least so many."""
    files = sorted(folder.glob("eng-*.tsv.xz"))
    found = {}
    for file in files:
        with lzma.open(file, "rt", encoding="utf-8") as lines:
            split = (line.rstrip("\n").split("\t") for line in islice(lines, -(-count // len(files))))
            found[file.name[4:7]] = [(source, target) for source, target, *_ in split]
    return found


@contextmanager
def in_node(library: Path | None = None) -> Iterator[tuple[float, Run]]:
    """How long loading took in Node, and a function that aligns there."""
    command = [
        "node",
        str(HERE / "javascript.mjs"),
        str(PACKAGE),
        *([str(library.resolve())] if library else []),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def run(pairs: list[Pair]) -> tuple[float, Links]:
            process.stdin.write(json.dumps(pairs) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            return answer["seconds"], answer["links"]

        yield json.loads(process.stdout.readline())["seconds"], run
        process.stdin.close()


@contextmanager
def in_chromium() -> Iterator[tuple[float, Run]]:
    """The same in Chromium, from a web server on this machine."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=JS)
    handler.func.log_message = lambda *_: None  # type: ignore[attr-defined]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu", "--no-proxy-server"]
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/example/reader.html")
        page.wait_for_selector(".word", timeout=120_000)

        def run(pairs: list[Pair]) -> tuple[float, Links]:
            answer = json.loads(page.evaluate(RUN_IN_PAGE, pairs))
            return answer["seconds"], answer["links"]

        loading = json.loads(page.evaluate(RUN_IN_PAGE, []))["load"]
        yield loading, run
        browser.close()
    server.shutdown()


def compared(wanted: list[Alignment], found: Links) -> dict[str, Any]:
    """How many links are equal, and how probable those are that are not."""
    equal = total = same = 0
    farthest, doubtful = 0.0, []
    for ours, theirs in zip(wanted, found, strict=True):
        one = dict(zip(ours.links, ours.scores, strict=True))
        other = {(i, j): probability for i, j, probability in theirs}
        equal += len(one.keys() & other.keys())
        total += len(one.keys() | other.keys())
        same += one.keys() == other.keys()
        farthest = max([farthest, *(abs(one[link] - other[link]) for link in one.keys() & other.keys())])
        doubtful += [{**one, **other}[link] for link in one.keys() ^ other.keys()]
    return {
        "links": total,
        "equal_links": equal,
        "share": round(equal / total, 6),
        "pairs": len(wanted),
        "pairs_with_equal_links": same,
        "largest_difference_of_a_probability": round(farthest, 4),
        "probabilities_of_other_links": [round(value, 3) for value in sorted(doubtful)],
    }


def sizes() -> dict[str, int]:
    """Bytes of what a user gets."""
    with tempfile.TemporaryDirectory() as temporary:
        command = ["npm", "pack", "--silent", str(PACKAGE), "--pack-destination", temporary]
        subprocess.run(command, check=True, capture_output=True, cwd=temporary)
        (archive,) = Path(temporary).glob("*.tgz")
        page = write_static_page(Path(temporary) / "page", runtime=RUNTIME)
        files = [path for path in Path(temporary, "page").rglob("*") if path.is_file()]
        return {
            "npm_archive": archive.stat().st_size,
            "static_page": page,
            "static_page_gzipped": sum(len(gzip.compress(path.read_bytes(), 6)) for path in files),
            "model.onnx": (PACKAGE / "models/tiny/model.onnx").stat().st_size,
            "runtime_wasm": (RUNTIME / "ort-wasm-simd-threaded.wasm").stat().st_size,
            "javascript": sum(path.stat().st_size for path in PACKAGE.glob("[ap]*/*.js")),
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", type=Path)
    parser.add_argument("--native", type=Path)
    parser.add_argument("--pairs", type=int, default=2000, help="to compare")
    parser.add_argument("--timed", type=int, default=300, help="of them, to measure the speed with")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    machine = describe()
    subprocess.run([sys.executable, str(JS / "make_package.py")], check=True)
    by_language = read_pairs(arguments.text, arguments.pairs)
    pairs = [pair for some in by_language.values() for pair in some]
    tiny = Aligner("tiny")
    wanted = tiny.align_batch(pairs)

    def python_singly(some: list[Pair]) -> tuple[float, Links]:
        start = time.perf_counter()
        for pair in some:
            tiny.align(*pair)
        return time.perf_counter() - start, []

    def python_batch(some: list[Pair]) -> tuple[float, Links]:
        start = time.perf_counter()
        tiny.align_batch(some)
        return time.perf_counter() - start, []

    with ExitStack() as stack:
        runs = {"node": in_node(), "chromium": in_chromium()}
        if arguments.native:
            runs["node_native"] = in_node(arguments.native)
        opened = {name: stack.enter_context(run) for name, run in runs.items()}
        equal = {name: compared(wanted, run(pairs)[1]) for name, (_, run) in opened.items()}
        timed = pairs[:: max(1, len(pairs) // arguments.timed)]
        everyone = {"python": python_singly, "python_batch": python_batch}
        everyone |= {name: run for name, (_, run) in opened.items()}
        taken: dict[str, list[float]] = {name: [] for name in everyone}
        for _ in range(arguments.rounds):
            for name, run in everyone.items():
                taken[name].append(len(timed) / run(timed)[0])
        result = {
            "machine": machine,
            "node": subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip(),
            "languages": sorted(by_language),
            "equal": equal,
            "timed_pairs": len(timed),
            "pairs_per_s": {name: round(statistics.median(rates), 1) for name, rates in taken.items()},
            "load_s": {name: round(seconds, 2) for name, (seconds, _) in opened.items()},
            "bytes": sizes(),
        }
    (HERE / "results/javascript.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    print(json.dumps({key: result[key] for key in ("equal", "pairs_per_s", "load_s", "bytes")}, indent=1))


if __name__ == "__main__":
    main()
