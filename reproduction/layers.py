"""Figure 4: F1 of every layer of a model, Argmax, subword level, a curve a language.

    python -m reproduction.layers --data DIR --model FOLDER

All layers are read in one pass (`conc` puts them side by side) and then looked at one by one. Of the bundled
models, `base` is looked at too: its blocks, and after them the projection that its links are read from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.figures import LANGUAGE_COLOURS, new_figure
from reproduction.lab.lab import Lab
from reproduction.lab.paper import LANGUAGES, paper_scores
from reproduction.lab.scores import scores_of
from reproduction.lab.systems import NotRunError, System
from reproduction.lab.tables import both, table
from wordalign import Aligner
from wordalign.encoders import BUNDLED_MODELS, Encoder, load_encoder
from wordalign.encoders.onnx import BATCH_TOKENS, OnnxEncoder
from wordalign.encoders.windows import WindowRunner
from wordalign.evaluate import Counts, evaluate
from wordalign.types import Encoding, Floats, Ints

PAPER_LAYER = 8
# All layers of a batch of sentences are in memory at once.
BATCH = 64


class BundledLayers(OnnxEncoder):
    """A bundled model with all that it computes side by side: embeddings, blocks, and vectors last."""

    layers: int

    def _open(self, folder: Path) -> WindowRunner:
        from wordalign.encoders.dequantise import load_module

        self._module = load_module(folder).eval()
        # Embeddings before the blocks, vectors after them.
        self.layers = len(self._module.blocks) + 2
        return WindowRunner(self._forward, pad=0, tokens=BATCH_TOKENS, is_full=lambda _: False)

    def _forward(self, ids: Ints, mask: Ints) -> Floats:
        import torch

        found: list[torch.Tensor] = []
        hooks = [
            block.register_forward_pre_hook(lambda _, given: found.append(given[0]))
            for block in self._module.blocks
        ]
        last = self._module.blocks[-1].register_forward_hook(lambda *given: found.append(given[-1]))
        with torch.no_grad():
            vectors = self._module(torch.from_numpy(ids), torch.from_numpy(mask))
        for hook in (*hooks, last):
            hook.remove()
        states = [state.view(*ids.shape, -1) for state in found]
        # Zeros change no cosine, and all layers are as wide as the widest then.
        width = max(state.shape[-1] for state in (*states, vectors))
        wide = [torch.nn.functional.pad(state, (0, width - state.shape[-1])) for state in (*states, vectors)]
        joined: Floats = torch.cat(wide, dim=-1).numpy()
        return joined


class OneLayer(Encoder):
    """The sentences of a batch, encoded with all layers side by side, as an encoder of one of them."""

    def __init__(self, encodings: Mapping[tuple[str, ...], Encoding], layer: int, layers: int) -> None:
        self._encodings, self._layer, self._layers = encodings, layer, layers
        self.signature = f"layer={layer}"

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoding]:
        return [self._slice(self._encodings[tuple(sentence)]) for sentence in sentences]

    def _slice(self, encoding: Encoding) -> Encoding:
        width = encoding.vectors.shape[1] // self._layers
        part = encoding.vectors[:, self._layer * width : (self._layer + 1) * width]
        return replace(encoding, vectors=np.ascontiguousarray(part))


def run(lab: Lab) -> Result:
    wanted = [system for system in lab.systems if system.kind == "huggingface" or system.key == "base"]
    return {"models": [_model(lab, system) for system in wanted]}


def _model(lab: Lab, system: System) -> Result:
    label = system.label.partition("[")[0]
    facts: Result = {"system": system.key, "kind": system.kind, "label": label, "curves": []}
    try:
        one = lab.encoder(system)
    except NotRunError as error:
        return facts | {"not_run": str(error)}
    encoder: Any
    if system.kind == "bundled":
        folder = next(model.folder for model in BUNDLED_MODELS if model.name == system.model)
        if find_spec("torch") is None:
            return facts | {"not_run": "it takes torch: pip install 'wordalign[hf]'"}
        encoder = BundledLayers(folder)
        layers = encoder.layers
    else:
        encoder = load_encoder(system.model, layer="conc")
        # How many there are shows in the widths of one and of all.
        probe = [["a"]]
        layers = encoder.encode(probe)[0].vectors.shape[1] // one.encode(probe)[0].vectors.shape[1]
    for language in lab.languages:
        lab.say(f"{layers} layers of {system.label}, eng-{language}")
        for layer, scores in enumerate(_scores(lab, encoder, layers, language)):
            paper = None
            if layer == PAPER_LAYER and system.paper:
                paper = paper_scores("table2", "subword", f"{system.paper} argmax", language)
            facts["curves"].append({"language": language, "layer": layer, "scores": scores, "paper": paper})
    signature = str(encoder.signature).replace("layer=conc", f"layers 0 to {layers - 1}")
    return facts | {"signature": f"{signature} | level=subword | method=argmax", "layers": layers}


def _scores(lab: Lab, encoder: Any, layers: int, language: str) -> Iterator[dict[str, Any]]:
    gold = lab.gold(language)
    totals = [Counts() for _ in range(layers)]
    for start in range(0, len(gold.pairs), BATCH):
        pairs = gold.pairs[start : start + BATCH]
        sentences = list(dict.fromkeys(sentence for pair in pairs for sentence in pair))
        encodings = dict(zip(sentences, encoder.encode(sentences), strict=True))
        for layer in range(layers):
            aligner = Aligner(OneLayer(encodings, layer, layers), level="subword", method="argmax")
            links = [alignment.links for alignment in aligner.align_batch(pairs)]
            totals[layer] += evaluate(gold.golds[start : start + BATCH], links).counts
    for counts in totals:
        yield scores_of(counts)


def show(result: Result) -> str:
    parts = [
        "F1 with Argmax at the subword level. Layer 0 are the embeddings. The paper prints the values of "
        "layer 8 of mBERT and XLM-R (in brackets). The last row of `base` is the projection after its last "
        "block, which links are read from."
    ]
    for model in result["models"]:
        if "not_run" in model:
            parts.append(f"{model['label']} not run: {model['not_run']}.")
            continue
        languages = list(dict.fromkeys(point["language"] for point in model["curves"]))
        rows = [
            [
                _name(model, layer),
                *(
                    both(point["scores"]["f1"], (point["paper"] or {}).get("f1"))
                    for language in languages
                    for point in model["curves"]
                    if point["layer"] == layer and point["language"] == language
                ),
            ]
            for layer in range(model["layers"])
        ]
        best = {language: best_layer(model, language) for language in languages}
        parts += [
            f"#### {model['label']}",
            table(["layer", *languages], rows),
            "Best layer: "
            + ", ".join(f"{language} {_name(model, layer)}" for language, layer in best.items())
            + ".",
        ]
    if any("not_run" not in model for model in result["models"]):
        parts.append("![F1 by layer](layers.png)")
    return "\n\n".join(parts)


def _name(model: Result, layer: int) -> str:
    return "projection" if model["kind"] == "bundled" and layer == model["layers"] - 1 else str(layer)


def best_layer(model: Result, language: str) -> int:
    points = [point for point in model["curves"] if point["language"] == language]
    return int(max(points, key=lambda point: point["scores"]["f1"])["layer"])


def draw(result: Result) -> dict[str, Any]:
    run_models = [model for model in result["models"] if "not_run" not in model]
    if not run_models:
        return {}
    figure, axes = new_figure(len(run_models), width=5.2 * len(run_models))
    for axis, model in zip(axes, run_models, strict=True):
        for language in LANGUAGES:
            points = [point for point in model["curves"] if point["language"] == language]
            if not points:
                continue
            colour = LANGUAGE_COLOURS[language]
            layers = [point["layer"] for point in points]
            axis.plot(
                layers, [point["scores"]["f1"] for point in points], marker=".", color=colour, label=language
            )
            theirs = [(point["layer"], point["paper"]["f1"]) for point in points if point["paper"]]
            if theirs:
                axis.scatter(
                    *zip(*theirs, strict=True), marker="x", color=colour, label=f"{language} (paper)"
                )
        axis.set(xlabel="layer", ylabel="F1", title=model["label"])
        axis.set_xticks(range(model["layers"]), [_name(model, layer) for layer in range(model["layers"])])
        axis.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=5)
    return {"": figure}


EXPERIMENT = Experiment(
    name="layers",
    title="Layers",
    paper="Figure 4",
    uses=("bundled", "models"),
    run=run,
    show=show,
    draw=draw,
)

if __name__ == "__main__":
    main(EXPERIMENT)
