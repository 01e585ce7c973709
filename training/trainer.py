"""One leg of the training: batches in, a checkpoint and averaged weights out."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from training.calibration import logistic
from training.data import Corpus, Plan
from training.losses import all_losses
from training.metrics import links_of, read_sets, score_links
from training.model import Config, Encoder, compile_blocks
from training.relabel import relabel
from training.similarity import sentence_encoder, similarities
from training.unpack import unpack
from wordalign.links import argmax, calibrated
from wordalign.text.characters import is_punctuation

BEGUN = time.time()


def piece_tables(tokenizer: Tokenizer) -> tuple[np.ndarray, np.ndarray]:
    """Which pieces start a word, and which hold a letter, a digit or a mark; (vocabulary,) bool each."""
    pieces = [tokenizer.id_to_token(i) for i in range(tokenizer.get_vocab_size())]
    starting = np.array([piece.startswith("▁") for piece in pieces])
    plain = np.array([not is_punctuation(piece.strip("▁")) for piece in pieces])
    return starting, plain


def rate_factor(step: int, progress: float, options: dict[str, Any]) -> float:
    """Warm-up, plateau, linear fall."""
    warm = min(1.0, (step + 1) / options["warmup_steps"])
    fall = (1.0 - progress) / (1.0 - options["cooldown_from"])
    return warm * max(0.02, min(1.0, fall))


def make_optimizer(encoder: Encoder, options: dict[str, Any], fused: bool) -> torch.optim.Optimizer:
    """AdamW; embeddings learn faster, only matrices decay, and wider ones learn more slowly
    (Yang et al. 2022)."""
    named = dict(encoder.named_parameters())
    embedding = [named.pop("embedding.weight")]
    matrices = [parameter for parameter in named.values() if parameter.dim() == 2]
    rest = [parameter for parameter in named.values() if parameter.dim() < 2]
    groups = [
        {"params": embedding, "lr": options["embedding_rate"], "weight_decay": 0.0},
        {
            "params": matrices,
            "lr": options["learning_rate"] * options["rate_width"] / encoder.config.width,
            "weight_decay": options["weight_decay"],
        },
        {"params": rest, "lr": options["learning_rate"], "weight_decay": 0.0},
    ]
    for group in groups:
        group["peak"] = group["lr"]
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-8, fused=fused)


class Trainer:
    """Everything a leg needs, and what a checkpoint keeps of it."""

    def __init__(self, arguments: argparse.Namespace, options: dict[str, Any], seed: int) -> None:
        self.arguments, self.options = arguments, options
        self.device = torch.device(arguments.device)
        torch.manual_seed(seed)
        torch.set_float32_matmul_precision("high")
        torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for every shape
        tokenizer_path = arguments.vocabulary / "tokenizer.json"
        self.tokenizer = Tokenizer.from_file(str(tokenizer_path))
        starting, plain = piece_tables(self.tokenizer)
        shards = [file for folder in arguments.data for file in sorted(folder.rglob("*.shard"))]
        arrays, self.languages = unpack(
            list({file.name: file for file in shards}.values()),
            starting,
            arguments.vocabulary / "unigram.model",
            arguments.cache or arguments.state,
            copies=options["copies"],
            jobs=arguments.jobs,
        )
        if arguments.share < 1:
            arrays = part_of(arrays, arguments.share, seed)
        self.plain = torch.from_numpy(plain).to(self.device)
        self.corpus = Corpus(arrays, self.device)
        self.plan = Plan(
            self.corpus, options["lengths"], options["tokens_a_step"], options["temperature"], seed
        )
        self.encoder = Encoder(Config.load(arguments.config)).to(self.device)
        self.average = {name: p.detach().clone() for name, p in self.encoder.named_parameters()}
        self.optimizer = make_optimizer(self.encoder, options, self.device.type == "cuda")
        self.step, self.elapsed, self.relabelled = 0, 0.0, 0
        self.history: list[dict[str, Any]] = []
        self.dev = read_sets(arguments.dev) if arguments.dev else []
        self.state_file = arguments.state / "state.pt"
        if self.state_file.exists():
            self.load(self.state_file)
        elif arguments.labels:
            self.load_labels(torch.load(arguments.labels, map_location="cpu")["labels"])
        if not arguments.no_compile:
            compile_blocks(self.encoder)
        sizes = torch.bincount(self.corpus.language).tolist()
        print(
            f"{self.corpus.pairs} pairs, {len(self.corpus.tokens) // self.corpus.copies} subwords, "
            f"{sum(p.numel() for p in self.encoder.parameters())} parameters, at step {self.step}; "
            + " ".join(f"{name} {size}" for name, size in zip(self.languages, sizes, strict=False)),
            flush=True,
        )

    def state(self) -> dict[str, Any]:
        """What a checkpoint holds."""
        labels = None
        if self.relabelled or self.arguments.labels:
            corpus = self.corpus
            labels = tuple(t.cpu() for t in (corpus.counts, corpus.links, corpus.weights))
        return {
            "encoder": self.encoder.state_dict(),
            "average": self.average,
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "elapsed": self.elapsed,
            "relabelled": self.relabelled,
            "labels": labels,
            "history": self.history,
            "languages": self.languages,
        }

    def save(self) -> None:
        self.state_file.parent.mkdir(parents=True, exist_ok=True)
        part = self.state_file.with_suffix(".part")
        torch.save(self.state(), part)
        part.rename(self.state_file)

    def load(self, path: Path) -> None:
        state = torch.load(path, map_location="cpu")
        self.encoder.load_state_dict(state["encoder"])
        self.average = {name: tensor.to(self.device) for name, tensor in state["average"].items()}
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.elapsed, self.relabelled = state["step"], state["elapsed"], state["relabelled"]
        self.history = state["history"]
        if state["labels"] is not None:
            self.load_labels(state["labels"])
        # Another seed for every leg: drawing starts anew, and must not start with the same pairs.
        self.plan.generator.manual_seed(self.step + 1)
        torch.manual_seed(self.step + 1)

    def load_labels(self, labels: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> None:
        self.corpus.set_labels(*(tensor.to(self.device) for tensor in labels))

    @contextmanager
    def averaged(self) -> Iterator[Encoder]:
        """The encoder with the averaged weights, for as long as the block lasts."""
        parameters = dict(self.encoder.named_parameters())
        kept = {name: p.detach().clone() for name, p in parameters.items()}
        with torch.no_grad():
            for name, p in parameters.items():
                p.copy_(self.average[name])
        try:
            yield self.encoder
        finally:
            with torch.no_grad():
                for name, p in parameters.items():
                    p.copy_(kept[name])

    def losses(self, batch: Any) -> dict[str, torch.Tensor]:
        options = self.options
        return all_losses(
            self.encoder,
            batch,
            self.plain,
            options["masked_tokens"],
            options["contrast_links"],
            options["losses"],
        )

    def train_step(self, batch: Any, factor: float) -> dict[str, torch.Tensor]:
        found = self.losses(batch)
        total = sum(self.options["losses"][name] * loss for name, loss in found.items())
        total.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), self.options["clip"])
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * factor
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        decay = min(self.options["average_decay"], (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            parameters = dict(self.encoder.named_parameters())
            torch._foreach_lerp_(
                [self.average[name] for name in parameters], list(parameters.values()), 1 - decay
            )
        self.step += 1
        return {**found, "norm": norm}

    def warm_up(self) -> None:
        """Compile, and touch every shape once, before the clock starts; nothing is learnt."""
        start = time.time()
        for length in self.options["lengths"]:
            size = self.options["tokens_a_step"] // (2 * length)
            pairs = torch.arange(size, device=self.device) % self.corpus.pairs
            copies = torch.zeros((2, size), dtype=torch.long, device=self.device)
            found = self.losses(self.corpus.gather(pairs, copies, length))
            sum(found.values()).backward()
            self.optimizer.zero_grad(set_to_none=True)
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        print(f"warm after {time.time() - start:.0f} s", flush=True)

    def maybe_relabel(self, progress: float) -> None:
        points, options = self.options["relabel_at"], self.options
        if self.relabelled >= len(points) or progress < points[self.relabelled]:
            return
        start = time.time()
        with self.averaged() as encoder:
            links = relabel(
                encoder,
                self.corpus,
                self.plain,
                options["lengths"],
                options["tokens_a_step"],
                options["relabel_weight"][self.relabelled],
                options["relabel_least"],
            )
        self.relabelled += 1
        print(
            f"relabelled at {progress:.2f}: {links:.1f} links a pair, {time.time() - start:.0f} s", flush=True
        )

    def evaluate(self) -> dict[str, float]:
        """F1 (or share right) on the dev sets, with the averaged weights: calibrated, and Argmax."""
        scores: dict[str, float] = {}
        if not self.dev:
            return scores
        with self.averaged() as encoder, torch.no_grad():
            plain = Encoder(encoder.config).to(self.device).eval()
            plain.load_state_dict(encoder.state_dict())

            def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
                tensors = (torch.from_numpy(array).to(self.device) for array in (ids, mask))
                return plain(*tensors).cpu().numpy()

            encode = sentence_encoder(self.tokenizer, forward)
            curve = logistic(float(plain.link_scale.exp()), float(plain.link_bias))
            for gold in self.dev:
                matrices = similarities(gold, encode)
                key = "right" if gold.silver else "f1"
                for name, alignments in (
                    (gold.name, [calibrated(matrix, 0.5, 0.1, calibration=curve) for matrix in matrices]),
                    (gold.name + ":argmax", [argmax(matrix) for matrix in matrices]),
                ):
                    scores[name] = round(score_links(gold, [links_of(a) for a in alignments])[key], 4)
        print("dev " + " ".join(f"{name} {value:.3f}" for name, value in scores.items()), flush=True)
        return scores

    def leg(self) -> None:
        """Train until the leg's or the whole training's time (or number of steps) is over."""
        arguments, options = self.arguments, self.options
        self.warm_up()
        by_time = arguments.seconds is not None
        begun, elapsed_before, first_step = time.time(), self.elapsed, self.step
        shown, evaluated = begun, begun
        sums: dict[str, torch.Tensor] = {}
        shown_step = self.step
        finished = False
        while not finished:
            for pairs, copies, length in self.plan.batches(options["round_pairs"]):
                now = time.time()
                self.elapsed = elapsed_before + now - begun
                progress = (
                    self.elapsed / arguments.total_seconds if by_time else self.step / arguments.total_steps
                )
                over = (
                    now - begun > arguments.seconds if by_time else self.step - first_step >= arguments.steps
                )
                if over or progress >= 1 or now - BEGUN > arguments.deadline:
                    finished = True
                    break
                self.maybe_relabel(progress)
                batch = self.corpus.gather(pairs, copies, length)
                found = self.train_step(batch, rate_factor(self.step, progress, options))
                for name, value in found.items():
                    sums[name] = sums.get(name, 0.0) + value.detach()
                if now - shown > arguments.show_every:
                    means = {name: float(value) / (self.step - shown_step) for name, value in sums.items()}
                    if not np.isfinite(list(means.values())).all():
                        raise RuntimeError(f"the loss is no longer finite at step {self.step}: {means}")
                    pace = (self.step - shown_step) * options["tokens_a_step"] / (time.time() - shown)
                    print(
                        f"step {self.step} {progress:.3f} {pace / 1e6:.2f}M tokens/s "
                        + " ".join(f"{name} {value:.3f}" for name, value in means.items()),
                        flush=True,
                    )
                    self.history.append({"step": self.step, "progress": round(progress, 4), **means})
                    sums, shown, shown_step = {}, time.time(), self.step
                if now - evaluated > arguments.evaluate_every:
                    self.history.append({"step": self.step, "dev": self.evaluate()})
                    evaluated = time.time()
        self.history.append({"step": self.step, "dev": self.evaluate()})
        if progress >= 1:
            self.maybe_relabel(progress)  # the finished model's own opinion, for its students


def part_of(arrays: dict[str, np.ndarray], share: float, seed: int) -> dict[str, np.ndarray]:
    """A random share of the pairs (for the ablation with less text)."""
    count = len(arrays["counts"])
    kept = np.sort(np.random.default_rng(seed).permutation(count)[: int(count * share)])
    chosen = np.repeat(np.isin(np.arange(count), kept), arrays["counts"])
    return {
        **arrays,
        **{name: arrays[name][:, kept] for name in ("starts", "lengths")},
        **{name: arrays[name][kept] for name in ("language", "counts")},
        **{name: arrays[name][chosen] for name in ("links", "weight")},
    }
