"""Gold sets in the layouts of their publishers, made from pairs: the inverse of `wordalign.data.convert`."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable, Sequence

from wordalign.data.convert import Aligned
from wordalign.data.sets import DataSet, lookup
from wordalign.types import GoldAlignment

Files = dict[str, bytes]


def made_up(name: str) -> list[Aligned]:
    """Invented sentences with exactly as many links as the registry expects of the set."""
    known = lookup(name)
    sentences = known.sentences[0]
    sure, possible = (counts[0] if counts else 3 * sentences for counts in (known.sure, known.possible))
    length = 2 + (sure + possible) // sentences  # a word more than links need on average, and never one word
    pairs = []
    for number in range(sentences):
        shares = [
            share * (number + 1) // sentences - share * number // sentences for share in (sure, possible)
        ]
        cells = [(k % length, (k * k + number) % length) for k in range(length)]
        cells += [(k % length, (k * k + number + 1) % length) for k in range(length)]
        links = list(dict.fromkeys(cells))[: sum(shares)]
        gold = GoldAlignment(frozenset(links[: shares[0]]), frozenset(links[shares[0] :]))
        source = tuple(f"word{number}x{k}" for k in range(length))
        target = tuple(f"für{number}é{k}" for k in range(length))
        pairs.append(Aligned(source, target, gold))
    return pairs


def publish(known: DataSet, pairs: Sequence[Aligned]) -> list[tuple[str, bytes]]:
    """File names and contents, one for each address of the set."""
    files = LAYOUTS[known.layout](known, pairs)
    if known.layout in ("tsv", "bars"):
        return list(files.items())
    return [("set.zip", zipped(files)) if known.name.endswith("bicici") else ("set.tar.gz", tarred(files))]


def tarred(files: Files) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in {"Some-Set/README": b"Read me.", **files}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def zipped(files: Files) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _links(known: DataSet, pair: Aligned) -> list[tuple[int, int, bool]]:
    """As the publisher numbers and orders them."""
    found = []
    for link in sorted(pair.gold.possible):
        first, second = reversed(link) if known.swapped else link
        base = known.base or 0
        found.append((first + base, second + base, link in pair.gold.sure))
    return found


def _line(known: DataSet, pair: Aligned, possible: str = "p") -> str:
    return " ".join(f"{i}{'-' if sure else possible}{j}" for i, j, sure in _links(known, pair))


def _side(known: DataSet, pairs: Sequence[Aligned], side: str) -> bytes:
    return "".join(" ".join(getattr(pair, side)) + "\n" for pair in pairs).encode(known.encoding)


def _wpt(known: DataSet, pairs: Sequence[Aligned]) -> Files:
    """In two files a language, as the Romanian set is in ten, where the pattern leaves room for it."""
    parts = (
        {"1": pairs[: len(pairs) // 2], "2": pairs[len(pairs) // 2 :]}
        if known.source == "*.e"
        else {"": pairs}
    )
    files, number, answers = {}, 0, []
    for part, some in parts.items():
        start = number
        for side, pattern in (("source", known.source), ("target", known.target)):
            name = f"test{'.' if part else ''}{part}.{pattern.rpartition('.')[2]}"
            text = "".join(
                f"<s snum={start + at:04}> {' '.join(getattr(pair, side))} </s>\n"
                for at, pair in enumerate(some, start=1)
            )
            files[f"Some-Set/test/{name}"] = text.encode(known.encoding)
        number += len(some)
    for at, pair in enumerate(pairs, start=1):
        answers += [f"{at:04} {i} {j} {'S' if sure else 'P'}\n" for i, j, sure in _links(known, pair)]
    return {**files, "Some-Set/answers/test.wa.nonullalign": "".join(answers).encode()}


def _lines(known: DataSet, pairs: Sequence[Aligned]) -> Files:
    """With an empty line at the end of each file, as RWTH has it."""
    gold = "".join(f"{_line(known, pair)}\n" for pair in pairs)
    contents = (_side(known, pairs, "source"), _side(known, pairs, "target"), gold.encode())
    names = (known.source, known.target, known.gold)
    return {f"Some{name.removeprefix('*')}": text + b"\n" for name, text in zip(names, contents, strict=True)}


def _bars(known: DataSet, pairs: Sequence[Aligned]) -> Files:
    text = "".join(f"{' '.join(pair.target)} ||| {' '.join(pair.source)}\n" for pair in pairs)
    text += "Nicht verbunden . ||| Not linked .\n"
    gold = "".join(f"{_line(known, pair, '?')}\n" for pair in pairs)
    return {"dev-test-train.de-en": text.encode(), "dev.align": gold.encode()}


def _tsv(known: DataSet, pairs: Sequence[Aligned]) -> Files:
    rows = (f"{' '.join(pair.source)}\t{' '.join(pair.target)}\t{_line(known, pair)}\t\t\n" for pair in pairs)
    return {"dev.tsv": "".join(rows).encode()}


def _tagged(known: DataSet, pairs: Sequence[Aligned]) -> Files:
    def element(at: int, pair: Aligned) -> str:
        links = _links(known, pair)
        sure, possible = (
            " ".join(f"{i}-{j}" for i, j, is_sure in links if is_sure == wanted) for wanted in (True, False)
        )
        return (
            f'<s id="s{at}">\n  <english>{" ".join(pair.source)}</english>\n'
            f"  <czech>{' '.join(pair.target)}</czech>\n"
            f"  <sure>{sure}</sure>\n  <possible>{possible}</possible>\n</s>\n"
        )

    half = len(pairs) // 2
    parts = {"a": pairs[:half], "b": pairs[half:]}
    return {
        f"CzEnAli_1.0/data/merged_data/{part}.wa": (
            '<?xml version="1.0"?>\n<book>\n'
            + "".join(element(at, pair) for at, pair in enumerate(some))
            + "</book>\n"
        ).encode()
        for part, some in parts.items()
    }


def _folder(known: DataSet, pairs: Sequence[Aligned]) -> Files:
    source, target = known.languages
    return {
        f"{known.name}/{source}.txt": _side(known, pairs, "source"),
        f"{known.name}/{target}.txt": _side(known, pairs, "target"),
        f"{known.name}/gold.txt": "".join(f"{pair.gold_line()}\n" for pair in pairs).encode(),
    }


LAYOUTS: dict[str, Callable[[DataSet, Sequence[Aligned]], Files]] = {
    "wpt": _wpt,
    "lines": _lines,
    "bars": _bars,
    "tsv": _tsv,
    "tagged": _tagged,
    "folder": _folder,
}
