"""Slices by part of speech: a link counts for a tag when either of its words has it (paper, section 5.3).

Tags come from a file, one tag a word, or from Stanza where it is installed with models.

>>> slices = pos_slices(["PRON", "VERB"], ["VERB", "PRON"])
>>> slices((1, 0)), slices((0, 0))
(('VERB',), ('PRON', 'VERB'))
>>> pos_slices(["PRON", "VERB"])((0, 0))
('PRON',)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wordalign.errors import MissingExtraError, ModelError
from wordalign.evaluate.counts import Counts, Links
from wordalign.evaluate.slices import SlicesOf, add_slices, count_slices
from wordalign.types import GoldAlignment, Link


def pos_slices(source: Sequence[str] | None, target: Sequence[str] | None = None) -> SlicesOf:
    """The tags of each link of one pair, from the tags of one side or of both."""

    def slices_of(link: Link) -> tuple[str, ...]:
        tags = [side[place] for side, place in zip((source, target), link, strict=True) if side is not None]
        return tuple(dict.fromkeys(tags))

    return slices_of


def by_pos(
    golds: Iterable[GoldAlignment],
    predictions: Iterable[Links],
    source_tags: Iterable[Sequence[str]] | None,
    target_tags: Iterable[Sequence[str]] | None = None,
) -> dict[str, Counts]:
    """Counts of a corpus by part of speech, from the tags of each sentence of one side or of both."""
    totals: dict[str, Counts] = {}
    pairs = list(zip(golds, predictions, strict=True))
    sides = [[None] * len(pairs) if tags is None else tags for tags in (source_tags, target_tags)]
    for (gold, links), source, target in zip(pairs, *sides, strict=True):
        add_slices(totals, count_slices(gold, links, pos_slices(source, target)))
    return dict(sorted(totals.items()))


def stanza_tags(sentences: Iterable[Sequence[str]], language: str) -> Iterator[list[str]]:
    """Universal part-of-speech tags by Stanza, of words as they are. Nothing is downloaded."""
    try:
        import stanza
    except ImportError as error:
        raise MissingExtraError("Part-of-speech tagging with Stanza", "pos") from error
    try:
        tagger = stanza.Pipeline(
            language,
            processors="tokenize,pos",
            tokenize_pretokenized=True,
            download_method=None,
            verbose=False,
        )
    except Exception as error:  # Stanza has no common class for models that are missing or broken
        raise ModelError(
            f"Stanza cannot load models for {language!r} ({type(error).__name__}). Where they can be had: "
            f"python -c \"import stanza; stanza.download('{language}')\""
        ) from error
    for words in sentences:
        document = tagger([list(words)]) if words else None
        yield [word.upos for found in document.sentences for word in found.words] if document else []
