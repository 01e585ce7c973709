"""Words -> the subwords that a `tokenizer.json` cuts them into, for vectors of subwords."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from wordalign.errors import ModelError

Cut: TypeAlias = Callable[[Sequence[str]], list[list[str]]]

# The subwords of so many words are remembered; the frequent words of a corpus are always among them.
REMEMBERED_WORDS = 100_000


def bundled_tokenizer() -> Path:
    """The tokenizer of the default bundled model."""
    return Path(__file__).parents[2] / "models" / "base" / "tokenizer.json"


def subword_cutter(path: Path) -> Cut:
    """A function from words to the subwords of each, by a `tokenizer.json`.

    With the bundled one, "Unbelievably" -> ▁un beli e v ably: in lower case, without accents.
    """
    import tokenizers

    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # what the library raises is a plain Exception
        raise ModelError(f"The tokenizer {path} cannot be used: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    known: dict[str, list[str]] = {}

    def cut(words: Sequence[str]) -> list[list[str]]:
        if len(known) > REMEMBERED_WORDS:
            known.clear()
        new = [word for word in dict.fromkeys(words) if word not in known]
        # Lone surrogates (from JSON escapes) have no UTF-8.
        plain = [[word.encode("utf-8", "replace").decode("utf-8")] for word in new]
        found = tokenizer.encode_batch(plain, is_pretokenized=True, add_special_tokens=False)
        known.update((word, pieces.tokens) for word, pieces in zip(new, found, strict=True))
        return [known[word] for word in words]

    return cut
