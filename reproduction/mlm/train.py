"""Trains the masked language model for a given time.

    python -m reproduction.mlm.train WORK --seconds 580                    # on a GPU, in one go
    python -m reproduction.mlm.train WORK --seconds 1100 --stop-after 550  # half of it …
    python -m reproduction.mlm.train WORK --seconds 1100 --resume          # … and the rest

Reads WORK/tokens.npz and, where it is there, WORK/watch.json. Writes WORK/model (Hugging Face format),
WORK/training.json (losses, F1 by layer on the way) and WORK/state.pt for `--resume`.

The learning rate rises in the first 5 % of the time and falls to zero at the end of it. 18 % of the tokens
are to be guessed: of these 80 % are masked, 10 % are replaced by random ones and 10 % stay, as in BERT.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from reproduction.mlm.model import Bert, Shape, save
from reproduction.mlm.rows import make_rows
from reproduction.mlm.watch import watch

CLS, SEP, MASK, SPECIAL = 2, 3, 4, 5  # [PAD] 0 and [UNK] 1 come before
GUESSED = 0.18
WARM = 0.05
# A loss above this after a tenth of the time: the model knows how frequent words are and no more.
STUCK = 6.3


class Rows:
    """All rows on the device, in a new order each time round."""

    def __init__(self, arrays: dict[str, np.ndarray], device: torch.device) -> None:
        ids, positions, sentences = make_rows(arrays["tokens"], arrays["lengths"], CLS, SEP)
        self.ids = torch.from_numpy(ids).to(device)
        self.positions = torch.from_numpy(positions).to(device)
        self.sentences = torch.from_numpy(sentences).to(device)
        self._order = torch.empty(0, dtype=torch.long, device=device)
        self.full = float((self.ids != 0).float().mean())

    def take(self, rows: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        while len(self._order) < rows:
            again = torch.randperm(len(self.ids), device=self.ids.device)
            self._order = torch.cat([self._order, again])
        chosen, self._order = self._order[:rows], self._order[rows:]
        return self.ids[chosen].int(), self.positions[chosen].int(), self.sentences[chosen]


def hide(ids: torch.Tensor, vocabulary: int, count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids with `count` of them hidden, where these are (flattened), and what they were."""
    flat = ids.flatten()
    chance = torch.rand(flat.shape, device=ids.device).masked_fill(flat < SPECIAL, -1)
    where = chance.topk(count, sorted=False).indices
    what = flat[where].long()
    dice = torch.rand(count, device=ids.device)
    random = torch.randint(SPECIAL, vocabulary, (count,), device=ids.device, dtype=flat.dtype)
    shown = torch.where(
        dice < 0.8, torch.full_like(random, MASK), torch.where(dice < 0.9, random, flat[where])
    )
    return flat.scatter(0, where, shown).view(ids.shape), where, what


def rate(done: float, peak: float) -> float:
    """The learning rate when this share of the time is over."""
    return peak * min(done / WARM, max(1 - done, 0) / (1 - WARM))


