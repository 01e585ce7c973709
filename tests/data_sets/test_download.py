"""Downloads from a real server on the loopback address, good and bad: a whole file, or a sentence."""

from __future__ import annotations

import hashlib
import urllib.request
from threading import Event

import pytest

from data_sets.file_server import Answer
from wordalign.data.download import _SafeRedirects, fetch
from wordalign.errors import DownloadError, InputError, OutputError, UsageError

BODY = bytes(range(256)) * 1000


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file"


@pytest.mark.parametrize("chunked", [False, True])
def test_a_whole_file_with_its_checksum(server, path, chunked):
    url = server.serve("/file", Answer(BODY, chunked=chunked))
    seen = []
    checksum = fetch(url, path, progress=lambda *state: seen.append(state))
    assert path.read_bytes() == BODY
    assert checksum == hashlib.sha256(BODY).hexdigest()
    assert seen[-1] == (len(BODY), None if chunked else len(BODY))
    assert [received for received, _ in seen] == sorted(received for received, _ in seen)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_connection_that_ends_too_early(server, path, chunked):
    url = server.serve("/file", Answer(BODY, stop=100_000, chunked=chunked))
    with pytest.raises(DownloadError, match=r"broke off .*nothing was kept"):
        fetch(url, path)


@pytest.mark.parametrize(
    ("code", "said"),
    [(404, "no longer there"), (410, "no longer there"), (403, "asked for"), (500, "later"), (503, "later")],
)
def test_a_refusal(server, path, code, said):
    with pytest.raises(DownloadError, match=rf"answered {code} .*{said}"):
        fetch(server.serve("/file", Answer(b"<html>sorry</html>", code)), path)


def test_redirects_are_followed(server, path):
    url = server.serve("/file", BODY)
    old = server.serve("/old", Answer(code=301, headers={"Location": "/older"}))
    server.serve("/older", Answer(code=302, headers={"Location": url}))
    fetch(old, path)
    assert path.read_bytes() == BODY


@pytest.mark.parametrize("goal", ["file:///etc/passwd", "ftp://127.0.0.1/file"])
def test_redirects_out_of_the_web_are_not(server, path, goal):
    url = server.serve("/file", Answer(code=302, headers={"Location": goal}))
    with pytest.raises(DownloadError, match=r"not safe|302"):
        fetch(url, path)


def test_redirects_from_encrypted_to_plain_are_not():
    request = urllib.request.Request("https://example.org/a")
    with pytest.raises(DownloadError, match="not safe"):
        _SafeRedirects().redirect_request(request, None, 302, "", {}, "http://example.org/a")


def test_plain_http_is_refused_unless_it_stays_on_this_machine(server, path):
    for address in ("http://example.org/file", "HTTP://127.0.0.1.example.org/file", "http://", "http://["):
        with pytest.raises(DownloadError, match=r"is not encrypted.*--url"):
            fetch(address, path)
    assert not path.exists()
    url = server.serve("/file", Answer(code=302, headers={"Location": "http://example.org/file"}))
    with pytest.raises(DownloadError, match="not safe"):
        fetch(url, path)


def test_redirects_in_a_circle_end(server, path):
    url = server.serve("/file", Answer(code=302, headers={"Location": "/file"}))
    with pytest.raises(DownloadError, match="answered 302"):
        fetch(url, path)


@pytest.mark.parametrize("stop", [0, 1000])
def test_a_server_that_falls_silent(server, path, stop):
    answer = Answer(BODY, stop=stop, stall=Event())
    with pytest.raises(DownloadError, match=r"sent nothing for 0.2 seconds.*--timeout"):
        fetch(server.serve("/file", answer), path, timeout=0.2)


def test_nobody_there(server, path):
    url = server.serve("/file", BODY)
    server.stop()
    with pytest.raises(DownloadError, match="Cannot reach"):
        fetch(url, path)
    server.__init__()  # for the fixture to stop


@pytest.mark.parametrize("chunked", [False, True])
def test_too_large(server, path, chunked):
    url = server.serve("/file", Answer(BODY, chunked=chunked))
    fetch(url, path, largest=len(BODY))
    with pytest.raises(DownloadError, match="larger than 1,000 bytes"):
        fetch(url, path, largest=1000)


def test_local_files_and_other_addresses(path, tmp_path):
    (tmp_path / "given").write_bytes(BODY)
    fetch(str(tmp_path / "given"), path)
    assert path.read_bytes() == BODY
    with pytest.raises(InputError, match="There is no file"):
        fetch(str(tmp_path / "none"), path)
    for address in ("https://", "https://[", "http://127.0.0.1:x/", "https://a b/"):
        with pytest.raises(DownloadError, match="Cannot"):
            fetch(address, path)
    for address in ("ftp://example.org/file", "file:///etc/passwd"):
        with pytest.raises(UsageError, match="neither an https"):
            fetch(address, path)


def test_a_full_disk(server, path):
    url = server.serve("/file", BODY)
    path.symlink_to("/dev/full")
    with pytest.raises(OutputError, match="No space left on device"):
        fetch(url, path)
