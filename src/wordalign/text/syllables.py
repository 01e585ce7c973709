"""Text of scripts without spaces -> syllables or characters, without a dictionary.

    สวัสดีชาวโลก  ->  สวัส | ดี | ชาว | โลก
    မြန်မာစကား  ->  မြန် | မာ | စ | ကား
    東京へ  ->  東 | 京 | へ

Thai, Lao, Khmer, Burmese and Tibetan come out as syllables, because one of their letters says little and is
often a sign that cannot be read alone; Chinese, Japanese and Yi come out as characters. Vowel signs and marks
belong to their consonant. A consonant without any ends the syllable before it, unless it begins one with an
unwritten vowel. Where the spelling is ambiguous the rules guess: of the word ends that ICU finds with its
dictionaries, syllables keep 94 % in Thai, 96 % in Khmer and 88 % in Burmese, at 1.2 to 1.7 pieces a word
(characters: 2.1 to 3.2).
"""

from __future__ import annotations

from collections.abc import Iterable

import regex


def _thai() -> str:
    consonant, sign, tail = "[ก-ฮ]", "[ัิ-ฺ็-๎]", "[ะาำๅ]"
    bare = rf"{consonant}(?!{sign}|{tail})"
    cluster = rf"(?:[กขคตทปผพสฉ][รลว]|ห[งญนมยรลว]|อย)(?={sign}|{tail})"
    onset = rf"{consonant}{consonant}(?={sign}|{tail})"
    silent = rf"(?:{bare})?{consonant}[ิุ]?์"
    coda = rf"(?<![ะำ])(?!{cluster})(?=[กงจณดตนบมยรลว]|{bare}(?!{consonant}))"
    end = _end(bare, consonant, rf"{bare}(?:อ(?:{bare})?|ว{bare}|{bare})", coda)
    end = rf"(?:(?<=[ั็][่-๋]?){bare}|{end})(?:{silent})?"  # these two signs need an end
    return "|".join(
        (
            rf"[ไใ](?:{cluster}|{consonant}){sign}*(?:ย(?!{sign}|{tail}))?",
            rf"เ(?:{cluster}|{consonant}){sign}*าะ?",
            rf"[เแโ](?:{cluster}|{consonant}){sign}*(?:(?<=ี{sign}*)ย|(?<=ื{sign}*)อ)?ะ?{end}",
            rf"(?:{onset}|{consonant})[่-๋]*(?:อ(?!{sign}|{tail}){end}|ว{bare}(?:{silent})?)",
            rf"(?:{onset}|{consonant})(?:{sign}+{tail}*|{tail}+){end}",
            rf"{consonant}รร(?:{bare})?(?:{silent})?",
            rf"{bare}{bare}(?:{silent})?",
            "[๐-๙]+",
        )
    )


def _end(bare: str, consonant: str, unwritten: str, coda: str) -> str:
    """A bare consonant that ends the syllable before it, where `coda` holds.

    A row of bare consonants is a row of syllables with an unwritten vowel. The first of the row ends the
    syllable before if the others make such syllables without it, or if not even all together do.
    """
    row = rf"(?:{unwritten})*+(?!{consonant})"
    return rf"(?:{coda}(?:{bare}(?={row})|(?!{row}){bare}))?"


def _lao() -> str:
    consonant, sign, tail = "[ກ-ຮໜໝ]", "[ັິ-ຼ່-ໍ]", "[ະາຳຽ]"
    onset = rf"(?:ຫ[ງຍນມຣລວ]|{consonant}[ວຣລ])(?={sign}|{tail})|{consonant}"
    end = rf"(?:{consonant}(?!{sign}|{tail}|[ວອ](?!{sign}|{tail})))?"
    vowel = rf"{sign}+[ວອ]?{tail}*|{tail}+|[ວອ](?!{sign}|{tail})"
    return rf"[ເແໂໃໄ](?:{onset}){sign}*[ຽວອ]?{tail}*{end}|(?:{onset})(?:{vowel}){end}|[໐-໙]+"


def _khmer() -> str:
    consonant, sign = "[ក-អ]", "[\u17b6-\u17ca\u17d1\u17dd]"
    cluster = rf"[ក-ឳ](?:\u17d2{consonant})*"
    bare = rf"{consonant}[\u17cb-\u17d0]*(?!{sign}|\u17d2)"
    # A nasal above another consonant ends a syllable, which the bare consonant before it begins; so does any
    # consonant with the shortening sign.
    next_ends = rf"{consonant}(?:[ងញណនម]\u17d2|{consonant}\u17cb)"
    coda = rf"(?=[កងចញតនបមយរលវស]|{bare}(?!{consonant}))(?!{next_ends})"
    silent = rf"(?:{consonant}\u17cd)?"
    end = _end(bare, consonant, rf"{bare}{bare}", rf"(?<![\u17c6-\u17c8]){coda}") + silent
    unwritten = rf"{cluster}[\u17cb-\u17d0]*(?:{bare})?{silent}"
    return rf"(?:{bare}(?=[ងញណនម]\u17d2))?{cluster}{sign}+{end}|{unwritten}|[០-៩]+"


# A consonant under a "killer" sign or above a stacked one ends the syllable before it.
_BURMESE = (
    r"[က-ဪဿ၎](?:[\u102b-\u1038\u103a-\u103e\u1056-\u109d]|\u1039[က-အ]|[က-အ](?=\u1037?[\u103a\u1039]))*|[၀-၉]+"
)
_TIBETAN = r"[ཀ-ྼ༠-༩]+[་༌]*"
_PIECES = regex.compile("|".join((_thai(), _lao(), _khmer(), _BURMESE, _TIBETAN, r"\X")))


def syllables(run: str) -> Iterable[str]:
    """The syllables or characters of a run of such text.

    >>> list(syllables("โรงเรียน"))
    ['โรง', 'เรียน']
    """
    found: list[str] = _PIECES.findall(run)
    return found
