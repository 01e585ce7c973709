"""Text of scripts without spaces -> syllables or characters, without a dictionary.

    สวัสดีชาวโลก  ->  สวัส | ดี | ชาว | โลก
    မြန်မာစကား  ->  မြန် | မာ | စ | ကား
    東京へ  ->  東 | 京 | へ

Thai, Lao, Khmer, Burmese and Tibetan come out as syllables, because one of their letters says little and is
often a sign that cannot be read alone; Chinese, Japanese and Yi come out as characters. Vowel signs and marks
belong to their consonant. A consonant without any ends the syllable before it, unless it begins one with an
unwritten vowel. Where the spelling is ambiguous the rules guess: of the word ends that ICU finds with its
dictionaries, syllables keep 94 % in Thai, 96 % in Khmer and 88 % in Burmese, at 1.2 to 1.6 pieces a word
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
    end = (
        _end(
            bare,
            consonant,
            rf"(?!{cluster})(?=[กงจณดตนบมยรลว]|{bare}(?!{consonant})|(?<=[ั็][่-๋]?))",
            "(?<![ะำ])",
        )
        + rf"(?:{silent})?"
    )
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


def _end(bare: str, consonant: str, coda: str, before: str) -> str:
    """A bare consonant that ends the syllable before it.

    It does not if it begins a row of syllables that consist of two bare consonants and an unwritten vowel.
    """
    return rf"(?:{before}{coda}{bare}(?!{bare}(?:{bare}{bare})*(?!{consonant})))?"


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
    # A nasal above another consonant ends a syllable, which the bare consonant before it begins.
    coda = rf"(?=[កងចញតនបមយរលវស]|{bare}(?!{consonant}))(?!{consonant}[ងញណនម]\u17d2)"
    silent = rf"(?:{consonant}\u17cd)?"
    end = _end(bare, consonant, coda, "(?<![\u17c6-\u17c8])") + silent
    return rf"(?:{bare}(?=[ងញណនម]\u17d2))?{cluster}{sign}+{end}|{cluster}(?:{bare})?{silent}|[០-៩]+"


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
