"""What is odd about two texts or their alignment, in sentences for those who gave the wrong file."""

from __future__ import annotations

from collections.abc import Iterable

from wordalign.documents.types import SentenceGroup, Text

FEW = 0.3  # of the sentences: fewer with a partner are suspicious
FAR = 4  # times as long as the other text


class Doubts:
    """Watches groups go by, and says afterwards what is odd."""

    def __init__(self, source: Text, target: Text) -> None:
        self._source, self._target = source, target
        self._good = 0

    def watched(self, groups: Iterable[SentenceGroup]) -> Iterable[SentenceGroup]:
        for group in groups:
            if group.score >= 0.5:
                self._good += group.source[1] - group.source[0] + group.target[1] - group.target[0]
            yield group

    @property
    def matched(self) -> float:
        """The share of the sentences of both texts that are in groups of a score of at least 0.5."""
        return self._good / max(1, len(self._source) + len(self._target))

    def sentences(self) -> list[str]:
        source, target = self._source, self._target
        if source.text == target.text:
            return [
                f"{source.name} and {target.name} hold the same text: scores are low, since a copy is no "
                "translation. Was one file given twice?"
            ]
        said = []
        lengths = sorted((len(text.text), text.name) for text in (source, target))
        if lengths[1][0] > FAR * lengths[0][0]:
            said.append(
                f"{lengths[1][1]} is {lengths[1][0] / lengths[0][0]:.0f} times as long as {lengths[0][1]}: "
                "most of its sentences can have no partner."
            )
        if self.matched < FEW:
            known = [f"{text.name} seems to be {text.language}" for text in (source, target) if text.language]
            said.append(
                f"Only {self.matched:.0%} of the sentences have a partner that is probably a translation: "
                f"these texts may not translate each other ({', '.join(known)})."
            )
        return said
