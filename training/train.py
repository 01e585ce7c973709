"""Stage 5, train: shards -> weights, in legs that continue one checkpoint under one schedule.

    python -m training.train --data PACKED --vocabulary WORK/vocabulary --config training/configs/base.toml \\
        --state STATE --seconds 500 --total-seconds 1200 --out WEIGHTS

A leg trains for `--seconds` (or `--steps`), then writes STATE/state.pt; the same command goes on from
there. The learning rate, and the moments at which labels are replaced, follow the time trained so far
against `--total-seconds` (or `--total-steps`), whatever the number of legs. The averaged weights of
the last leg go to `--out`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch

from training.model import Config
from training.recipe import load_recipe
from training.trainer import Trainer
from training.weights import save_weights


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="folders of shards")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument(
        "--config", type=Path, required=True, help="the model's shape, e.g. configs/base.toml"
    )
    parser.add_argument("--state", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--cache", type=Path, help="folder for the unpacked data, to share it between runs")
    parser.add_argument("--recipe", type=Path)
    parser.add_argument("--seconds", type=float, help="length of this leg")
    parser.add_argument("--total-seconds", type=float, help="length of the whole training")
    parser.add_argument("--steps", type=int, help="length of this leg, counted in steps instead")
    parser.add_argument("--total-steps", type=int)
    parser.add_argument(
        "--deadline", type=float, default=float("inf"), help="seconds after which the leg ends early"
    )
    parser.add_argument("--out", type=Path, help="where the weights go")
    parser.add_argument(
        "--parts", type=int, nargs=2, help="write only these parts of the weights, first and last"
    )
    parser.add_argument("--dev", type=Path, help="folder of gold sets to watch")
    parser.add_argument(
        "--labels", type=Path, help="start with the labels of this checkpoint (of a larger model)"
    )
    parser.add_argument(
        "--without", nargs="*", default=[], help="ablation: masked, contrast, subword, selftraining"
    )
    parser.add_argument("--share", type=float, default=1.0, help="ablation: share of the pairs")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--jobs", type=int, default=16)
    parser.add_argument("--show-every", type=float, default=15.0)
    parser.add_argument("--evaluate-every", type=float, default=150.0)
    parser.add_argument("--collect", action="store_true", help="train nothing, only write the weights")
    arguments = parser.parse_args()
    timed = arguments.seconds is not None and arguments.total_seconds is not None
    counted = arguments.steps is not None and arguments.total_steps is not None
    if not arguments.collect and timed == counted:
        parser.error("give --seconds and --total-seconds, or --steps and --total-steps")
    return arguments


def write_weights(state: dict[str, Any], config: Path, out: Path, parts: range | None) -> None:
    """The averaged weights of a checkpoint, without the masked-word head."""
    arrays = {
        name: tensor.detach().float().cpu().numpy()
        for name, tensor in state["average"].items()
        if not name.startswith("predict.")
    }
    facts = {
        "config": Config.load(config).to_dict(),
        "languages": state["languages"],
        "step": state["step"],
        "seconds": round(state["elapsed"], 1),
        "history": state["history"],
    }
    for path in save_weights(out, arrays, facts, parts):
        print(f"wrote {path.name}: {path.stat().st_size / 2**20:.1f} MiB", flush=True)


def main() -> None:
    arguments = parse_arguments()
    parts = range(arguments.parts[0], arguments.parts[1] + 1) if arguments.parts else None
    if arguments.collect:
        state = torch.load(arguments.state / "state.pt", map_location="cpu")
        write_weights(state, arguments.config, arguments.out, parts)
        return
    recipe = load_recipe(arguments.recipe)
    options = json.loads(json.dumps(recipe["train"]))
    for name in arguments.without:
        if name == "selftraining":
            options["relabel_at"] = []
        else:
            options["losses"][name] = 0.0
    trainer = Trainer(arguments, options, recipe["seed"])
    trainer.leg()
    trainer.save()
    if arguments.out:
        write_weights(trainer.state(), arguments.config, arguments.out, parts)


if __name__ == "__main__":
    main()
