from __future__ import annotations

import doctest
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordalign.errors import InputError
from wordalign.text import characters, clitics, find_words, split_words, whole
from wordalign.text import syllables as syllables_module
from wordalign.text import words as words_module
from wordalign.text.syllables import syllables
from wordalign.text.words import words_of_token
from wordalign.types import Sentence


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Stop: it is 3.14!", ["Stop", ":", "it", "is", "3.14", "!"]),
        ("cherry-pick (or not)?", ["cherry", "-", "pick", "(", "or", "not", ")", "?"]),
        ("東京タワーへ。", ["東", "京", "タ", "ワ", "ー", "へ", "。"]),
        ("iPhoneを買う", ["iPhone", "を", "買", "う"]),
        ("ไทย東京ខ្មែរ", ["ไทย", "東", "京", "ខ្មែរ"]),
        ("កម្ពុជា\u200bមាន", ["កម្ពុ", "ជា", "មាន"]),  # a zero-width space is white space
        ("می‌خواهم بروم", ["می‌خواهم", "بروم"]),  # ZWNJ stays inside its word
        ("क्‍ष नमस्ते", ["क्‍ष", "नमस्ते"]),  # and so does ZWJ
        ("안녕하세요 세계", ["안녕하세요", "세계"]),
        ("👩‍👩‍👧 ok", ["👩‍👩‍👧", "ok"]),
        ("a\tb\u2028c\u00a0d", ["a", "b", "c", "d"]),
        ("", []),
        (" \t ", []),
    ],
)
def test_words_by_the_unicode_rules(text, words):
    assert list(split_words(text).words) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # English
        ("I don't know my sister's dog.", "I do n't know my sister 's dog ."),
        ("They’re WON'T I'd've it's I'm", "They ’re WO N'T I 'd 've it 's I 'm"),
        ("O'Brien's at four o'clock, ma'am", "O'Brien 's at four o'clock , ma'am"),
        ("rock 'n' roll, the 1990's, the dogs' bed", "rock 'n' roll , the 1990 's , the dogs ' bed"),
        ("She said 'all of it' and 'yes'.", "She said ' all of it ' and ' yes ' ."),
        ("Obama's video's link", "Obama 's video 's link"),
        # French
        ("L'homme n'ai qu'est j'y", "L' homme n' ai qu' est j' y"),
        ("aujourd'hui, quelqu'un lorsqu'il t’aime", "aujourd'hui , quelqu'un lorsqu' il t’ aime"),
        ("C'est-à-dire d'œuvre, p'tit", "C' est - à - dire d' œuvre , p'tit"),
        # Italian
        ("dell'arte, un'altra c'è l'ho", "dell' arte , un' altra c' è l' ho"),
        ("un po' di tutt'altro all'11", "un po' di tutt' altro all' 11"),
        # Catalan, Portuguese
        ("l'any d'avui s'ha", "l' any d' avui s' ha"),
        ("um copo d'água", "um copo d' água"),
        # Dutch, Afrikaans, German
        (
            "'s Avonds zie ik de foto's van zo'n baby's auto",
            "'s Avonds zie ik de foto's van zo'n baby's auto",
        ),
        ("Hij heeft m'n taxi's en 't boek", "Hij heeft m'n taxi's en 't boek"),
        ("Dit is 'n boek", "Dit is 'n boek"),
        ("Wie geht's dir", "Wie geht 's dir"),
        # Turkish, Finnish, Uzbek, Ukrainian
        ("İstanbul'da %50'si Ali'ye", "İstanbul'da % 50 ' si Ali'ye"),
        ("Bordeaux'n vaa'an", "Bordeaux'n vaa'an"),
        ("O'zbekiston so'm bo'ldi g'arb san'at ma'no", "O'zbekiston so'm bo'ldi g'arb san'at ma'no"),
        ("м'яч п'ять об’єкт", "м'яч п'ять об’єкт"),
        # Hawaiian, Swahili, Guarani, Quechua, Malagasy
        ("Hawai'i Oʻahu ng'ombe mba'e", "Hawai'i Oʻahu ng'ombe mba'e"),
        ("t'anta k'aspi ch'aska", "t'anta k'aspi ch'aska"),
        ("amin'ny tanàna", "amin'ny tanàna"),
        # tokenised before
        ("do n't sister 's l' homme dell' arte", "do n't sister 's l' homme dell' arte"),
    ],
)
def test_apostrophes_as_the_treebanks_cut_them(text, words):
    assert " ".join(split_words(text).words) == words


