"""onnxruntime, which runs the bundled models; nothing else here imports it.

Since version 1.31 it counts its uses and sends that to its makers, also on Linux. It does not if this is said
before it is loaded.
"""

from __future__ import annotations

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime

__all__ = ["onnxruntime"]
