"""A data folder in miniature: two gold sets of a few sentences, linked by hand, and a little text."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wordalign.encoders.static.space import SpaceMap
from wordalign.encoders.static.vectors import Vectors
from wordalign.vectors.folder import write_folder
from wordalign.vectors.map import Mapped, Quality

GOLD = {
    "deu": [
        ("The old clock has stopped .", "Die alte Uhr ist stehengeblieben .", "0-0 1-1 2-2 3-3 4-4 5-5",
         "DET ADJ NOUN AUX VERB PUNCT"),
        ("We do not know why .", "Wir wissen nicht warum .", "0-0 1p1 2-2 3-1 4-3 5-4",
         "PRON AUX PART VERB ADV PUNCT"),
        ("She has never been to the new museum in the city .",
         "Sie ist noch nie in dem neuen Museum in der Stadt gewesen .",
         "0-0 1-1 2-3 2p2 3-11 4-4 5-5 6-6 7-7 8-8 9-9 10-10 11-12",
         "PRON AUX ADV AUX ADP DET ADJ NOUN ADP DET NOUN PUNCT"),
        ("The city council has decided to build a new bridge .",
         "Der Stadtrat hat beschlossen , eine neue Brücke zu bauen .",
         "0-0 1-1 2-1 3-2 4-3 5-8 6-9 7-5 8-6 9-7 10-10",
         "DET NOUN NOUN AUX VERB PART VERB DET ADJ NOUN PUNCT"),
        ("Could you open the window ?", "Könnten Sie das Fenster öffnen ?", "0-0 1-1 2-4 3-2 4-3 5-5",
         "AUX PRON VERB DET NOUN PUNCT"),
    ],
    "hin": [
        ("My brother works in a big hospital .", "मेरा भाई एक बड़े अस्पताल में काम करता है ।",
         "0-0 1-1 2-6 2-7 2-8 3-5 4-2 5-3 6-4 7-9", None),
        ("This water is not good for drinking .", "यह पानी पीने के लिए अच्छा नहीं है ।",
         "0-0 1-1 2-7 3-6 4-5 5-3 5-4 6-2 7-8", None),
    ],
}  # fmt: skip

TEXT = {
    "deu": ["The clock is old.\tDie Uhr ist alt.", "We know the city.\tWir kennen die Stadt.",
            "She opened the window.\tSie öffnete das Fenster.", "The bridge is new.\tDie Brücke ist neu."],
    "hin": ["This is water.\tयह पानी है।", "My brother is good.\tमेरा भाई अच्छा है।"],
}  # fmt: skip


def make_data(folder: Path) -> Path:
    for language, rows in GOLD.items():
        place = folder / "gold" / f"eng-{language}"
        place.mkdir(parents=True)
        english, other, links, tags = (list(column) for column in zip(*rows, strict=True))
        columns = {"eng.txt": english, f"{language}.txt": other, "gold.txt": links}
        if all(tags):
            columns["eng.upos.txt"] = tags
        for name, lines in columns.items():
            (place / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    (folder / "text").mkdir()
    for language, lines in TEXT.items():
        (folder / f"text/eng-{language}.tsv").write_text("".join(f"{line}\n" for line in lines * 5), "utf-8")
    return folder


def make_vectors(folder: Path) -> Path:
    """English and German words in one space, in which linked words of the gold set have the same vector."""
    generator = np.random.default_rng(1)
    english: dict[str, np.ndarray] = {}
    german: dict[str, np.ndarray] = {}
    for left, right, links, _ in GOLD["deu"]:
        for word in left.split():
            english.setdefault(word, generator.normal(size=16))
        for i, j in (map(int, link.split("-")) for link in links.split() if "-" in link):
            german.setdefault(right.split()[j], english[left.split()[i]])
    side = SpaceMap(np.zeros(16), np.eye(16))
    sides = [
        (name, Vectors(tuple(found), np.array(list(found.values()))))
        for name, found in (("eng", english), ("deu", german))
    ]
    (folder / "word").mkdir(parents=True)
    mapped = Mapped(side, side, Quality(1.0, 1.0, 1.0), 1, True, "cpu")
    write_folder(folder / "word/eng-deu", *sides, mapped, settings={})
    return folder
