"""Every publisher's layout comes out as the same pairs, and damaged ones are refused with a sentence."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_sets.publish import made_up, publish, tarred, zipped
from wordalign.data import archive, known_sets, lookup, where
from wordalign.data.archive import Members
from wordalign.data.convert import Aligned, convert, patterns
from wordalign.errors import InputError
from wordalign.io import read_lines
from wordalign.io.gold import parse_gold
from wordalign.types import GoldAlignment


def unpack(folder, name, files):
    """Through the archive reader and the converter, as `get` does it."""
    known, members = lookup(name), Members()
    for file_name, content in files:
        path = folder / file_name
        path.write_bytes(content)
        members.add(path, file_name, patterns(known))
    return convert(members, known)


@pytest.mark.parametrize("name", known_sets())
def test_the_real_sets_there_and_back(tmp_path, data_folder, name):
    folder, known = where(name, data_folder), lookup(name)
    if folder is None:
        pytest.skip(f"no {name} here")
    columns = (read_lines(folder / f"{file}.txt") for file in (*known.languages, "gold"))
    pairs = [
        Aligned(tuple(source.split(" ")), tuple(target.split(" ")), parse_gold(links))
        for source, target, links in zip(*columns, strict=True)
    ]
    found, notes = unpack(tmp_path, name, publish(known, pairs))
    assert found == pairs
    assert notes == []
    assert "".join(f"{pair.gold_line()}\n" for pair in found) == (folder / "gold.txt").read_text("utf-8")


words = st.lists(st.text("aé.&<\u00a0", min_size=1, max_size=3), min_size=1, max_size=5).map(tuple)


@st.composite
def aligned(draw):
    source, target = draw(words), draw(words)
    cells = st.frozensets(
        st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1)), max_size=8
    )
    return Aligned(source, target, GoldAlignment(draw(cells), draw(cells)))


@pytest.mark.parametrize(
    "name", ["eng-fra", "eng-ron", "eng-ces", "eng-deu", "eng-deu.europarl2000", "eng-spa.xlwa-dev"]
)
@settings(max_examples=12)
@given(pairs=st.lists(aligned(), min_size=2, max_size=4).filter(lambda pairs: pairs[-1].gold.possible))
def test_any_pairs_there_and_back(tmp_path_factory, name, pairs):
    found, _ = unpack(tmp_path_factory.mktemp("set"), name, publish(lookup(name), pairs))
    assert found == pairs


def test_wpt_by_hand(tmp_path):
    files = {
        "English-French/test/test.e": b"<s snum=0001> hear , hear ! </s>\n<s snum=0002> the  coffee </s>\n",
        "English-French/test/test.f": "<s snum=0001> bravo ! </s>\n<s snum=0002> le café </s>\n".encode(
            "latin-1"
        ),
        "English-French/answers/test.wa.nonullalign": (
            b"0001 1 1 P\n0001 4 2 S\n0002 1 1\n\n0002 2 2 S 0.9\n0002 2 2 P\n"
        ),
    }
    pairs, _ = unpack(tmp_path, "eng-fra", [("English-French.test.tar.gz", tarred(files))])
    assert [pair.gold_line() for pair in pairs] == ["0p0 3-1", "0-0 1-1"]
    assert pairs[1].target == ("le", "café")


def test_rwth_by_hand(tmp_path):
    files = {
        "DeEn/de": "Wir glauben nicht , daß es geht .\n\n".encode("latin-1"),
        "DeEn/en": b"We do not believe it works .\n\n",
        "DeEn/alignmentDeEn.talp": b"1-1 2-4 2p2 3-3 6-5 7-6 8-7\n\n",
    }
    ((pair,), _) = unpack(tmp_path, "eng-deu", [("DeEnGoldAlignment.tar.gz", tarred(files))])
    assert pair.gold_line() == "0-0 1p1 2-2 3-1 4-5 5-6 6-7"
    assert pair.target[4] == "daß"


def test_where_counting_starts_is_seen_where_it_is_not_known(tmp_path):
    def first_line(links):
        files = {"x/test.en": b"yes .\n", "x/test.de": b"ja .\n", "x/de-en.wa": links}
        ((pair,), _) = unpack(tmp_path, "eng-deu.bicici", [("a.zip", zipped(files))])
        return pair.gold_line()

    assert first_line(b"1-1 2-2\n") == first_line(b"0-0 1-1\n") == "0-0 1-1"


def test_a_link_out_of_range_is_left_out_and_said(tmp_path):
    pairs = made_up("eng-hin")
    name, content = publish(lookup("eng-hin"), pairs)[0]
    files = contents(content)
    files["Some-Set/answers/test.wa.nonullalign"] += b"0090 99 1 S\n"
    found, notes = unpack(tmp_path, "eng-hin", [(name, tarred(files))])
    assert found == pairs
    assert notes == ["Left out a link to a word that is not there: 99-1 of sentence 90."]


def contents(packed):
    with tarfile.open(fileobj=io.BytesIO(packed)) as opened:
        return {member.name: opened.extractfile(member).read() for member in opened}


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("eng-hin", {"answers/test.wa.nonullalign": b"0091 1 1 S\n"}, "line 1: there is no sentence 91"),
        ("eng-hin", {"answers/test.wa.nonullalign": b"1-1 2-2\n"}, "expected `sentence word word S`"),
        ("eng-hin", {"answers/test.wa.nonullalign": b""}, "holds no links"),
        ("eng-hin", {"answers/test.wa.nonullalign": b"0001 70 70 S\n"}, "point to words that are not there"),
        ("eng-hin", {"answers/test.wa.nonullalign": None}, "has no file .*nonullalign.* It has Some-Set"),
        ("eng-hin", {"test/test.e": b"<s snum=0001> one </s>\n"}, "Sentence 2 of eng-hin is there in one"),
        ("eng-hin", {"test/test.h": b"<s snum=0001> \xfc </s>\n"}, "test.h, line 1: not utf-8"),
        ("eng-hin", {"test/more/test.e": b"<s snum=0001> one </s>\n"}, "second sentence"),
        ("eng-deu", {"/en": b"one\n"}, "not parallel: 1 and 509 lines of text"),
        ("eng-deu", {"/alignmentDeEn.talp": b"1+1\n" * 509}, "sentence 1: '1\\+1' is not a link"),
    ],
)  # fmt: skip
def test_damaged_sets(tmp_path, name, changes, said):
    files = contents(publish(lookup(name), made_up(name))[0][1])
    for file, content in changes.items():
        key = f"Some-Set/{file}" if name == "eng-hin" else f"Some{file}"
        files[key] = content
    files = {file: content for file, content in files.items() if content is not None}
    with pytest.raises(InputError, match=said):
        unpack(tmp_path, name, [("set.tar.gz", tarred(files))])


@pytest.mark.parametrize(
    "outside", ["../../evil.txt", "/etc/evil.txt", "a/../../evil.txt", "..\\evil.txt", "C:\\evil.txt"]
)
@pytest.mark.parametrize("pack", [tarred, zipped])
def test_no_member_leaves_the_archive(tmp_path, outside, pack):
    files = contents(publish(lookup("eng-hin"), made_up("eng-hin"))[0][1])
    with pytest.raises(InputError, match="outside of itself"):
        unpack(tmp_path, "eng-hin", [("set", pack({**files, outside: b"evil"}))])
    assert [path.name for path in tmp_path.rglob("*")] == ["set"]


def test_links_inside_an_archive_are_never_followed(tmp_path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as opened:
        member = tarfile.TarInfo("Some-Set/test.e")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        opened.addfile(member)
    with pytest.raises(InputError, match="has no file"):
        unpack(tmp_path, "eng-hin", [("set.tar.gz", packed.getvalue())])


def test_damaged_archives(tmp_path):
    content = publish(lookup("eng-hin"), made_up("eng-hin"))[0][1]
    with pytest.raises(InputError, match="damaged archive"):
        unpack(tmp_path, "eng-hin", [("set.tar.gz", content[: len(content) // 2])])
    with pytest.raises(InputError, match="no file"):
        unpack(tmp_path, "eng-hin", [("set.tar.gz", b"<html>please log in</html>")])
    packed = bytearray(zipped({"x/test.en": b"a" * 1000}))
    packed[45] ^= 0xFF
    with pytest.raises(InputError, match="damaged archive"):
        unpack(tmp_path, "eng-deu.bicici", [("set.zip", bytes(packed))])


def test_a_member_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "LARGEST_MEMBER", 1000)
    with pytest.raises(InputError, match="larger than 1,000 bytes"):
        unpack(tmp_path, "eng-deu.bicici", [("set.zip", zipped({"x/test.en": b"a" * 1001}))])
    assert zipfile.is_zipfile(tmp_path / "set.zip")


def test_hidden_files_do_not_count(tmp_path):
    """What a Mac packs beside each file has the same suffix, and is no text."""
    expected = made_up("eng-ces")[:3]
    files = contents(publish(lookup("eng-ces"), expected)[0][1])
    hidden = {name.replace("/merged_data/", "/merged_data/._"): b"\xff" for name in files if "merged" in name}
    assert hidden
    pairs, _ = unpack(tmp_path, "eng-ces", [("set.zip", zipped({**files, **hidden}))])
    assert pairs == expected


def test_a_locked_archive_is_explained(tmp_path):
    packed = bytearray(zipped({"x/test.en": b"yes .\n"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.index(signature) + offset] |= 1  # the flag of a password
    with pytest.raises(InputError, match=r"set\.zip cannot be unpacked: .*password"):
        unpack(tmp_path, "eng-deu.bicici", [("set.zip", bytes(packed))])


@pytest.mark.parametrize("pack", [tarred, zipped])
def test_an_archive_of_too_many_members_is_refused(tmp_path, monkeypatch, pack):
    files = contents(publish(lookup("eng-hin"), made_up("eng-hin"))[0][1])
    packed = pack(files)
    members = len(contents(packed)) if pack is tarred else len(files)
    monkeypatch.setattr(archive, "MOST_MEMBERS", members)
    assert unpack(tmp_path, "eng-hin", [("set", packed)])
    monkeypatch.setattr(archive, "MOST_MEMBERS", members - 1)
    with pytest.raises(InputError, match=f"holds more than {members - 1} files"):
        unpack(tmp_path, "eng-hin", [("set", packed)])


@pytest.mark.parametrize("pack", [tarred, zipped])
def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch, pack):
    """Also where the members are none that anybody wants: even to skip them takes time."""
    files = contents(publish(lookup("eng-hin"), made_up("eng-hin"))[0][1])
    monkeypatch.setattr(archive, "LARGEST_TOTAL", 1_000_000)
    assert unpack(tmp_path, "eng-hin", [("set", pack(files))])
    more = {f"more/{number}": b"\0" * 100_000 for number in range(10)}
    with pytest.raises(InputError, match="unpacks to more than 1,000,000 bytes"):
        unpack(tmp_path, "eng-hin", [("set", pack({**files, **more}))])


@pytest.mark.parametrize("opener", [gzip.compress, bz2.compress, lzma.compress, bytes])
def test_tars_in_every_compression_and_with_a_bomb_in_a_header(tmp_path, monkeypatch, opener):
    files = contents(publish(lookup("eng-hin"), made_up("eng-hin"))[0][1])
    plain = gzip.decompress(tarred(files))
    assert unpack(tmp_path, "eng-hin", [("set", opener(plain))])
    monkeypatch.setattr(archive, "LARGEST_TOTAL", 1_000_000)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as opened:
        opened.addfile(tarfile.TarInfo("x" * 3_000_000))
    with pytest.raises(InputError, match="unpacks to more than 1,000,000 bytes"):
        unpack(tmp_path, "eng-hin", [("set", opener(packed.getvalue()))])


def test_a_packed_folder_of_our_own_layout_serves_for_any_set(tmp_path):
    files = {
        "eng-fas/eng.txt": b"yes .\n",
        "eng-fas/fas.txt": "بله .\n".encode(),
        "eng-fas/gold.txt": b"0-0 1p1\n",
    }
    ((pair,), _) = unpack(tmp_path, "eng-fas", [("eng-fas.zip", zipped(files))])
    assert pair.gold_line() == "0-0 1p1"
    as_deu = {name.replace("fas", "deu"): content for name, content in files.items()}
    assert unpack(tmp_path, "eng-deu", [("eng-deu.zip", zipped(as_deu))])[0][0].gold_line() == "0-0 1p1"
