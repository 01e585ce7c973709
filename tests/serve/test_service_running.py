"""Starting, guarding, overloading and stopping a real server."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2 as httpx
import pytest

WORDS = [f"word{number}" for number in range(100)]
LONG = {"pairs": [{"source": WORDS, "target": WORDS[::-1]}] * 60}
TOKEN = "tok-123_ABC"


def wait_until_busy(server) -> None:
    while not server.get("/healthz").json()["queue"]:
        time.sleep(0.01)


def test_a_full_queue_is_answered_429(start_server, refused):
    with start_server("--max-queue", "1") as server, ThreadPoolExecutor(1) as pool:
        long = pool.submit(server.align, **LONG)
        wait_until_busy(server)
        short = server.align(source="one", target="eins")
        assert "try again" in refused(short, 429, "queue_full")
        assert int(short.headers["retry-after"]) >= 1
        assert long.result().status_code == 200
        assert server.align(source="one", target="eins").status_code == 200
        assert server.metric('wordalign_http_answers_total{route="/v1/align",status="429"}') == 1


def test_what_takes_too_long_is_answered_503_and_dropped(start_server, refused):
    with start_server("--max-seconds", "0.05") as server:
        late = server.align(**{**LONG, "pairs": LONG["pairs"] * 2})
        assert "0.05 seconds" in refused(late, 503, "timeout")
        assert int(late.headers["retry-after"]) >= 1
        assert server.get("/healthz").json()["queue"] == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_finishes_what_is_in_flight(start_server, number):
    with start_server() as server, ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(server.align, **LONG) for _ in range(2)]
        wait_until_busy(server)
        with server.connect() as idle:
            server.process.send_signal(number)
            for answer in answers:
                assert answer.result().status_code == 200
                assert len(answer.result().json()["results"]) == len(LONG["pairs"])
            idle.recv(1)
        assert server.process.wait(60) == 0
        assert server.process.stderr.read() == ""
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", server.port), timeout=5)


def test_stopping_answers_clients_that_keep_their_connections(start_server):
    """Each sends its next request as soon as it has an answer; none is cut off."""
    with start_server() as server:
        asking = threading.Event()
        broken: list[str] = []

        def ask() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            body, kind = json.dumps({"source": "one", "target": "eins"}), {"Content-Type": "application/json"}
            for number in range(100_000):
                try:
                    connection.request("POST", "/v1/align", body, kind)
                    response = connection.getresponse()
                    response.read()
                except OSError as error:
                    broken.append(repr(error))
                    return
                if number == 3:
                    asking.set()
                if response.will_close:
                    return

        with ThreadPoolExecutor(32) as pool:
            clients = [pool.submit(ask) for _ in range(32)]
            asking.wait(60)
            server.process.send_signal(signal.SIGTERM)
            for client in clients:
                client.result()
        assert not broken
        assert server.process.wait(60) == 0


def test_health_is_answered_while_the_encoder_works(start_server):
    with start_server() as server, ThreadPoolExecutor(1) as pool:
        long = pool.submit(server.align, **LONG)
        wait_until_busy(server)
        answered = 0
        while not long.done():
            assert server.get("/healthz").status_code == 200
            answered += 1
        assert answered > 1
        assert long.result().status_code == 200


@pytest.fixture(scope="module")
def guarded(start_server, tmp_path_factory):
    file = tmp_path_factory.mktemp("token") / "token"
    file.write_text(TOKEN + "\n")
    origin = ("--allow-origin", "https://example.org")
    with start_server("--token-file", str(file), *origin, WORDALIGN_TOKEN="other") as server:
        yield server


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        TOKEN,
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        f"Basic {TOKEN}",
        "Bearer other",
        "Bearer é",
    ],
)
def test_a_wrong_token(guarded, refused, given):
    headers = {} if given is None else {"Authorization": given.encode("utf-8")}
    for path in ("/v1/models", "/metrics", "/v1/nothing"):
        response = guarded.client.get(path, headers=headers)
        assert "Bearer" in refused(response, 401, "unauthorized")
        assert response.headers["www-authenticate"] == "Bearer"
    refused(guarded.client.post("/v1/align", json={}, headers=headers), 401, "unauthorized")


def test_the_right_token_and_what_needs_none(guarded):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.align(headers, source="one", target="eins").status_code == 200
    assert guarded.get("/metrics", headers=headers).status_code == 200
    assert guarded.get("/healthz").status_code == 200
    document = guarded.get("/openapi.json").json()
    assert document["paths"]["/v1/align"]["post"]["security"] == [{"token": []}]


def test_a_token_from_the_environment(start_server):
    with start_server(WORDALIGN_TOKEN=TOKEN) as server:
        assert server.get("/v1/models").status_code == 401
        assert server.get("/v1/models", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_other_web_sites_get_in_only_if_they_are_named(server, guarded):
    ask = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    good = {"Origin": "https://example.org"}
    bad = {"Origin": "https://evil.example"}
    assert "access-control-allow-origin" not in server.get("/healthz", headers=good).headers
    assert server.client.options("/v1/align", headers={**good, **ask}).status_code == 405
    assert guarded.get("/healthz", headers=good).headers["access-control-allow-origin"] == good["Origin"]
    assert "access-control-allow-origin" not in guarded.get("/healthz", headers=bad).headers
    allowed = guarded.client.options("/v1/align", headers={**good, **ask})
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, good["Origin"])
    assert guarded.client.options("/v1/align", headers={**bad, **ask}).status_code == 400
    # A refusal can be read by the site, too.
    assert guarded.get("/v1/models", headers=good).headers["access-control-allow-origin"] == good["Origin"]


def test_only_names_of_this_machine_are_answered(server, refused, start_server):
    for host in ("evil.example", f"evil.example:{server.port}", "localhost.evil.example", "127.0.0.1.evil"):
        refused(server.get("/healthz", headers={"Host": host}), 421, "wrong_host")
    for host in ("localhost", f"LOCALHOST:{server.port}", "127.0.0.1", f"[::1]:{server.port}"):
        assert server.get("/healthz", headers={"Host": host}).status_code == 200
    with start_server("--allow-host", "align.example") as named:
        assert named.get("/healthz", headers={"Host": "align.example"}).status_code == 200


def test_other_machines_and_their_names(start_server, refused):
    """Beyond loopback the Host header is checked where names are given, and an open door is told."""
    with start_server("--host", "0.0.0.0", "--allow-host", "align.example") as server:
        assert server.url == f"http://align.example:{server.port}/"
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", trust_env=False) as client:
            refused(client.get("/healthz", headers={"Host": "evil.example"}), 421, "wrong_host")
            for host in ("align.example", f"ALIGN.example:{server.port}", "localhost", "127.0.0.1"):
                assert client.get("/healthz", headers={"Host": host}).status_code == 200
        server.stop()
        said = server.process.stderr.read()
        assert "asks for no token" in said
        assert "WORDALIGN_TOKEN" in said
    with start_server("--host", "0.0.0.0", WORDALIGN_TOKEN=TOKEN) as server:
        assert server.get("/healthz").status_code == 200, "the address that is printed can be used"
        assert "//0.0.0.0" not in server.url
        server.stop()
        assert server.process.stderr.read() == ""


def test_files_of_the_page_and_no_others(server):
    index = server.get("/")
    assert index.status_code == 200
    assert index.headers["content-type"] == "text/html; charset=utf-8"
    policy = index.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "img-src 'self' data: blob:" in policy
    assert index.headers["x-content-type-options"] == "nosniff"
    assert server.get("/annotate.html").headers["content-security-policy"] == policy
    for name, kind in [
        ("index.html", "text/html"),
        ("methods.js", "text/javascript"),
        ("annotate/project.js", "text/javascript"),
        ("base.css", "text/css"),
    ]:
        found = server.get(f"/page/{name}")
        assert (found.status_code, found.headers["content-type"].split(";")[0]) == (200, kind)


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py", "/page/..%2fapp.py", "/page/%2e%2e/app.py", "/page/..\\app.py",
        "/page//etc/passwd",
        "/page/%2fetc%2fpasswd", "/page/", "/page/.", "/page/..", "/page/index.html%00",
        "/page/..;/app.py", "/../../etc/passwd", "//etc/passwd", "/page/app.py", "/page/%ff",
        "/page/file:///etc/passwd", "/page/" + "a" * 5000,
    ],
)  # fmt: skip
def test_paths_reach_no_file(server, path):
    """Sent as they are: a client would tidy them first."""
    with server.connect() as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        data = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = data.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 404"), head
    assert json.loads(body)["error"]["code"] == "not_found"


@pytest.fixture
def command():
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "wordalign", "serve", *arguments],
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    return run


def test_what_is_wrong_at_the_start_is_told_at_once(command, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = command("--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "in use" in done.stderr
    empty = tmp_path / "token"
    empty.write_text("two words\n")
    for arguments, said in [
        (("--token-file", str(empty)), "no usable token"),
        (("--token-file", str(tmp_path / "none")), "Cannot read the token"),
        (("--host", "no.such.host.invalid"), "Cannot serve on no.such.host.invalid"),
        (("--port", "0", "--model", "bas"), "Did you mean 'base'"),
        (("--port", "99999"), "not a port"),
        (("--max-queue", "0"), "not a number above 0"),
    ]:
        done = command(*arguments)
        assert done.returncode in (1, 2)
        assert said in done.stderr
        assert "Traceback" not in done.stderr


def test_a_failure_inside_shows_no_traceback(monkeypatch):
    """In this process: a real server has no failure to show."""
    import uvicorn

    from wordalign.serve import Settings
    from wordalign.serve.app import create_app
    from wordalign.serve.server import bind, url_of
    from wordalign.serve.work import Work

    def fail(*_):
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(Work, "_group", fail)
    with bind("127.0.0.1", 0) as bound:
        server = uvicorn.Server(uvicorn.Config(create_app(Settings(models=("tiny",))), log_level="critical"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            with httpx.Client(base_url=url_of(bound), timeout=60, trust_env=False) as client:
                response = client.post("/v1/align", json={"source": "one", "target": "eins"})
                assert client.get("/healthz").status_code == 200
        finally:
            server.should_exit = True
            thread.join()
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "internal_error"
    assert "secret" not in response.text
    assert response.headers["x-content-type-options"] == "nosniff"


def test_the_command_line_loads_nothing_of_the_service_until_it_serves():
    code = "import wordalign.cli, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"fastapi", "starlette", "uvicorn", "pydantic", "asyncio"} & set(done.stdout.split())


def test_a_missing_extra_is_named():
    code = "import sys; sys.modules['uvicorn'] = None; from wordalign.cli import main; main(['serve'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "pip install 'wordalign[serve]'" in done.stderr
