"""What a format of annotated text gives to `files.py`: texts that wait for their translations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from wordalign.project.labels import Rules, project_spans
from wordalign.types import Alignment, ProjectedSpan, Sentence, Span


@dataclass(frozen=True, slots=True)
class Dropped:
    """An annotation that was not carried, and why."""

    place: str
    label: str
    text: str
    reason: str
    probability: float


@dataclass(frozen=True, slots=True)
class Carried:
    """What became of annotations, and a function that makes the output, called only if it is wanted."""

    text: Callable[[], str]
    annotations: int
    dropped: Sequence[Dropped] = ()


class Annotated(ABC):
    """A text with annotations; `place` says where it stands, for messages.

    `raw` says that its translation is raw text, whatever the translations are otherwise.
    """

    source: Sentence
    place: str
    raw: bool = False

    @abstractmethod
    def carry(self, alignment: Alignment, rules: Rules) -> Carried:
        """The annotations on the words of `alignment.target`."""


@dataclass(slots=True)
class Verbatim:
    """What goes to the output as it is, when its turn comes; None is nothing."""

    text: Callable[[], str | None]


# The annotated texts of a file, in order, and what stands between them.
Reader: TypeAlias = Iterator[Annotated | Verbatim]


@dataclass(slots=True)
class AnnotatedSpans(Annotated):
    """Labelled spans of words; `write` makes the output of those that were carried."""

    source: Sentence
    place: str
    spans: Sequence[Span]
    labels: Sequence[str]
    write: Callable[[Alignment, Sequence[ProjectedSpan]], str]
    overlapping: bool = False
    raw: bool = field(default=False)

    def carry(self, alignment: Alignment, rules: Rules) -> Carried:
        found = project_spans(alignment, self.spans, rules, overlapping=self.overlapping)
        dropped = [
            Dropped(self.place, label, shown_words(self.source, span.source), span.reason, span.probability)
            for span, label in zip(found, self.labels, strict=True)
            if not span.intervals
        ]
        return Carried(partial(self.write, alignment, found), len(self.spans), dropped)


def shown_words(sentence: Sentence, span: Span) -> str:
    """The words of a span as they are written."""
    if sentence.text is not None and sentence.offsets is not None:
        return sentence.text[sentence.offsets[span[0]][0] : sentence.offsets[span[1] - 1][1]]
    return " ".join(sentence.words[slice(*span)])
