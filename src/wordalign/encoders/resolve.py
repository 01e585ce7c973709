"""A name or folder -> which kind of model it is, in one place; and the encoder that reads it.

Listing and resolving import nothing heavy; loading a model imports what it needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from wordalign.config import AlignConfig
from wordalign.encoders.base import Encoder
from wordalign.errors import MissingExtraError, ModelError, UnknownNameError, UsageError

Kind: TypeAlias = Literal["onnx", "static", "huggingface"]


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where a model comes from, and what reads it.

    `onnx` is the format of the bundled models: a folder with model.json, model.onnx and tokenizer.json.
    `static` is a folder of word vectors, made by `wordalign vectors map`. `huggingface` is a name on the hub
    or a folder. `layer` is the one that aligns best, where that is known.
    """

    kind: Kind
    name: str
    short: str
    note: str
    folder: Path | None = None
    layer: int | None = None

    @property
    def tokenizer(self) -> Path | None:
        """The file that cuts words into subwords, where it is known without asking the hub."""
        file = None if self.folder is None else self.folder / "tokenizer.json"
        return file if file is not None and file.is_file() else None


def _bundled(name: str, note: str) -> ModelSource:
    return ModelSource("onnx", name, name, note, Path(__file__).parents[1] / "models" / name)


# The first is the default.
BUNDLED_MODELS = (
    _bundled("base", "bundled; any two of 69 languages, calibrated scores"),
    _bundled("tiny", "bundled; the same, twice as fast, a little less exact"),
)

KNOWN_MODELS = tuple(
    ModelSource("huggingface", name, short, note, layer=layer)
    for short, name, layer, note in (
        ("mbert", "bert-base-multilingual-cased", 8, "104 languages (layer: Jalili Sabet et al. 2020)"),
        ("xlmr", "xlm-roberta-base", 8, "100 languages (layer: Jalili Sabet et al. 2020)"),
        ("labse", "sentence-transformers/LaBSE", 6, "109 languages (layer: Wang et al. 2022)"),
    )
)


def resolve(model: str | None) -> ModelSource:
    """What a user means by a model: a short name, a folder, or a name on the Hugging Face hub.

    None is the default model. A name that is no folder and looks like a slip is refused here, before a hub
    is asked for it.
    """
    if model is None:
        return BUNDLED_MODELS[0]
    for known in (*BUNDLED_MODELS, *KNOWN_MODELS):
        if model in (known.short, known.name):
            return known
    folder = Path(model)
    if (folder / "vectors.json").is_file():
        return ModelSource("static", model, model, "word vectors", folder)
    if (folder / "model.json").is_file():
        if not (folder / "model.onnx").is_file():
            raise UsageError(
                f"{model} holds no model.onnx: if it is a statistical model, give it with --load-model or "
                "StatisticalAligner.load."
            )
        return ModelSource("onnx", model, model, "a model in the format of the bundled ones", folder)
    if not model.strip():
        raise UsageError("The name of the model is empty: leave it out for the bundled one.")
    if folder.is_dir():
        return ModelSource("huggingface", model, model, "a Hugging Face model", folder)
    if model.startswith((".", "/", "~")) or model.endswith("/") or model.count("/") > 1:
        raise UsageError(f"There is no folder {model!r}; a local model is a folder in Hugging Face format.")
    if "@" in model:
        raise UsageError(
            f"{model!r} is what a score says of its model, or a name with a revision: give the name before "
            "the @ alone, and a revision of a Hugging Face model as such."
        )
    _refuse_near_miss(model)
    return ModelSource("huggingface", model, model, "a Hugging Face model")


def bundled_tokenizer() -> Path:
    """The tokenizer of the default model."""
    folder = BUNDLED_MODELS[0].folder
    assert folder is not None
    return folder / "tokenizer.json"


