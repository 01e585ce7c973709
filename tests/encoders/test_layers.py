"""The encoder's vectors are transformers' own hidden states, row for row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from tokenizers import processors

from tiny_models import KINDS, LAYERS, make_windows, wordpiece_tokenizer
from wordalign.encoders.huggingface import HuggingFaceEncoder
from wordalign.encoders.huggingface.layers import LayerReader
from wordalign.errors import UsageError

SENTENCES = [
    line.split()
    for line in (
        "This is a house .",
        "Ja",
        "Der Präsident der Kommission hat das Wort , und wir hören ihm aufmerksam zu , weil es eilt .",
        "",
        "We read 3 books .",
    )
]
TinyModel = Callable[[str], Path]


@pytest.fixture(scope="module")
def original(tiny_model: TinyModel) -> Callable[[str], Any]:
    """The model as transformers itself loads it."""
    return cache(lambda kind: transformers.AutoModel.from_pretrained(tiny_model(kind)).eval())


@pytest.fixture(scope="module")
def expected(tiny_model: TinyModel, original: Callable[[str], Any]) -> Callable[[str], Any]:
    """The hidden states of every layer and the words of their rows; each sentence alone, without padding."""

    def states(kind: str) -> list[tuple[list[torch.Tensor], list[int]]]:
        tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_model(kind), add_prefix_space=True)
        model = original(kind)
        if model.config.is_encoder_decoder:
            model = model.get_encoder()
        return [_states(tokenizer, model, sentence) for sentence in SENTENCES]

    return cache(states)


def _states(tokenizer: Any, model: Any, sentence: Sequence[str]) -> tuple[list[torch.Tensor], list[int]]:
    if not sentence:
        return [torch.zeros(0, model.config.hidden_size)] * (LAYERS + 1), []
    encoded = tokenizer(sentence, is_split_into_words=True, return_tensors="pt")
    words = encoded.word_ids()
    rows = [row for row, word in enumerate(words) if word is not None]
    with torch.no_grad():
        hidden = model(**encoded, output_hidden_states=True).hidden_states
    return [layer[0, rows] for layer in hidden], [words[row] for row in rows]


@pytest.mark.parametrize("layer", [*range(LAYERS + 1), "conc"])
@pytest.mark.parametrize("kind", KINDS)
def test_vectors_are_transformers_hidden_states(
    tiny_model: TinyModel, expected: Callable[[str], Any], kind: str, layer: Any
) -> None:
    encoder = HuggingFaceEncoder(str(tiny_model(kind)), layer=layer, device="cpu")
    for encoding, (states, words) in zip(encoder.encode(SENTENCES), expected(kind), strict=True):
        wanted = (torch.cat(states, dim=-1) if layer == "conc" else states[layer]).numpy()
        assert encoding.vectors.shape == wanted.shape
        assert encoding.vectors.dtype == np.float32
        scale = np.abs(wanted).max(initial=0)
        np.testing.assert_allclose(encoding.vectors, wanted, rtol=0, atol=1e-4 * scale)
        assert encoding.word_of_row.tolist() == words


@pytest.mark.parametrize("kind", KINDS)
def test_the_layers_differ_so_that_a_wrong_one_is_noticed(expected: Callable[[str], Any], kind: str) -> None:
    states, _ = expected(kind)[2]
    for lower, upper in pairwise(states):
        assert (lower - upper).abs().max() > 0.01 * upper.abs().max()


def _blocks(model: Any) -> list[Any]:
    encoder = model.get_encoder() if model.config.is_encoder_decoder else model
    return next(
        list(module)
        for module in encoder.modules()
        if isinstance(module, torch.nn.ModuleList) and len(module) == LAYERS
    )


@pytest.mark.parametrize("layer", range(LAYERS + 1))
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "albert"])  # one block, used LAYERS times
def test_blocks_above_the_layer_never_run_and_are_freed(
    original: Callable[[str], Any], kind: str, layer: int
) -> None:
    model = deepcopy(original(kind))
    ran: list[int] = []
    block_sizes = []
    for number, block in enumerate(_blocks(model)):
        block.register_forward_hook(lambda *_, number=number: ran.append(number))
        block_sizes.append(sum(parameter.numel() for parameter in block.parameters()))
    encoder = model.get_encoder() if model.config.is_encoder_decoder else model
    before = sum(parameter.numel() for parameter in encoder.parameters())
    reader = LayerReader(model, layer)
    reader(torch.tensor([[5, 6, 7]]), torch.ones(1, 3, dtype=torch.long))
    assert ran == list(range(layer))
    after = sum(parameter.numel() for parameter in encoder.parameters())
    assert before - after == sum(block_sizes[layer + 1 :])


@pytest.mark.parametrize("layer", [-1, LAYERS + 1, 1.5, "last"])
def test_a_wrong_layer_is_refused_with_the_range(tiny_model: TinyModel, layer: Any) -> None:
    with pytest.raises(UsageError, match=rf"no layer {layer}: choose 0 .* to {LAYERS}, or 'conc'"):
        HuggingFaceEncoder(str(tiny_model("bert")), layer=layer, device="cpu")


def test_the_default_layer_is_two_thirds_up(tiny_model: TinyModel) -> None:
    encoder = HuggingFaceEncoder(str(tiny_model("bert")), device="cpu")
    assert encoder.layer == 3
    assert encoder.signature == f"{tiny_model('bert')} | layer=3"


@pytest.mark.parametrize(
    "template", ["[CLS] [SEP] $A", "$A [SEP]", "$A", "$A [SEP] [CLS] [SEP]", "[CLS] [MASK] $A [SEP] [SEP]"]
)
@pytest.mark.parametrize("size", [16, 128])
def test_special_tokens_are_no_rows_wherever_they_stand(template: str, size: int) -> None:
    tokenizer = wordpiece_tokenizer([" ".join(sentence) for sentence in SENTENCES], 128)
    specials = [(name, tokenizer.convert_tokens_to_ids(name)) for name in ("[CLS]", "[SEP]", "[MASK]")]
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=template, special_tokens=specials
    )
    added = len(template.split()) - 1
    assert tokenizer.num_special_tokens_to_add() == added
    for sentence in SENTENCES:
        wanted = tokenizer([sentence], is_split_into_words=True, add_special_tokens=False)
        windows = make_windows(tokenizer, [sentence], size)
        rows = [window.ids[row] for window in windows for row in window.rows]
        assert rows == wanted["input_ids"][0]
        assert [word for window in windows for word in window.words] == wanted.word_ids(0)
        assert all(len(set(window.ids) & {number for _, number in specials}) <= added for window in windows)
        assert all(len(window.ids) >= added for window in windows)


@pytest.mark.parametrize("kind", KINDS)
def test_bfloat16_is_close_and_comes_back_as_float32(
    tiny_model: TinyModel, expected: Callable[[str], Any], kind: str
) -> None:
    encoder = HuggingFaceEncoder(str(tiny_model(kind)), layer=2, device="cpu", dtype="bfloat16")
    encodings = encoder.encode(SENTENCES[:3])
    for encoding, (states, _) in zip(encodings, expected(kind)[:3], strict=True):
        assert encoding.vectors.dtype == np.float32
        wanted = states[2].numpy()
        error = np.linalg.norm(encoding.vectors - wanted) / np.linalg.norm(wanted)
        assert 0 < error < 0.05
