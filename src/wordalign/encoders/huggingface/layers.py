"""The hidden states of one layer, computing no layer above it."""

from __future__ import annotations

import inspect
from typing import Any, Literal, NoReturn

import torch

from wordalign.errors import UsageError


class _Reached(Exception):  # noqa: N818 - not an error: carries the result out of the model
    def __init__(self, hidden: torch.Tensor) -> None:
        self.hidden = hidden


class LayerReader:
    """A function from (batch, length) token ids and mask to the chosen layer, (batch, length, dimensions).

    Layer 0 is what enters the first block (the embedding layer), layer k what the k-th block gives,
    the last one after the model's final normalisation where it has one; "conc" puts all of them side by
    side. This is transformers' own numbering of hidden states.
    """

    def __init__(self, model: Any, layer: int | Literal["conc"] | None) -> None:
        if model.config.is_encoder_decoder:
            model = model.get_encoder()
        self.depth: int = model.config.get_text_config().num_hidden_layers
        # Jalili Sabet et al. found the best layer two thirds up (8 of 12) for every model they tried.
        self.layer = round(self.depth * 2 / 3) if layer is None else layer
        if self.layer != "conc" and self.layer not in range(self.depth + 1):
            raise UsageError(
                f"The model has no layer {self.layer}: choose 0 (the embedding layer) to {self.depth}, "
                "or 'conc' for all of them."
            )
        self._model = model
        self._stops_early = self._cut_above()
        accepted = inspect.signature(model.forward).parameters
        self._arguments = {"use_cache": False} if "use_cache" in accepted else {}

    def _cut_above(self) -> bool:
        """Stop the model where the wanted layer enters the next block, and free the blocks above that."""
        if self.layer == "conc" or self.layer == self.depth:
            return False
        blocks = next(
            (
                module
                for module in self._model.modules()
                if isinstance(module, torch.nn.ModuleList) and len(module) == self.depth
            ),
            None,
        )
        if blocks is None:  # ALBERT shares one block between its layers: run them all and pick
            return False
        del blocks[self.layer + 1 :]
        blocks[self.layer].register_forward_pre_hook(_stop, with_kwargs=True)
        return True

    def __call__(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        inputs = {"input_ids": ids, "attention_mask": mask, **self._arguments}
        if self._stops_early:
            try:
                self._model(**inputs)
            except _Reached as reached:
                return reached.hidden
            raise AssertionError("the model never entered the block it was cut at")
        if self.layer == self.depth:
            last: torch.Tensor = self._model(**inputs).last_hidden_state
            return last
        states = self._model(**inputs, output_hidden_states=True).hidden_states
        if self.layer == "conc":
            return torch.cat(states, dim=-1)
        picked: torch.Tensor = states[self.layer]
        return picked


def _stop(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
    raise _Reached(args[0] if args else kwargs["hidden_states"])