@pytest.mark.parametrize(
    "word",
    [
        "<b>", "</b>", "<br/>", "<1>", '<a href="https://example.org/?a=b">', "<g id='1'>",
        "{0}", "{}", "{name!r}", "${name}", "{{name}}", "%{count}", "%s", "%d", "%1$s", "%.2f",
        "%ld", "%(name)s", "%%",
        "&amp;", "&#39;",
        "https://example.org/a-b?c=d&e=%20f#g", "http://localhost:8080/x", "www.example.org/wiki/Foo_(bar)",
        "my-site.org", "github.com/a-b/c", "example.com:8080/x?y=z", "https://пример.рф/путь",
        "me.you+x@example.co.uk", "info@my-site.de",
        "read-me.txt", "src/main.py", "/usr/local/bin", "~/notes.md", "./configure", "../a/b",
        "C:\\Windows\\x.dll",
        "*.csv", "mp3.zip", "archive-2.tar.gz", "документ-2.docx",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["{}", "See {}, please.", "({})", "「{}」", "请看{}吧", "“{}”."])
def test_addresses_tags_and_placeholders_are_one_word(word, around):
    assert word in split_words(around.replace("{}", word, 1)).words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("and/or km/h 1/2 he/she", "and / or km / h 1 / 2 he / she"),
        ("if a<b and c>d or 5 < 6", "if a < b and c > d or 5 < 6"),
        ("100% sure, 5%de 50% d'eau", "100 % sure , 5 % de 50 % d' eau"),
        ("R&D; AT&T e.g. U.S.A.", "R & D ; AT & T e.g . U.S.A ."),
        ("https://example.com에서 @name", "https://example.com 에서 @ name"),
        ("Visit https://example.org. Then (see https://a.org/b).",
         "Visit https://example.org . Then ( see https://a.org/b ) ."),
    ],
)  # fmt: skip
def test_what_only_resembles_an_address_is_cut(text, words):
    assert " ".join(split_words(text).words) == words


# What stands in text with addresses, tags and clitics, so that they are made often.
FRAGMENTS = st.lists(
    st.sampled_from(
        ["l'", "L’", "homme", "don't", "n't", "'s", "'", "’", "s", "t", "po'", "foto", "de", "a",
         "i", "h", "1990", " ", " ",
         ".", ",", "-", "/", "<", "b", ">", "</", "{", "0", "}", "%", "(", ")", "@", "://", "http",
         "www.", "x.org", ".txt",
         "&amp;", "東", "京", "ก", "é", "и", "?", "=", ":", '"', "\\", "~/", "\n"]
    ),
    max_size=12,
).map("".join)  # fmt: skip


# Words as people write them, and what they put between them.
WRITTEN = st.lists(
    st.tuples(st.sampled_from(
        ["l'homme", "L’été", "qu'il", "d'example.org", "un po'", "don't", "WON'T", "sister's",
         "foto's", "de", "the", "I'd've",
         "t'aime", "k'aspi", "'t", "'n'", "1990's", "dogs'", "aujourd'hui", "O'Brien", "м'яч",
         "%50'si", "dell'80", "U.S.", "e.g.",
         "3.14", "<b>", "</b>", "<br/>", "{0}", "%s", "%(name)s", "https://x.org/a-b?c",
         "me@x.org", "read-me.txt", "~/a/b",
         "東京へ", "ไทย", "नमस्ते", "안녕", "👩‍👧"]
    ), st.sampled_from([" ", " ", ", ", ". ", "! ", " (", ") ", " “", "” ", " '", "' ", ": ", "—", "…"])),
    max_size=8,
).map(lambda parts: "".join(word + between for word, between in parts))  # fmt: skip


@given(WRITTEN)
def test_splitting_the_words_again_changes_nothing(text):
    words = split_words(text).words
    assert split_words(" ".join(words)).words == words


