"""Stage 5, train: packed text, gold links and a shipped model -> the weights of a better one, on one GPU.

    python -m training.train --packed PACKED … --vocabulary WORK/vocabulary --start MODEL --tiny MODEL \\
        --gold GOLD-TRAIN … --dev GOLD-DEV --state STATE --out WEIGHTS --stages pretrain teacher label student

    pretrain   the start's encoder learns new languages, joined pairs and masked words from labels that blend
               eflomal's with its own
    teacher    the same with layers that see both sentences; then, several times, tuned on gold links
    label      the teachers' mean opinion replaces all labels
    student    the pretrained encoder learns these labels, then gold links
    tiny       the small encoder, from its own start, learns the same

Each stage keeps its result in STATE, so that the next may run later, on the same or another machine. How
long the
stages take is set in the recipe, in seconds. Nothing here reads a test set.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from training.corpus import Corpus, Labels, Plan, load_corpus
from training.metrics import read_sets
from training.pack import starting_pieces
from training.recipe import load_recipe
from training.relabel import relabel
from training.weights import save_weights
from wordalign.encoders.torch_module import EncoderModule, EncoderShape
from wordalign.text.characters import is_punctuation
from wordalign.tuning.choose import choose_thresholds
from wordalign.tuning.gold import GoldPair, GoldSampler, gold_batch, gold_pairs
from wordalign.tuning.losses import gold_losses, text_losses
from wordalign.tuning.measure import measured_cells
from wordalign.tuning.optimise import Optimiser
from wordalign.tuning.start import start_module
from wordalign.tuning.teacher import PairEncoder

BEGUN = time.time()
# Sets whose mean the model card has always quoted.
SIX = ("bul", "dan", "ita", "nld", "por", "spa")


def say(*words: object) -> None:
    print(f"[{time.time() - BEGUN:6.1f}]", *words, flush=True)


def plain_pieces(tokenizer: Tokenizer) -> np.ndarray:
    """Which pieces hold a letter, a digit or a mark, (vocabulary,) bool."""
    pieces = (tokenizer.id_to_token(i) for i in range(tokenizer.get_vocab_size()))
    return np.array([not is_punctuation(piece.strip("▁")) for piece in pieces])


class Training:
    """What all stages share: the recipe, the device, the gold sets, the text (read when it is first
    needed)."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.recipe = load_recipe(arguments.recipe)
        self.options: dict[str, Any] = self.recipe["train"]
        self.hurry = arguments.hurry
        self.device = torch.device(arguments.device)
        torch.set_float32_matmul_precision("high")
        if self.device.type == "cuda":
            torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for every shape
        self.tokenizer = Tokenizer.from_file(str(arguments.vocabulary / "tokenizer.json"))
        self.dev = {
            gold.name: gold_pairs(gold.english, gold.other, gold.links, self.tokenizer)
            for gold in read_sets(arguments.dev)
            if not gold.silver
        }
        self.gold: dict[str, list[GoldPair]] = {}
        for folder in arguments.gold:
            for gold in read_sets(folder):
                self.gold[f"{folder.name}/{gold.name}"] = gold_pairs(
                    gold.english, gold.other, gold.links, self.tokenizer, self.options["longest_gold"]
                )
        say(
            f"{len(self.gold)} gold sets of {sum(map(len, self.gold.values()))} pairs, "
            f"{len(self.dev)} development sets"
        )
        self._corpus: Corpus | None = None
        self.labels: Labels | None = None

    @property
    def corpus(self) -> Corpus:
        if self._corpus is None:
            starting = starting_pieces(self.tokenizer)
            options = {**self.options["joins"], "seed": self.recipe["seed"]}
            self._corpus = load_corpus(
                self.arguments.packed, plain_pieces(self.tokenizer), starting, options, self.device
            )
            say("text is on the device")
        return self._corpus

    def group_weights(self, default: float, **others: float) -> torch.Tensor:
        """A number for each group of pairs, (groups,)."""
        return torch.tensor([others.get(name, default) for name in self.corpus.groups], device=self.device)

    def path(self, name: str) -> Path:
        return self.arguments.state / f"{name}.pt"

    def save(self, name: str, net: PairEncoder, **facts: Any) -> None:
        state = {key: value.half() if value.dim() > 1 else value for key, value in net.state_dict().items()}
        config = net.encoder.shape.to_dict()
        torch.save({"weights": state, "config": config, "joint": len(net.joint), **facts}, self.path(name))

    def load(self, name: str) -> tuple[PairEncoder, dict[str, Any]]:
        kept = torch.load(self.path(name), map_location="cpu")
        net = PairEncoder(EncoderModule(EncoderShape(**kept["config"])), kept["joint"])
        net.load_state_dict({key: value.float() for key, value in kept.pop("weights").items()}, strict=False)
        return net.to(self.device), kept

    # -- scores

    @torch.no_grad()
    def scores(self, net: PairEncoder, name: str) -> dict[str, float]:
        """1 - AER of all development sets, with thresholds chosen on them."""
        found = {key: measured_cells(net, pairs, self.device) for key, pairs in self.dev.items()}
        always, mutual = choose_thresholds(found)
        scores = {key: cells.accuracy(always, mutual) for key, cells in found.items()}
        six = [value for key, value in scores.items() if key.endswith("xlwa-dev") and key[4:7] in SIX]
        mean = float(np.mean(list(scores.values())))
        encoder = net.encoder
        say(
            f"DEV {name}: mean {mean:.4f} six {np.mean(six or [0]):.4f} always {always} mutual {mutual} | "
            + " ".join(
                f"{key.removeprefix('eng-').replace('.xlwa-dev', '')} {value:.3f}"
                for key, value in scores.items()
            )
            + f" | scale {float(encoder.link_scale.exp()):.1f} bias {float(encoder.link_bias):.2f} "
            + "competition "
            + " ".join(f"{float(x):.2f}" for x in encoder.competition)
            + f" softmax {float(encoder.softmax_scale[0].exp()):.1f}"
        )
        return {"mean": mean, "always": always, "mutual": mutual, **scores}

    # -- learning

    def learn(
        self,
        net: PairEncoder,
        name: str,
        options: dict[str, Any],
        *,
        labels: Labels | None = None,
        gold: list[str] | None = None,
        seed: int = 1,
    ) -> PairEncoder:
        """Train with text (`labels`), gold sets or both; the result has the averaged weights."""
        torch.manual_seed(seed)
        net.train()
        sampler, biases = None, torch.zeros(1, device=self.device)
        if gold:
            sizes = {
                key: options["by_people"] if key.startswith("gold-train") else options["by_machine"]
                for key in gold
            }
            sampler = GoldSampler({key: self.gold[key] for key in gold}, sizes, seed)
            biases = torch.nn.Parameter(torch.zeros(len(gold), device=self.device))
        optimiser = Optimiser(
            net,
            options["rate"],
            warm=options["warm"],
            average=options["average"],
            fresh_rate=options.get("fresh_rate"),
            more=[biases] if isinstance(biases, torch.nn.Parameter) else [],
        )
        batches = Plan(self.corpus, self.options, seed).batches() if labels is not None else None
        sums: dict[str, torch.Tensor] = {}
        begun, step, shown = time.time(), 0, 0
        steps = min(options.get("steps", 10**9), self.hurry or 10**9)
        seconds = options.get("seconds", 1e9)
        while True:
            elapsed = time.time() - begun
            progress = max(step / steps, elapsed / seconds)
            if progress >= 1:
                break
            losses: dict[str, torch.Tensor] = {}
            if batches is not None:
                pairs, length = next(batches)
                ids, words = self.corpus.gather(pairs, length)
                found = text_losses(net, ids, words, labels.dense(pairs, length), self.corpus.plain, options)  # type: ignore[union-attr]
                losses |= found
            if sampler is not None:
                drawn, numbers = sampler.draw()
                batch = gold_batch(drawn, self.device)
                bias = biases[torch.from_numpy(numbers).to(self.device)] - biases.mean()
                for key, value in gold_losses(net, batch, bias, options["gold"]).items():
                    losses[f"gold {key}"] = value * options.get("gold_weight", 1.0)
            optimiser.step(sum(losses.values()), progress)  # type: ignore[arg-type]
            for key, value in losses.items():
                sums[key] = sums.get(key, torch.zeros((), device=self.device)) + value.detach()
            step += 1
            if step - shown == options.get("show", 500):
                means = {key: float(value) / (step - shown) for key, value in sums.items()}
                if not np.isfinite(list(means.values())).all():
                    raise RuntimeError(f"the loss is no longer finite at step {step}: {means}")
                pace = step / (time.time() - begun)
                say(
                    name,
                    "step",
                    step,
                    f"{progress:.2f}",
                    " ".join(f"{k} {v:.3f}" for k, v in means.items()),
                    f"{pace:.1f} steps/s",
                )
                sums, shown = {}, step
        optimiser.use_average()
        say(name, f"trained {step} steps in {time.time() - begun:.0f} s")
        return net

    def blended_labels(self, net: PairEncoder) -> Labels:
        """First labels: the encoder's own opinion and eflomal's, for the languages that the encoder knows."""
        known = set(json.loads((self.arguments.start / "model.json").read_text())["languages"])
        own = self.options["own_part"]
        weights = {name: own if name in known else 0.0 for name in self.corpus.groups}
        return relabel([net], self.corpus, self.group_weights(0.0, **weights), competing=True)

    # -- stages

    def pretrain(self) -> None:
        net = PairEncoder(start_module(self.arguments.start, self.tokenizer)).to(self.device)
        self.scores(net, "start")
        self.fit_scales(net)
        labels = self.blended_labels(net)
        net = self.learn(net, "pretrain", self.options["pretrain"], labels=labels)
        self.save("pretrain", net, scores=self.scores(net, "pretrain"))
        self.labels = labels

    def fit_scales(self, net: PairEncoder, steps: int = 60) -> None:
        """The scales of subwords and batches are not shipped: fit all scales to eflomal's labels first."""
        parameters = [net.encoder.softmax_scale, net.encoder.link_scale, net.encoder.link_bias]
        optimizer = torch.optim.Adam(parameters, lr=0.03)
        batches = Plan(self.corpus, self.options, 5, self.options["tokens_a_step"] // 2).batches(60_000)
        options = {**self.options["pretrain"], "masked_share": 0.0, "mixed": 0.0}
        for _ in range(min(steps, self.hurry or steps)):
            pairs, length = next(batches)
            pairs = pairs[pairs < self.corpus.joined]
            ids, words = self.corpus.gather(pairs, length)
            losses = text_losses(
                net, ids, words, self.corpus.taught.dense(pairs, length), self.corpus.plain, options
            )
            sum(losses.values()).backward()  # type: ignore[union-attr]
            optimizer.step()
            net.zero_grad(set_to_none=True)

    def teacher(self) -> None:
        single, _ = self.load("pretrain")
        labels = self.labels or self.blended_labels(single)
        net = PairEncoder(single.encoder, self.options["joint_layers"]).to(self.device)
        net = self.learn(net, "teacher", self.options["teacher"], labels=labels)
        self.save("teacher", net, scores=self.scores(net, "teacher"))
        self.labels = None
        self.tune_teachers(net)

    def tune_teachers(self, net: PairEncoder | None = None) -> None:
        net = net or self.load("teacher")[0]
        for number in range(self.options["teachers"]):
            tuned = copy.deepcopy(net)
            tuned = self.learn(
                tuned,
                f"gold teacher {number}",
                self.options["gold_teacher"],
                gold=list(self.gold),
                seed=number + 1,
            )
            self.save(f"teacher-{number}", tuned, scores=self.scores(tuned, f"teacher-{number}"))

    def label(self) -> None:
        nets, shifts = [], []
        for number in range(self.options["teachers"]):
            net, kept = self.load(f"teacher-{number}")
            nets.append(net)
            shifts.append(-math.log(kept["scores"]["always"] / (1 - kept["scores"]["always"])))
        weights = self.group_weights(1.0, **self.options["teacher_part"])
        labels = relabel(nets, self.corpus, weights, shifts=shifts, tokens=400_000)
        torch.save(
            [tensor.cpu() for tensor in (labels.counts, labels.links, labels.weights)], self.path("labels")
        )
        self.labels = labels

    def taught_labels(self) -> Labels:
        if self.labels is None:
            self.labels = Labels.of(*(tensor.to(self.device) for tensor in torch.load(self.path("labels"))))
        return self.labels

    def student(self) -> None:
        net, _ = self.load("pretrain")
        self._student(net, "student", self.options["student"], self.options["gold_student"])

    def tiny(self) -> None:
        net = PairEncoder(start_module(self.arguments.tiny, self.tokenizer)).to(self.device)
        self.scores(net, "tiny start")
        self.fit_scales(net)
        self._student(net, "tiny", self.options["tiny"], self.options["gold_tiny"])

    def _student(self, net: PairEncoder, name: str, options: dict[str, Any], tuning: dict[str, Any]) -> None:
        net = self.learn(net, name, options, labels=self.taught_labels())
        self.save(f"{name}-text", net, scores=self.scores(net, f"{name} before gold"))
        self.tune_student(name, tuning, net)

    def tune_student(self, name: str, tuning: dict[str, Any], net: PairEncoder | None = None) -> None:
        """Gold links, several times; the mean of the results, then half of the way back, whichever is
        best."""
        start = net or self.load(f"{name}-text")[0]
        before = {key: value.detach().clone() for key, value in start.named_parameters()}
        mean = {key: torch.zeros_like(value) for key, value in before.items()}
        for number in range(self.options["tunings"]):
            tuned = self.learn(
                copy.deepcopy(start), f"gold {name} {number}", tuning, gold=list(self.gold), seed=number + 11
            )
            self.scores(tuned, f"{name} gold {number}")
            for key, value in tuned.named_parameters():
                mean[key] += value.detach() / self.options["tunings"]
        best: tuple[float, dict[str, torch.Tensor], dict[str, float]] | None = None
        for part in (1.0, 0.75, 0.5):
            mixed = {key: part * mean[key] + (1 - part) * before[key] for key in mean}
            start.load_state_dict(mixed, strict=False)
            scores = self.scores(start, f"{name} {part} of gold")
            if best is None or scores["mean"] > best[0]:
                best = (scores["mean"], mixed, scores)
        assert best is not None
        start.load_state_dict(best[1], strict=False)
        self.save(name, start, scores=best[2])
        self.write(name, start)

    def tune(self) -> None:
        """Only the last step of the student again."""
        self.tune_student("student", self.options["gold_student"])

    def write(self, name: str, net: PairEncoder) -> None:
        """The weights that are exported: with the masked-word head, for later trainings."""
        if self.arguments.out is None:
            return
        arrays = {key: value.detach().float().cpu().numpy() for key, value in net.encoder.named_parameters()}
        facts = {
            "config": net.encoder.shape.to_dict(),
            "languages": self.corpus.groups[:-4] if self._corpus else [],
            "seconds": round(time.time() - BEGUN),
        }
        for path in save_weights(self.arguments.out / name, arrays, facts):
            say(f"wrote {path}: {path.stat().st_size / 2**20:.1f} MiB")


STAGES = ("pretrain", "teacher", "tune_teachers", "label", "student", "tune", "tiny")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--packed", type=Path, nargs="+", required=True, help="folders of packed text")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True, help="the shipped model to start from")
    parser.add_argument("--tiny", type=Path, help="the small one to start from")
    parser.add_argument(
        "--gold", type=Path, nargs="+", required=True, help="folders of gold sets to learn from"
    )
    parser.add_argument("--dev", type=Path, required=True, help="folder of gold sets to choose by")
    parser.add_argument("--state", type=Path, required=True, help="folder for the results of the stages")
    parser.add_argument("--out", type=Path, help="folder for the weights to export")
    parser.add_argument("--stages", nargs="+", choices=STAGES, required=True)
    parser.add_argument("--recipe", type=Path)
    parser.add_argument(
        "--hurry", type=int, help="at most so many steps a stage, to see whether all of it runs"
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    arguments.state.mkdir(parents=True, exist_ok=True)
    training = Training(arguments)
    for stage in arguments.stages:
        say(f"== {stage}")
        getattr(training, stage)()


if __name__ == "__main__":
    main()
