"""For tests: a function whose template can be forked once."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

_fork = os.fork
_forked = 0


def _once() -> int:
    global _forked
    _forked += 1
    if _forked > 1:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return _fork()


def make() -> Callable[[int], int]:
    os.fork = _once
    return int
