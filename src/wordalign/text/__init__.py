"""Raw text -> words with character offsets."""

from wordalign.text.words import Segmenter, split_words

__all__ = ["Segmenter", "split_words"]