class Training:
    def __init__(self, work: Path, options: argparse.Namespace) -> None:
        self.work, self.options = work, options
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(options.seed)
        torch.set_float32_matmul_precision("high")
        with np.load(work / "tokens.npz") as file:
            self.rows = Rows(dict(file), self.device)
        tokenizer = json.loads((work / "model" / "tokenizer.json").read_text("utf-8"))
        shape = Shape(len(tokenizer["model"]["vocab"]), options.width, options.layers, options.heads)
        self.model = Bert(shape).to(self.device)
        plain = [weight for weight in self.model.parameters() if weight.dim() < 2]
        decayed = [weight for weight in self.model.parameters() if weight.dim() >= 2]
        self.optimiser = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}],
            lr=0.0,
            betas=(0.9, 0.98),
            eps=1e-6,
            fused=self.device.type == "cuda",
        )
        self.peak = options.rate
        self.seconds, self.steps = 0.0, 0
        self.log: list[dict[str, Any]] = []
        if options.resume:
            state = torch.load(work / "state.pt", map_location=self.device, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.seconds, self.steps, self.peak, self.log = (
                state[name] for name in ("seconds", "steps", "peak", "log")
            )
        watched = work / "watch.json"
        self.sets = json.loads(watched.read_text("utf-8")) if watched.is_file() else {}
        self.loss = torch.compile(self.model) if self.device.type == "cuda" else self.model

    def step(self) -> torch.Tensor:
        ids, positions, sentences = self.rows.take(self.options.rows)
        ids, where, what = hide(ids, self.model.shape.vocabulary, int(GUESSED * ids.numel()))
        with torch.autocast(self.device.type, torch.bfloat16):
            loss = self.loss(ids, positions, sentences, where, what)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for group in self.optimiser.param_groups:
            group["lr"] = rate(self.seconds / self.options.seconds, self.peak)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        return loss.detach()

    def run(self) -> None:
        stop = min(self.options.seconds, self.seconds + (self.options.stop_after or math.inf))
        print(f"{len(self.rows.ids):,} rows, {self.rows.full:.1%} full, on {self.device}", flush=True)
        self._step_and_undo()
        began = noted = kept = self.seconds
        losses: list[float] = []
        while self.seconds < stop:
            # The clock is looked at, and the device waited for, every 20 steps.
            start = time.perf_counter()
            part = torch.stack([self.step() for _ in range(20)]).mean()
            self.steps += 20
            losses.append(part.item())
            self.seconds += time.perf_counter() - start
            stuck = losses[-1] > STUCK and self.seconds - began > 0.1 * self.options.seconds
            if not math.isfinite(losses[-1]) or (stuck and self.device.type == "cuda"):
                self._begin_again()
                began, losses = self.seconds, []
                continue
            if self.seconds - noted >= self.options.note_every or self.seconds >= stop:
                noted = self.seconds
                self.note(float(np.mean(losses)))
                losses = []
            if self.seconds - kept >= 120:
                kept = self.seconds
                self.keep()
        self.keep()
        save(self.model, self.work / "model")

    def _step_and_undo(self) -> None:
        """The first step compiles: it is no part of the time, and changes nothing."""
        ids, positions, sentences = self.rows.take(self.options.rows)
        ids, where, what = hide(ids, self.model.shape.vocabulary, int(GUESSED * ids.numel()))
        for _ in range(2):
            with torch.autocast(self.device.type, torch.bfloat16):
                self.loss(ids, positions, sentences, where, what).backward()
            self.optimiser.zero_grad(set_to_none=True)

    def note(self, loss: float) -> None:
        tokens = self.steps * self.options.rows * self.rows.ids.shape[1]
        entry: dict[str, Any] = {
            "seconds": round(self.seconds, 1),
            "steps": self.steps,
            "tokens": int(tokens * self.rows.full),
            "loss": round(loss, 4),
        }
        if self.sets:
            entry["f1"] = watch(self.model, self.sets, self.device)
            mean = np.mean(list(entry["f1"].values()), axis=0)
            best = int(mean.argmax())
            entry["best_layer"] = best
            each = " ".join(f"{name[4:7]} {scores[best]:.3f}" for name, scores in entry["f1"].items())
            print(f"   layer {best}: mean F1 {mean[best]:.3f}; {each}", flush=True)
        self.log.append(entry)
        speed = entry["tokens"] / max(self.seconds, 1e-9)
        print(
            f"{entry['seconds']} s, {self.steps} steps, {tokens / 1e6:.0f}M tokens ({speed / 1e3:.0f}k/s), "
            f"loss {loss:.3f}, rate {self.optimiser.param_groups[0]['lr']:.2e}",
            flush=True,
        )

    def keep(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "seconds": self.seconds,
            "steps": self.steps,
            "peak": self.peak,
            "log": self.log,
        }
        torch.save(state, self.work / "state.pt.partial")
        (self.work / "state.pt.partial").replace(self.work / "state.pt")
        names = ("seconds", "rate", "rows", "seed", "width", "layers", "heads")
        record = {
            "settings": {name: getattr(self.options, name) for name in names},
            "shape": asdict(self.model.shape),
            "peak": self.peak,
            "device": torch.cuda.get_device_name() if self.device.type == "cuda" else "cpu",
            "torch": torch.__version__,
            "log": self.log,
        }
        (self.work / "training.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")

    def _begin_again(self) -> None:
        """The model learns nothing at this rate: a new one at half of it, in the time that is left."""
        self.peak /= 2
        print(f"nothing is learnt: a new beginning with the rate {self.peak}", flush=True)
        self.model.load_state_dict(Bert(self.model.shape).to(self.device).state_dict())
        self.optimiser.state.clear()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, metavar="WORK")
    parser.add_argument("--seconds", type=float, default=580, help="of the whole training (580)")
    parser.add_argument("--stop-after", type=float, help="stop this call after so many of them")
    parser.add_argument("--resume", action="store_true", help="continue from WORK/state.pt")
    parser.add_argument("--rows", type=int, default=512, help="rows of 128 tokens of a step (512)")
    parser.add_argument("--rate", type=float, default=6e-4, help="highest learning rate (6e-4)")
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--heads", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--note-every", type=float, default=60, help="seconds between notes (60)")
    arguments = parser.parse_args()
    Training(arguments.work, arguments).run()


if __name__ == "__main__":
    main()