def load_encoder(
    model: str | None,
    *,
    layer: int | Literal["conc"] | None = None,
    device: str | None = None,
    dtype: str | None = None,
    revision: str | None = None,
) -> Encoder:
    """Load the model that `resolve` finds by this name.

    `device` None is the processor for a bundled model, and the best device that there is for another one;
    "auto" is the best device for both.
    """
    source = resolve(model)
    if "," in (device or "") or device == "all":
        raise UsageError(
            f"An aligner uses one device, not {device!r}: several share the work in `wordalign align` and "
            "`align_files`."
        )
    if source.kind == "huggingface":
        if source.folder is not None and not (source.folder / "config.json").is_file():
            raise ModelError(
                f"The folder {source.name!r} does not hold a usable model: a Hugging Face model has a "
                "config.json, one in the format of the bundled ones a model.json, and word vectors a "
                "vectors.json."
            )
        try:
            from wordalign.encoders.huggingface import HuggingFaceEncoder
        except ModuleNotFoundError as error:
            if error.name not in ("torch", "transformers"):
                raise
            known = source.folder is not None or source in KNOWN_MODELS
            unknown = f"{source.name!r} is none of the bundled models, and as a Hugging Face model it"
            raise MissingExtraError(f"The model {source.name!r}" if known else unknown, "hf") from error
        layer = source.layer if layer is None else layer
        dtype = dtype or "float32"
        return HuggingFaceEncoder(source.name, layer=layer, device=device, dtype=dtype, revision=revision)
    on_gpu = source.kind == "onnx" and _wants_gpu(source, device)
    for_others = {
        "layer": layer is not None,
        "device": device not in (None, "cpu", "auto") and not on_gpu,
        "dtype": dtype is not None and not on_gpu,
        "revision": revision is not None,
    }
    if any(for_others.values()):
        given = " and ".join(name for name, is_given in for_others.items() if is_given)
        what = (
            "holds word vectors, which have no layers and are only looked up"
            if source.kind == "static"
            else "has one layer to read, is in one version, and runs in int8 on the processor"
        )
        raise UsageError(f"The model {source.short!r} {what}: leave out {given}.")
    assert source.folder is not None
    if source.kind == "static":
        from wordalign.encoders.static import StaticEncoder

        return StaticEncoder.load(source.folder)
    if on_gpu:
        from wordalign.encoders.device.bundled import DeviceEncoder

        return DeviceEncoder(source.folder, device=device, dtype=dtype)
    from wordalign.encoders.onnx import OnnxEncoder

    return OnnxEncoder(source.folder)


def encoder_of(config: AlignConfig) -> Encoder:
    """The model of a configuration, loaded."""
    return load_encoder(
        config.model,
        layer=config.layer,
        device=config.device,
        dtype=config.dtype,
        revision=config.revision,
    )


def _wants_gpu(source: ModelSource, device: str | None) -> bool:
    """Whether a model in the format of the bundled ones is to run with torch."""
    if device in (None, "cpu"):
        return False
    try:
        from wordalign.encoders.device.choose import pick_device
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        if device == "auto":
            return False
        if str(device).partition(":")[0] not in ("cuda", "mps"):
            raise UnknownNameError("device", str(device), ("cpu", "cuda", "mps", "auto")) from error
        raise MissingExtraError(f"The model {source.short!r} on the device {device!r}", "gpu") from error
    return pick_device(device).type != "cpu"


def _refuse_near_miss(model: str) -> None:
    """Catch `mbart` or `xlm-roberta-bse` before a hub is asked for them.

    Hub names without an owner are few and old, so a short one that resembles one of ours is a slip. So is a
    long one that differs in a single letter; names that differ in more, like xlm-roberta-large, may be meant.
    """
    names = [name for known in (*BUNDLED_MODELS, *KNOWN_MODELS) for name in {known.short, known.name}]
    error = UnknownNameError("model", model, names, "Any other Hugging Face model: owner/name or a folder.")
    short = "/" not in model and len(model) < 8 and "Did you mean" in str(error)
    if short or any(len(name) > 7 and _is_one_slip(model, name) for name in names):
        raise error


def _is_one_slip(typed: str, meant: str) -> bool:
    """Whether one letter is missing, extra, wrong or changed places with its neighbour.

    >>> [_is_one_slip(typed, "roberta") for typed in ("robrta", "robbertta", "roberat", "rubert")]
    [True, False, True, False]
    """
    start = 0
    while start < min(len(typed), len(meant)) and typed[start] == meant[start]:
        start += 1
    end = 0
    while end < min(len(typed), len(meant)) - start and typed[-1 - end] == meant[-1 - end]:
        end += 1
    wrong, right = typed[start : len(typed) - end], meant[start : len(meant) - end]
    return max(len(wrong), len(right)) <= 1 or (len(wrong) == 2 and wrong[::-1] == right)
