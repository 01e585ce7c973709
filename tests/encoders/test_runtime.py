"""What runs the bundled models tells nobody of it."""

from __future__ import annotations

import os
import subprocess
import sys


def test_nothing_is_counted_or_sent(tmp_path):
    """Telemetry begins with a file in the user's folder that says which machine this is."""
    code = "from wordalign import Aligner; print(Aligner('tiny').align('old house', 'altes Haus').links)"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("((0, 0), (1, 1))\n", "")
    assert list(tmp_path.rglob("*")) == []


def test_onnxruntime_is_loaded_in_one_place():
    code = "import wordalign.encoders.runtime, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout == "1\n", done.stderr
    # Who wants to help its makers may.
    kept = {**environment, "ORT_DISABLE_TELEMETRY": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=kept, capture_output=True, text=True)
    assert done.stdout == "0\n", done.stderr
