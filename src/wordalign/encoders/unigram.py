"""Words -> numbers of subwords, by the `tokenizer.json` of a model of our own.

Two libraries share the work: `tokenizers` normalises the words, `sentencepiece` cuts them. Either could do
both. But in each process the first takes 80 MiB for a vocabulary of 80,000 subwords, where the second takes
15; and the second would normalise by tables of its own. What comes out is what the first alone would give,
but where two ways to cut a long word are almost equally likely.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import sentencepiece
import tokenizers

from wordalign.encoders.subwords import MARK
from wordalign.errors import ModelError
from wordalign.machine import give_back_memory

# Of these, what becomes of a word depends on the word alone, so that many can be normalised as one text.
NORMALIZERS = {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Replace"}
TOGETHER = 64  # words; more of them are no faster

# The pre-tokenizer of our own models: a mark before each word, and in place of a space within it.
_SPACES = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always"}
# sentencepiece adds numbers of 24 bits: multiples of this, up to 1,024, without an error. Otherwise rounding
# would choose among the ways to cut "fffffff", which are equally likely.
_STEP = 2.0**-14

# The kinds of entries in a vocabulary of sentencepiece. A sign is never found in text.
_PIECE, _UNKNOWN, _SIGN, _BYTE = 1, 2, 3, 6
_BYTE_NAMES = frozenset(f"<0x{byte:02X}>" for byte in range(256))


class UnigramCutter:
    """Cuts words into the likeliest subwords, and letters that it does not know into bytes."""

    def __init__(self, file: Path) -> None:
        about = json.loads(file.read_text("utf-8"))
        model = about["model"]
        if not _is_ours(about):
            raise ModelError(
                f"The tokenizer {file} is of another kind than those of wordalign's own models, which cut "
                "words by a unigram model and what they do not know into bytes."
            )
        vocabulary, model["vocab"], model["unk_id"] = model["vocab"], [["<unk>", 0.0]], 0
        self._normalizer = tokenizers.Tokenizer.from_str(json.dumps(about)).normalizer
        self._pieces = sentencepiece.SentencePieceProcessor(model_proto=_model(vocabulary))
        del vocabulary
        give_back_memory()

    def ids(self, words: Sequence[str]) -> list[list[int]]:
        """The numbers of each word's subwords; none for a word of which nothing is left in normal form."""
        return [self._pieces.encode(text, out_type=int) for text in self._marked(words)]

    def texts(self, words: Sequence[str]) -> list[list[str]]:
        """The texts of each word's subwords."""
        return [self._pieces.encode(text, out_type=str) for text in self._marked(words)]

    def text_of(self, number: int) -> str:
        """The text of one subword."""
        return str(self._pieces.id_to_piece(number))

    @property
    def first_byte(self) -> int:
        """The number of the subword for byte 0; those of the other bytes follow."""
        return int(self._pieces.piece_to_id("<0x00>"))

    def _marked(self, words: Sequence[str]) -> list[str]:
        spaced = (text.replace(" ", MARK) for text in self._normal(words))
        return [text if not text or text.startswith(MARK) else MARK + text for text in spaced]

    def _normal(self, words: Sequence[str]) -> Iterator[str]:
        if self._normalizer is None:
            yield from words
            return
        for start in range(0, len(words), TOGETHER):
            some = words[start : start + TOGETHER]
            normal = self._normalizer.normalize_str("\n".join(some)).split("\n")
            # A word with a line feed in it would move all others.
            yield from normal if len(normal) == len(some) else map(self._normalizer.normalize_str, some)


def _is_ours(about: dict[str, Any]) -> bool:
    """Would sentencepiece cut as this `tokenizer.json` says?"""
    normalizer, spaces, model = about["normalizer"] or {}, about["pre_tokenizer"] or {}, about["model"]
    steps = normalizer.get("normalizers", [normalizer] if normalizer else [])
    return (
        model["type"] == "Unigram"
        and model["byte_fallback"]
        and _SPACES.items() <= spaces.items()
        and not about["added_tokens"]
        and {step["type"] for step in steps} <= NORMALIZERS
    )


def _model(vocabulary: Iterable[tuple[str, float]]) -> bytes:
    """A vocabulary in sentencepiece's own format, which is a message of protocol buffers (ModelProto).

    The fields of an entry are its text, the logarithm of its probability, and its kind.
    """
    entries = []
    for text, score in vocabulary:
        kind = _PIECE
        if score == 0:  # only what stands for no text is certain
            kind = _BYTE if text in _BYTE_NAMES else _UNKNOWN if text == "<unk>" else _SIGN
        score = round(score / _STEP) * _STEP
        entry = _message(1, text.encode()) + struct.pack("<Bf2B", 2 << 3 | 5, score, 3 << 3, kind)
        entries.append(_message(1, entry))
    cuts_into_bytes = _number(35, 1)
    # Neither a space before each text, nor fewer spaces: words come with their marks.
    as_it_is = _message(1, b"identity") + _number(3, 0) + _number(4, 0)
    return b"".join([*entries, _message(2, cuts_into_bytes), _message(3, as_it_is)])


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the highest bit says that more follow."""
    return bytes((value,)) if value < 128 else bytes((value & 127 | 128,)) + _varint(value >> 7)
