"""Word alignment of a sentence and its translation, from multilingual embeddings."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str

    from wordalign import evaluate
    from wordalign.aligners.neural import Aligner
    from wordalign.aligners.statistical import StatisticalAligner
    from wordalign.config import AlignConfig
    from wordalign.documents.align import align_documents
    from wordalign.documents.types import DocumentAlignment
    from wordalign.errors import (
        DeviceMemoryError,
        DownloadError,
        InputError,
        MissingExtraError,
        ModelError,
        OutputError,
        UnknownNameError,
        UsageError,
        WordalignError,
    )
    from wordalign.project.markup.transfer import transfer
    from wordalign.run.files import align_files
    from wordalign.tuning.run import tune
    from wordalign.types import Alignment, GoldAlignment, Pair, Sentence

__all__ = [
    "AlignConfig",
    "Aligner",
    "Alignment",
    "DeviceMemoryError",
    "DocumentAlignment",
    "DownloadError",
    "GoldAlignment",
    "InputError",
    "MissingExtraError",
    "ModelError",
    "OutputError",
    "Pair",
    "Sentence",
    "StatisticalAligner",
    "UnknownNameError",
    "UsageError",
    "WordalignError",
    "__version__",
    "align_documents",
    "align_files",
    "evaluate",
    "transfer",
    "tune",
]

_HOMES = {
    "wordalign.aligners.neural": ["Aligner"],
    "wordalign.aligners.statistical": ["StatisticalAligner"],
    "wordalign.config": ["AlignConfig"],
    "wordalign.documents.align": ["align_documents"],
    "wordalign.documents.types": ["DocumentAlignment"],
    "wordalign.errors": [name for name in __all__ if name.endswith("Error")],
    "wordalign.project.markup.transfer": ["transfer"],
    "wordalign.run.files": ["align_files"],
    "wordalign.tuning.run": ["tune"],
    "wordalign.types": ["Alignment", "GoldAlignment", "Pair", "Sentence"],
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: `import wordalign` itself costs next to nothing."""
    import importlib

    if name == "__version__":
        return _find_version()
    if name == "evaluate":  # a package of its own, whose main function has the same name
        return importlib.import_module("wordalign.evaluate")
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'wordalign' has no attribute {name!r}")


def _find_version() -> str:
    global __version__
    from importlib import metadata  # takes longer than all else that importing the package needs

    try:
        __version__ = metadata.version("wordalign")
    except metadata.PackageNotFoundError:  # a source tree that was never installed
        __version__ = "0+unknown"
    return __version__


def __dir__() -> list[str]:
    return __all__
