"""Annotated files and their translations; links are given, so that they are certain."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from wordalign import Aligner
from wordalign.cli import main
from wordalign.errors import InputError, UsageError
from wordalign.project.files import project_files
from wordalign.project.labels import TAKEN, Rules
from wordalign.project.spans import IMPROBABLE, NO_LINKS

CONLL = """\
-DOCSTART- -X- -X- O

# id = 1
The DT O
European NNP B-ORG
Parliament NNP I-ORG
met VBD O
in IN O
Strasbourg NNP B-LOC
. . O

She O
thanked O
Merkel S-PER
"""
GERMAN = "Das Europäische Parlament tagte in Straßburg .\nSie dankte Merkel\n"
LINKS = "0-0 1-1 2-2 3-3 4-4 5-5 6-6\n0-0 1-1 2-2\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(**files: str) -> None:
    for name, text in files.items():
        Path(name.replace("_", ".")).write_text(text, "utf-8")


def test_conll_columns(here, capsys):
    write(train_conll=CONLL, deu_txt=GERMAN, links_txt=LINKS)
    assert main(["project", "train.conll", "deu.txt", "--links", "links.txt", "-o", "out.conll"]) == 0
    assert (here / "out.conll").read_text("utf-8") == (
        "-DOCSTART- -X- -X- O\n\n"
        "# id = 1\nDas O\nEuropäische B-ORG\nParlament I-ORG\ntagte O\nin O\nStraßburg B-LOC\n. O\n\n"
        "Sie O\ndankte O\nMerkel S-PER\n\n"
    )
    assert "Carried 3 of 3 annotations of 2 texts" in capsys.readouterr().err


def test_comments_without_a_sentence_need_no_translation(here):
    write(a_conll="# of my own\n\nred B-X\n", b_txt="rouge\n", links_txt="0-0\n")
    project_files("a.conll", "b.txt", "out.conll", links="links.txt")
    assert (here / "out.conll").read_text() == "# of my own\n\nrouge B-X\n\n"


def test_tabs_stay_tabs_and_files_may_be_compressed(here):
    (here / "a.conll.gz").write_bytes(gzip.compress(b"red\tB-X\nwine\tO\n"))
    write(b_txt="vin rouge\n", links_txt="0-1 1-0\n")
    project_files("a.conll.gz", "b.txt", "out.conll.gz", links="links.txt")
    assert gzip.decompress((here / "out.conll.gz").read_bytes()) == b"vin\tO\nrouge\tB-X\n\n"


def test_the_bundled_model_with_workers(here):
    write(train_conll=CONLL * 20, deu_txt=GERMAN * 20)
    for workers in ("1", "2"):
        command = ["project", "train.conll", "deu.txt", "--model", "tiny", "--workers", workers]
        assert main([*command, "-o", f"out{workers}.conll"]) == 0
    out = (here / "out1.conll").read_text("utf-8")
    assert out == (here / "out2.conll").read_text("utf-8")
    assert out.count("Parlament I-ORG") == out.count("Straßburg B-LOC") == out.count("Merkel S-PER") == 20


def test_the_report_counts_and_lists_what_was_dropped(here, capsys):
    write(a_conll="red B-X\nwine B-Y\nnow B-Z\n\nhe B-X\nsleeps O\n", b_txt="vin rouge\ndort\n")
    write(links_txt="0-1:0.9 1-0:0.5\n1-0\n")
    command = ["project", "a.conll", "b.txt", "--links", "links.txt", "--min-probability", "0.6"]
    assert main([*command, "--report", "report.json", "-o", "out.conll"]) == 0
    report = json.loads((here / "report.json").read_text("utf-8"))
    assert report == {
        "list": [
            {
                "place": "a.conll, line 1",
                "label": "Y",
                "text": "wine",
                "reason": IMPROBABLE,
                "probability": 0.5,
            },
            {"place": "a.conll, line 1", "label": "Z", "text": "now", "reason": NO_LINKS, "probability": 0.0},
            {"place": "a.conll, line 5", "label": "X", "text": "he", "reason": NO_LINKS, "probability": 0.0},
        ],
        "texts": 2,
        "texts_left_out": 0,
        "annotations": 4,
        "carried": 1,
        "dropped": {IMPROBABLE: 1, NO_LINKS: 2},
    }
    assert f"2: {NO_LINKS}" in capsys.readouterr().err
    assert (here / "out.conll").read_text() == "vin O\nrouge B-X\n\ndort O\n\n"


def test_texts_with_something_dropped_can_be_left_out(here):
    write(a_conll="red B-X\n\nhe B-X\nsleeps O\n", b_txt="rouge\ndort\n", links_txt="0-0\n1-0\n")
    summary = project_files("a.conll", "b.txt", "out.conll", links="links.txt", whole_texts=True)
    assert (summary.texts, summary.texts_left_out, summary.carried) == (2, 1, 1)
    assert (here / "out.conll").read_text() == "rouge B-X\n\n"


def test_the_file_is_not_held_in_memory(here):
    """Each file has a block of lines in memory, 6 MB together; all texts together would take 26 MB."""
    write(a_conll=CONLL * 8000, b_txt=GERMAN * 8000, links_txt=LINKS * 8000)
    tracemalloc.start()
    try:
        project_files("a.conll", "b.txt", "out.conll", links="links.txt", report="report.json")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 9_000_000


def test_two_spans_at_one_place(here):
    write(a_conll="red B-X\nwine B-Y\n", b_txt="vinrouge\n", links_txt="0-0:0.9 1-0:0.4\n")
    summary = project_files("a.conll", "b.txt", "out.conll", links="links.txt")
    assert (here / "out.conll").read_text() == "vinrouge B-X\n\n"
    assert summary.carried == 1
    assert TAKEN not in summary.dropped  # the links of the other one already weigh more


def carried_json(records: list[object], translations: list[str], links: list[str], **options: object) -> list:
    Path("a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    Path("b.txt").write_text("".join(f"{line}\n" for line in translations))
    Path("links.txt").write_text("".join(f"{line}\n" for line in links))
    project_files("a.jsonl", "b.txt", "out.jsonl", links="links.txt", **options)
    return [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]


def test_records_keep_their_shape(here):
    text = "Visit New York."
    spanned = {"start": 6, "end": 14, "label": "LOC", "token_start": 1, "token_end": 2}
    relation = {"id": 1, "from_id": 5, "to_id": 6, "type": "x"}
    region = {"start": 6, "end": 14, "text": "New York", "labels": ["LOC"]}
    found = carried_json(
        [
            {"id": 9, "text": text, "label": [[6, 14, "LOC"]]},
            {"text": text, "spans": [spanned], "meta": {"a": 1}},
            {
                "text": text,
                "entities": [
                    {"id": 5, "label": "LOC", "start_offset": 6, "end_offset": 14},
                    {"id": 6, "label": "P", "start_offset": 14, "end_offset": 15},
                ],
                "relations": [relation, {**relation, "to_id": 5}],
            },
            {
                "data": {"text": text},
                "annotations": [{"result": [{"id": "r", "value": region}, {"type": "choices", "value": {}}]}],
            },
            {"tokens": ["Visit", "New", "York"], "ner_tags": ["O", "B-LOC", "I-LOC"]},
            {"context": text, "question": "?", "answers": {"text": ["New York"], "answer_start": [6]}},
        ],
        ["New York besuchen!"] * 6,
        ["0-2 1-0 2-1"] * 6,
    )
    assert found == [
        {"id": 9, "text": "New York besuchen!", "label": [[0, 8, "LOC"]]},
        {"text": "New York besuchen!", "spans": [{"start": 0, "end": 8, "label": "LOC"}], "meta": {"a": 1}},
        {
            "text": "New York besuchen!",
            "entities": [{"id": 5, "label": "LOC", "start_offset": 0, "end_offset": 8}],
            "relations": [{**relation, "to_id": 5}],
        },
        {
            "data": {"text": "New York besuchen!"},
            "annotations": [
                {
                    "result": [
                        {"id": "r", "value": {"start": 0, "end": 8, "text": "New York", "labels": ["LOC"]}},
                        {"type": "choices", "value": {}},
                    ]
                }
            ],
        },
        {"tokens": ["New", "York", "besuchen!"], "ner_tags": ["B-LOC", "I-LOC", "O"]},
        {
            "context": "New York besuchen!",
            "question": "?",
            "answers": {"text": ["New York"], "answer_start": [0]},
        },
    ]


def test_tags_that_are_numbers(here):
    record = {"tokens": ["New", "York"], "ner_tags": [1, 2]}
    names = ["O", "B-LOC", "I-LOC"]
    found = carried_json([record], ["Nova York hoje"], ["0-0 1-1"], labels=names)
    assert found == [{"tokens": ["Nova", "York", "hoje"], "ner_tags": [1, 2, 0]}]
    with pytest.raises(InputError, match=r"a.jsonl, line 1: ner_tags are numbers: say with --labels"):
        carried_json([record], ["Nova York"], ["0-0 1-1"])
    with pytest.raises(InputError, match=r"a.jsonl, line 1: the labels have no number 2, but 0 to 1"):
        carried_json([record], ["Nova York"], ["0-0 1-1"], labels=["O", "B-LOC"])
    with pytest.raises(InputError, match=r"a.jsonl, line 1: the labels have no B-LOC"):
        carried_json([record], ["Nova York"], ["0-0 1-1"], labels=["O", "I-LOC", "I-LOC"])


@pytest.mark.parametrize(
    "document",
    [
        {"data": [{}]},
        {"data": [7]},
        {"data": [{"paragraphs": [{"context": "a"}]}]},
        {"data": [{"paragraphs": [{"context": "a", "qas": [7]}]}]},
        {"data": [{"paragraphs": [{"context": "a", "qas": [{"id": "1", "answers": [{}]}]}]}]},
    ],
)
def test_what_is_not_as_in_squad_is_explained(here, document):
    write(a_json=json.dumps(document), b_txt="a\n", links_txt="\n")
    with pytest.raises(InputError, match=r"a\.json, article 1.*: not as in SQuAD"):
        project_files("a.json", "b.txt", "out.json", links="links.txt")


def test_a_file_that_is_not_utf8_is_told(here):
    (here / "a.json").write_bytes(b"[\xb9]")
    (here / "b.txt").write_text("", "utf-8")
    with pytest.raises(InputError, match=r"not UTF-8.*iconv"):
        project_files("a.json", "b.txt", "out.json")


def test_a_list_of_records_in_one_file(here):
    write(
        a_json=json.dumps(
            [{"text": "wine", "label": [[0, 4, "X"]]}, {"text": "no", "label": [[0, 2, "X"]]}] * 2
        ),
        b_txt="vin\nnon\n" * 2,
        links_txt="0-0\n\n" * 2,
    )
    project_files("a.json", "b.txt", "out.json", links="links.txt")
    assert (
        json.loads((here / "out.json").read_text())
        == [
            {"text": "vin", "label": [[0, 3, "X"]]},
            {"text": "non", "label": []},
        ]
        * 2
    )
    (here / "links.txt").write_text("\n\n0-0\n\n")
    project_files("a.json", "b.txt", "out.json", links="links.txt", whole_texts=True)
    assert json.loads((here / "out.json").read_text()) == [{"text": "vin", "label": [[0, 3, "X"]]}]


def test_squad(here):
    def document(context: str, start: int, text: str, questions: int = 3) -> dict:
        answered = {"id": "1", "question": "Where?", "answers": [{"text": text, "answer_start": start}]}
        impossible = {"id": "2", "question": "Why?", "answers": [], "is_impossible": True}
        lost = {"id": "3", "question": "When?", "answers": [{"text": "now", "answer_start": 15}]}
        return {
            "version": "2.0",
            "data": [
                {
                    "title": "x",
                    "paragraphs": [{"context": context, "qas": [answered, impossible, lost][:questions]}],
                }
            ],
        }

    write(
        a_json=json.dumps(document("Visit New York now", 6, "New York")),
        b_txt="Besuche Nova York\n",
        links_txt="0-0 1-1 2-2\n",
    )
    summary = project_files("a.json", "b.txt", "out.json", links="links.txt")
    assert json.loads((here / "out.json").read_text()) == document("Besuche Nova York", 8, "Nova York", 2)
    assert (summary.annotations, summary.carried) == (2, 1)
    project_files("a.json", "b.txt", "out.json", links="links.txt", whole_texts=True)
    assert json.loads((here / "out.json").read_text())["data"] == [{"title": "x", "paragraphs": []}]


CONLLU = """\
# sent_id = 1
# text = I don't see the sea.
1\tI\tI\tPRON\tPRP\tNumber=Sing\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tsee\tsee\tVERB\tVB\t_\t0\troot\t_\t_
5\tthe\tthe\tDET\tDT\t_\t6\tdet\t_\t_
6\tsea\tsea\tNOUN\tNN\tNumber=Sing\t4\tobj\t_\tSpaceAfter=No
6.1\tit\t_\t_\t_\t_\t_\t_\t_\t_
7\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