@given(
    st.sampled_from(
        ["a.", "a-", "a/", "/a", "<a ", "{", "a@", "l'", "%(", "(", "http://", "www.", "a'", "\\", "&"]
    )
)
@settings(deadline=None, max_examples=15)
def test_hostile_lines_take_linear_time(fragment):
    def seconds(text):
        start = time.process_time()
        split_words(text)
        return time.process_time() - start

    assert (
        min(seconds(fragment * 40_000) for _ in range(3))
        < 40 * min(seconds(fragment * 4_000) for _ in range(3)) + 0.05
    )


def is_blank(text):
    return not text.replace("\u200b", " ").strip()


@given(st.text() | FRAGMENTS | WRITTEN)
def test_offsets_point_at_the_words_and_only_white_space_lies_between(text):
    sentence = split_words(text)
    assert sentence.text == text
    end = 0
    for word, (start, stop) in zip(sentence.words, sentence.offsets, strict=True):
        assert text[start:stop] == word
        assert start >= end
        assert is_blank(text[end:start])
        assert not is_blank(word)
        end = stop
    assert is_blank(text[end:])


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("สวัสดีชาวโลก", "สวัส ดี ชาว โลก"),
        ("ฉันกินข้าวที่โรงเรียน", "ฉัน กิน ข้าว ที่ โรง เรียน"),
        ("ของคุณสำหรับวันจันทร์", "ของ คุณ สำ หรับ วัน จันทร์"),
        ("ใหม่ไปเพื่อนเพราะกรรม๑๒๓", "ใหม่ ไป เพื่อน เพราะ กรรม ๑๒๓"),
        ("ສະບາຍດີຊາວໂລກ", "ສະ ບາຍ ດີ ຊາວ ໂລກ"),
        ("ຄົນລາວກິນເຂົ້າ", "ຄົນ ລາວ ກິນ ເຂົ້າ"),
        ("ខ្ញុំបានទៅភ្នំពេញ", "ខ្ញុំ បាន ទៅ ភ្នំ ពេញ"),
        ("គេចង់បង្ហាញ", "គេ ចង់ បង្ហាញ"),
        ("မြန်မာစကားပြောတယ်", "မြန် မာ စ ကား ပြော တယ်"),
        ("အင်္ဂလိပ်၁၂", "အင်္ဂ လိပ် ၁၂"),
        ("བོད་སྐད་ཡིན།", "བོད་ སྐད་ ཡིན །"),
        ("東京タワー", "東 京 タ ワ ー"),
        ("ฉันชอบน้องคนนี้", "ฉัน ชอบ น้อง คน นี้"),
        ("ไปรถรวมผล", "ไป รถ รวม ผล"),
        ("กกกกกก", "กก กก กก"),
        ("ั", "ั"),
    ],
)
def test_syllables_without_a_dictionary(text, pieces):
    assert " ".join(split_words(text).words) == pieces


UNSPACED_TEXT = st.text(
    st.characters(min_codepoint=0x0E00, max_codepoint=0x109F) | st.sampled_from("កម្ពុជា្ា់東")
)


@given(UNSPACED_TEXT)
def test_syllables_lose_nothing(text):
    pieces = list(syllables(text))
    assert "".join(pieces) == text
    assert all(pieces)


def test_a_segmenter_splits_only_unspaced_scripts():
    def in_twos(run):
        return [run[start : start + 2] for start in range(0, len(run), 2)]

    sentence = split_words("iPhone 東京大学 is", segmenter=in_twos)
    assert sentence.words == ("iPhone", "東京", "大学", "is")
    assert sentence.offsets == ((0, 6), (7, 9), (9, 11), (12, 14))


def test_a_segmenter_that_fails_is_named():
    with pytest.raises(InputError, match="segmenter failed"):
        split_words("東京", segmenter=lambda run: 1 / 0)


@pytest.mark.parametrize("pieces", [["東"], ["京", "東"], ["東", ""], ["東京", "x"]])
def test_a_segmenter_that_loses_text_is_refused(pieces):
    with pytest.raises(InputError, match="do not spell"):
        split_words("東京", segmenter=lambda run: pieces)


@pytest.mark.parametrize("module", [characters, clitics, syllables_module, whole, words_module])
def test_the_examples_of_the_docstrings(module):
    failures, examples = doctest.testmod(module)
    assert examples > 0
    assert failures == 0


