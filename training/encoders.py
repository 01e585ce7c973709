"""The trained encoder: weights run with torch, a graph run with onnxruntime, or the folder that ships."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from training.similarity import Encode, sentence_encoder
from training.weights import load_weights
from wordalign.encoders.windows import Forward


def from_weights(folder: Path) -> Forward:
    """Run the weights with torch, in float32."""
    import torch

    from training.model import Config, Encoder

    arrays, facts = load_weights(folder)
    encoder = Encoder(Config(**facts["config"])).eval()
    encoder.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()}, strict=False)

    @torch.no_grad()
    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return encoder(torch.from_numpy(ids), torch.from_numpy(mask)).numpy()

    return forward


def from_graph(path: Path) -> Forward:
    """Run an ONNX file with onnxruntime."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])

    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return session.run(["vectors"], {"input_ids": ids, "attention_mask": mask})[0]

    return forward


def load_encoder(path: Path, vocabulary: Path | None, threads: int | None = None) -> Encode:
    """An exported folder, run by the package; or weights or a lone graph, which need a vocabulary."""
    if (path / "model.json").exists():
        from wordalign.encoders.onnx import OnnxEncoder

        return OnnxEncoder(path, threads=threads).encode
    if vocabulary is None:
        raise SystemExit(f"{path} is no folder with a model.json: give its --vocabulary too")
    tokenizer = Tokenizer.from_file(str(vocabulary / "tokenizer.json"))
    return sentence_encoder(tokenizer, from_graph(path) if path.suffix == ".onnx" else from_weights(path))