"""


def test_conllu_to_plain_text(here):
    write(
        a_conllu=CONLLU,
        b_txt="Ich sehe kein Meer.\n",
        links_txt="0-0:0.9 2-2:0.8 4-2:0.4 3-1:0.9 5-3:0.9 6-4\n",
    )
    summary = project_files("a.conllu", "b.txt", "out.conllu", links="links.txt", raw=True)
    assert (here / "out.conllu").read_text() == (
        "# sent_id = 1\n"
        "# text = Ich sehe kein Meer.\n"
        "1\tIch\t_\tPRON\t_\tNumber=Sing\t2\tnsubj\t_\tSourceId=1|SourceLemma=I\n"
        "2\tsehe\t_\tVERB\t_\t_\t0\troot\t_\tSourceId=4|SourceLemma=see\n"
        "3\tkein\t_\tPART\t_\t_\t2\tadvmod\t_\tSourceId=3|SourceLemma=not\n"
        "4\tMeer\t_\tNOUN\t_\tNumber=Sing\t2\tobj\t_\tSpaceAfter=No|SourceId=6|SourceLemma=sea\n"
        "5\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\tSourceId=7|SourceLemma=.\n\n"
    )
    assert (summary.annotations, summary.carried) == (7, 5)


def test_conllu_to_conllu_keeps_its_tokens(here):
    target = (
        "# text = Del mar\n1-2\tDel\t_\t_\t_\t_\t_\t_\t_\t_\n1\tDe\tde\t_\t_\t_\t_\t_\t_\t_\n"
        "2\tel\tel\t_\t_\t_\t_\t_\t_\t_\n3\tmar\tmar\tPROPN\t_\t_\t_\t_\t_\t_\n3.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
    source = (
        "1\tOf\tof\tADP\t_\t_\t3\tcase\t_\t_\n2\tthe\tthe\tDET\t_\t_\t3\tdet\t_\t_\n"
        "3\tsea\tsea\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    )
    write(a_conllu=source, b_conllu=target, links_txt="0-0 1-1 2-2\n")
    project_files("a.conllu", "b.conllu", "out.conllu", links="links.txt")
    assert (here / "out.conllu").read_text() == (
        "# text = Del mar\n1-2\tDel\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tDe\tde\tADP\t_\t_\t3\tcase\t_\tSourceId=1|SourceLemma=of\n"
        "2\tel\tel\tDET\t_\t_\t3\tdet\t_\tSourceId=2|SourceLemma=the\n"
        "3\tmar\tmar\tPROPN\t_\t_\t0\troot\t_\tSourceId=3|SourceLemma=sea\n3.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )


GERMEVAL = """# a page
1\tMerkel\tB-PER\tO
2\tbesucht\tO\tO
3\tBayern\tB-ORG\tB-LOC
4\tMünchen\tI-ORG\tB-LOC

