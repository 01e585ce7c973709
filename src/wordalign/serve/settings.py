"""What is decided when the service is started. No request can change it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one request may ask for, and how many may wait."""

    body: int = 1 << 20  # bytes
    pairs: int = 128
    words: int = 400  # of a sentence
    characters: int = 4000  # of a sentence, so that a single endless word is no way around `words`
    cells: int = 1_000_000  # of a similarity matrix that is sent, or that is made of subwords
    queue: int = 128  # requests that wait or are worked on
    seconds: float = 30.0  # from the first byte of the body to the answer


@dataclass(frozen=True, slots=True)
class Settings:
    """What the service offers, to whom, and how it works.

    `models`       the names that a request may give; the first is the default
    `token`        what a request must know to get more than the page
    `origins`      the web sites whose scripts may use the service (CORS)
    `projects`     a folder of annotation projects that people work on together; none if there is none
    `hosts`        the names by which the service may be called; any name if there are none
    `batch_words`  about how many words are encoded together
    `linger`       how many seconds a batch waits for further requests while several clients are busy
    """

    models: tuple[str, ...] = ("base",)
    limits: Limits = field(default_factory=Limits)
    token: str | None = field(default=None, repr=False)
    origins: tuple[str, ...] = ()
    projects: str | None = None
    hosts: tuple[str, ...] = ()
    batch_words: int = 1500
    linger: float = 0.003  # seconds
