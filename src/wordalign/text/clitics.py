"""Words with an apostrophe -> the parts that treebanks count as words.

    don't -> do n't     sister's -> sister 's     l'homme -> l' homme     dell'arte -> dell' arte

Nothing says which language a text is in, so there are only rules that do no harm in other languages:
`O'Brien`, `aujourd'hui`, `м'яч`, `Hawai'i`, `İstanbul'da`, `so'm` and `zo'n` stay whole. Two rules look at
the rest of the text, because Dutch writes plurals like `foto's`, and languages with ejectives have words like
`t'anta`.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

# French, Catalan and Italian words that lose their vowel before another one.
ELIDED = (
    r"(?i:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu|(?:de|da|ne|su|co|a)ll|gl|un|nessun|qualcun|"
    r"quest|quell|bell|sant|tutt|mezz|vent|trent|cent|anch|com|cos|dov|quand|senz)"
)
VOWEL = r"(?i:[aeiouyhàáâäåæèéêëìíîïòóôöœùúûüÿ])"

_ELISION = regex.compile(rf"{ELIDED}['’](?={VOWEL})")
_CLITIC = regex.compile(
    r"(?<=\p{Script=Latin})(?i:n['’]t|['’](?:s|ll|re|ve)|(?<=\bI)['’]m"
    r"|(?<=\b(?:I|you|he|she|it|we|they|who|what|that|there|how|where))['’]d)$"
)
_PLURAL = regex.compile(r"(?i:[aiouyé]['’]s)$")
_DUTCH = regex.compile(
    r"\b(?:de|het|een|van|en|ik|niet|je|dat|op|te|voor|met|die|zijn|er|maar|om|als|hij|ze|ook|geen|naar|nie|ek|vir)\b"
)
_ENGLISH = regex.compile(r"\b(?i:the|and|to|that|with|his|her|for|my|your|this|are|you|he|she|i|it|at|by)\b")
_EJECTIVE = regex.compile(r"(?i:[kpq]['’][aeiou])")
# Where one of the two may be asked: `t'` before a vowel, and what looks like a plural.
_BY_TEXT = regex.compile(rf"[tT]['’](?={VOWEL})|(?i:[aiouyé]['’]s)")


def depends_on_text(token: str) -> bool:
    """Whether the rest of the text may decide where the words of a token are cut.

    >>> depends_on_text("Peter's"), depends_on_text("foto's")
    (False, True)
    """
    return ("'" in token or "’" in token) and _BY_TEXT.search(token) is not None


def clitic_cuts(word: str, text: str) -> Iterator[int]:
    """Where to cut a word of `text`, in order.

    >>> list(clitic_cuts("qu'elle's", "qu'elle's"))
    [3, 7]
    """
    start = 0
    if word[0] in "'’" and len(word) > 1:  # `regex` holds a quotation mark and a vowel together: 'all'
        start = 1
        yield start
    while elision := _ELISION.match(word, start):
        if word[start] in "tT" and elision.end() == start + 2 and _EJECTIVE.search(text):
            break
        start = elision.end()
        yield start
    cuts: list[int] = []
    end = len(word)
    while (clitic := _CLITIC.search(word, start, end)) and clitic.start() > start:
        if _PLURAL.search(word, start, end) and _DUTCH.search(text) and not _ENGLISH.search(text):
            break
        end = clitic.start()
        cuts.append(end)
    yield from reversed(cuts)
