"""BERT in plain torch, over rows that hold several sentences each, and its file in Hugging Face format.

Rows have one fixed shape, so torch compiles one graph. A sentence attends to itself alone, and its positions
begin at 0: all languages share positions, special tokens and every weight, as in mBERT.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Shape:
    """What makes a model's size. Width / heads is the size of a head."""

    vocabulary: int
    width: int = 384
    layers: int = 12
    heads: int = 6
    positions: int = 128


class Block(nn.Module):
    """Attention and a feed-forward net, each followed by a sum and a norm, as in BERT."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.mix = nn.Linear(shape.width, 3 * shape.width)
        self.joined = nn.Linear(shape.width, shape.width)
        self.norm1 = nn.LayerNorm(shape.width, eps=1e-12)
        self.wide = nn.Linear(shape.width, 4 * shape.width)
        self.narrow = nn.Linear(4 * shape.width, shape.width)
        self.norm2 = nn.LayerNorm(shape.width, eps=1e-12)

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        """(rows, length, width), (rows, 1, length, length) -> (rows, length, width)"""
        rows, length, width = hidden.shape
        query, key, value = self.mix(hidden).view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        found = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        found = self.joined(found.transpose(1, 2).reshape(rows, length, width))
        hidden = self.norm1(hidden + found)
        return self.norm2(hidden + self.narrow(functional.gelu(self.wide(hidden))))


class Bert(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.positions = nn.Embedding(shape.positions, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.guess = nn.Linear(shape.width, shape.width)
        self.guess_norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.guess_bias = nn.Parameter(torch.zeros(shape.vocabulary))
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)
        # What a block adds is small at first, else twelve of them with norms after the sum learn nothing.
        for block in self.blocks:
            for last in (block.joined, block.narrow):
                nn.init.normal_(last.weight, std=0.02 / (2 * shape.layers) ** 0.5)

    def states(self, ids: Tensor, positions: Tensor, sentences: Tensor) -> list[Tensor]:
        """All layers, that of the embeddings first; `sentences` numbers the sentences of a row."""
        hidden = self.norm(self.words(ids) + self.positions(positions))
        same = sentences[:, None, :, None] == sentences[:, None, None, :]
        kind = (
            torch.get_autocast_dtype(ids.device.type)
            if torch.is_autocast_enabled(ids.device.type)
            else hidden.dtype
        )
        bias = torch.zeros(same.shape, dtype=kind, device=ids.device).masked_fill(~same, float("-inf"))
        found = [hidden]
        for block in self.blocks:
            found.append(block(found[-1], bias))
        return found

    def forward(
        self, ids: Tensor, positions: Tensor, sentences: Tensor, where: Tensor, what: Tensor
    ) -> Tensor:
        """The loss of guessing the tokens `what` at the places `where` of the flattened rows."""
        hidden = self.states(ids, positions, sentences)[-1].reshape(-1, self.shape.width)[where]
        guessed = self.guess_norm(functional.gelu(self.guess(hidden)))
        scores = functional.linear(guessed, self.words.weight, self.guess_bias)
        return functional.cross_entropy(scores.float(), what)


def save(model: Bert, folder: Path) -> None:
    """`config.json` and `model.safetensors`, in half precision, as BertForMaskedLM reads them."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    shape = model.shape
    config = {
        "architectures": ["BertForMaskedLM"],
        "model_type": "bert",
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": 4 * shape.width,
        "hidden_act": "gelu",
        "max_position_embeddings": shape.positions,
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-12,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "pad_token_id": 0,
        "tie_word_embeddings": True,
        "dtype": "float16",
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", "utf-8")
    tensors = {name: tensor.to(torch.float16).cpu().contiguous() for name, tensor in _named(model).items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "shape.json").write_text(json.dumps(asdict(shape)) + "\n", "utf-8")


def _named(model: Bert) -> dict[str, Tensor]:
    """Our weights under the names that transformers has for them."""
    start = "bert.embeddings"
    found: dict[str, Tensor] = {
        f"{start}.word_embeddings.weight": model.words.weight.detach(),
        f"{start}.position_embeddings.weight": model.positions.weight.detach(),
        # There is one kind of sentence: nothing is added.
        f"{start}.token_type_embeddings.weight": torch.zeros(1, model.shape.width),
        "cls.predictions.bias": model.guess_bias.detach(),
    }

    def put(name: str, module: nn.Linear | nn.LayerNorm) -> None:
        found[f"{name}.weight"], found[f"{name}.bias"] = module.weight.detach(), module.bias.detach()

    put(f"{start}.LayerNorm", model.norm)
    put("cls.predictions.transform.dense", model.guess)
    put("cls.predictions.transform.LayerNorm", model.guess_norm)
    for number, block in enumerate(model.blocks):
        assert isinstance(block, Block)
        here = f"bert.encoder.layer.{number}"
        weights, biases = block.mix.weight.detach().chunk(3), block.mix.bias.detach().chunk(3)
        for name, weight, bias in zip(("query", "key", "value"), weights, biases, strict=True):
            found[f"{here}.attention.self.{name}.weight"] = weight
            found[f"{here}.attention.self.{name}.bias"] = bias
        put(f"{here}.attention.output.dense", block.joined)
        put(f"{here}.attention.output.LayerNorm", block.norm1)
        put(f"{here}.intermediate.dense", block.wide)
        put(f"{here}.output.dense", block.narrow)
        put(f"{here}.output.LayerNorm", block.norm2)
    return found
