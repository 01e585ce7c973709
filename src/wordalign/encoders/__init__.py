"""Words -> vectors, behind one base class."""

from wordalign.encoders.base import Encoder
from wordalign.encoders.resolve import BUNDLED_MODELS, KNOWN_MODELS, encoder_of, load_encoder, resolve

__all__ = ["BUNDLED_MODELS", "KNOWN_MODELS", "Encoder", "encoder_of", "load_encoder", "resolve"]
