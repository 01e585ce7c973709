"""Tags in a column carried to translations in another one: fits `map` of Hugging Face datasets.

names = dataset.features["ner_tags"].feature.names
dataset.map(ProjectColumns(names=names), batched=True)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wordalign.aligners.base import BaseAligner
from wordalign.config import AlignConfig
from wordalign.errors import UsageError
from wordalign.project.labels import Rules, project_labels


class ProjectColumns:
    """A function from a batch to the columns that change in it: words and tags become the translation's.

    `words`, `labels` and `translation` are names of columns. A translation is a list of words, or raw text,
    which is split. `names` are the tags that numbers stand for. The model is loaded when it is first needed,
    in each process that needs it.
    """

    def __init__(
        self,
        aligner: AlignConfig | BaseAligner | None = None,
        *,
        words: str = "tokens",
        labels: str = "ner_tags",
        translation: str = "translation",
        names: Sequence[str] | None = None,
        rules: Rules | None = None,
    ) -> None:
        self._aligner = aligner if isinstance(aligner, BaseAligner) else None
        self._config = aligner if isinstance(aligner, AlignConfig) else AlignConfig()
        self._columns = words, labels, translation
        self._names = None if names is None else tuple(names)
        self._rules = rules

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        words, labels, translation = self._columns
        for column in self._columns:
            if column not in batch:
                raise UsageError(f"There is no column {column!r}, but {', '.join(map(repr, batch))}.")
        found = self._load().align_batch(list(zip(batch[words], batch[translation], strict=True)))
        return {
            words: [list(alignment.target.words) for alignment in found],
            labels: [
                self._numbers(project_labels(alignment, self._tags(tags), self._rules))
                for alignment, tags in zip(found, batch[labels], strict=True)
            ],
        }

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled for other processes, and tells datasets whether a cached result is the same."""
        if self._aligner is None or hasattr(self._aligner, "config"):
            config = self._config if self._aligner is None else self._aligner.config
            return {**vars(self), "_config": config, "_aligner": None}
        return vars(self)

    def _load(self) -> BaseAligner:
        if self._aligner is None:
            from wordalign.aligners.neural import Aligner

            self._aligner = Aligner.from_config(self._config)
        return self._aligner

    def _tags(self, given: Sequence[Any]) -> list[str]:
        if self._names is None:
            if any(isinstance(tag, int) for tag in given):
                raise UsageError("The tags are numbers: give names, as in dataset.features[…].feature.names.")
            return list(given)
        return [self._names[tag] for tag in given]

    def _numbers(self, tags: list[str]) -> list[Any]:
        if self._names is None:
            return tags
        if missing := set(tags) - set(self._names):
            raise UsageError(
                f"The names have no {min(missing)}, which a translation needs: they are no BIO tags."
            )
        return [self._names.index(tag) for tag in tags]