1\tHamburg\tB-LOC\tO
"""


def test_a_column_that_counts_words_is_passed_over_and_columns_are_chosen(here, capsys):
    write(a_tsv=GERMEVAL, b_txt="Merkel visits Bayern München\nHamburg\n", links_txt="0-0 1-1 2-2 3-3\n0-0\n")
    command = ["project", "a.tsv", "b.txt", "--links", "links.txt"]
    assert main(command) == 0
    inner = "# a page\nMerkel\tO\nvisits\tO\nBayern\tB-LOC\nMünchen\tB-LOC\n\nHamburg\tO\n\n"
    assert capsys.readouterr().out == inner
    assert main([*command, "--columns", "2", "3"]) == 0
    outer = "# a page\nMerkel\tB-PER\nvisits\tO\nBayern\tB-ORG\nMünchen\tI-ORG\n\nHamburg\tB-LOC\n\n"
    assert capsys.readouterr().out == outer
    assert main([*command, "--columns", "2", "5"]) == 1
    assert "a.tsv, line 2: expected a word and, in column 5, its tag" in capsys.readouterr().err
    assert main([*command, "--columns", "0", "3"]) == 2
    assert "count from 1" in capsys.readouterr().err


def test_numbers_are_words_where_they_do_not_count(here):
    write(a_conll="1 CD O\n\n2 CD O\npoints NNS B-X\n", b_txt="1\n2 Punkte\n", links_txt="0-0\n0-0 1-1\n")
    project_files("a.conll", "b.txt", "out.conll", links="links.txt")
    assert (here / "out.conll").read_text() == "1 O\n\n2 O\nPunkte B-X\n\n"


def test_a_head_that_was_not_carried_leaves_none(here):
    source = "1\tred\t_\tADJ\t_\t_\t2\tamod\t_\t_\n2\twine\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    write(a_conllu=source, b_txt="rouge\n", links_txt="0-0\n")
    project_files("a.conllu", "b.txt", "out.conllu", links="links.txt")
    assert "1\trouge\t_\tADJ\t_\t_\t_\t_\t_\tSourceId=1\n" in (here / "out.conllu").read_text()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a_conll": "red B-X\nwine\n"}, r"a.conll, line 2: expected a word and"),
        ({"b_txt": "vin rouge\nvin\n"}, r"not parallel: a.conll has 1 text, b.txt has 2"),
        ({"b_txt": ""}, r"not parallel: a.conll has 1 text, b.txt has 0"),
        ({"links_txt": ""}, "links.txt has links for 0 texts only"),
        ({"links_txt": "0-0\n0-0\n"}, "links for more texts"),
        ({"links_txt": "0-4\n"}, "0-4 is beyond sentences of 2 and 2 words"),
    ],
)
def test_wrong_input_is_explained_and_nothing_is_written(here, files, message):
    write(**{"a_conll": "red B-X\nwine O\n", "b_txt": "vin rouge\n", "links_txt": "0-1 1-0\n", **files})
    with pytest.raises(InputError, match=message):
        project_files("a.conll", "b.txt", "out.conll", links="links.txt")
    assert not (here / "out.conll").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "line 1: expected"),
        ('{"text": "a"}', "line 1: expected"),
        ('{"text": "a", "label": [[0, 7, "X"]]}', r"line 1: \(0, 7\) is no span of a text of 1 characters"),
        ('{"text": "a", "label": [["0", "1", "X"]]}', "line 1: expected"),
        ('{"tokens": ["a"], "ner_tags": ["O", "O"]}', "line 1: 1 tokens, but 2 ner_tags"),
        ('{"tokens": ["a"], "ner_tags": ["X"]}', "line 1: 'X' is no tag"),
        ('{"text": "a", "spans": [{"label": "X"}]}', "line 1: expected"),
        ('{"text": "a", "spans": [null]}', "line 1: expected"),
        ('{"data": [], "annotations": []}', "line 1: expected"),
        ('{"data": {"text": "a"}, "annotations": [{"result": [7]}]}', "line 1: expected"),
        ('{"context": "a", "answers": {"text": ["a", "b"], "answer_start": [0]}}', "line 1: "),
        ('{"context": "a", "answers": ["a"]}', "line 1: expected"),
    ],
)
def test_wrong_records_are_explained(here, line, message):
    write(a_jsonl=line + "\n", b_txt="a\n", links_txt="\n")
    with pytest.raises(InputError, match=message):
        project_files("a.jsonl", "b.txt", "out.jsonl", links="links.txt")


def test_wrong_calls_are_explained(here):
    write(
        a_conll="red B-X\n",
        b_txt="rouge\n",
        a_conllu=CONLLU,
        b_conllu=CONLLU,
        links_txt="0-0\n",
        c_conllu="x\n",
    )
    with pytest.raises(UsageError, match="leave the file of links or the aligner out"):
        project_files("a.conll", "b.txt", aligner=Aligner("tiny"), links="links.txt")
    with pytest.raises(UsageError, match="There is no format of annotations 'conl'"):
        project_files("a.conll", "b.txt", annotation_format="conl")
    with pytest.raises(UsageError, match="only CoNLL-U is carried to"):
        project_files("a.conll", "b.conllu", links="links.txt")
    with pytest.raises(InputError, match=r"c.conllu, line 1: not CoNLL-U"):
        project_files("c.conllu", "b.txt", links="links.txt")
    assert main(["project", "a.conll", "b.txt", "--links", "links.txt", "--model", "tiny"]) == 2
    assert main(["project", "a.conll", "b.txt", "--links", "links.txt", "-o", "a.conll"]) == 2
    with pytest.raises(UsageError, match="leave them out"):
        project_files("a.conll", "b.txt", labels=["O"])


def test_any_aligner_will_do(here):
    class Same(Aligner):
        pass

    write(a_conll="Berlin B-X\n", b_txt="Berlin\n")
    project_files("a.conll", "b.txt", "out.conll", Same("tiny"), rules=Rules(edges="keep"))
    assert (here / "out.conll").read_text() == "Berlin B-X\n\n"
