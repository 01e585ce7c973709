"""Static word vectors as an encoder.

It reads the folder that `wordalign vectors map` makes, and looks words up in it.
The package `wordalign.vectors` learns and maps vectors and writes the folder.
"""

from wordalign.encoders.static.encoder import StaticEncoder

__all__ = ["StaticEncoder"]
