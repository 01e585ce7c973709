"""Clients that are slow, broken or hostile, over plain sockets; the others must not notice."""

from __future__ import annotations

import json
import socket
import time
from contextlib import ExitStack

import pytest

HEAD = b"POST /v1/align HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BODY = b'{"source": "one", "target": "eins"}'


def request(body: bytes = BODY, more: bytes = b"") -> bytes:
    return HEAD + more + b"Content-Length: %d\r\n\r\n" % len(body) + body


def read_all(connection: socket.socket) -> bytes:
    """What comes until the server closes."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def answer(data: bytes) -> tuple[int, dict]:
    head, _, body = data.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


@pytest.fixture(scope="module")
def hasty(start_server):
    """A server that waits a second for everything."""
    with start_server("--max-seconds", "1") as server:
        yield server


def test_a_body_in_single_bytes(server):
    with server.connect() as connection:
        for byte in request(more=b"Connection: close\r\n"):
            connection.sendall(bytes([byte]))
        status, said = answer(read_all(connection))
    assert (status, said["results"][0]["source"]["words"]) == (200, ["one"])


def test_two_requests_at_once_are_answered_in_order(server):
    with server.connect() as connection:
        connection.sendall(request() + request(BODY.replace(b"one", b"two"), b"Connection: close\r\n"))
        data = read_all(connection)
    assert data.index(b'"one"') < data.index(b'"two"')
    assert data.count(b"HTTP/1.1 200 OK") == 2


@pytest.mark.parametrize("sent", [b"", b"POST /v1/al", HEAD])
def test_headers_that_do_not_come(hasty, sent):
    with hasty.connect() as connection:
        connection.sendall(sent)
        status, said = answer(read_all(connection))
    assert (status, said["error"]["code"]) == (408, "headers_too_slow")


def test_a_second_request_whose_headers_do_not_come(hasty):
    with hasty.connect() as connection:
        connection.sendall(request() + HEAD)
        data = read_all(connection)
    assert data.startswith(b"HTTP/1.1 200")
    assert b"headers_too_slow" in data


@pytest.mark.parametrize(
    "length", [b"Content-Length: 100\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"]
)
def test_a_body_that_does_not_come(hasty, length):
    with hasty.connect() as connection:
        connection.sendall(HEAD + length)
        status, said = answer(read_all(connection))
    assert (status, said["error"]["code"]) == (408, "body_too_slow")


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
        b"GET\r\n\r\n",
        b"hello\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_http(hasty, garbage):
    with hasty.connect() as connection:
        connection.sendall(garbage)
        data = read_all(connection)
    assert data.startswith((b"HTTP/1.1 400", b"HTTP/1.1 408", b"HTTP/1.1 421")), data
    assert b"Traceback" not in data
    assert hasty.get("/healthz").status_code == 200


def sent_until_closed(connection: socket.socket, piece: bytes, most: int) -> int:
    """How many bytes the server took before it closed the connection or stopped reading."""
    sent = 0
    try:
        while sent < most:
            sent += connection.send(piece)
    except OSError:
        pass
    return sent


def test_headers_without_end(server):
    with server.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        assert sent_until_closed(connection, b"X-Y: %s\r\n" % (b"z" * 1000), 64 << 20) < 64 << 20
    assert server.get("/healthz").status_code == 200


def test_a_large_head_that_comes_at_once(server):
    """However much of it the server gets to see in one piece."""
    with server.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Y: %s\r\n\r\n" % (b"z" * 100_000))
        data = read_all(connection)
    assert data.startswith(b"HTTP/1.1 431") or not data, "closing early may cut the answer off"
    assert server.get("/healthz", headers={"X-Y": "z" * 40_000}).status_code == 200


def test_many_idle_connections_leave_room_for_others(start_server):
    with start_server() as server, ExitStack() as connections:
        for _ in range(1200):
            connections.enter_context(server.connect())
        assert server.get("/healthz").status_code == 200
        assert server.align(source="one", target="eins").status_code == 200


def test_a_body_without_end(server):
    with server.connect() as connection:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        piece = b"10000\r\n" + b" " * 65536 + b"\r\n"
        assert sent_until_closed(connection, piece, 256 << 20) < 256 << 20
    assert server.get("/healthz").status_code == 200


def test_an_answer_that_is_never_read(hasty):
    """The connection is given up, and nothing of it stays."""
    pair = {"source": ["w"] * 300, "target": ["v"] * 300}
    body = json.dumps({"pairs": [pair] * 4, "matrix": True}).encode()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connection.settimeout(60)
        connection.connect(("127.0.0.1", hasty.port))
        connection.sendall(request(body, b"Connection: close\r\n"))
        time.sleep(2.5)
        data = read_all(connection)
    # Either it was answered but cut off, or there was no time for an answer.
    head, _, rest = data.partition(b"\r\n\r\n")
    assert head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 503"))
    if head.startswith(b"HTTP/1.1 200"):
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        assert len(rest) < length
    assert hasty.get("/healthz").json()["queue"] == 0


def test_work_for_a_client_that_has_gone_is_dropped(start_server):
    words = [f"w{number}" for number in range(350)]
    body = json.dumps({"model": "base", "pairs": [{"source": words, "target": words[::-1]}] * 128}).encode()
    with start_server("--model", "base") as server:
        with server.connect() as connection:
            connection.sendall(request(body))
            while not server.get("/healthz").json()["queue"]:
                time.sleep(0.02)
        while server.get("/healthz").json()["queue"]:
            time.sleep(0.02)
        # The part at work just then is finished, and nothing else of it is begun before this one.
        assert server.align(source="one", target="eins").status_code == 200
        assert server.metric("wordalign_words_total") < 700 * 64
        assert server.metric('wordalign_http_answers_total{route="/v1/align",status="499"}') == 1


def test_a_client_that_breaks_off_in_its_body(server):
    with server.connect() as connection:
        connection.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
    assert server.align(source="one", target="eins").status_code == 200
