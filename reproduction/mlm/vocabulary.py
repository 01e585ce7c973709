"""Pieces of words for all languages together, and the sentences in their numbers.

    python -m reproduction.mlm.vocabulary WORK [--size 30000]

Reads WORK/sentences.tsv.gz. Writes WORK/model (tokenizer.json and its settings, in Hugging Face format) and
WORK/tokens.npz: `tokens` (all sentences one after the other), `lengths` and `languages` (a number each).
Letters are made small, accents stay: what languages share is what holds a small model together.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# Tokens of a row of the training, with [CLS] and [SEP]; longer sentences are left out.
ROW = 128


def read_sentences(path: Path) -> Iterator[tuple[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            language, sentence = line.rstrip("\n").split("\t", 1)
            yield language, sentence


def learn(path: Path, size: int) -> Any:
    """A WordPiece tokenizer as BERT's, of the text of all languages."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=64))
    # Without accents Hindi would lose its vowels.
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL),
        min_frequency=5,
        limit_alphabet=600,
        show_progress=False,
    )
    tokenizer.train_from_iterator((sentence for _, sentence in read_sentences(path)), trainer)
    cls, sep = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", sep), ("[CLS]", cls))
    return tokenizer


def save_tokenizer(tokenizer: Any, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": ROW,
        **{f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")},
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=1) + "\n", "utf-8")


def pack(tokenizer: Any, path: Path) -> dict[str, np.ndarray]:
    names: dict[str, int] = {}
    tokens: list[np.ndarray] = []
    lengths: list[int] = []
    languages: list[int] = []
    sentences = read_sentences(path)
    while part := list(islice(sentences, 20_000)):
        found = tokenizer.encode_batch_fast([sentence for _, sentence in part], add_special_tokens=False)
        for (language, _), encoding in zip(part, found, strict=True):
            if 0 < len(encoding.ids) <= ROW - 2:
                tokens.append(np.array(encoding.ids, np.uint16))
                lengths.append(len(encoding.ids))
                languages.append(names.setdefault(language, len(names)))
    return {
        "tokens": np.concatenate(tokens),
        "lengths": np.array(lengths, np.uint8),
        "languages": np.array(languages, np.uint8),
        "names": np.array(list(names)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, metavar="WORK")
    parser.add_argument("--size", type=int, default=30_000, help="pieces (30,000)")
    arguments = parser.parse_args()
    path = arguments.work / "sentences.tsv.gz"
    tokenizer = learn(path, arguments.size)
    save_tokenizer(tokenizer, arguments.work / "model")
    arrays = pack(tokenizer, path)
    np.savez(arguments.work / "tokens.npz", **arrays)
    for number, language in enumerate(arrays["names"]):
        of = arrays["languages"] == number
        print(f"{language} {of.sum():,} sentences, {arrays['lengths'][of].astype(int).sum():,} tokens")


if __name__ == "__main__":
    main()
