"""The embedding models that are compared: which there are, and how they are loaded.

A model whose weights cannot be had stays in every table, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reproduction.lab.options import Options
from reproduction.lab.paper import LABELS
from wordalign.encoders import BUNDLED_MODELS, Encoder, load_encoder
from wordalign.errors import DownloadError, WordalignError
from wordalign.types import Encoding
from wordalign.vectors.map import Quality

# Sentences are encoded once and kept for all experiments, up to this many numbers a model (0.8 GB).
REMEMBERED_NUMBERS = 200_000_000


class NotRunError(Exception):
    """Something that cannot be run here; says why, in words for the table."""


@dataclass(frozen=True)
class System:
    """An embedding model as a row: `kind` is bundled, huggingface or static; `paper` its name there.

    `layer` is that of a Hugging Face model; None is the package's own choice, 8 of 12.
    """

    key: str
    label: str
    model: str
    kind: str
    paper: str | None = None
    layer: int | None = None

    @property
    def stands_beside(self) -> str:
        """Whose numbers the analyses show beside it: its own, or mBERT's for other contextual encoders."""
        return self.paper or "mbert"


def sweep_systems(systems: Sequence[System]) -> list[System]:
    """Those that the analyses are run with: all but the second bundled model, and XLM-R, as in the paper."""
    return [system for system in systems if system.key not in ("tiny", "xlmr")]


def list_systems(options: Options) -> list[System]:
    """The bundled models, the paper's, and those given by `--model`, in the order of the tables."""
    systems = {model.name: System(model.name, model.name, model.name, "bundled") for model in BUNDLED_MODELS}
    vectors = str(options.vectors) if options.vectors else ""
    systems["fasttext"] = System("fasttext", LABELS["fasttext"], vectors, "static", "fasttext")
    for short in ("mbert", "xlmr"):
        systems[short] = System(short, LABELS[short], short, "huggingface", short)
    systems["own"] = System("own", LABELS["own"], "", "huggingface")
    for given in options.models:
        name, _, model = given.rpartition("=")
        name, _, layer = name.rstrip("]").partition("[")
        name = name or Path(model).name
        known = systems.get(name)
        if known is None or known.kind != "huggingface":
            known = System(name, name, model, "huggingface")
        systems[name] = replace(known, model=model)
        if layer.isdecimal():
            label = f"{known.label.partition('[')[0]}[{layer}]"
            systems[name] = replace(systems[name], layer=int(layer), label=label)
    return list(systems.values())


def load_system(system: System, level: str, language: str) -> Any:
    """The system's encoder, or `NotRunError`. Static vectors are looked up and need not be remembered."""
    try:
        if system.kind == "static":
            return load_encoder(str(_vectors_of(system, level, language)))
        if not system.model:
            raise NotRunError("no model given (--model own=FOLDER, which reproduction/mlm makes)")
        return RememberingEncoder(load_encoder(system.model, layer=system.layer))
    except DownloadError as error:
        raise NotRunError("weights not reachable") from error
    except WordalignError as error:
        raise NotRunError(str(error)) from error


def _vectors_of(system: System, level: str, language: str) -> Path:
    """`VECTORS/word/eng-deu`, as `reproduction/static_vectors.py` lays them out."""
    if not system.model:
        raise NotRunError("no mapped vectors given (--vectors)")
    folder = Path(system.model) / level / f"eng-{language}"
    if not folder.is_dir():
        raise NotRunError(f"no mapped vectors for eng-{language}, {level} level")
    mapping = _mapping(folder)
    if map_failed(mapping):
        raise NotRunError(f"the map failed, {mapping['recovered']:.0%} recovered ({level} level, {language})")
    return folder


def _mapping(folder: Path) -> dict[str, Any]:
    """How well the mapping went, by its own word, and what it started from."""
    manifest = json.loads((folder / "vectors.json").read_text("utf-8"))
    return {**manifest["mapping"], "start": manifest["settings"].get("start", "")}


def map_failed(mapping: Mapping[str, Any]) -> bool:
    """Whether a map is no better than one of noise. A doubtful one has its rows."""
    return Quality(mapping.get("similarity", 0.0), mapping["mutual"], mapping["recovered"]).hopeless


def map_qualities(vectors: Path | None) -> dict[str, Any]:
    """How well each mapping went, and what `static_vectors.py` knows of it: `{"word/eng-deu": {…}}`."""
    if vectors is None:
        return {}
    known = vectors / "facts.json"
    facts = json.loads(known.read_text("utf-8")) if known.exists() else {}
    folders = sorted(path.parent for path in vectors.glob("*/eng-*/vectors.json"))
    names = {folder: folder.relative_to(vectors).as_posix() for folder in folders}
    return {name: _mapping(folder) | facts.get(name, {}) for folder, name in names.items()}


class RememberingEncoder(Encoder):
    """An encoder that encodes each sentence once; all else is the encoder's own."""

    def __init__(self, encoder: Encoder) -> None:
        self.inner = encoder
        for name in Encoder.__annotations__:
            setattr(self, name, getattr(encoder, name))
        self._encodings: dict[tuple[str, ...], Encoding] = {}
        self._numbers = 0

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoding]:
        wanted = [tuple(sentence) for sentence in sentences]
        new = [sentence for sentence in dict.fromkeys(wanted) if sentence not in self._encodings]
        fresh = dict(zip(new, self.inner.encode(new), strict=True)) if new else {}
        found = [fresh.get(sentence) or self._encodings[sentence] for sentence in wanted]
        self._numbers += sum(encoding.vectors.size for encoding in fresh.values())
        if self._numbers > REMEMBERED_NUMBERS:
            self._encodings.clear()
            self._numbers = sum(encoding.vectors.size for encoding in fresh.values())
        self._encodings.update(fresh)
        return found
