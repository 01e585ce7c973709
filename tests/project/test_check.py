"""The score of a pair, what is said to be wrong with it, and everything that uses both."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign import Aligner
from wordalign.cli import main
from wordalign.io import line_writer
from wordalign.project.check import LanguageModel, check_pair, check_stream
from wordalign.project.report import Report
from wordalign.project.score import translation_score
from wordalign.types import Alignment, Sentence

ENGLISH = "We will send you the signed contract next week, and the children were playing in the garden."
GERMAN = "Wir schicken Ihnen nächste Woche den unterschriebenen Vertrag, und die Kinder spielten im Garten."
FAULTS = {
    "shuffled": (
        ENGLISH,
        "Die Ergebnisse der Studie wurden im Mai veröffentlicht, weil niemand daran glaubte.",
    ),
    "cut": (ENGLISH, "Wir werden Ihnen nächste Woche den unterschriebenen Vertrag zuschicken"),
    "added": ("We will send you the signed contract next week.", GERMAN),
    "copied": (ENGLISH, ENGLISH),
    "half": (
        ENGLISH,
        "Wir werden Ihnen nächste Woche den Vertrag send, and the children were playing in the garden.",
    ),
    "nothing": (ENGLISH, ""),
}


@pytest.fixture(scope="module", params=["base", "tiny"])
def aligner(request):
    return Aligner(request.param)


def test_good_pairs_score_above_faulty_ones(aligner):
    good = aligner.align(ENGLISH, GERMAN)
    assert good.score > 0.8
    assert aligner.align(GERMAN, ENGLISH).score > 0.8
    scores = {fault: aligner.align(*pair).score for fault, pair in FAULTS.items()}
    assert max(scores.values()) < 0.75 * good.score, scores
    assert max(scores[fault] for fault in ("shuffled", "copied", "half")) < 0.5, scores


@st.composite
def alignments(draw):
    sides = [
        draw(st.lists(st.sampled_from(["a", "B", "cats", "12", ".", "", "猫"]), max_size=6)) for _ in "st"
    ]
    cells = [(i, j) for i in range(len(sides[0])) for j in range(len(sides[1]))]
    links = sorted(draw(st.sets(st.sampled_from(cells), max_size=8))) if cells else []
    scores = tuple(draw(st.floats(0, 1)) for _ in links)
    return Alignment(tuple(links), scores, *(Sentence(tuple(side)) for side in sides))


@given(alignments())
def test_a_score_is_a_probability_and_the_same_in_both_directions(alignment):
    turned = sorted(((j, i), score) for (i, j), score in zip(alignment.links, alignment.scores, strict=True))
    back = Alignment(
        tuple(link for link, _ in turned),
        tuple(score for _, score in turned),
        alignment.target,
        alignment.source,
    )
    assert 0 <= alignment.score <= 1
    assert translation_score(back) == pytest.approx(alignment.score)
    checked = check_pair(alignment)
    for finding in checked.findings:
        side = alignment.source if finding.side == "source" else alignment.target
        assert 0 <= finding.start < finding.end <= len(side)
        assert finding.text == " ".join(side.words[finding.start : finding.end])


def found(source: str, target: str, links: str = "") -> set[tuple[str, str, str]]:
    """What is wrong with two sentences of words between spaces, of which those are linked."""
    pairs = tuple(tuple(map(int, link.split("-"))) for link in links.split())
    alignment = Alignment(
        pairs, (0.99,) * len(pairs), Sentence(tuple(source.split())), Sentence(tuple(target.split()))
    )
    return {(one.kind, one.side, one.text) for one in check_pair(alignment).findings}


FACTS = {"number", "url", "placeholder"}


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("page 12", "Seite 21", {("number", "source", "12"), ("number", "target", "21")}),
        ("1,000.50 euros", "1.000,50 Euro", set()),
        ("1 000 000 people", "1,000,000 Leute", set()),
        ("१२ pages", "12 Seiten", set()),
        ("12 and 12", "12 und", {("number", "source", "12")}),
        ("see https://a.org/1 now", "siehe https://a.org/2 jetzt", {
            ("url", "source", "https://a.org/1"), ("url", "target", "https://a.org/2")}),
        ("write to me@a.org", "schreib me@a.org", set()),
        ("{0} of %s in ${name}", "{0} von %d in ${name}", {
            ("placeholder", "source", "%s"), ("placeholder", "target", "%d")}),
        ("<b> bold </b>", "<b> fett", {("placeholder", "source", "</b>")}),
        ("9" * 5000, "x", {("number", "source", "9" * 5000)}),
    ],
)  # fmt: skip
def test_facts_stand_on_both_sides(source, target, expected):
    assert {one for one in found(source, target) if one[0] in FACTS} == expected


def test_small_numbers_may_be_written_as_words():
    assert found("3 cats", "drei Katzen", "0-0 1-1") == set()
    assert ("number", "source", "3") in found("3 cats", "5 Katzen", "0-0 1-1")
    assert ("number", "source", "300") in found("300 cats", "dreihundert Katzen", "0-0 1-1")


def test_names_without_a_link_are_told():
    links = "0-0 1-1 2-2 3-3 5-4 6-5 7-6 8-7"
    source = "we saw the house with Melanie in a garden"
    assert ("name", "source", "Melanie") in found(
        source, "wir sahen das Haus in einem Garten hier", "0-0 1-1 2-2 3-3 4-4 6-5 7-6 8-7"
    )
    assert ("name", "source", "Melanie") not in found(
        source, "wir sahen das Haus Melanie einem Garten hier", links
    )


def test_words_without_a_partner_are_marked(aligner):
    checked = check_pair(aligner.align(*FAULTS["cut"]))
    (missing,) = [one for one in checked.findings if one.kind == "untranslated"]
    assert missing.text.endswith("the children were playing in the garden")
    assert missing.probability > 0.5
    added = [one.text for one in check_pair(aligner.align(*FAULTS["added"])).findings if one.kind == "added"]
    assert any("Kinder spielten im Garten" in text for text in added)
    copied = [one.text for one in check_pair(aligner.align(*FAULTS["half"])).findings if one.kind == "copied"]
    assert any("the children were playing in the garden" in text for text in copied)
    assert check_pair(aligner.align(ENGLISH, GERMAN)).findings == ()


GERMAN_WORDS = tuple(
    "der die das Haus Garten spielt schreibt nicht und mit einem kleinen Kind über Wasser".split(" ")  # noqa: SIM905
)
FRENCH = tuple("les enfants jouaient dans le jardin derrière la maison pendant toute la journée".split(" "))  # noqa: SIM905


def test_a_sentence_in_another_language_is_surprising():
    sentences = [[GERMAN_WORDS[(k * 7 + step * 3) % 15] for step in range(8)] for k in range(200)]
    model = LanguageModel([*sentences, FRENCH])
    assert model.surprise(FRENCH, learned=True) > 8
    assert model.probability(FRENCH, learned=True) < 0.05
    assert model.surprise(FRENCH) < model.surprise(FRENCH, learned=True)
    assert sum(model.probability(sentence, learned=True) > 0.5 for sentence in sentences) >= 190
    assert model.surprise([]) == model.surprise(["12", "."]) == 0
    assert LanguageModel([]).surprise(FRENCH) == LanguageModel([]).surprise(FRENCH)


def test_a_text_in_which_a_sentence_has_another_language():
    german = [Sentence(tuple(GERMAN_WORDS[(k * 7 + step * 3) % 15] for step in range(8))) for k in range(150)]
    links = tuple((k, k) for k in range(8))
    pairs = [Alignment(links, (0.99,) * 8, Sentence(tuple("abcdefgh")), sentence) for sentence in german]
    pairs[75] = Alignment(links, (0.99,) * 8, pairs[0].source, Sentence(tuple(FRENCH[:8])))
    checked = list(check_stream(pairs))
    assert [one.kind for one in checked[75].findings if one.side == "target"] == ["language"]
    assert checked[75].score < checked[0].score / 2
    assert sum("language" in {one.kind for one in pair.findings} for pair in checked) <= 8
    # Of a few sentences nothing can be learned.
    assert not any(
        pair.findings and pair.findings[0].kind == "language" for pair in check_stream(pairs[70:80])
    )


def test_lines_of_links_have_the_score_and_respect_the_lowest_one(aligner):
    pair = aligner.align(*FAULTS["copied"])
    record = json.loads(line_writer("jsonl", True, {"m": "s"}, min_score=0.5)({"m": pair}))
    assert record["score"] == round(pair.score, 4) < 0.5
    assert record["links"] == record["scores"] == []
    assert line_writer("pharaoh", False, {"m": "s"}, min_score=0.5)({"m": pair}) == ""
    good = aligner.align(ENGLISH, GERMAN)
    assert line_writer("pharaoh", False, {"m": "s"}, min_score=0.5)({"m": good}) == good.pharaoh()


def run(command: str) -> int:
    return main(command.split())


@pytest.fixture
def text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eng.txt").write_text(f"{ENGLISH}\n{ENGLISH}\nSee <1> & page 12.\n\n", "utf-8")
    (tmp_path / "deu.txt").write_text(f"{GERMAN}\n{ENGLISH}\nSiehe <1> & Seite 13.\n\n", "utf-8")
    return tmp_path


def test_the_command_writes_lines_and_a_report(text, capsys):
    assert run("check eng.txt deu.txt --raw --model tiny -o out.jsonl --report report.html --workers 1") == 0
    records = [json.loads(line) for line in (text / "out.jsonl").read_text("utf-8").splitlines()]
    assert [record["line"] for record in records] == [1, 2, 3, 4]
    assert records[0]["findings"] == []
    assert {"12", "13"} <= {one["text"] for one in records[2]["findings"]}
    page = (text / "report.html").read_text("utf-8")
    assert "<mark class='number' title='number: 95%'>12</mark>" in page
    assert "&lt;1&gt; &amp;" in page
    assert "Checked 3 pairs; probably no translations" in capsys.readouterr().err
    assert run("check eng.txt deu.txt --raw --model tiny --below 0.5 --workers 1") == 0
    assert 2 in [json.loads(line)["line"] for line in capsys.readouterr().out.splitlines()]


def test_links_without_scores_are_told(text, capsys):
    assert run("align eng.txt deu.txt --raw --model tiny -o bare.txt --workers 1") == 0
    assert run("align eng.txt deu.txt --raw --model tiny -o scored.txt --scores --workers 1") == 0
    capsys.readouterr()
    assert run("check eng.txt deu.txt --raw --links scored.txt") == 0
    assert capsys.readouterr().err == ""
    assert run("check eng.txt deu.txt --raw --links bare.txt") == 0
    assert "The links of bare.txt have no scores" in capsys.readouterr().err


def test_align_leaves_bad_pairs_without_links(text):
    assert run("align eng.txt deu.txt --raw --model tiny --min-score 0.5 -o links.txt --workers 1") == 0
    lines = (text / "links.txt").read_text("utf-8").splitlines()
    assert [bool(line) for line in lines[:2]] == [True, False]
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("check eng.txt deu.txt --below 2", "between 0 and 1"),
        ("check eng.txt deu.txt --report eng.txt", "overwritten"),
        ("align eng.txt deu.txt --min-score 7", "between 0 and 1"),
    ],
)
def test_wrong_usage_is_told_in_words(text, capsys, command, advice):
    assert run(command) == 2
    assert advice in capsys.readouterr().err


def test_a_side_without_words_is_untranslated_or_added_as_a_whole():
    words, none = Sentence(("Yes", ",", "12", ".")), Sentence(())
    for alignment, kind in (
        (Alignment((), (), words, none), "untranslated"),
        (Alignment((), (), none, words), "added"),
    ):
        found = [f for f in check_pair(alignment).findings if f.kind in ("untranslated", "added")]
        assert [(f.kind, f.start, f.end, f.probability) for f in found] == [(kind, 0, 4, 1.0)]
    assert check_pair(Alignment((), (), none, none)).findings == ()


def test_a_report_counts_empty_pairs_apart():
    report = Report()
    report.add(1, check_pair(Alignment((), (), Sentence(()), Sentence(()))))
    report.add(2, check_pair(Alignment((), (), Sentence(("a",)), Sentence(()))))
    assert report.summary() == (
        "Checked 1 pair; probably no translations (a score below 0.5): 1. Empty on both sides: 1."
    )
    assert report.html("x").count("<tr>") == 2


def test_a_report_keeps_the_worst_pairs():
    report = Report(shown=2)
    links = ((0, 0),)
    for line in range(1, 6):
        alignment = Alignment(links, (1.0,), Sentence((f"{line}00",)), Sentence(("x",)))
        report.add(line, check_pair(alignment))
    page = report.html("a <b>")
    assert page.count("<tr>") == 3
    assert "a &lt;b&gt;" in page


def test_opusfilter_loads_the_filter():
    pipeline = pytest.importorskip("opusfilter.pipeline")
    config = [
        {"TranslationFilter": {"threshold": 0.5, "model": "tiny"}, "module": "wordalign.project.opusfilter"}
    ]
    filters = pipeline.FilterPipeline.from_config(config)
    pairs = [[ENGLISH, GERMAN], list(FAULTS["copied"]), list(FAULTS["shuffled"])]
    assert list(filters.filter(pairs)) == pairs[:1]
    assert list(filters.filterfalse(pairs)) == pairs[1:]
    scores = [one["TranslationFilter"] for one in filters.score(pairs)]
    assert scores[0] > 0.5 > max(scores[1:])


def test_links_without_scores_count_as_certain():
    source, target = Sentence(("the", "old", "house")), Sentence(("das", "alte", "Haus"))
    links = ((0, 0), (1, 1), (2, 2))
    assert Alignment(links, (), source, target).score == Alignment(links, (1.0,) * 3, source, target).score


def test_lengths_are_compared_with_the_usual_ones():
    """In a text whose targets are twice as long, such a target is nothing to wonder at."""
    source, target = Sentence(("aaaa",) * 5), Sentence(("bbbbbbbb",) * 5)
    alignment = Alignment(tuple((k, k) for k in range(5)), (0.9,) * 5, source, target)
    assert translation_score(alignment, usual_ratio=0.6) > translation_score(alignment)
    chinese = Alignment(((0, 0),), (0.9,), Sentence(("elephants",)), Sentence(("大象",)))
    assert translation_score(chinese) > translation_score(
        Alignment(((0, 0),), (0.9,), Sentence(("elephants",)), Sentence(("ab",)))
    )
