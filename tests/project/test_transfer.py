"""Markup in a translation: the right places, and always well-formed, with each tag once."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordalign import Aligner, InputError, StatisticalAligner, UsageError
from wordalign.project.markup.placing import place
from wordalign.project.markup.syntax import (
    Target,
    guess_syntax,
    parse_source,
    parse_target,
)
from wordalign.project.markup.transfer import prepare, transfer, transfer_stream
from wordalign.text import split_words
from wordalign.types import Alignment

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from fuzzed_markup import BROKEN, PIECES, TARGETS, carried, tags


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Press <b>Save</b>.", "Drücken Sie Speichern.", "Drücken Sie <b>Speichern</b>."),
        # Nested tags keep their order and their attributes.
        (
            'Open <a href="x?a=1&amp;b=2"><b>the door</b></a> now.',
            "Öffne jetzt die Tür.",
            'Öffne jetzt <a href="x?a=1&amp;b=2"><b>die Tür</b></a>.',
        ),
        # Siblings may change places.
        (
            "I have <i>never</i> seen <b>the sea</b>.",
            "Das Meer habe ich nie gesehen.",
            "<b>Das Meer</b> habe ich <i>nie</i> gesehen.",
        ),
        # A code that is written like a word gets spaces like a word, and one beside a word does not.
        (
            'You have <x id="1"/> new <x id="2"/>messages.',
            "Du hast neue Nachrichten.",
            'Du hast <x id="1"/> neue <x id="2"/>Nachrichten.',
        ),
        ('Line <x id="1" ctype="lb"/> two', "Zeile zwei", 'Zeile <x id="1" ctype="lb"/>zwei'),
        # No space comes into Chinese.
        ("Click <b>here</b>.", "点击这里。", "点击<b>这里</b>。"),
        # Marks that the translation adds belong to what is marked.
        ("Click <b>Save</b>.", "Нажмите «Сохранить».", "Нажмите <b>«Сохранить»</b>."),
        ("Click “<b>Save</b>”.", "Нажмите «Сохранить».", "Нажмите «<b>Сохранить</b>»."),
        # Elements without text stand beside the same word.
        ("First line<br/>Second line", "Erste Zeile Zweite Zeile", "Erste Zeile<br/> Zweite Zeile"),
        ("The house <!-- old --> is small.", "Das Haus ist klein.", "Das Haus <!-- old -->ist klein."),
        ("I have seen the sea<br/>", "Das Meer habe ich gesehen", "Das Meer habe ich gesehen<br/>"),
        ("<img src='a'/>The sea", "Das Meer", "<img src='a'/>Das Meer"),
        # Text of both directions stays as it is.
        ("Press <b>Save</b>.", "\u200fלחץ על שמירה\u200f.", "\u200fלחץ על <b>שמירה\u200f</b>."),
        # Code stands in the translation as it is.
        (
            "Give <code>--raw -o a.txt</code> or <code>--raw</code>.",
            "Mit --raw -o a.txt oder --raw.",
            "Mit <code>--raw -o a.txt</code> oder <code>--raw</code>.",
        ),
        # An element that holds everything holds everything.
        ("<p>The house is small.</p>", "Das Haus ist klein.", "<p>Das Haus ist klein.</p>"),
        # Entities stay as they are written, and signs of markup are written as entities.
        ("<b>Salt</b> &amp; pepper", "Salz &amp; Pfeffer", "<b>Salz</b> &amp; Pfeffer"),
        ("<b>Salt</b> &amp; pepper", "Salz & Pfeffer", "<b>Salz</b> &amp; Pfeffer"),
        # CDATA holds text without entities.
        ("<![CDATA[Salt & pepper]]> here", "Salz &amp; Pfeffer hier", "<![CDATA[Salz & Pfeffer]]> hier"),
    ],
)  # fmt: skip
def test_markup_goes_where_its_words_went(source, target, expected):
    assert transfer(source, target) == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Hello {name}!", "Hallo {name}!", "Hallo {name}!"),
        ("Hello {name}!", "Hallo!", "Hallo {name}!"),
        ("You have %d messages.", "你有条消息。", "你有%d条消息。"),
        ("Copy %s to ${folder}", "Kopiere %s nach ${folder}", "Kopiere %s nach ${folder}"),
        ('Hello <x id="1"/>, <b>friend</b>', 'Freund, hallo <x id="1"/>', '<b>Freund</b>, hallo <x id="1"/>'),
        ("A & B {0}", "A & B", "A & B {0}"),
        ("<b>See</b> http://x.org/{0}/y", "Siehe http://x.org/{0}/y", "<b>Siehe</b> http://x.org/{0}/y"),
    ],
)
def test_placeholders_stand_in_the_result_once(source, target, expected):
    assert transfer(source, target) == expected


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("a <b>b", "x", "<b> is never closed"),
        ("a b</b>", "x", "</b> closes what was never opened"),
        ("<b><i>a</b></i>", "x", "</b> stands where <i> must be closed first"),
        ("<b>a</b> <i", "x", "begins a tag that does not end"),
        ("<b>a</b>", "<i>x</i>", "markup of its own"),
        ("<b>{0}</b>", "{0} {0}", "{0} more often than the source"),
        ("<b>a</b>", "<br/>x", "<br/> more often than the source"),
        ("<b>" * 500 + "a" + "</b>" * 500, "x", "nested more than 100 deep"),
    ],
)
def test_what_cannot_be_read_is_told(source, target, said):
    with pytest.raises(InputError, match=re.escape(said)):
        transfer(source, target)


def test_xml_is_strict():
    with pytest.raises(InputError, match="write &amp;"):
        transfer("<b>a</b> & b", "x", syntax="xml")
    with pytest.raises(InputError, match="There is no entity &nbsp; in XML"):
        transfer("<b>a</b>&nbsp;b", "x", syntax="xml")
    with pytest.raises(InputError, match="duplicate attribute"):
        transfer("<b x='1' x='2'>a</b>", "x", syntax="xml")
    assert transfer("line<br>break", "Zeile", syntax="html").count("<br>") == 1
    with pytest.raises(UsageError, match="Did you mean 'html'"):
        transfer("a", "b", syntax="htm")


def test_halves_of_a_span_enclose_its_words():
    source = 'Press <bpt id="1">&lt;b&gt;</bpt>Save<ept id="1">&lt;/b&gt;</ept> <ph id="2">{x}</ph>.'
    expected = (
        'Drücken Sie <bpt id="1">&lt;b&gt;</bpt>Speichern<ept id="1">&lt;/b&gt;</ept> <ph id="2">{x}</ph>.'
    )
    assert transfer(source, "Drücken Sie Speichern.", syntax="xliff") == expected
    source = 'Press <sc id="1"/>Save<ec startRef="1"/>.'
    assert transfer(source, "Speichern drücken.", syntax="xliff") == (
        '<sc id="1"/>Speichern<ec startRef="1"/> drücken.'
    )


def test_an_element_without_links_is_reported():
    found = next(transfer_stream([("<b>The</b> house", "")]))
    assert found.text == "<b></b>"
    assert [placement.element.opening for placement in found.unsure] == ["<b></b>"]
    sure = next(transfer_stream([("<b>The house</b> is small.", "Das Haus ist klein.")]))
    assert sure.unsure == []
    assert [round(placement.probability, 1) for placement in sure.walk()] == [1.0]


def test_any_aligner_serves():
    pairs = [
        ("The <b>house</b>", "Das Haus"),
        ("The <b>book</b>", "Das Buch"),
        ("A <b>book</b>", "Ein Buch"),
    ] * 4
    aligner = StatisticalAligner("ibm1").fit(
        (re.sub("<.*?>", "", source), target) for source, target in pairs
    )
    found = transfer_stream(pairs, aligner)
    assert [one.text for one in found][:3] == ["Das <b>Haus</b>", "Das <b>Buch</b>", "Ein <b>Buch</b>"]
    assert transfer(*pairs[0], Aligner("tiny")) == "Das <b>Haus</b>"


def test_a_stream_is_read_as_it_is_needed():
    def pairs():
        for number in range(100_000):
            nonlocal read
            read = number
            yield "Press <b>Save</b>.", "Drücken Sie Speichern."

    read = 0
    stream = transfer_stream(pairs(), Aligner("tiny"))
    assert next(stream).text == "Drücken Sie <b>Speichern</b>."
    assert read < 10_000


MARKS = st.sampled_from((*PIECES, *BROKEN, "<b>", "</b>", "<i x='1'>", "</i>"))
WORDS = st.lists(st.sampled_from((*TARGETS, "{0}", "%s ", "<x/>", "]]>")))


@settings(max_examples=400, deadline=None)
@given(
    st.lists(MARKS, max_size=20),
    WORDS,
    st.sampled_from(["html", "xml", "xliff"]),
    st.randoms(use_true_random=False),
)
def test_no_tag_is_lost_and_none_comes_twice(pieces, words, syntax, chance):
    source, target = "".join(pieces), "".join(words)
    found = carried(source, target, syntax, chance)
    if found is None:
        return
    assert tags(found.text, syntax) == tags(source, syntax)
    for placeholder in ("{0}", "%s"):
        assert found.text.count(placeholder) == max(source.count(placeholder), target.count(placeholder))
    again = parse_source(found.text, syntax)
    assert strip(again.text) == strip(prepare(source, target, syntax).target.text)


def strip(text: str) -> str:
    """The text without anchors, placeholders, and the spaces that come with them."""
    return re.sub(r"[\s\ufffc\u200b]|\{0\}|%s", "", text)


def test_a_span_goes_to_the_run_with_the_largest_sum():
    """Against the literal definition: every run of words is tried."""
    chance = random.Random(0)
    for _ in range(300):
        size = chance.randint(1, 7)
        source = " ".join(f"s{number}" for number in range(6))
        target = " ".join(f"t{number}" for number in range(size))
        marked = parse_source(source[:6] + "<b>" + source[6:11] + "</b>" + source[11:], "xml")
        words = split_words(source), split_words(target)
        links = [(i, j) for i in range(6) for j in range(size) if chance.random() < 0.3]
        scores = [chance.choice((0.25, 0.5, 1.0)) for _ in links]
        gain = [0.0] * size
        for (i, j), score in zip(links, scores, strict=True):
            gain[j] += score if i in (2, 3) else -score
        runs = [(a, b) for a in range(size) for b in range(a + 1, size + 1)]
        best = min(runs, key=lambda run: (-sum(gain[slice(*run)]), run[1] - run[0], run[0]))
        if sum(gain[slice(*best)]) <= 0:
            continue
        given = Target(target, target, list(range(len(target) + 1)), {})
        found = place(marked, given, Alignment(tuple(links), tuple(scores), *words))
        assert (found[0].start, found[0].end) == best


def test_syntax_is_guessed_by_the_source():
    assert [guess_syntax(text) for text in ("a & b", "a < b", "a &amp; b", "a<br>", "{0}")] == [
        "text", "text", "html", "html", "text",
    ]  # fmt: skip
    assert parse_target("a & b", "text").written == "a & b"
