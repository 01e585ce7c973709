"""Tiny randomly initialised models in Hugging Face format, with real tokenizers trained on a few lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from wordalign.encoders.huggingface.windows import find_frame
from wordalign.encoders.subwords import SubwordTable, TokenizerCutter
from wordalign.encoders.windows import Window, windows_of

VOCABULARY = 1000
WIDTH = 32
LAYERS = 4
SHAPE = {
    "hidden_size": WIDTH,
    "intermediate_size": 64,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
}


def wordpiece_tokenizer(lines: Iterable[str], window: int) -> Any:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(
        lines, trainers.WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=specials)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return transformers.BertTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=window,
        do_lower_case=False,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def unigram_tokenizer(lines: Iterable[str], window: int) -> Any:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.train_from_iterator(
        lines, trainers.UnigramTrainer(vocab_size=VOCABULARY, special_tokens=specials, unk_token="<unk>")
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=window,
        bos_token="<s>",
        cls_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        sep_token="</s>",
        unk_token="<unk>",
        mask_token="<mask>",
    )


def byte_level_tokenizer(lines: Iterable[str], window: int) -> Any:
    """As GPT-2's: no special token around the text, no padding token at all."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        lines,
        trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=["<|endoftext|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    return transformers.GPT2TokenizerFast(
        tokenizer_object=tokenizer, model_max_length=window, add_prefix_space=True, eos_token="<|endoftext|>"
    )


def _bert(tokenizer: Any, window: int) -> Any:
    return transformers.BertModel(
        transformers.BertConfig(vocab_size=len(tokenizer), max_position_embeddings=window, **SHAPE)
    )


def _xlmr(tokenizer: Any, window: int) -> Any:
    return transformers.XLMRobertaModel(
        transformers.XLMRobertaConfig(
            vocab_size=len(tokenizer), max_position_embeddings=window + 2, pad_token_id=1, **SHAPE
        )
    )


def _albert(tokenizer: Any, window: int) -> Any:
    return transformers.AlbertModel(
        transformers.AlbertConfig(
            vocab_size=len(tokenizer), embedding_size=16, max_position_embeddings=window, **SHAPE
        )
    )


def _gpt2(tokenizer: Any, window: int) -> Any:
    return transformers.GPT2Model(
        transformers.GPT2Config(
            vocab_size=len(tokenizer), n_positions=window, n_embd=WIDTH, n_layer=LAYERS, n_head=4
        )
    )


def _llama(tokenizer: Any, window: int) -> Any:
    return transformers.LlamaModel(
        transformers.LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=window, **SHAPE)
    )


def _qwen2(tokenizer: Any, window: int) -> Any:
    return transformers.Qwen2Model(
        transformers.Qwen2Config(
            vocab_size=len(tokenizer), max_position_embeddings=window, num_key_value_heads=2, **SHAPE
        )
    )


def _t5(tokenizer: Any, window: int) -> Any:
    return transformers.T5Model(
        transformers.T5Config(
            vocab_size=len(tokenizer),
            d_model=WIDTH,
            d_kv=8,
            d_ff=64,
            num_layers=LAYERS,
            num_heads=4,
            decoder_start_token_id=1,
        )
    )


KINDS: dict[str, tuple[Callable[[Iterable[str], int], Any], Callable[[Any, int], Any]]] = {
    "bert": (wordpiece_tokenizer, _bert),
    "xlmr": (unigram_tokenizer, _xlmr),
    "albert": (unigram_tokenizer, _albert),
    "gpt2": (byte_level_tokenizer, _gpt2),
    "llama": (unigram_tokenizer, _llama),
    "qwen2": (byte_level_tokenizer, _qwen2),
    "t5": (unigram_tokenizer, _t5),
}


def save_tiny_model(kind: str, folder: Path, lines: Iterable[str], window: int = 128) -> Path:
    make_tokenizer, make_model = KINDS[kind]
    tokenizer = make_tokenizer(lines, window)
    torch.manual_seed(0)
    model = make_model(tokenizer, window)
    with torch.no_grad():
        # Fresh weights are so small that context hardly matters; real ones are not.
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(4)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_windows(tokenizer: Any, sentences: Sequence[Sequence[str]], size: int) -> list[Window]:
    """The windows of these sentences as a Hugging Face model of that size gets them."""
    return windows_of(
        SubwordTable(TokenizerCutter(tokenizer.backend_tokenizer))(sentences), find_frame(tokenizer, size)
    )
