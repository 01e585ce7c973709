"""An input cut into shards and read back: nothing lost, nothing twice, nothing taken for another."""

from __future__ import annotations

import gzip
import json

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.errors import InputError, UsageError
from wordalign.io import lines
from wordalign.io.records import Records
from wordalign.run.ray.places import Place
from wordalign.run.ray.shards import Shard, Source, find_shards, find_sources, read_shard

# Bytes that are not UTF-8 too, but not the first ones of a compressed file.
LINE = st.lists(st.sampled_from([b"a", b"\r", b" ", b"\xff"]), max_size=4).map(b"".join)
SIDE = st.text("ab ", max_size=3)


def source(*files):
    return Source(tuple(Place.at(str(file)) for file in files))


def records(shards, pair_format=None, **options):
    return [record for shard in shards for record in read_shard(shard, pair_format, **options)]


@given(lines=st.lists(LINE, max_size=12), ended=st.booleans(), size=st.integers(1, 5))
def test_shards_of_a_file_are_its_records(tmp_path_factory, lines, ended, size):
    file = tmp_path_factory.mktemp("cut") / "pairs.txt"
    file.write_bytes(b"\n".join(lines) + (b"\n" if ended and lines else b""))
    shards = find_shards(source(file), size, "bars")
    assert records(shards) == list(Records((file,)))
    assert all(shard.lines == size for shard in shards[:-1])
    assert all(1 <= shard.lines <= size for shard in shards[-1:])


@given(pairs=st.lists(st.tuples(SIDE, SIDE)), size=st.integers(1, 4))
def test_shards_of_two_files_stay_parallel(tmp_path_factory, pairs, size):
    folder = tmp_path_factory.mktemp("two")
    files = [folder / "eng.txt", folder / "deu.txt"]
    for side, file in enumerate(files):
        file.write_text("".join(f"{pair[side]}\n" for pair in pairs))
    assert records(find_shards(source(*files), size, None)) == list(Records(files))


def test_a_compressed_file_is_one_shard_whatever_its_name(tmp_path):
    content = b"one\ntwo\nthree\n"
    (tmp_path / "plain.txt").write_bytes(content)
    for name in ("packed.txt.gz", "misnamed.txt"):
        (tmp_path / name).write_bytes(gzip.compress(content))
        (shard,) = find_shards(source(tmp_path / name), 2, "bars")
        assert records([shard]) == list(Records((tmp_path / "plain.txt",)))
        (both,) = find_shards(source(tmp_path / "plain.txt", tmp_path / name), 2, None)
        assert [record.lines for record in records([both])] == [(line, line) for line in content.split()]


@pytest.mark.parametrize("group", [2, 3, 100])
def test_rows_of_parquet_are_lines_of_json(tmp_path, group):
    rows = [{"source": f"s{n}", "target": [f"t{n}", "é"]} for n in range(7)]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "a.parquet", row_group_size=group)
    shards = find_shards(source(tmp_path / "a.parquet"), 3, "parquet")
    assert [(shard.before, shard.lines) for shard in shards] == [(0, 3), (3, 3), (6, 1)]
    for shard in shards:
        again = Shard.of(shard.source, json.loads(json.dumps(shard.facts())))
        assert again == shard
    assert [json.loads(record.lines[0]) for record in records(shards, "parquet")] == rows
    assert [record.number for record in records(shards, "parquet")] == list(range(1, 8))


def test_columns_of_parquet_by_name_and_by_field(tmp_path):
    rows = [{"id": n, "translation": {"en": f"s{n}", "de": None if n else "t"}} for n in range(2)]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    (shard,) = find_shards(source(tmp_path / "a.parquet"), 3, "parquet")
    found = records([shard], "parquet", columns=("translation.en", "translation.de"))
    assert [json.loads(record.lines[0]) for record in found] == [
        {"source": "s0", "target": "t"},
        {"source": "s1", "target": None},
    ]
    with pytest.raises(InputError, match="no column 'source', but id, translation"):
        records([shard], "parquet")


