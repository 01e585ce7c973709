"""Word alignment of a sentence and its translation, from multilingual embeddings."""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

try:
    __version__ = _version("wordalign")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

if TYPE_CHECKING:
    from wordalign.aligners.neural import Aligner
    from wordalign.errors import WordalignError
    from wordalign.types import Alignment, Pair, Sentence

__all__ = ["Aligner", "Alignment", "Pair", "Sentence", "WordalignError", "__version__"]

_HOMES = {
    "Aligner": "wordalign.aligners.neural",
    "Alignment": "wordalign.types",
    "Pair": "wordalign.types",
    "Sentence": "wordalign.types",
    "WordalignError": "wordalign.errors",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: `import wordalign` itself costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'wordalign' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
