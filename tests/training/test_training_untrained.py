"""Catalogues inside wheels, and development sets in other letters."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

from training.metrics import GoldSet
from training.untrained import is_respellable, read_catalogues, respelt


def mo_file(messages: dict[str, str]) -> bytes:
    """A catalogue as msgfmt writes it."""
    messages = {"": "Content-Type: text/plain; charset=UTF-8\n", **messages}
    tables, texts = ([], []), b""
    start = 28 + 16 * len(messages)
    for table, strings in zip(
        tables, (sorted(messages), [messages[key] for key in sorted(messages)]), strict=True
    ):
        for text in strings:
            table.append(struct.pack("<II", len(text.encode()), start + len(texts)))
            texts += text.encode() + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(messages), 28, 28 + 8 * len(messages), 0, 0)
    return head + b"".join(tables[0]) + b"".join(tables[1]) + texts


def test_messages_come_without_placeholders_and_short_ones(tmp_path: Path) -> None:
    messages = {
        "The museum is closed.": "Digor eo ar mirdi.",
        "Yes": "Ya",
        "month\x04<b>%(name)s</b> is closed today": "Serr eo hiziv %(name)s",
        "Same on both sides": "Same on both sides",
    }
    with zipfile.ZipFile(tmp_path / "some.whl", "w") as wheel:
        wheel.writestr("some/locale/br/LC_MESSAGES/django.mo", mo_file(messages))
        wheel.writestr("some/locale/readme.txt", "no catalogue")
    (pairs,) = read_catalogues(tmp_path).values()
    assert [" ".join(pair.source.words) for pair in pairs] == ["is closed today", "The museum is closed ."]
    assert [" ".join(pair.target.words) for pair in pairs] == ["Serr eo hiziv", "Digor eo ar mirdi ."]


def test_a_share_of_the_words_is_respelt() -> None:
    words = [f"wort{number}" for number in range(400)]
    gold = GoldSet("eng-deu.x", [words], [words], [set()], [set()])
    assert is_respellable(gold)
    assert not is_respellable(GoldSet("eng-rus.x", [["a"]], [["мир"]], [set()], [set()]))
    assert not is_respellable(GoldSet("eng-eng.x", [["a"]], [["a"]], [set()], [set()]))
    for share in (0.0, 0.3, 1.0):
        changed = sum(new != old for new, old in zip(respelt(gold, share).other[0], words, strict=True))
        assert abs(changed / 400 - share) < 0.08
