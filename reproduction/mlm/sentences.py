"""Single sentences out of parallel text, so that no sentence is there together with a translation of it.

    python -m reproduction.mlm.sentences --data DIR --out WORK           # writes WORK/sentences.tsv.gz
    python -m reproduction.mlm.sentences --data DIR --out WORK --check   # looks at every pair once more

Sentences are nodes, pairs of the text are edges, and a sentence that stands in several files (the same
English sentence with its German and its French translation) is one node. Of every connected group the
sentences of ONE language are kept; which one is decided by a hash of the group. So two sentences of different
languages that are kept are never joined by pairs, however many. Sentences count as the same when their
letters and digits are the same, whatever the case and the punctuation.

What this cannot exclude is what no corpus excludes: two files may tell the same in words of their own.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import lzma
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

# The other languages of the paper's sets, and two with development sets to choose a layer on.
LANGUAGES = ("deu", "fra", "ces", "ron", "hin", "fas", "spa", "ita")
# Chances in a group: English is in all files, and languages with little text need theirs most.
WEIGHTS = {
    "eng": 1,
    "deu": 2,
    "fra": 2,
    "spa": 2,
    "ita": 2,
    "ces": 4,
    "ron": 4,
    "hin": 6,
    "fas": 6,
}
# What is shorter has nothing to guess from, what is longer does not fit.
WORDS = range(4, 81)

Node = tuple[str, int]  # language, and the hash of a sentence's letters and digits


def key(sentence: str) -> int:
    """The same for sentences that differ in case, spaces and punctuation alone.

    >>> key("Good morning!") == key("good  morning")
    True
    """
    letters = "".join(character for character in sentence.lower() if character.isalnum())
    return int.from_bytes(hashlib.blake2b(letters.encode(), digest_size=8).digest(), "big")


def read_pairs(data: Path, language: str) -> Iterator[tuple[str, str]]:
    """English and the other side of each pair of `text/` and `text-more/`."""
    for folder in ("text", "text-more"):
        path = data / folder / f"eng-{language}.tsv.xz"
        if path.is_file():
            with lzma.open(path, "rt", encoding="utf-8") as file:
                for line in file:
                    english, other, *_ = line.rstrip("\n").split("\t")
                    yield english, other


def read_single(data: Path, language: str) -> Iterator[str]:
    """Sentences that have no translation there."""
    path = data / "text" / f"mono-{language}.txt.xz"
    if path.is_file():
        with lzma.open(path, "rt", encoding="utf-8") as file:
            yield from (line.rstrip("\n") for line in file)


class Groups:
    """Nodes joined into groups (union-find).

    >>> groups = Groups()
    >>> groups.join(("eng", 1), ("deu", 2))
    >>> groups.join(("eng", 1), ("fra", 3))
    >>> groups.root(("deu", 2)) == groups.root(("fra", 3))
    True
    """

    def __init__(self) -> None:
        self._parent: dict[Node, Node] = {}

    def root(self, node: Node) -> Node:
        parent = self._parent
        top = node
        while (above := parent.get(top, top)) != top:
            top = above
        while (above := parent.get(node, node)) != top:
            parent[node] = top
            node = above
        return top

    def join(self, first: Node, second: Node) -> None:
        one, other = self.root(first), self.root(second)
        if one != other:
            # The smaller one is the root, whatever the order of the text.
            self._parent[max(one, other)] = min(one, other)


def choose(root: Node, languages: set[str]) -> str:
    """The language that a group is kept in: by chance, but the same chance each time."""
    among = sorted(languages)
    number = int.from_bytes(hashlib.blake2b(repr(root).encode(), digest_size=8).digest(), "big")
    number %= sum(WEIGHTS[language] for language in among)
    for language in among:
        number -= WEIGHTS[language]
        if number < 0:
            return language
    raise AssertionError("the weights add up")


def write_sentences(data: Path, path: Path) -> None:
    groups = Groups()
    members: set[Node] = set()
    for language in LANGUAGES:
        for english, other in read_pairs(data, language):
            nodes = ("eng", key(english)), (language, key(other))
            members.update(nodes)
            groups.join(*nodes)
        print(f"read eng-{language}", file=sys.stderr, flush=True)
    spoken: dict[Node, set[str]] = {}
    for node in members:
        spoken.setdefault(groups.root(node), set()).add(node[0])
    chosen = {root: choose(root, languages) for root, languages in spoken.items()}
    sizes = Counter(groups.root(node) for node in members)
    print(f"{len(members):,} sentences in {len(chosen):,} groups, the largest of {max(sizes.values()):,}")

    written: set[Node] = set()
    count: Counter[str] = Counter()
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=4) as file:

        def keep(language: str, sentence: str) -> None:
            node = (language, key(sentence))
            length = len(sentence.split())
            if node in written or length not in WORDS:
                return
            if node in members and chosen[groups.root(node)] != language:
                return
            written.add(node)
            count[language] += length
            file.write(f"{language}\t{sentence}\n")

        for language in LANGUAGES:
            for english, other in read_pairs(data, language):
                keep("eng", english)
                keep(language, other)
            for sentence in read_single(data, language):
                keep(language, sentence)
    for language, words in sorted(count.items()):
        print(f"{language} {words:,} words")


def check(data: Path, path: Path) -> int:
    """How often a sentence is kept together with a translation, by one English sentence's pairs at a time."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        kept = {(language, key(sentence)) for language, sentence in (line.split("\t", 1) for line in file)}
    beside: dict[int, set[str]] = {}
    for language in LANGUAGES:
        for english, other in read_pairs(data, language):
            node = key(english)
            if ("eng", node) in kept:
                beside.setdefault(node, set()).add("eng")
            if (language, key(other)) in kept:
                beside.setdefault(node, set()).add(language)
    return sum(len(languages) > 1 for languages in beside.values())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="with text/ and text-more/")
    parser.add_argument("--out", type=Path, required=True, metavar="WORK", help="where sentences.tsv.gz goes")
    parser.add_argument(
        "--check", action="store_true", help="only look whether translations are kept together"
    )
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "sentences.tsv.gz"
    if not arguments.check:
        write_sentences(arguments.data, path)
    together = check(arguments.data, path)
    print(f"{together} English sentences of which two languages are kept")
    if together:
        sys.exit(1)


if __name__ == "__main__":
    main()