def test_what_changed_after_the_cut_is_refused(tmp_path):
    file = tmp_path / "pairs.txt"
    file.write_bytes(b"one\ntwo\nthree\n")
    shards = find_shards(source(file), 2, "bars")
    file.write_bytes(b"one\ntwo\nTHREE\n")
    assert len(records(shards[:1])) == 2
    with pytest.raises(InputError, match=r"pairs\.txt has changed since this run was begun"):
        records(shards[1:])
    file.write_bytes(b"one\n")
    with pytest.raises(InputError, match="has changed"):
        records(shards[:1])
    parquet.write_table(arrow.table({"source": ["a"], "target": ["b"]}), tmp_path / "a.parquet")
    (shard,) = find_shards(source(tmp_path / "a.parquet"), 2, "parquet")
    parquet.write_table(arrow.table({"source": ["c"], "target": ["b"]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="has changed"):
        records([shard], "parquet")


def test_folders_hold_files_in_order_and_hidden_ones_do_not_count(tmp_path):
    for name in ("b.tsv", "a.tsv.gz", "below/c.tsv", ".hidden.tsv", "_SUCCESS", "_logs/d.tsv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    sources, pair_format = find_sources([str(tmp_path)], None)
    assert pair_format == "tsv"
    assert [found.files[0].path.removeprefix(f"{tmp_path}/") for found in sources] == [
        "a.tsv.gz", "b.tsv", "below/c.tsv",
    ]  # fmt: skip
    (tmp_path / "e.jsonl").write_bytes(b"")
    with pytest.raises(UsageError, match="different formats"):
        find_sources([str(tmp_path)], None)
    assert find_sources([str(tmp_path)], "bars")[1] == "bars"


def test_folders_go_together_by_name(tmp_path):
    for name in ("en/x.en", "en/y.en.gz", "de/y.de", "de/x.de.zst"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    sources, pair_format = find_sources([str(tmp_path / "en"), str(tmp_path / "de")], None)
    assert pair_format is None
    assert [[file.name for file in found.files] for found in sources] == [
        ["x.en", "x.de.zst"], ["y.en.gz", "y.de"],
    ]  # fmt: skip
    (tmp_path / "en/z.en").write_bytes(b"")
    with pytest.raises(InputError, match=r"not parallel: z is in one of them only \(3 and 2 files\)"):
        find_sources([str(tmp_path / "en"), str(tmp_path / "de")], None)
    (tmp_path / "en/z.en").rename(tmp_path / "en/x.en.gz")
    with pytest.raises(InputError, match=r"not parallel \(3 and 2 files\)"):
        find_sources([str(tmp_path / "en"), str(tmp_path / "de")], None)


def test_a_line_that_is_too_long_is_named_by_its_number_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 8)
    (tmp_path / "one.txt").write_text("a\nb\nc\nlonger than 8\n")
    shards = find_shards(source(tmp_path / "one.txt"), 2, None)
    with pytest.raises(InputError, match="line 4: longer than"):
        records(shards)


def test_places_are_paths_or_uris(tmp_path):
    (tmp_path / "a b").mkdir()
    for name in (str(tmp_path / "a b"), f"file://{tmp_path}/a%20b"):
        place = Place.at(name).child("c").child("d.txt")
        place.write(b"one")
        place.write(b"two")
        assert str(place) == f"{tmp_path}/a b/c/d.txt"
        assert (tmp_path / "a b/c/d.txt").read_bytes() == b"two"
        assert [found.name for found, _ in Place.at(name).inside(recursive=True)] == ["d.txt"]
    assert str(Place("s3://key:secret@bucket/x?region=y", "bucket/x").child("y")) == "s3://bucket/x/y"


def test_inputs_that_cannot_be(tmp_path):
    (tmp_path / "one.txt").write_text("a\nb\n")
    (tmp_path / "two.txt").write_text("a\n")
    (tmp_path / "no.parquet").write_text("PAR1")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"one\.txt has 2 lines, .*two\.txt has 1"):
        find_shards(source(tmp_path / "one.txt", tmp_path / "two.txt"), 1, None)
    with pytest.raises(InputError, match="is no Parquet file"):
        find_shards(source(tmp_path / "no.parquet"), 1, "parquet")
    with pytest.raises(InputError, match="There is no file or folder"):
        find_sources([str(tmp_path / "nowhere")], None)
    with pytest.raises(InputError, match="holds no files"):
        find_sources([str(tmp_path / "empty")], None)
    with pytest.raises(UsageError, match="no file system that Arrow knows"):
        find_sources(["gopher://x/y"], None)
    with pytest.raises(UsageError, match="not standard input"):
        find_sources(["-"], None)
