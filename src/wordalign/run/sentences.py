"""Any number of different sentence pairs to measure with, about as long as those of real corpora.

>>> first = next(sentence_pairs())
>>> first == next(sentence_pairs())
True
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

_CLAUSES = (
    ("the ferry leaves at noon", "die Fähre legt mittags ab"),
    ("nobody had told the new neighbours about the meeting",
     "den neuen Nachbarn hatte niemand von der Sitzung erzählt"),
    ("it has been raining since Tuesday", "es regnet seit Dienstag"),
    ("the council will decide next week whether the old bridge can be repaired",
     "nächste Woche entscheidet der Rat, ob die alte Brücke repariert werden kann"),
    ("she sells bread and cheese on the market", "sie verkauft auf dem Markt Brot und Käse"),
    ("most of the letters were written in a language that only two people in the village could read",
     "die meisten Briefe waren in einer Sprache geschrieben, die im Dorf nur zwei Menschen lesen konnten"),
    ("please close the window", "bitte schließen Sie das Fenster"),
    ("the price of electricity rose more slowly than that of gas",
     "der Strompreis stieg langsamer als der Gaspreis"),
    ("his grandmother kept bees behind the church", "seine Großmutter hielt hinter der Kirche Bienen"),
    ("we looked for the key everywhere and found it in the garden",
     "wir suchten den Schlüssel überall und fanden ihn im Garten"),
    ("the report does not say who paid for the journey", "der Bericht sagt nicht, wer die Reise bezahlt hat"),
    ("children under six travel free of charge", "Kinder unter sechs Jahren fahren kostenlos"),
)  # fmt: skip


def sentence_pairs() -> Iterator[tuple[str, str]]:
    """English and German, one to four clauses each; a number makes every sentence a new one."""
    for number in count(1):
        # Multiples of a large odd number: as good as random, and the same everywhere.
        seed = number * 2654435761 % 2**32
        chosen = [_CLAUSES[(seed >> 7 * step) % len(_CLAUSES)] for step in range(1 + seed % 4)]
        english, german = (", ".join(clause[side] for clause in chosen) for side in (0, 1))
        yield f"{number}: {english}.", f"{number}: {german}."
