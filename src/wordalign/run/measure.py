"""How many pairs a second a model does here, from raw text to lines of links, and where the time goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import TypeVar

from wordalign.config import AlignConfig
from wordalign.encoders import Encoder
from wordalign.io.records import Parser, Record
from wordalign.run.chunks import ChunkAligner, RunConfig, align_chunks

T = TypeVar("T")
R = TypeVar("R")

CHUNK_PAIRS = 256  # so that a measurement takes seconds; a run has larger chunks
ROUNDS = 3  # of the stages, where there is time: in the first one, words are met that are known later

_CLAUSES = (
    ("the ferry leaves at noon", "die Fähre legt mittags ab"),
    ("nobody had told the new neighbours about the meeting",
     "den neuen Nachbarn hatte niemand von der Sitzung erzählt"),
    ("it has been raining since Tuesday", "es regnet seit Dienstag"),
    ("the council will decide next week whether the old bridge can be repaired",
     "nächste Woche entscheidet der Rat, ob die alte Brücke repariert werden kann"),
    ("she sells bread and cheese on the market", "sie verkauft auf dem Markt Brot und Käse"),
    ("most of the letters were written in a language that only two people in the village could read",
     "die meisten Briefe waren in einer Sprache geschrieben, die im Dorf nur zwei Menschen lesen konnten"),
    ("please close the window", "bitte schließen Sie das Fenster"),
    ("the price of electricity rose more slowly than that of gas",
     "der Strompreis stieg langsamer als der Gaspreis"),
    ("his grandmother kept bees behind the church", "seine Großmutter hielt hinter der Kirche Bienen"),
    ("we looked for the key everywhere and found it in the garden",
     "wir suchten den Schlüssel überall und fanden ihn im Garten"),
    ("the report does not say who paid for the journey", "der Bericht sagt nicht, wer die Reise bezahlt hat"),
    ("children under six travel free of charge", "Kinder unter sechs Jahren fahren kostenlos"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shares:
    """How one worker's time for a chunk is divided; all but `encode` is added to the encoder's time.

    `limit` is what the processor could not do without even at its best: the share of the model's matrix
    products, at the rate of one large product on one core, in the encoder's time. None for models that do not
    run in int8.
    """

    parse: float
    encode: float
    extract: float
    format: float
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured; `ratio` compares with the first measurement of the same model and dtype."""

    model: str
    dtype: str
    workers: int
    pairs_per_s: float
    ratio: float
    shares: Shares


def measure(
    model: str, dtype: str | None, workers: Sequence[int], seconds: float, device: str | None = None
) -> Iterator[Measurement]:
    """Measure each number of workers, for so many seconds at least; `dtype` None is the model's own."""
    config = RunConfig(
        Parser(("sentences",), "tsv", raw=True), AlignConfig(model, dtype=dtype, device=device)
    )
    shares: Shares | None = None
    first = 0.0
    for number in workers:
        with opened(config, number) as aligner:
            shares = shares or time_shares(aligner, seconds)
            rate = pairs_per_second(aligner, number, seconds)
        first = first or rate
        yield Measurement(model, dtype or _dtype(aligner), number, rate, rate / first, shares)


@contextmanager
def opened(config: RunConfig, workers: int) -> Iterator[ChunkAligner]:
    """The model in this process, or in those of the GPUs that are asked for, with so many workers."""
    from wordalign.aligners.neural import Aligner
    from wordalign.run.devices import DeviceProcesses, devices_of

    devices = devices_of(config.align) if workers > 1 else ()
    if not devices:
        yield config.open()
        return
    with DeviceProcesses(config.align, devices, workers) as processes:
        aligner = Aligner.from_config(config.align, encoder=processes.encoder)
        yield ChunkAligner(replace(config, align=aligner.config), aligner, processes)


def _dtype(aligner: ChunkAligner) -> str:
    """The kind of numbers of a bundled model: int8 on a processor; on a GPU its signature says it."""
    if aligner.aligner.encoder.device == "cpu":
        return "int8"
    return aligner.aligner.encoder.signature.rpartition(" | ")[2]


def time_shares(aligner: ChunkAligner, seconds: float) -> Shares:
    """Time each stage in this process: the quickest of a few rounds, in which others disturbed least.

    There are fewer rounds where they would take longer than `seconds`, but at least one.
    """
    first, chunk = islice(endless_chunks(), 2)
    aligner(first[:32])
    rounds: list[tuple[float, ...]] = []
    start = time.perf_counter()
    while not rounds or (len(rounds) < ROUNDS and time.perf_counter() - start < seconds):
        parse, parsed = _timed(aligner.parse, chunk)
        sentences = [side.words for pair in parsed.pairs for side in (pair.source, pair.target)]
        encode, _ = _timed(aligner.aligner.encoder.encode, sentences)
        link, linked = _timed(aligner.link, parsed)
        lines, _ = _timed(aligner.format, linked)
        rounds.append((parse, encode, link, lines))
    parse, encode, link, lines = map(min, zip(*rounds, strict=True))
    steps = (parse, encode, max(0.0, link - encode), lines)
    total = sum(steps)
    parse, encode_share, extract, lines = (step / total for step in steps)
    limit = _limit(aligner.aligner.encoder, sentences, encode)
    return Shares(parse, encode_share, extract, lines, limit)


def _limit(encoder: Encoder, sentences: Sequence[Sequence[str]], seconds: float) -> float | None:
    if encoder.int8_operations is None:
        return None
    from wordalign.encoders.int8_rate import int8_operations_per_second
    from wordalign.machine import default_threads

    words = [word for sentence in dict.fromkeys(sentences) for word in sentence]
    operations = encoder.int8_operations * len(encoder.subwords(words))
    return operations / (int8_operations_per_second(1) * default_threads()) / seconds


def pairs_per_second(aligner: ChunkAligner, workers: int, seconds: float) -> float:
    """Count pairs in the middle of a run: all processes have started and are at work."""
    with closing(align_chunks(endless_chunks(), aligner, workers)) as results:
        for _ in range(workers):
            next(results)
        pairs, start = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds:
            # Whole rounds: the processes end their chunks at about the same time.
            for _ in range(workers):
                pairs += len(next(results).lines)
    return pairs / elapsed


def endless_chunks() -> Iterator[Sequence[Record]]:
    pairs = sentence_pairs()
    for start in count(1, CHUNK_PAIRS):
        yield [
            Record(number, ("\t".join(pair).encode(),))
            for number, pair in zip(range(start, start + CHUNK_PAIRS), pairs, strict=False)
        ]


def sentence_pairs() -> Iterator[tuple[str, str]]:
    """Any number of English and German sentences to measure with, of about the length of those in corpora.

    Each has one to four clauses, and a number makes every sentence a new one.

    >>> next(sentence_pairs()) == next(sentence_pairs())
    True
    """
    for number in count(1):
        # Multiples of a large odd number: as good as random, and the same everywhere.
        seed = number * 2654435761 % 2**32
        chosen = [_CLAUSES[(seed >> 7 * step) % len(_CLAUSES)] for step in range(1 + seed % 4)]
        english, german = (", ".join(clause[side] for clause in chosen) for side in (0, 1))
        yield f"{number}: {english}.", f"{number}: {german}."


def _timed(work: Callable[[T], R], value: T) -> tuple[float, R]:
    start = time.perf_counter()
    result = work(value)
    return time.perf_counter() - start, result
