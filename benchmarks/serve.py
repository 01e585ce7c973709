"""Requests per second of `wordalign serve` on loopback, beside the library called directly, in one run.

    python benchmarks/serve.py                             # the examples; about two minutes, stops by itself
    python benchmarks/serve.py --pairs ENG.txt DEU.txt     # other parallel text, one sentence a line

A real server in a process of its own, and in another one clients that keep a connection each and send one
pair a request, the next as soon as the answer is there; after a 429 they wait as long as it says. All of
them share the machine with the server. The library aligns the same pairs in batches. The library, 16 clients
and 64 clients take turns, round by round, so that a busy minute of the machine hits all of them. No two pairs
are the same, so that nobody gains from a sentence seen twice, and they differ in length as those of a corpus
do. `cpu_ms_per_pair` is processor time, which other jobs on the machine disturb less than `pairs_per_s`.
Results go to benchmarks/results/serve.json and are printed.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import re
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvloop
from machine import describe

from wordalign import Aligner

HERE = Path(__file__).parent
Pairs = list[tuple[str, str]]


def example_pairs(number: int) -> Pairs:
    """Up to six examples in a row: real sentences of 6 to 70 words, short ones more often, no pair twice."""
    eng, deu = (
        (HERE.parent / f"examples/{name}.txt").read_text("utf-8").splitlines() for name in ("eng", "deu")
    )
    single = list(zip(eng, deu, strict=True))
    choose = random.Random(1)
    found: dict[tuple[str, str], None] = {}
    while len(found) < number:
        some = choose.sample(single, choose.choice((1, 1, 2, 2, 2, 3, 3, 4, 6)))
        found[" ".join(one[0] for one in some), " ".join(one[1] for one in some)] = None
    return list(found)


def pairs_of(files: list[Path] | None, number: int) -> Pairs:
    if files is None:
        return example_pairs(number)
    sides = [file.read_text("utf-8").split("\n") for file in files]
    distinct = dict.fromkeys((left, right) for left, right in zip(*sides, strict=True) if left and right)
    return list(distinct)[:number]


@contextmanager
def server(model: str) -> Iterator[tuple[int, int]]:
    """A server of its own; its process and port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "wordalign", "serve", "--port", "0", "--model", model],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        started = re.search(r":(\d+)/", process.stdout.readline())
        if started is None:
            sys.exit("The server did not start.")
        yield process.pid, int(started[1])
    finally:
        process.terminate()
        process.wait(60)


class Client(asyncio.Protocol):
    """One connection, as little work as possible: it shares the machine with the server."""

    def __init__(self, requests: list[bytes], first: int, step: int, until: float) -> None:
        self.requests, self.next, self.step, self.until = requests, first, step, until
        self.loop = asyncio.get_running_loop()
        self.done = self.loop.create_future()
        self.seconds: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.buffer = b""
        self.asking = False

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        self.ask()

    def ask(self) -> None:
        self.start = time.perf_counter()
        if self.start >= self.until:
            self.transport.close()
            return
        self.asking = True
        self.transport.write(self.requests[self.next % len(self.requests)])
        self.next += self.step

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self.buffer[:end].lower()
        place = head.index(b"content-length:") + 15
        length = int(head[place : head.find(b"\r\n", place) if b"\r\n" in head[place:] else None])
        if len(self.buffer) < end + 4 + length:
            return
        status = head[9:12].decode()
        self.statuses[status] += 1
        self.buffer = self.buffer[end + 4 + length :]
        self.asking = False
        if status == "200":
            self.seconds.append(time.perf_counter() - self.start)
            self.ask()
        elif status == "429":
            wait = int(re.search(rb"retry-after: (\d+)", head)[1])
            self.loop.call_later(wait, self.ask)
        else:
            self.ask()

    def connection_lost(self, error: Exception | None) -> None:
        if self.asking:
            self.statuses["broken"] += 1
        if not self.done.done():
            self.done.set_result(None)


