"""Words are cut into subwords, and links of subwords become links of words.

    playing field  ->  play ##ing field   of words 0 0 1

Two words are linked if any of their subwords are (the paper's rule). A word without a subword gets no link.
Any tokenizer that the encoders know can be used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wordalign.encoders import BUNDLED_MODELS, resolve
from wordalign.encoders.subwords import SubwordTable, TokenizerCutter, open_tokenizer
from wordalign.errors import MissingExtraError, ModelError
from wordalign.types import Link

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class SubwordSplitter:
    """Cuts words with a tokenizer.

    `name` is a short name of `wordalign models`, a hub name or a folder; by default the bundled model's
    tokenizer is used. `file` is the tokenizer's own file, where it is at hand.
    """

    def __init__(self, name: str | None = None, file: Path | None = None) -> None:
        self.name = name or BUNDLED_MODELS[0].name
        self._tokenizer = _load(self.name) if file is None else open_tokenizer(file)
        self._table = SubwordTable(TokenizerCutter(self._tokenizer), texts=True)

    def save(self, file: Path) -> None:
        self._tokenizer.save(str(file))

    def split(self, sentences: Sequence[Sequence[str]]) -> list[tuple[list[str], list[int]]]:
        """For each sentence: its subwords, and the position of the word that each belongs to."""
        pieces = iter(self._table.pieces([word for words in sentences for word in words]))
        found = []
        for words in sentences:
            numbered = [(piece, number) for number, _ in enumerate(words) for piece in next(pieces)]
            found.append(([piece for piece, _ in numbered], [number for _, number in numbered]))
        return found


def word_links(
    links: Mapping[Link, float], word_of_source: Sequence[int], word_of_target: Sequence[int]
) -> dict[Link, float]:
    """The links of words that follow from links of subwords, each with the best score among these.

    >>> word_links({(0, 0): 0.5, (1, 1): 0.9}, [0, 0, 1], [0, 0])
    {(0, 0): 0.9}
    """
    best: dict[Link, float] = {}
    for (i, j), score in links.items():
        link = word_of_source[i], word_of_target[j]
        best[link] = max(score, best.get(link, score))
    return best


def _load(name: str) -> Tokenizer:
    source = resolve(name)
    if source.kind != "huggingface" and source.tokenizer is not None:
        return open_tokenizer(source.tokenizer)
    try:
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"The tokenizer {name!r}", "hf") from error
    try:
        loaded = transformers.AutoTokenizer.from_pretrained(
            source.name, trust_remote_code=False, add_prefix_space=True
        )
    except Exception as error:  # each version of the libraries has its own classes for what can go wrong
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        kind = "folder" if Path(name).is_dir() else "name"
        raise ModelError(f"There is no tokenizer to be had by the {kind} {name!r}: {reason}") from error
    if not loaded.is_fast:
        raise ModelError(f"The tokenizer {name!r} has no tokenizer.json (it is not a 'fast' one).")
    tokenizer: Tokenizer = loaded.backend_tokenizer
    return tokenizer
