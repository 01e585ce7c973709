"""Words -> vectors, behind one small protocol."""

from wordalign.encoders.base import Encoder
from wordalign.encoders.names import BUNDLED_MODELS, KNOWN_MODELS, load_encoder

__all__ = ["BUNDLED_MODELS", "KNOWN_MODELS", "Encoder", "load_encoder"]
