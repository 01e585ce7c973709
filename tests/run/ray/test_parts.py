"""What one worker does with a shard, without a cluster: the part, its record, what becomes of bad lines."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import replace

import pytest

from wordalign.config import AlignConfig
from wordalign.errors import InputError, OutputError
from wordalign.io.records import Parser
from wordalign.run import RunConfig
from wordalign.run.ray.parts import (
    TRIES,
    Manifest,
    check_folder,
    finished_parts,
    part_name,
    read_manifest,
    read_part,
    tidy,
)
from wordalign.run.ray.places import Place
from wordalign.run.ray.shards import Source, find_shards, identities
from wordalign.run.ray.worker import GIVEN_UP, ShardAligner, Task, failure_of, part_in, shard_row

PAIRS = [
    "The museum is closed .\tDas Museum ist geschlossen .",
    "",
    "Yes\tJa",
    "Thank you\tDanke",
    "No\tNein",
]


@pytest.fixture
def corpus(tmp_path):
    """A folder with a TSV file, its shards of two lines, and where the parts go."""
    file = tmp_path / "pairs.tsv"
    file.write_text("\n".join(PAIRS) + "\n", "utf-8")
    source = Source((Place.at(str(file)),))
    return file, find_shards(source, 2, "tsv"), Place.at(str(tmp_path / "out"))


@pytest.fixture(scope="module")
def parser():
    return Parser(("none",), "bars")


def aligner(folder, parser, compress=None, **options):
    config = RunConfig(parser, AlignConfig("tiny"), **options)
    return ShardAligner(Task(config, parser, folder, "tsv", compress=compress))


def align(worker, number, shard, name=None):
    """The answer of a worker that is given a shard."""
    row = shard_row(name or part_name(number, "pharaoh", None), shard)
    return {key: values[0] for key, values in worker({key: [value] for key, value in row.items()}).items()}


def contents(folder):
    return {place.path.removeprefix(f"{folder.path}/") for place, _ in folder.inside(recursive=True)}


def test_a_shard_becomes_a_part_with_a_record(corpus, parser):
    _, shards, folder = corpus
    worker = aligner(folder, parser)
    parts = [part_in(align(worker, number, shard)) for number, shard in enumerate(shards)]
    assert [part.rows for part in parts] == [2, 2, 1]
    stored = [folder.child(part.name).open().read() for part in parts]
    assert [line.split()[0] for line in b"".join(stored).decode().split("\n")[:-1] if line] == ["0-0"] * 4
    assert b"".join(stored).split(b"\n")[1] == b""
    assert [hashlib.sha256(content).hexdigest() for content in stored] == [part.sha256 for part in parts]
    assert finished_parts(folder) == {part.name: part for part in parts}
    assert not [name for name in contents(folder) if name.endswith((".tmp", "errors.jsonl"))]


def test_a_part_that_is_there_is_not_made_again(corpus, parser, tmp_path):
    file, shards, folder = corpus
    part = part_in(align(aligner(folder, parser), 0, shards[0]))
    file.write_text("something\telse\n" * 5)
    assert part_in(align(aligner(folder, parser), 0, shards[0])) == part
    (tmp_path / "out" / part.name).write_text("cut off")
    assert read_part(folder, part.name) is None
    assert finished_parts(folder, [part]) == {}
    assert "has changed" in str(failure_of(align(aligner(folder, parser), 0, shards[0])))


def test_compressed_parts_hold_the_same_lines(corpus, parser, tmp_path):
    _, shards, folder = corpus
    align(aligner(folder, parser), 0, shards[0])
    align(aligner(folder, parser, "gz"), 1, shards[0], "part-00001.txt.gz")
    packed = gzip.decompress((tmp_path / "out/part-00001.txt.gz").read_bytes())
    assert packed == (tmp_path / "out/part-00000.txt").read_bytes()


def test_a_bad_line_stops_or_is_skipped(corpus, parser, tmp_path):
    file, _, folder = corpus
    file.write_bytes(b"Yes\tJa\nno tab\n\xff\tx\nNo\tNein\n")
    (shard,) = find_shards(Source((Place.at(str(file)),)), 10, "tsv")
    failure = failure_of(align(aligner(folder, parser), 0, shard))
    assert isinstance(failure, InputError)
    assert "pairs.tsv, line 2: expected source, TAB, target" in str(failure)
    assert contents(folder) == {f"tried/part-00000/{name}" for name in tried(folder)}
    part = part_in(align(aligner(folder, parser, on_error="skip"), 0, shard))
    assert (part.rows, part.errors) == (4, 2)
    assert (tmp_path / "out/part-00000.txt").read_text() == "0-0\n\n\n0-0\n"
    errors = (tmp_path / "out/part-00000.errors.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["line"] for line in errors] == [2, 3]


def test_numbers_of_lines_are_those_of_the_file(corpus, parser, tmp_path):
    file, _, folder = corpus
    file.write_text("a\tb\n" * 5 + "no tab\n")
    shards = find_shards(Source((Place.at(str(file)),)), 4, "tsv")
    align(aligner(folder, parser, on_error="skip"), 1, shards[1])
    (line,) = (tmp_path / "out/part-00001.errors.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["line"] == 6
    assert "pairs.tsv, line 6" in json.loads(line)["reason"]


def test_a_shard_that_kills_its_workers_is_given_up(corpus, parser, tmp_path):
    _, shards, folder = corpus
    for number in range(TRIES):
        folder.child("tried/part-00000").child(str(number)).write(b"")
    assert align(aligner(folder, parser), 0, shards[0])["part"] == GIVEN_UP
    tidy(folder, records=False)
    assert part_in(align(aligner(folder, parser), 0, shards[0])).rows == 2


def test_what_cannot_be_written_is_said_and_leaves_nothing(corpus, parser, tmp_path):
    _, shards, folder = corpus
    (tmp_path / "out").mkdir()
    (tmp_path / "out/finished").write_text("a file in the way")
    failure = failure_of(align(aligner(folder, parser), 0, shards[0]))
    assert isinstance(failure, OutputError)
    assert "Cannot write" in str(failure)
    assert not list((tmp_path / "out").glob(".*"))


def test_a_manifest_is_read_back(corpus, parser):
    file, shards, folder = corpus
    part = part_in(align(aligner(folder, parser), 0, shards[0]))
    sources = [Source((Place.at(str(file)),))]
    names = [part_name(number, "pharaoh", None) for number in range(3)]
    manifest = Manifest({"raw": False}, identities(sources), shards, names, {part.name: part})
    manifest.write(folder)
    assert read_manifest(folder, sources) == manifest
    assert [name for name, _ in manifest.missing()] == names[1:]
    assert not manifest.complete
    assert replace(manifest, done=dict.fromkeys(names, part)).complete
    folder.child("manifest.json").write(b"{}")
    with pytest.raises(OutputError, match=r"manifest\.json is not what wordalign writes there"):
        read_manifest(folder, sources)


def test_folders_of_others_are_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(OutputError, match="holds other files"):
        check_folder(Place.at(str(tmp_path)))
    with pytest.raises(OutputError, match="is a file"):
        check_folder(Place.at(str(tmp_path / "mine.txt")))
    check_folder(Place.at(str(tmp_path / "new")))


def tried(folder):
    return [place.name for place, _ in folder.child("tried/part-00000").inside()]
