"""A Ray cluster for the time of a run, with nothing on the terminal that is not ours."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from wordalign.errors import MissingExtraError, WordalignError
from wordalign.machine import available_cores

_PATIENCE = 10  # seconds


@contextmanager
def joined(address: str | None) -> Iterator[None]:
    """Join the cluster, or start one on this machine; one that is there already is used and left alone."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # what it has to say is in its log files
    try:
        import ray
        import ray.data
    except ModuleNotFoundError as error:
        raise MissingExtraError("--engine ray", "ray") from error
    started = not ray.is_initialized()
    if started:
        if address:
            _knock(address)
        try:
            _start(address)
        except Exception as error:  # Ray raises whatever it finds, up to a plain Exception
            failed = f"join the Ray cluster at {address}" if address else "start Ray on this machine"
            raise WordalignError(f"Cannot {failed}: {error}") from error
    try:
        for handler in logging.getLogger("ray.data").handlers:
            if handler.name == "console":
                handler.setLevel(logging.CRITICAL)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.autoscaling_config.actor_pool_util_upscaling_threshold = 1.0
        yield
    finally:
        if started:
            ray.shutdown()


def _start(address: str | None) -> None:
    import ray

    where = {} if address else {"num_cpus": available_cores(), "include_dashboard": False}
    with _silence():
        for patience in (True, False):
            try:
                ray.init(address or "local", log_to_driver=False, logging_level=logging.ERROR, **where)
                return
            except Exception as error:
                # Half a minute is all that Ray gives itself, which a busy machine may exceed once.
                if address or not patience or "timed out during startup" not in str(error):
                    raise
                ray.shutdown()


def _knock(address: str) -> None:
    """Say at once that nobody is there; Ray would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
    except OSError as error:
        raise WordalignError(f"There is no Ray cluster at {address}: {error.strerror or error}.") from error


@contextmanager
def _silence() -> Iterator[None]:
    """Nothing on standard error: starting Ray writes there from C++, before any level is in force."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
