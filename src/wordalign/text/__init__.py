"""Raw text -> words with character offsets, and which words are punctuation."""

from typing import TYPE_CHECKING, Any

from wordalign.text.characters import is_punctuation

if TYPE_CHECKING:
    from wordalign.text.words import Segmenter, find_words, split_words

__all__ = ["Segmenter", "find_words", "is_punctuation", "split_words"]


def __getattr__(name: str) -> Any:
    """Load the splitter when it is first used: what only asks for punctuation needs no `regex`."""
    if name not in __all__:
        raise AttributeError(f"module 'wordalign.text' has no attribute {name!r}")
    from wordalign.text import words

    return getattr(words, name)
