"""An address -> a whole file with its checksum, or an explained failure; never part of a file.

The caller deletes the file if there was a failure. A transfer that breaks off starts anew the next time,
since gold sets are small.
"""

from __future__ import annotations

import hashlib
import http.client
import ipaddress
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeAlias
from urllib.parse import urlsplit

from wordalign import __version__
from wordalign.errors import DownloadError, InputError, OutputError, UsageError

Progress: TypeAlias = Callable[[int, int | None], None]  # bytes so far, bytes in all where it is known

LARGEST = 500 * 2**20
BLOCK = 1 << 16


def fetch(
    address: str,
    path: Path,
    *,
    timeout: float = 60.0,
    largest: int = LARGEST,
    progress: Progress | None = None,
) -> str:
    """Download an address (or copy a local file) to `path`, and return its SHA-256.

    An address must be encrypted: over plain http anybody on the way could change the file.
    """
    scheme = address.partition("://")[0].lower()
    if scheme == "http" and not _is_loopback(address):
        raise DownloadError(
            f"{address} is not encrypted, so that anybody on the way could change the file: give an https "
            "address, or download the file yourself and give it with --url."
        )
    with _copying(address, path) as stream:
        if scheme in ("http", "https"):
            with _open(address, timeout) as answer:
                blocks = _blocks(address, answer, timeout)
                return _copy(address, blocks, stream, _length(answer), largest, progress)
        if "://" in address:
            raise UsageError(f"{address} is neither an https address nor a local file.")
        local = Path(address)
        if not local.is_file():
            raise InputError(f"There is no file {address}.")
        with local.open("rb") as original:
            blocks = iter(partial(original.read, BLOCK), b"")
            return _copy(address, blocks, stream, local.stat().st_size, largest, progress)


def _copy(
    address: str,
    blocks: Iterator[bytes],
    stream: BinaryIO,
    length: int | None,
    largest: int,
    progress: Progress | None,
) -> str:
    digest, received = hashlib.sha256(), 0
    _refuse_too_large(address, length or 0, largest)
    for block in blocks:
        received += len(block)
        _refuse_too_large(address, received, largest)
        digest.update(block)
        stream.write(block)
        if progress is not None:
            progress(received, length)
    if length is not None and received != length:
        raise _broken_off(address, f"{received:,} of {length:,} bytes")
    return digest.hexdigest()


def _refuse_too_large(address: str, size: int, largest: int) -> None:
    if size > largest:
        raise DownloadError(
            f"{address} is larger than {largest:,} bytes, far more than a gold set: it is not the right file."
        )


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but never to an address that is not encrypted, unless it is on this machine."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        before, after = urlsplit(req.full_url).scheme, urlsplit(newurl).scheme
        if after != "https" and not (before == after == "http" and _is_loopback(newurl)):
            raise DownloadError(f"{req.full_url} sends on to {newurl}, which is not safe to follow.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _is_loopback(address: str) -> bool:
    """Whether an address leads to this machine, where nobody is on the way."""
    try:
        host = urlsplit(address).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def _open(address: str, timeout: float) -> Iterator[http.client.HTTPResponse]:
    headers = {"User-Agent": f"wordalign/{__version__}", "Accept-Encoding": "identity"}
    opener = urllib.request.build_opener(_SafeRedirects)
    try:
        answer = opener.open(urllib.request.Request(address, headers=headers), timeout=timeout)
    except urllib.error.HTTPError as error:
        error.close()
        raise DownloadError(
            f"{address} answered {error.code} ({error.reason}). {_advice(error.code)}"
        ) from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise _too_slow(address, timeout) from error
        raise DownloadError(
            f"Cannot reach {address}: {error.reason}. Check the connection, or give another address "
            "with --url."
        ) from error
    except TimeoutError as error:
        raise _too_slow(address, timeout) from error
    except (http.client.HTTPException, OSError, ValueError) as error:
        raise DownloadError(f"Cannot download {address}: {error or type(error).__name__}.") from error
    with answer:
        yield answer


def _advice(code: int) -> str:
    if code in (404, 410):
        return (
            "It is no longer there: the set's page (`origin` in `wordalign data list --json`) may say where "
            "it is now; give that with --url."
        )
    if code in (401, 403):
        return "It has to be asked for: fetch it in a browser and give the file with --url."
    return "Try again later."


def _blocks(address: str, answer: http.client.HTTPResponse, timeout: float) -> Iterator[bytes]:
    while True:
        try:
            block = answer.read(BLOCK)
        except TimeoutError as error:
            raise _too_slow(address, timeout) from error
        except (http.client.HTTPException, OSError) as error:
            raise _broken_off(address, str(error) or type(error).__name__) from error
        if not block:
            return
        yield block


@contextmanager
def _copying(address: str, path: Path) -> Iterator[BinaryIO]:
    try:
        stream = path.open("wb")
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {error.strerror}.") from error
    try:
        with stream:
            yield stream
    except OSError as error:
        free = shutil.disk_usage(path.parent).free
        raise OutputError(
            f"Cannot keep {address} in {path.parent}: {error.strerror} ({free:,} bytes are free)."
        ) from error


def _length(answer: http.client.HTTPResponse) -> int | None:
    """The announced length; None for a chunked answer, which tells its end itself."""
    announced = answer.headers.get("Content-Length")
    return int(announced) if announced is not None and announced.isdigit() else None


def _broken_off(address: str, how_far: str) -> DownloadError:
    return DownloadError(f"The download of {address} broke off ({how_far}); nothing was kept. Try again.")


def _too_slow(address: str, timeout: float) -> DownloadError:
    return DownloadError(
        f"{address} sent nothing for {timeout:g} seconds; nothing was kept. Try again, or allow more time "
        "with --timeout."
    )
