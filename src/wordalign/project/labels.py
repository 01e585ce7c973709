"""Which projected spans to keep, and tags word by word: BIO, BIOES and BILOU to spans and back.

    B-ORG I-ORG O O  <->  (0, 2, "ORG")

`project_spans` is what every format of `wordalign project` uses; `project_labels` does the same with tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from wordalign.errors import UnknownNameError, UsageError
from wordalign.text.characters import is_punctuation
from wordalign.types import Alignment, Edges, ProjectedSpan, Span

LabelledSpan: TypeAlias = tuple[int, int, str]

INCOMPLETE = "a word of it has no translation"
SCATTERED = "words that translate it lie apart"
NOT_ONE_TO_ONE = "its translation translates other words, too"
TAKEN = "a more probable one is there already"
FILTERS = {"complete": INCOMPLETE, "contiguous": SCATTERED, "one-to-one": NOT_ONE_TO_ONE}

_TAG = re.compile(r"O|[BIESLU]-.+")
# The letters of a scheme for: a word alone, the first, those between, the last.
_SCHEMES = {"bio": "BBII", "bioes": "SBIE", "bilou": "UBIL"}


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides whether an annotation is carried.

    `min_probability`  drop what is less probable
    `filters`          drop what is not "complete" (each word of the source has a link into the target,
                       punctuation aside), "contiguous" (no link leads elsewhere) or "one-to-one" (no link
                       comes from elsewhere)
    `edges`            "trim" or "keep" unlinked words at the edges
    """

    min_probability: float = 0.0
    filters: tuple[str, ...] = ()
    edges: Edges = "trim"

    def __post_init__(self) -> None:
        for name in self.filters:
            if name not in FILTERS:
                raise UnknownNameError("filter", name, FILTERS)
        if not 0 <= self.min_probability <= 1:
            raise UsageError(f"A probability lies between 0 and 1, not {self.min_probability}.")


def project_spans(
    alignment: Alignment,
    spans: Iterable[Span],
    rules: Rules | None = None,
    *,
    characters: bool = False,
    reverse: bool = False,
    overlapping: bool = False,
) -> list[ProjectedSpan]:
    """Like `Alignment.project`, by rules: what they drop has no intervals and a reason.

    Unless results may be `overlapping`, only the most probable one of those that share a word is kept.
    """
    rules = rules or Rules()
    found = alignment.project(
        spans,
        characters=characters,
        reverse=reverse,
        edges=rules.edges,
        min_probability=rules.min_probability,
    )
    words = (alignment.target if reverse else alignment.source).words
    for number, span in enumerate(found):
        broken = {
            "complete": any(not words or not is_punctuation(words[word]) for word in span.missing),
            "contiguous": bool(span.outside),
            "one-to-one": bool(span.shared),
        }
        reasons = [FILTERS[name] for name in rules.filters if broken[name]]
        if span.intervals and reasons:
            found[number] = without_intervals(span, reasons[0])
    if not overlapping:
        taken: set[int] = set()
        for number in sorted(range(len(found)), key=lambda number: -found[number].probability):
            places = {word for start, end in found[number].intervals for word in range(start, end)}
            if places & taken:
                found[number] = without_intervals(found[number], TAKEN)
            else:
                taken |= places
    return found


def without_intervals(span: ProjectedSpan, reason: str) -> ProjectedSpan:
    """The span as one that was dropped."""
    return replace(span, intervals=(), characters=None if span.characters is None else (), reason=reason)


def project_labels(alignment: Alignment, labels: Sequence[str], rules: Rules | None = None) -> list[str]:
    """Tags of the target words, in the scheme of the tags of the source words.

    >>> from wordalign.types import Sentence
    >>> words = Sentence(("Radio", "Sri", "Lanka")), Sentence(("Radyo", "Sri", "Lanka"))
    >>> alignment = Alignment(((0, 0), (1, 1), (2, 2)), (0.9, 0.9, 0.9), *words)
    >>> project_labels(alignment, ["O", "B-LOC", "I-LOC"])
    ['O', 'B-LOC', 'I-LOC']
    """
    if len(labels) != len(alignment.source):
        raise UsageError(f"{len(labels)} labels for {len(alignment.source)} words: give one for each.")
    spans = spans_of(labels)
    found = project_spans(alignment, [(start, end) for start, end, _ in spans], rules)
    carried = [
        (*span.target, label)
        for span, (*_, label) in zip(found, spans, strict=True)
        if span.target is not None
    ]
    return tags_of(carried, len(alignment.target), scheme_of(labels))


def is_tag(text: str) -> bool:
    """Whether this is a tag of BIO, BIOES or BILOU."""
    return _TAG.fullmatch(text) is not None


def scheme_of(tags: Iterable[str]) -> str:
    """The scheme of the tags of a sentence; without a span, which leaves it open, it is bio."""
    letters = {tag[0] for tag in tags if tag != "O"}
    return "bioes" if letters & {"S", "E"} else "bilou" if letters & {"L", "U"} else "bio"


def spans_of(tags: Sequence[str]) -> list[LabelledSpan]:
    """The spans of tags in any scheme, IOB1 included, where a span may begin with I.

    >>> spans_of(["I-PER", "B-PER", "O", "S-LOC", "B-ORG", "E-ORG"])
    [(0, 1, 'PER'), (1, 2, 'PER'), (3, 4, 'LOC'), (4, 6, 'ORG')]
    """
    spans: list[LabelledSpan] = []
    going = False
    for place, tag in enumerate(tags):
        if not is_tag(tag):
            raise UsageError(f"{tag!r} is no tag: expected O, or B-, I-, E-, S-, L- or U- and a label.")
        letter, label = tag[0], tag[2:]
        if letter == "O":
            going = False
            continue
        if going and letter in "IEL" and spans[-1][2] == label:
            spans[-1] = (spans[-1][0], place + 1, label)
        else:
            spans.append((place, place + 1, label))
        going = letter in "BI"
    return spans


def tags_of(spans: Iterable[LabelledSpan], words: int, scheme: str = "bio") -> list[str]:
    """A tag for each word; the spans do not overlap.

    >>> tags_of([(0, 1, "PER"), (2, 4, "ORG")], 4, "bioes")
    ['S-PER', 'O', 'B-ORG', 'E-ORG']
    """
    alone, first, between, last = list(_SCHEMES[scheme])
    tags = ["O"] * words
    for start, end, label in spans:
        letters = alone if end - start == 1 else first + between * (end - start - 2) + last
        tags[start:end] = [f"{letter}-{label}" for letter in letters]
    return tags
