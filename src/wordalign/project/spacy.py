"""Entities and spans of a spaCy document carried to its translation. Needs the extra `spacy`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wordalign.aligners.base import BaseAligner
from wordalign.project.labels import Rules, project_spans
from wordalign.types import Alignment

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span


def project_ents(
    doc: Doc, other_doc: Doc, aligner: BaseAligner | None = None, rules: Rules | None = None
) -> Doc:
    """Set the entities of `other_doc`, and the groups of its `spans`, to those of `doc`; returns it.

    Entities never overlap, and of two that would the more probable one is kept; spans of a group may.
    By default the bundled model is the aligner: make one and give it where there are many documents.
    """
    if aligner is None:
        from wordalign.aligners.neural import Aligner

        aligner = Aligner()
    alignment = aligner.align([token.text for token in doc], [token.text for token in other_doc])
    other_doc.set_ents(_carried(doc.ents, alignment, other_doc, rules, overlapping=False))
    for name, group in doc.spans.items():
        other_doc.spans[name] = _carried(list(group), alignment, other_doc, rules, overlapping=True)
    return other_doc


def _carried(
    spans: Sequence[Span], alignment: Alignment, other_doc: Doc, rules: Rules | None, overlapping: bool
) -> list[Span]:
    from spacy.tokens import Span

    places = [(span.start, span.end) for span in spans]
    found = project_spans(alignment, places, rules, overlapping=overlapping)
    return [
        Span(other_doc, *result.target, label=span.label_, kb_id=span.kb_id_, span_id=span.id_)
        for result, span in zip(found, spans, strict=True)
        if result.target is not None
    ]
