"""What the service counts, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """The counters of one service; nothing of a request's text is ever kept."""

    content_type = "text/plain; version=0.0.4; charset=utf-8"

    def __init__(self, queue: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        self._answers = Counter(
            "wordalign_http_answers_total", "Answers by route and status.", ("route", "status"),
            registry=self._registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "wordalign_align_seconds", "Time from an align request's arrival to its answer.",
            buckets=SECONDS, registry=self._registry,
        )  # fmt: skip
        self._batch_pairs = Histogram(
            "wordalign_batch_pairs", "Pairs encoded together.", buckets=COUNTS, registry=self._registry
        )
        self._batch_seconds = Histogram(
            "wordalign_batch_seconds", "Time that a batch took.", buckets=SECONDS, registry=self._registry
        )
        self._words = Counter("wordalign_words_total", "Words aligned, both sides.", registry=self._registry)
        waiting = Gauge(
            "wordalign_queue_requests", "Requests that wait or are worked on.", registry=self._registry
        )
        waiting.set_function(queue)
        # Looking up a label takes longer than counting.
        self._of: dict[tuple[str, int], Counter] = {}

    def answered(self, route: str, status: int, seconds: float | None = None) -> None:
        counter = self._of.get((route, status))
        if counter is None:
            counter = self._of[route, status] = self._answers.labels(route, str(status))
        counter.inc()
        if seconds is not None:
            self._seconds.observe(seconds)

    def batch(self, pairs: int, words: int, seconds: float) -> None:
        self._batch_pairs.observe(pairs)
        self._batch_seconds.observe(seconds)
        self._words.inc(words)

    def text(self) -> bytes:
        return generate_latest(self._registry)
