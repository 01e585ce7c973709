"""The state of the learning on disk, so that an interrupted run can be resumed: OUTPUT.partial.

The file holds plain arrays and a line of JSON, and nothing that could be executed when it is read. It is as
large as all weights and their moments together, so it is not written at every check, but every two minutes,
and when the learning is interrupted.
"""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from wordalign.encoders.onnx_file import Array
from wordalign.errors import InputError
from wordalign.io.whole import whole_file
from wordalign.tuning.optimise import Optimiser

EVERY = 120  # seconds


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What was kept: the stage that is to be learned next, or in the middle of which the run stopped."""

    stage: int
    step: int
    score: float
    arrays: Mapping[str, Array]

    def best(self, device: torch.device) -> dict[str, Tensor]:
        """The best weights so far."""
        return {
            name.removeprefix("best/"): torch.from_numpy(array).to(device)
            for name, array in self.arrays.items()
            if name.startswith("best/")
        }

    @torch.no_grad()
    def restore(self, optimiser: Optimiser) -> int:
        """Put the weights, their average and the moments where they were; returns the next step."""
        if not self.step:
            return 0
        for name, parameter in optimiser.net.named_parameters():
            parameter.copy_(torch.from_numpy(self.arrays[f"now/{name}"]))
            optimiser.average[name].copy_(torch.from_numpy(self.arrays[f"average/{name}"]))
            if f"first/{name}" in self.arrays:
                moments = {
                    "step": torch.tensor(float(self.step)),
                    "exp_avg": torch.from_numpy(self.arrays[f"first/{name}"]).to(parameter.device),
                    "exp_avg_sq": torch.from_numpy(self.arrays[f"second/{name}"]).to(parameter.device),
                }
                if parameter.device.type == "cuda":
                    moments["step"] = moments["step"].to(parameter.device)
                optimiser.adam.state[parameter] = moments
        optimiser.steps = self.step
        return self.step


class Keeper:
    """Writes and reads the state of one run. `settings` are all that decides about what is learned."""

    def __init__(self, path: Path, settings: Mapping[str, Any], resume: bool) -> None:
        self.path, self.resume = path, resume
        self.settings = json.dumps(dict(settings), sort_keys=True)
        self._held: dict[str, Any] | None = None
        self._written = time.monotonic()

    def read(self) -> Kept | None:
        """What an earlier run left; None where there is nothing, or where it is not to be resumed."""
        if not self.resume or not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            about = json.loads(str(arrays.pop("about")))
            if about["settings"] != self.settings:
                raise InputError(
                    f"{self.path} was left by a run with other input or other settings: give the same again, "
                    "or leave out --resume and begin anew."
                )
            return Kept(int(about["stage"]), int(about["step"]), float(about["score"]), arrays)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise InputError(
                f"{self.path} cannot be resumed ({error}): leave out --resume and begin anew."
            ) from error

    def keep(
        self, stage: int, step: int, optimiser: Optimiser | None, best: Mapping[str, Tensor], score: float
    ) -> None:
        """Keep where the learning is, and write it if the last time is long ago.

        `optimiser` is None between two stages.
        """
        tensors = {f"best/{name}": value for name, value in best.items()}
        if optimiser is not None:
            for name, parameter in optimiser.net.named_parameters():
                tensors[f"now/{name}"] = parameter.detach()
                tensors[f"average/{name}"] = optimiser.average[name]
                moments = optimiser.adam.state.get(parameter)
                if moments:
                    tensors[f"first/{name}"] = moments["exp_avg"]
                    tensors[f"second/{name}"] = moments["exp_avg_sq"]
        about = {"settings": self.settings, "stage": stage, "step": step, "score": score}
        self._held = {name: value.cpu().numpy().copy() for name, value in tensors.items()}
        self._held["about"] = np.array(json.dumps(about))
        if time.monotonic() - self._written > EVERY:
            self.write()

    def write(self) -> None:
        """Write what was kept last."""
        if self._held is not None:
            with whole_file(self.path) as path, path.open("wb") as file:
                np.savez(file, **self._held)
        self._held, self._written = None, time.monotonic()

    def remove(self) -> None:
        """Nothing is left to resume."""
        self.path.unlink(missing_ok=True)
