"""A model of mBERT's shape, or another, with random weights, which is as fast as a trained one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers


def mbert_shaped_model(folder: Path, lines: Iterable[str], vocabulary: int = 119_547, **shape: int) -> Path:
    """Random weights, and a WordPiece vocabulary that cuts words about as often as mBERT's does.

    `shape` has the sizes that differ from mBERT's, by the names of `transformers.BertConfig`.
    """
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trained = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    trained.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trained.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=4000, special_tokens=specials))
    tokens = trained.get_vocab()
    for number in range(len(tokens), vocabulary):
        tokens[f"[unused{number}]"] = number
    tokenizer = Tokenizer(models.WordPiece(tokens, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", tokens["[CLS]"]), ("[SEP]", tokens["[SEP]"])]
    )
    transformers.BertTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=512, do_lower_case=False
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=vocabulary, **shape)
    transformers.BertModel(config).save_pretrained(folder)
    return folder