async def drive(port: int, clients: int, seconds: float, pairs: Pairs) -> dict[str, object]:
    requests = []
    for source, target in pairs:
        body = json.dumps({"source": source, "target": target}, ensure_ascii=False).encode()
        head = "POST /v1/align HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        requests.append(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    loop = asyncio.get_running_loop()
    start, before = time.perf_counter(), time.process_time()
    until = start + seconds
    made = [
        await loop.create_connection(lambda n=n: Client(requests, n, clients, until), "127.0.0.1", port)
        for n in range(clients)
    ]
    await asyncio.wait_for(asyncio.gather(*(client.done for _, client in made)), seconds + 60)
    took = time.perf_counter() - start
    used = time.process_time() - before
    times = sorted(second for _, client in made for second in client.seconds)
    statuses = sum((client.statuses for _, client in made), Counter())
    return {
        "clients": clients,
        "pairs_per_s": round(len(times) / took, 1),
        "p50_ms": round(1000 * times[len(times) // 2], 1),
        "p99_ms": round(1000 * times[len(times) * 99 // 100], 1),
        "cpu_ms_per_pair": {"clients": round(1000 * used / len(times), 2)},
        "answers": dict(statuses),
        "failed": sum(number for status, number in statuses.items() if status not in ("200", "429")),
    }


def health_while(port: int, stop: threading.Event, times: list[float]) -> None:
    """How long /healthz takes, asked ten times a second on connections of its own."""
    while not stop.wait(0.1):
        start = time.perf_counter()
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/healthz")
            good = connection.getresponse().read().startswith(b'{"status":"ok"')
            connection.close()
        except OSError:
            good = False
        times.append(time.perf_counter() - start if good else float("inf"))


def processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(process: int, port: int, clients: int, seconds: float, arguments: list[str]) -> dict[str, Any]:
    """The clients in a process of their own, and /healthz meanwhile."""
    stop, times = threading.Event(), []
    thread = threading.Thread(target=health_while, args=(port, stop, times))
    before = processor_seconds(process)
    thread.start()
    try:
        done = subprocess.run(
            [sys.executable, __file__, *arguments, "--drive", str(port), str(clients), str(seconds)],
            stdout=subprocess.PIPE, check=True, timeout=seconds + 120,
        )  # fmt: skip
    finally:
        stop.set()
        thread.join()
    result = json.loads(done.stdout)
    used = processor_seconds(process) - before
    result["cpu_ms_per_pair"]["server"] = round(1000 * used / result["answers"]["200"], 2)
    times.sort()
    result["healthz_p50_ms"] = round(1000 * times[len(times) // 2], 1)
    result["healthz_max_ms"] = round(1000 * times[-1], 1)
    return result


def library(aligner: Aligner, pairs: Pairs, seconds: float) -> dict[str, float]:
    """The library by itself, in its own batches."""
    start, before = time.perf_counter(), time.process_time()
    number = 0
    while time.perf_counter() - start < seconds:
        number += len(aligner.align_batch(pairs))
    return {
        "pairs_per_s": round(number / (time.perf_counter() - start), 1),
        "cpu_ms_per_pair": round(1000 * (time.process_time() - before) / number, 2),
    }


def beside(direct: dict[str, float], few: dict[str, Any], served: dict[str, Any]) -> dict[str, Any]:
    """One round: the library, 16 clients, 64 clients."""
    used, used_by_few = (sum(each["cpu_ms_per_pair"].values()) for each in (served, few))
    return {
        "library": direct,
        "service": served,
        "service_of_16": few,
        "ratio": round(served["pairs_per_s"] / direct["pairs_per_s"], 3),
        "cpu_ratio": round(direct["cpu_ms_per_pair"] / used, 3),
        "of_16_to_64_clients": round(few["pairs_per_s"] / served["pairs_per_s"], 3),
        "cpu_of_16_to_64_clients": round(used / used_by_few, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--pairs", nargs=2, type=Path, metavar="FILE", help="parallel text; the examples by default"
    )
    parser.add_argument("--number", type=int, default=256, help="of different pairs (default: %(default)s)")
    parser.add_argument("--model", default="base")
    parser.add_argument("--seconds", type=float, default=8.0, help="of each step (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="at 64 clients (default: %(default)s)")
    parser.add_argument("--drive", nargs=3, metavar=("PORT", "CLIENTS", "SECONDS"), help=argparse.SUPPRESS)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "serve.json")
    arguments = parser.parse_args()
    pairs = pairs_of(arguments.pairs, arguments.number)
    if arguments.drive:
        port, clients, seconds = arguments.drive
        print(json.dumps(uvloop.run(drive(int(port), int(clients), float(seconds), pairs))))
        return
    files = [] if arguments.pairs is None else ["--pairs", *map(str, arguments.pairs)]
    again = [*files, "--number", str(arguments.number)]
    lengths = [len(side.split()) for pair in pairs for side in pair]
    result: dict[str, object] = {
        "machine": describe(),
        "model": arguments.model,
        "pairs": len(pairs),
        "words_per_sentence": round(statistics.mean(lengths), 1),
        "words_of_the_longest_tenth": sorted(lengths)[len(lengths) * 9 // 10],
    }
    aligner = Aligner(arguments.model)
    aligner.align_batch(pairs)
    seconds = arguments.seconds
    with server(arguments.model) as (process, port):
        load(process, port, 8, 1, again)
        rounds = [
            beside(
                library(aligner, pairs, seconds / 2),
                load(process, port, 16, seconds, again),
                load(process, port, 64, seconds, again),
            )
            for _ in range(arguments.rounds)
        ]
        result["at_64_clients"] = {
            name: statistics.median(each[name] for each in rounds)
            for name in ("ratio", "cpu_ratio", "of_16_to_64_clients", "cpu_of_16_to_64_clients")
        } | {"rounds": rounds}
        result["others"] = [load(process, port, clients, seconds, again) for clients in (1, 4, 8, 24, 256)]
        result["alive_after"] = load(process, port, 1, 1, again)["failed"] == 0
        result["load_after"] = round(os.getloadavg()[0], 2)
    print(json.dumps(result, indent=2))
    arguments.output.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
