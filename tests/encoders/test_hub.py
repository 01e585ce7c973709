"""Models from a hub: a real server on the loopback address, a real client process with a fresh cache."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hub_server import COMMIT, Hub

# One process for many commands: it takes seconds to import the libraries, and the libraries read the
# hub's address when they are imported.
CLIENT = """
import json, sys
from wordalign.cli import main
for line in sys.stdin:
    print(main(json.loads(line)), flush=True)
"""


class Ran(NamedTuple):
    code: int
    links: str
    said: str


class Client:
    """Runs `wordalign align` with the hub's address and a cache of its own."""

    def __init__(self, folder: Path, hub: Hub) -> None:
        self.cache = folder / "home/hub"
        self.environment = {
            **{name: value for name, value in os.environ.items() if "proxy" not in name.lower()},
            "HF_ENDPOINT": hub.url,
            "HF_HOME": str(folder / "home"),
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }
        self.environment.pop("HF_HUB_OFFLINE", None)
        self._pairs, self._links, self._said = folder / "pairs.txt", folder / "links", folder / "stderr"
        self._pairs.write_text("Das ist ein Haus . ||| This is a house .\n", "utf-8")
        with self._said.open("w") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-c", CLIENT],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                env=self.environment,
            )

    def arguments(self, model: str | Path, *more: str) -> list[str]:
        """Of a command whose output names the model's commit."""
        options = ["--model", str(model), "--format", "jsonl", "--layer", "2"]
        return ["align", str(self._pairs), *options, *more]

    def align(self, model: str | Path, *more: str) -> Ran:
        self._links.unlink(missing_ok=True)
        before = len(self._said.read_text("utf-8"))
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        command = [*self.arguments(model, *more), "-o", str(self._links)]
        print(json.dumps(command), file=self._process.stdin, flush=True)
        code = self._process.stdout.readline()
        said = self._said.read_text("utf-8")[before:]
        assert code, said
        assert "Traceback" not in said
        return Ran(int(code), self._links.read_text("utf-8") if self._links.exists() else "", said)

    def close(self) -> None:
        self._process.communicate(timeout=30)


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    hub = Hub()
    yield hub
    hub.stop()


