"""An encoder with layers on top that see both sentences of a pair: the teacher.

    ids (2, pairs, length) -> vectors (2, pairs, length, dimension)

Such layers cost a pass for every pair, so they do not ship; what they know is taught to an encoder without
them. Without such layers, this is how an encoder is trained.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from wordalign.encoders.torch_module import Block, EncoderModule, EncoderShape


class PairEncoder(nn.Module):
    """An encoder and, with `joint` above 0, layers that see both sentences of a pair at once.

    What the joint layers add starts at zero, so that a fresh one gives what its encoder gives. Positions
    begin anew on each side, and an embedding tells the sides apart.
    """

    def __init__(self, encoder: EncoderModule, joint: int = 0) -> None:
        super().__init__()
        self.encoder = encoder
        width = encoder.shape.width
        self.joint = nn.ModuleList(_silent_block(encoder.shape) for _ in range(joint))
        self.side = nn.Parameter(torch.randn(2, width) * 0.02)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """ids (2, pairs, length) -> states (2, pairs, length, width) and unit vectors (…, dimension)."""
        _, pairs, length = ids.shape
        encoder = self.encoder
        with torch.autocast(ids.device.type, dtype=torch.bfloat16, enabled=ids.device.type == "cuda"):
            states = encoder.states(
                ids.reshape(2 * pairs, length), ids.reshape(2 * pairs, length) != 0, not self.joint
            )
            if self.joint:
                states = self._together(states.view(2, pairs, length, -1), ids)
            states = states.view(2, pairs, length, -1)
        # Cosines are compared with each other, so they need more digits than bfloat16 has.
        return states, F.normalize(encoder.project(states.float()), dim=-1)

    def _together(self, states: Tensor, ids: Tensor) -> Tensor:
        _, pairs, length, width = states.shape
        x = states + self.side[:, None, None, :].to(states.dtype)
        x = x.permute(1, 0, 2, 3).reshape(pairs * 2 * length, width)
        keys = (ids.permute(1, 0, 2).reshape(pairs, 2 * length) != 0)[:, None, None, :]
        cosine, sine = self.encoder.rotary[:, :length, None, :].repeat(1, 2 * pairs, 1, 1).unbind(0)
        for block in self.joint:
            x = block(x, keys, cosine, sine)
        x = x.view(pairs, 2, length, width).permute(1, 0, 2, 3)
        normed: Tensor = self.encoder.norm(x)
        return normed


def _silent_block(shape: EncoderShape) -> Block:
    """A layer that adds nothing yet."""
    block = Block(shape)
    for part in (block.qkv, block.up):
        nn.init.normal_(part.weight, std=0.02)
        nn.init.zeros_(part.bias)
    for part in (block.out, block.down):
        nn.init.zeros_(part.weight)
        nn.init.zeros_(part.bias)
    return block
