"""`wordalign serve` in a process of its own, for tests of the web page and for its screenshots."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def serving(*options: str, **environment: str) -> Iterator[str]:
    """The address of a service on a free port: `with serving("--model", "tiny") as address:`."""
    command = [sys.executable, "-m", "wordalign", "serve", "--port", "0", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://\S+", said)
            assert found, f"no address in {said!r}"
            yield found[0]
        finally:
            process.terminate()