@pytest.fixture(scope="module")
def client(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    client = Client(tmp_path_factory.mktemp("client"), hub)
    yield client
    client.close()


class Commands(NamedTuple):
    """Processes of their own, started early because each takes seconds to import its libraries."""

    hub: Hub
    links: str
    offline: subprocess.Popen[str]
    unknown: subprocess.Popen[str]


@pytest.fixture(scope="module", autouse=True)
def commands(hub: Hub, client: Client, tiny_model: Callable[[str], Path]) -> Iterator[Commands]:
    """`wordalign align` with a cached model in offline mode, and with a model that an empty hub lacks."""
    hub.repositories["some/tiny"] = tiny_model("bert")
    links = client.align("some/tiny").links
    empty = Hub()

    def start(model: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "wordalign", *client.arguments(model)],
            env={**client.environment, "HF_ENDPOINT": empty.url, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    offline, unknown = start("some/tiny", HF_HUB_OFFLINE="1"), start("some/thing-unknown")
    yield Commands(empty, links, offline, unknown)
    for process in (offline, unknown):
        process.kill()
        process.wait()
    empty.stop()


@pytest.fixture
def repository(hub: Hub, tiny_model: Callable[[str], Path], tmp_path: Path) -> Iterator[Path]:
    """The folder behind `name`, to be changed at will; nothing of it is in the cache yet."""
    folder = tmp_path / "repository"
    shutil.copytree(tiny_model("bert"), folder)
    hub.repositories[f"some/{tmp_path.name}"] = folder
    yield folder
    del hub.repositories[f"some/{tmp_path.name}"]
    hub.refusal = hub.break_off = None


@pytest.fixture
def name(repository: Path) -> str:
    return f"some/{repository.parent.name}"


def links_of(ran: Ran) -> object:
    return json.loads(ran.links)["links"]


def test_a_download_gives_the_links_that_the_folder_gives(
    client: Client, repository: Path, name: str
) -> None:
    downloaded, local = client.align(name), client.align(repository)
    assert downloaded.code == local.code == 0
    assert links_of(downloaded) == links_of(local) != []


def test_the_signature_names_the_commit_and_all_files_are_of_it(client: Client, hub: Hub, name: str) -> None:
    signature = json.loads(client.align(name).links)["signature"]
    assert signature.startswith(f"{name}@{COMMIT[:8]} | layer=2")
    weights = [request for request in hub.asked if name in request and "safetensors" in request]
    assert f"GET /{name}/resolve/{COMMIT}/model.safetensors" in weights
    assert not [request for request in weights if "/main/" in request]


def test_a_cached_model_is_not_fetched_again(client: Client, hub: Hub, name: str) -> None:
    first = client.align(name)
    hub.asked.clear()
    assert client.align(name).links == first.links
    assert not [request for request in hub.asked if request.startswith("GET") and "/resolve/" in request]


def test_a_cached_model_works_at_once_when_the_hub_is_gone(client: Client, hub: Hub, name: str) -> None:
    first = client.align(name)
    with hub.gone():
        again = client.align(name)
    assert again.links == first.links != ""
    assert "Retrying" not in again.said


def test_a_cached_model_works_when_the_hub_is_out_of_order(client: Client, hub: Hub, name: str) -> None:
    first = client.align(name)
    hub.refusal = (500, {})
    again = client.align(name)
    assert again.links == first.links != ""
    assert "Retrying" not in again.said


def test_an_unknown_revision_is_told_from_an_unknown_model(client: Client, name: str) -> None:
    ran = client.align(name, "--revision", "v9")
    assert ran.code == 1
    assert f"The model '{name}' has no such revision" in ran.said


def test_a_gated_model_says_how_to_get_access(client: Client, hub: Hub, name: str) -> None:
    hub.refusal = (403, {"X-Error-Code": "GatedRepo"})
    ran = client.align(name)
    assert ran.code == 1
    assert f"The model '{name}' is gated" in ran.said
    assert "hf auth login" in ran.said


def test_a_hub_out_of_order_is_waited_for_once_then_explained(client: Client, hub: Hub, name: str) -> None:
    hub.refusal = (500, {"Retry-After": "0"})  # a wait of a second, and not of up to eight
    ran = client.align(name)
    assert ran.code == 1
    assert f"wordalign: The model '{name}' could not be fetched from {hub.url}" in ran.said
    assert "500" in ran.said.splitlines()[-1]
    assert ran.said.count("[Retry 1/5]") == 1


def test_an_interrupted_download_is_explained_and_the_next_one_completes_it(
    client: Client, hub: Hub, repository: Path, name: str
) -> None:
    hub.break_off = "model.safetensors"
    broken = client.align(name)
    assert (broken.code, broken.links) == (1, "")
    assert f"wordalign: The model '{name}' could not be fetched" in broken.said
    cached = client.cache / f"models--{name.replace('/', '--')}"
    assert list(cached.rglob("tokenizer.json"))
    assert not list(cached.rglob("*.safetensors"))

    hub.break_off = None
    hub.asked.clear()
    assert links_of(client.align(name)) == links_of(client.align(repository))
    fetched = [request for request in hub.asked if request.startswith("GET") and "/resolve/" in request]
    assert fetched == [f"GET /{name}/resolve/{COMMIT}/model.safetensors"]


class Trap:
    """Unpickled, it leaves a file behind."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("where", ["hub", "folder"])
def test_weights_that_can_hold_code_are_refused_unopened(
    client: Client, repository: Path, name: str, tmp_path: Path, where: str
) -> None:
    (repository / "model.safetensors").unlink()
    (repository / "pytorch_model.bin").write_bytes(pickle.dumps(Trap(tmp_path / "opened")))
    ran = client.align(name if where == "hub" else repository)
    assert ran.code == 1
    assert "has no model.safetensors" in ran.said
    assert "save_pretrained writes safetensors" in ran.said
    assert not (tmp_path / "opened").exists()
    assert not list(client.cache.rglob("pytorch_model.bin"))


@pytest.mark.parametrize("where", ["hub", "folder"])
def test_code_of_a_repository_is_never_run(
    client: Client, repository: Path, name: str, tmp_path: Path, where: str
) -> None:
    (repository / "theirs.py").write_text(f"import os\nos.mkdir({str(tmp_path / 'ran')!r})\n")
    config = json.loads((repository / "config.json").read_text())
    config |= {"model_type": "theirs", "auto_map": {"AutoConfig": "theirs.A", "AutoModel": "theirs.B"}}
    (repository / "config.json").write_text(json.dumps(config))
    ran = client.align(name if where == "hub" else repository)
    assert ran.code == 1
    assert "custom code" in ran.said
    assert not (tmp_path / "ran").exists()


def test_a_cached_model_works_in_offline_mode_without_a_question(commands: Commands) -> None:
    links, said = commands.offline.communicate(timeout=60)
    assert (commands.offline.returncode, links, said) == (0, commands.links, "")
    assert not [request for request in commands.hub.asked if "some/tiny" in request]


def test_an_unknown_model_is_named_in_one_line_with_exit_code_1(commands: Commands) -> None:
    links, said = commands.unknown.communicate(timeout=60)
    assert (commands.unknown.returncode, links) == (1, "")
    assert said.startswith(f"wordalign: There is no model 'some/thing-unknown' on {commands.hub.url}")
    assert len(said.splitlines()) == 1
