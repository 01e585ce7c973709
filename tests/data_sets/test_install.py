"""Getting sets from a real server: whole ones arrive, and whatever goes wrong leaves the cache as it was."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from threading import Event

import pytest

from data_sets.file_server import Answer
from data_sets.publish import made_up, publish, zipped
from wordalign.data import find, get, install, known_sets, lookup, where
from wordalign.errors import DownloadError, InputError, OutputError, UnknownNameError, WordalignError

COMMAND = [sys.executable, "-m", "wordalign", "data", "get"]


@pytest.fixture
def addresses(server):
    """Serves a made-up set in its publisher's layout; its addresses."""

    def serve(name, pairs=None):
        files = publish(lookup(name), made_up(name) if pairs is None else pairs)
        return [server.serve(f"/{name}/{file}", content) for file, content in files]

    return serve


def entries(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.mark.parametrize("name", known_sets())
def test_every_set_can_be_got_and_found(addresses, cache, name):
    pairs = made_up(name)
    done = get(name, urls=addresses(name, pairs))
    assert done.folder == cache / name == where(name)
    assert entries(cache) == [name]
    other = lookup(name).languages[1]
    assert entries(done.folder) == sorted(["eng.txt", f"{other}.txt", "gold.txt", "origin.json"])
    found = find(name)
    assert [sentence.words for sentence in found.source] == [pair.source for pair in pairs]
    assert [sentence.words for sentence in found.target] == [pair.target for pair in pairs]
    assert found.gold == [pair.gold for pair in pairs]


def test_what_is_there_is_not_downloaded_again(addresses, server):
    urls = addresses("eng-hin")
    get("eng-hin", urls=urls)
    assert get("eng-hin", urls=urls).counts is None
    assert len(server.asked) == 1
    assert get("eng-hin", urls=urls, force=True).counts == (90, 1408, 0)
    assert len(server.asked) == 2


def test_the_origin_is_written_down(addresses):
    urls = addresses("eng-hin")
    done = get("eng-hin", urls=urls)
    origin = json.loads((done.folder / "origin.json").read_text("utf-8"))
    assert origin["addresses"] == urls
    assert tuple(origin["sha256"]) == done.sha256
    assert (origin["sentences"], origin["sure"], origin["possible"]) == (90, 1408, 0)
    assert origin["licence"] == lookup("eng-hin").licence


def test_a_file_given_by_hand(tmp_path, cache):
    ((name, content),) = publish(lookup("eng-deu"), made_up("eng-deu"))
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DownloadError, match=r"goldAlignment.*wordalign data get eng-deu --url FILE"):
        get("eng-deu")
    with pytest.raises(InputError, match=r"not on this machine.*wordalign data get eng-deu --url FILE"):
        find("eng-deu")  # and does not promise what `get` refuses
    assert get("eng-deu", urls=[str(tmp_path / name)]).counts == (508, 9612, 921)


def test_a_set_in_our_own_layout_that_cannot_be_downloaded(cache):
    with pytest.raises(DownloadError, match=r"put eng\.txt, fas\.txt, gold\.txt into") as caught:
        get("eng-fas")
    assert str(cache / "eng-fas") in str(caught.value)
    assert "--url" not in str(caught.value)


def test_into_another_folder(addresses, tmp_path, cache, monkeypatch):
    urls = addresses("eng-hin")
    assert get("eng-hin", data=tmp_path / "a", urls=urls).folder == tmp_path / "a" / "eng-hin"
    monkeypatch.setenv("WORDALIGN_DATA", str(tmp_path / "b"))
    assert get("eng-hin", urls=urls).folder == tmp_path / "b" / "eng-hin"
    assert entries(cache) == []


def test_a_set_on_a_shelf_is_replaced_there(addresses, cache):
    urls = addresses("eng-hin")
    get("eng-hin", data=cache / "gold", urls=urls)
    assert get("eng-hin", urls=urls, force=True).folder == cache / "gold" / "eng-hin"
    assert entries(cache) == ["gold"]


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"x" * 1000, stop=500),
        Answer(b"x" * 1000, stop=500, chunked=True),
        Answer(b"", code=404),
        Answer(b"oops", code=500),
        Answer(b"<html>Please log in.</html>"),
        Answer(b""),
    ],
    ids=["truncated", "truncated chunk", "404", "500", "a page", "nothing"],
)
def test_failures_leave_nothing(server, cache, addresses, answer):
    with pytest.raises(WordalignError):
        get("eng-hin", urls=[server.serve("/set.tar.gz", answer)])
    assert entries(cache) == []
    assert where("eng-hin") is None
    assert get("eng-hin", urls=addresses("eng-hin")).counts is not None


@pytest.mark.parametrize("answer", [Answer(b"x" * 1000, stop=500), Answer(b"", code=404), Answer(b"<html>")])
def test_failures_leave_the_old_set_as_it_was(server, cache, addresses, answer):
    folder = get("eng-hin", urls=addresses("eng-hin")).folder
    before = {name: (folder / name).read_bytes() for name in entries(folder)}
    with pytest.raises(WordalignError):
        get("eng-hin", urls=[server.serve("/set.tar.gz", answer)], force=True)
    assert {name: (folder / name).read_bytes() for name in entries(folder)} == before
    assert entries(cache) == ["eng-hin"]