def by_rules(text: str) -> Sentence:
    """All rules for the text as a whole, with no shortcut and nothing remembered."""
    spans: list[tuple[int, int]] = []
    end = 0
    for start, stop in [*whole.whole_spans(text), (len(text), len(text))]:
        pieces: list[tuple[int, int]] = []
        for run in words_module._UNSPACED_RUN.finditer(text, end, start):
            words_module._add_pieces(pieces, text, end, text[end : run.start()])
            end = run.start()
            for piece in words_module.syllables(run.group()):
                pieces.append((end, end + len(piece)))
                end += len(piece)
        words_module._add_pieces(pieces, text, end, text[end:start])
        spans += pieces
        if stop > start:
            spans.append((start, stop))
        end = stop
    return Sentence(tuple(text[start:stop] for start, stop in spans), text, tuple(spans))


PLAIN_LETTERS = "".join(filter(words_module._PLAIN_WORD.fullmatch, map(chr, range(0x2100)))) + "„“”–—«»"


ODD_LETTERS = (
    "abzßÀɏώӿ,;:.!?()[]\"-–„“«AZ09 '’_%@/…²ºµ"
    "\u0301\u200b\u200d\xad\t\xa0\u2003\u0600あ中กא\u05bf״\U0001f1e9\U0001f468   "
)


@settings(max_examples=1500)
@given(
    st.one_of(
        st.text(st.sampled_from(PLAIN_LETTERS + "     "), max_size=25),
        st.text(
            st.sampled_from(
                "abzßÀɏώӿ,;:.!?()[]\"-–„“«AZ09 '’_%@/…²ºµ\u0301\u200b\u200d\xad\t\xa0\u2003\u0600あ中กאֿ״🇩👨 "
            ),
            max_size=20,
        ),
        st.text(max_size=20),
    )
)
def test_shortcuts_change_nothing(text):
    found = split_words(text)
    assert found == by_rules(text)
    assert split_words(text) == found  # from what is remembered
    assert find_words(text) == Sentence(found.words)


PIECES = st.sampled_from(
    (  # noqa: SIM905
        "it's foto's l' l'homme t'anta t'a k'a Peter's dell'arte de the don't 's n't 'n' 'all' po' a.txt "
        "x.org/ 3.5 5% %s < <b> <a href=x> me@x.org {0} &amp; and/or U.S. ~/a \u0301 e\u0301 a.txt\u0301 "
        "http://[site] www.\u0301 \u200dn't 50% "
        "x.org\u200d \U0001f1e9 नमस्ते 안녕 việt 東京 ไทย \xa0 a\tb , . ( ) \" « 1990's 80 homme"
    ).split(" ")
)


@settings(max_examples=1500)
@given(
    st.one_of(
        st.lists(PIECES, max_size=6).map(" ".join),
        st.lists(
            st.one_of(PIECES, st.sampled_from(["'", "’", ".", ",", "<", "-", "/"]), st.just(" ")), max_size=8
        ).map("".join),
        st.text(st.sampled_from(ODD_LETTERS), max_size=20),
    )
)
def test_tokens_that_need_no_context_have_the_words_of_their_text(text):
    tokens = [words_of_token(token) for token in text.split(" ")]
    if None not in tokens:
        assert tuple(word for words in tokens for word in words) == by_rules(text).words
        assert split_words(text, segmenter=list).words == by_rules(text).words


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("house.", ("house", ".")),
        ("3.5", ("3.5",)),
        ("Peter's", ("Peter", "'s")),
        ("(a.txt)", ("(", "a.txt", ")")),
        ("việt", ("việt",)),
        ("", ()),
        ("foto's", None),  # Dutch, or the photo's
        ("l'", None),
        ("<a", None),
        ("東京", None),  # for a segmenter
    ],
)
def test_most_tokens_need_no_context(token, words):
    assert words_of_token(token) == words


def test_every_letter_of_plain_text_sticks_to_its_neighbours():
    for letter in filter(str.isalnum, PLAIN_LETTERS):
        assert by_rules(f"a{letter}b {letter}1").words == (f"a{letter}b", f"{letter}1")


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(words_module, "REMEMBERED_TOKENS", 10)
    for number in range(30):
        split_words(f"it's number{number}, {number}.5")
        assert len(words_module._CUTS) <= 10
    split_words("it's " + "x" * 1000)
    assert "x" * 1000 not in words_module._CUTS
