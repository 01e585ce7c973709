"""The learning itself: stages of steps, checked on held-out pairs on the way, kept so that it can go on.

The result of a stage is the average of the weights on the way, as it was at the best check. All that is drawn
by chance depends on the seed and the number of the step alone, so that a resumed run learns the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from wordalign.errors import ModelError
from wordalign.tuning.choose import choose_thresholds
from wordalign.tuning.examples import Example, passes, soft_batch
from wordalign.tuning.gold import GoldPair, gold_batch
from wordalign.tuning.keep import Keeper, Kept
from wordalign.tuning.losses import gold_losses, link_loss, look, text_losses
from wordalign.tuning.measure import measured_cells
from wordalign.tuning.optimise import Optimiser
from wordalign.tuning.teacher import PairEncoder

T = TypeVar("T")

# What text teaches, in the words of `losses.text_losses`. The masked-word head does not ship, so it is not
# learned here; masking alone makes words lean on their neighbours.
TEXT: Mapping[str, float] = {
    "low": 0.15,
    "high": 0.6,
    "link": 1.0,
    "word": 1.0,
    "subword": 0.5,
    "contrast": 0.25,
    "contrast_links": 512,
    "masked": 0.0,
    "masked_share": 0.05,
    "mixed": 0.1,
}
GOLD: Mapping[str, float] = {"masked_share": 0.1, "word": 0.5}
TOKENS = 2048  # subwords of a step
GOLD_TOKENS = 1024  # the same of gold pairs
REHEARSED_TOKENS = 384  # and of pairs in other languages
REHEARSAL = 0.5  # weight of what these lose


@dataclass(frozen=True, slots=True)
class Stage:
    """What is learned in a number of steps, the embeddings at a rate of their own where there is one."""

    name: str
    steps: int
    rate: float
    embedding_rate: float | None = None
    text: Sequence[Example] = ()
    gold: Sequence[GoldPair] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """How far the learning is: `score` is 1 - AER of the held-out pairs, `best` the best of all so far."""

    stage: str
    step: int
    steps: int
    score: float
    best: float


class Learner:
    """Learns stage after stage. `best` are the weights of the best check, at first those of the start."""

    def __init__(
        self,
        net: PairEncoder,
        held_out: Sequence[GoldPair],
        rehearsal: Sequence[Example],
        plain: Tensor,
        *,
        seed: int,
        checks: int,
        keeper: Keeper,
        report: Callable[[Checked], object],
    ) -> None:
        self.net, self.held_out, self.rehearsal = net, held_out, rehearsal
        self.device = next(net.parameters()).device
        self.plain = plain.to(self.device)
        self.seed, self.checks, self.keeper, self.report = seed, checks, keeper, report
        self.start = _weights(net)
        self.best, self.best_score = self.start, self.score()
        self.start_score = self.best_score
        self.stopped = False

    def score(self) -> float:
        """1 - AER of the net on the held-out pairs, with the thresholds that suit them best."""
        cells = measured_cells(self.net, self.held_out, self.device)
        return cells.accuracy(*choose_thresholds({"": cells}))

    def learn(self, stages: Sequence[Stage]) -> None:
        """All stages, each from the best weights so far. Ctrl-C ends the learning and keeps the best."""
        kept = self.keeper.read()
        if kept is not None:
            self.best, self.best_score = kept.best(self.device), kept.score
        try:
            for number, stage in enumerate(stages):
                if kept is None or number >= kept.stage:
                    here = kept if kept is not None and number == kept.stage else None
                    self._learn(number, stage, here)
        except KeyboardInterrupt:
            self.stopped = True
            self.keeper.write()
        self._put(self.best)

    def mix(self, parts: Sequence[float] = (0.75, 0.5)) -> float:
        """Try weights on the way from the start to the best ones; returns the part of the way that is best.

        Halfway, much of what was learned is there already, and less of what was known is lost.
        """
        chosen, best = 1.0, self.best
        for part in parts:
            mixed = {name: torch.lerp(self.start[name], value, part) for name, value in best.items()}
            self._put(mixed)
            if (score := self.score()) >= self.best_score:
                chosen, self.best, self.best_score = part, mixed, score
        self._put(self.best)
        return chosen

    def _learn(self, number: int, stage: Stage, kept: Kept | None) -> None:
        self._put(self.best)
        optimiser = Optimiser(
            self.net,
            stage.rate,
            warm=max(1, stage.steps // 20),
            average=0.99,
            embedding_rate=stage.embedding_rate,
        )
        first = 0
        if kept is not None:
            first = kept.restore(optimiser)
        self.net.train()
        text = self._batches(stage.text, [one.pair for one in stage.text], TOKENS, first)
        gold = self._batches(stage.gold, stage.gold, GOLD_TOKENS, first)
        others = self._batches(self.rehearsal, [one.pair for one in self.rehearsal], REHEARSED_TOKENS, first)
        every = max(1, stage.steps // self.checks)
        for step in range(first, stage.steps):
            torch.manual_seed(1_000_003 * self.seed + 100_003 * number + step)
            losses = self._losses(next(text), next(gold), next(others))
            optimiser.step(sum(losses.values(), torch.zeros((), device=self.device)), step / stage.steps)
            if (step + 1) % every == 0 or step + 1 == stage.steps:
                self._check(number, stage, step + 1, optimiser)

    def _batches(
        self, items: Sequence[T], pairs: Sequence[GoldPair], tokens: int, first: int
    ) -> Iterator[Sequence[T]]:
        """A batch for each step from the first on; empty ones where there is nothing to learn from."""
        if not items:
            return repeat(())
        return islice(passes(items, [pair.length for pair in pairs], tokens, self.seed), first, None)

    def _losses(
        self, text: Sequence[Example], gold: Sequence[GoldPair], others: Sequence[Example]
    ) -> dict[str, Tensor]:
        losses: dict[str, Tensor] = {}
        if text:
            ids, words, _, labels = soft_batch(text, self.device)
            losses |= text_losses(self.net, ids, words, labels, self.plain, dict(TEXT))
        if gold:
            none = torch.zeros(len(gold), device=self.device)
            found = gold_losses(self.net, gold_batch(gold, self.device), none, dict(GOLD))
            losses |= {f"gold {name}": value for name, value in found.items()}
        if others:
            ids, words, cells, labels = soft_batch(others, self.device)
            logits = self.net.encoder.link_logits(look(self.net, ids, ids, words).cosine, cells)
            losses["rehearsal"] = REHEARSAL * link_loss(logits, labels, cells.float())
        return losses

    def _check(self, number: int, stage: Stage, step: int, optimiser: Optimiser) -> None:
        now = _weights(self.net)
        optimiser.use_average()
        score = self.score()
        if not np.isfinite(score) or not all(bool(value.isfinite().all()) for value in now.values()):
            raise ModelError("The weights are no longer finite numbers: give a smaller --rate.")
        if score >= self.best_score:
            self.best, self.best_score = _weights(self.net), score
        self._put(now)
        if step < stage.steps:
            self.keeper.keep(number, step, optimiser, self.best, self.best_score)
        else:
            self.keeper.keep(number + 1, 0, None, self.best, self.best_score)
        self.report(Checked(stage.name, step, stage.steps, score, self.best_score))

    @torch.no_grad()
    def _put(self, weights: Mapping[str, Tensor]) -> None:
        for name, parameter in self.net.named_parameters():
            parameter.copy_(weights[name])


def _weights(net: PairEncoder) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in net.named_parameters()}