def test_a_changed_file_is_refused_from_the_second_download_on(addresses, server, cache):
    pairs = made_up("eng-hin")
    urls = addresses("eng-hin", pairs)
    first = get("eng-hin", urls=urls)
    urls = addresses("eng-hin", [pairs[1], pairs[0], *pairs[2:]])
    with pytest.raises(DownloadError, match=rf"not the expected file.*first download had {first.sha256[0]}"):
        get("eng-hin", urls=urls, force=True)
    assert find("eng-hin").source[0].words == pairs[0].source
    get("eng-hin", urls=urls, force=True, accept_changes=True)
    assert find("eng-hin").source[0].words == pairs[1].source


def test_a_registered_checksum_is_compared(addresses, monkeypatch, cache):
    """No registered set has one yet: one gets it here, as `sets.toml` would give it."""
    known = dataclasses.replace(lookup("eng-hin"), sha256=("0" * 64,))
    monkeypatch.setattr(install, "lookup", lambda name: known)
    urls = addresses("eng-hin")
    with pytest.raises(DownloadError, match="the registry names 0000") as caught:
        get("eng-hin", urls=urls)
    assert entries(cache) == []
    found = str(caught.value).partition("SHA-256 is ")[2][:64]
    known = dataclasses.replace(known, sha256=(found,))
    assert get("eng-hin", urls=urls).sha256 == (found,)


def test_other_counts_than_expected_are_refused(addresses, cache):
    urls = addresses("eng-hin", made_up("eng-hin")[:-1])
    with pytest.raises(
        InputError, match=r"eng-hin has 89 sentences, where 90 were expected.*--accept-changes"
    ):
        get("eng-hin", urls=urls)
    assert entries(cache) == []
    assert get("eng-hin", urls=urls, accept_changes=True).counts.sentences == 89


@pytest.mark.parametrize("file", ["eng.txt", "gold.txt"])
def test_what_a_user_put_there_is_never_replaced(addresses, cache, file):
    (cache / "eng-hin").mkdir(parents=True)
    (cache / "eng-hin" / file).write_text("mine\n")
    with pytest.raises(OutputError, match="move it away"):
        get("eng-hin", urls=addresses("eng-hin"), force=True)
    assert (cache / "eng-hin" / file).read_text() == "mine\n"


def test_files_that_a_user_put_beside_a_set_are_never_deleted(addresses, cache):
    urls = addresses("eng-hin")
    folder = get("eng-hin", urls=urls).folder
    (folder / "notes.md").write_text("years of work")
    with pytest.raises(OutputError, match=r"holds notes\.md, .*move it away"):
        get("eng-hin", urls=urls, force=True)
    assert (folder / "notes.md").read_text() == "years of work"


def test_hidden_folders_of_others_are_never_deleted(addresses, cache):
    (cache / ".get-well-soon").mkdir(parents=True)
    os.utime(cache / ".get-well-soon", (0, 0))
    get("eng-hin", urls=addresses("eng-hin"))
    assert entries(cache) == [".get-well-soon", "eng-hin"]


def test_a_checksum_is_compared_before_the_archive_is_opened(server, monkeypatch, cache):
    known = dataclasses.replace(lookup("eng-hin"), sha256=("0" * 64,))
    monkeypatch.setattr(install, "lookup", lambda name: known)
    with pytest.raises(DownloadError, match="not the expected file"):
        get("eng-hin", urls=[server.serve("/set.zip", zipped({"../evil": b"x"}))])


def test_a_folder_that_cannot_be_written(addresses, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match=r"Cannot write to the data folder .*--data DIR"):
        get("eng-hin", data=tmp_path / "file" / "data", urls=addresses("eng-hin"))
    with pytest.raises(UnknownNameError):
        get("../eng-hin", data=tmp_path)


def started(scratch, url):
    """A `get` in a process of its own, in the middle of its download."""
    process = subprocess.Popen(
        [*COMMAND, "eng-hin", "--url", url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if any(path.stat().st_size for path in scratch.glob("*/download-0")):
            return process
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.kill()
    raise AssertionError("the download never began")


@pytest.fixture
def halfway(server):
    """An answer that stops in the middle and goes on when told."""
    ((_, content),) = publish(lookup("eng-hin"), made_up("eng-hin"))
    content += os.urandom(1 << 20)  # after the end of the archive: enough to see it on disk
    return Answer(content, stop=len(content) // 2, stall=Event())


def test_killed_midway(cache, tmp_path, server, halfway, addresses):
    process = started(tmp_path, server.serve("/slow.tar.gz", halfway))
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert where("eng-hin") is None
    assert entries(cache) == []
    assert get("eng-hin", urls=addresses("eng-hin")).counts is not None
    assert entries(cache) == ["eng-hin"]


def test_interrupted_midway(cache, tmp_path, server, halfway):
    process = started(tmp_path, server.serve("/slow.tar.gz", halfway))
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (130, b"wordalign: Interrupted.\n")
    assert entries(cache) == []
    assert not list(tmp_path.glob("*/download-0"))


def test_two_at_once_do_not_disturb_each_other(cache, tmp_path, server, halfway, addresses):
    process = started(tmp_path, server.serve("/slow.tar.gz", halfway))
    get("eng-ita.xlwa-dev", urls=addresses("eng-ita.xlwa-dev"))
    halfway.stall.set()
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (0, b"")
    assert entries(cache) == ["eng-hin", "eng-ita.xlwa-dev"]


def test_a_zip_of_a_folder(server):
    files = {f"x/{name}.txt": text for name, text in (("eng", b"a\n"), ("fas", b"b\n"), ("gold", b"0-0\n"))}
    url = server.serve("/eng-fas.zip", zipped(files))
    assert get("eng-fas", urls=[url], accept_changes=True).counts == (1, 1, 0)
