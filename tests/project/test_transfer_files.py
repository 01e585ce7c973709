"""Markup of whole files: the right blocks, everything else as it was, and nothing written where it fails."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from wordalign import Aligner, InputError, StatisticalAligner, UsageError
from wordalign.cli import main
from wordalign.project.markup.documents import blocks, plain_text
from wordalign.project.markup.files import Summary, text_of, transfer_file
from wordalign.project.markup.syntax import parse_source
from wordalign.project.markup.transfer import transfer

PAGE = """<!DOCTYPE html>
<html><head><title>The house</title><script>if (a<b) x("<p>")</script></head>
<body><h1 class=a>The <i>house</i></h1>
<a href="x"><div>Press <b>Save</b> &amp; go.</div></a><p>First line<br>second line <!-- c -->
<ul><li>first<li><b>second</b></ul><pre>code <b></pre></body></html>
"""
TRANSLATED_PAGE = """<!DOCTYPE html>
<html><head><title>Das Haus</title><script>if (a<b) x("<p>")</script></head>
<body><h1 class=a>Das <i>Haus</i></h1>
<a href="x"><div>Drücke <b>Speichern</b> &amp; geh.</div></a><p>Erste Zeile<br> zweite Zeile <!-- c -->
<ul><li>erstens<li><b>zweitens</b></ul><pre>code <b></pre></body></html>
"""
LINES_OF_PAGE = [
    "Das Haus",
    "Das Haus",
    "Drücke Speichern & geh.",
    "Erste Zeile zweite Zeile",
    "erstens",
    "zweitens",
]


@pytest.fixture
def written(tmp_path):
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.fixture(scope="module")
def aligner():
    return Aligner()


def test_a_page_of_html(written, tmp_path, aligner):
    page, lines = written("page.html", PAGE), written("page.txt", "\n".join(LINES_OF_PAGE) + "\n")
    assert list(text_of(page)) == [
        "The house", "The house", "Press Save &amp; go.", "First line second line", "first", "second",
    ]  # fmt: skip
    summary = transfer_file(page, lines, tmp_path / "out.html", aligner)
    assert (tmp_path / "out.html").read_text("utf-8") == TRANSLATED_PAGE
    assert summary == Summary(blocks=6, elements=3)
    transfer_file(page, lines, tmp_path / "out.html.gz", aligner)
    assert gzip.decompress((tmp_path / "out.html.gz").read_bytes()).decode() == TRANSLATED_PAGE


def test_tags_that_cross_blocks(written, tmp_path, aligner):
    page = written("page.html", "<p>one\n<p>two <b>three\n<p>four\n")
    with pytest.raises(InputError, match=r"page.html, line 2: <b> is never closed"):
        list(text_of(page))
    assert list(text_of(written("page.html", "<p>a <i>b<p>c</i> d <b>e</b> f"))) == ["a", "b", "c", "d e f"]
    assert list(text_of(written("page.html", "<p>is_<wbr>it <i>so</i><wbr><b>?</b>"))) == ["is_it so ?"]
    labels = "<label><input><i>a</i></label> <label><input><i>b</i></label>"
    assert [block.source for block in blocks(f"<p>{labels} <br>", "html")] == [labels]


def test_lines_that_do_not_match_are_told(written, tmp_path, aligner):
    page, lines = written("page.html", "<p>one<p>two"), written("lines.txt", "eins\n")
    with pytest.raises(InputError, match=r"has 1 line, but the source 2 blocks.*--text"):
        transfer_file(page, lines, tmp_path / "out.html", aligner)
    assert not (tmp_path / "out.html").exists()


XLIFF_1 = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en"
 target-language="de" datatype="x"><body>
<!-- kept -->
<trans-unit id="1"><source>Press <g id="1">Save</g>.</source><target state="n">Drücken Sie Speichern.</target>
 <alt-trans><source>x</source><target>Press <g id="9">y</g></target></alt-trans></trans-unit>
<trans-unit id="2"><source>Hello <x id="1"/></source><target>Hallo <x id="1"/></target></trans-unit>
<trans-unit id="3"><source>No <g id="1">translation</g></source></trans-unit>
</body></file></xliff>
"""
XLIFF_2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de">
<file id="f"><unit id="1"><segment><source>Press <pc id="1">Save</pc>.</source>
<target>Drücken Sie Speichern.</target></segment></unit></file></xliff>
"""
TMX = """<?xml version="1.0"?>
<tmx version="1.4"><header srclang="en" datatype="xml" segtype="sentence" o-tmf="x" adminlang="en"
 creationtool="x" creationtoolversion="1"/><body>
<tu><tuv xml:lang="de"><seg>Drücken Sie Speichern.</seg></tuv>
<tuv xml:lang="en"><seg>Press <bpt i="1">&lt;b></bpt>Save<ept i="1">&lt;/b></ept>.</seg></tuv></tu>
</body></tmx>
"""


CUT_UP = """\ufeff<xliff version="1.2"><file source-language="en" target-language="de"><body>
<trans-unit id="1"><source>Press <g id="1">Save</g> now. It is <g id="2">old</g>.</source><seg-source>\
<mrk mtype="seg" mid="1">Press <g id="1">Save</g> now.</mrk> \
<mrk mid="2" mtype="seg">It is <g id="2">old</g>.</mrk>\
</seg-source><target><mrk mtype="seg" mid="1">Drücken Sie jetzt Speichern.</mrk> \
<mrk mid="2" mtype="seg">Es ist <g id="2">alt</g>.</mrk></target></trans-unit>
</body></file></xliff>
"""


@pytest.mark.parametrize(
    ("name", "document", "before", "after"),
    [
        (
            "a.sdlxliff",
            CUT_UP,
            ">Drücken Sie jetzt Speichern.<",
            '>Drücken Sie jetzt <g id="1">Speichern</g>.<',
        ),
        ("a.xlf", XLIFF_1, ">Drücken Sie Speichern.<", '>Drücken Sie <g id="1">Speichern</g>.<'),
        ("a.xliff", XLIFF_2, ">Drücken Sie Speichern.<", '>Drücken Sie <pc id="1">Speichern</pc>.<'),
        (
            "a.tmx",
            TMX,
            ">Drücken Sie Speichern.<",
            '>Drücken Sie <bpt i="1">&lt;b></bpt>Speichern<ept i="1">&lt;/b></ept>.<',
        ),
    ],
)
def test_bilingual_files(name, document, before, after, written, tmp_path, aligner):
    out = tmp_path / f"out-{name}"
    transfer_file(written(name, document), None, out, aligner)
    assert out.read_text("utf-8") == document.replace(before, after)
    again = tmp_path / f"again-{name}"
    transfer_file(out, None, again, aligner)
    assert again.read_bytes() == out.read_bytes()


def test_xml_that_is_not_well_formed_is_told_with_its_line(written, tmp_path, aligner):
    broken = written("a.xlf", XLIFF_1.replace("</g>.</source>", ".</source>"))
    with pytest.raises(InputError, match=r"a.xlf, line 5: An XML parser refuses it: mismatched tag"):
        transfer_file(broken, None, tmp_path / "out.xlf", aligner)
    assert list(tmp_path.iterdir()) == [broken]


MARKDOWN = """---
title: kept
---
# The *house*

Press **Save** in
[the menu](menu.md "a title") or `quit`.

- first
- second

```
*code*
```

| a | b |
|---|---|
"""


@pytest.mark.parametrize(
    ("name", "text", "translated", "wanted"),
    [
        ("a.md", "# The house\n", "Das Haus\n", "# Das Haus\n"),
        ("a.html", "<p>The <b>house</b></p>", "Das Haus\n", "<p>Das <b>Haus</b></p>"),
    ],
)
def test_a_byte_order_mark_is_no_text_and_stays(name, text, translated, wanted, written, tmp_path, aligner):
    source = written(name, "\ufeff" + text)
    output = tmp_path / f"out-{name}"
    transfer_file(source, written("lines.txt", translated), output, aligner=aligner)
    assert output.read_text("utf-8") == "\ufeff" + wanted


def test_markdown(written, tmp_path, aligner):
    lines = ["Das Haus", "Drücken Sie Speichern im Menü oder quit.", "erstens", "zweitens"]
    source = written("a.md", MARKDOWN)
    assert list(text_of(source)) == ["The house", "Press Save in the menu or quit.", "first", "second"]
    transfer_file(source, written("a.txt", "\n".join(lines)), tmp_path / "out.md", aligner)
    paragraph = 'Drücken Sie **Speichern** im [Menü](menu.md "a title") oder `quit`.'
    expected = MARKDOWN.replace("The *house*", "Das *Haus*").replace(
        "- first\n- second", "- erstens\n- zweitens"
    )
    old = 'Press **Save** in\n[the menu](menu.md "a title") or `quit`.'
    assert (tmp_path / "out.md").read_text("utf-8") == expected.replace(old, paragraph)


@pytest.mark.parametrize(
    ("written", "elements"),
    [
        ("a *b* c", ["*"]),
        ("2 * 3 * 4", []),
        ("snake_case_name", []),
        ("**a *b* c**", ["**", "*"]),
        ("*a **b*", ["*"]),
        (r"\*a\*", []),
        ("[a](b) ![c](d)", ["[", "!["]),
        ("[a] b", []),
        ("a<br>b", ["<br>"]),
    ],
)
def test_marks_of_markdown_need_a_partner(written, elements):
    def walk(found):
        for element in found:
            yield element.opening
            yield from walk(element.children)

    assert list(walk(parse_source(written, "markdown").elements)) == elements
    assert [block.source for block in blocks(written, "markdown")] == [written]


def test_headers_footers_and_notes_of_word_files(tmp_path, written, aligner):
    docx = pytest.importorskip("docx")
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    document = docx.Document()
    document.add_paragraph("The house is old.")
    head = document.sections[0].header.paragraphs[0]
    head.add_run("A ")
    head.add_run("small").italic = True
    head.add_run(" house")
    document.sections[0].footer.paragraphs[0].text = "The garden"
    document.add_section()  # its header is the one before
    note = (
        '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:footnote '
        'w:id="1"><w:p><w:r><w:t>The </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>river</w:t></w:r></w:p>'
        "</w:footnote></w:footnotes>"
    )
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    package = document.part.package
    part = Part(PackURI("/word/footnotes.xml"), kind, note.encode(), package)
    document.part.relate_to(
        part, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    )
    document.save(tmp_path / "a.docx")
    expected = ["The house is old.", "A small house", "The garden", "The river"]
    assert list(text_of(tmp_path / "a.docx")) == expected
    lines = written("a.txt", "Das Haus ist alt.\nEin kleines Haus\nDer Garten\nDer Fluss\n")
    transfer_file(tmp_path / "a.docx", lines, tmp_path / "out.docx", aligner)
    made = docx.Document(str(tmp_path / "out.docx"))
    runs = made.sections[0].header.paragraphs[0].runs
    assert [(run.text, run.italic) for run in runs] == [("Ein ", None), ("kleines", True), (" Haus", None)]
    assert made.sections[0].footer.paragraphs[0].text == "Der Garten"
    assert list(text_of(tmp_path / "out.docx"))[-1] == "Der Fluss"


def test_word_files(tmp_path, written, aligner):
    docx = pytest.importorskip("docx")
    document = docx.Document()
    paragraph = document.add_paragraph("Press ")
    paragraph.add_run("Sa").bold = True
    paragraph.add_run("ve").bold = True
    paragraph.add_run(" & go.")
    document.add_paragraph("")
    document.add_table(1, 1).cell(0, 0).paragraphs[0].add_run("The house is small.").italic = True
    document.save(tmp_path / "a.docx")
    assert list(text_of(tmp_path / "a.docx")) == ["Press Save &amp; go.", "The house is small."]
    lines = written("a.txt", "Drücken Sie Speichern & gehen Sie.\nDas Haus ist klein.\n")
    transfer_file(tmp_path / "a.docx", lines, tmp_path / "out.docx", aligner)
    made = docx.Document(str(tmp_path / "out.docx"))
    runs = [(run.text, run.bold) for run in made.paragraphs[0].runs]
    assert "".join(text for text, _ in runs) == "Drücken Sie Speichern & gehen Sie."
    assert [text for text, bold in runs if bold] == ["Speichern"]
    cell = made.tables[0].cell(0, 0).paragraphs[0]
    assert [(run.text, run.italic) for run in cell.runs] == [("Das Haus ist klein.", True)]


def test_links_tabs_and_fields_of_word(tmp_path, written, aligner):
    docx = pytest.importorskip("docx")
    from docx.oxml import parse_xml

    document = docx.Document()
    names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    paragraph = (
        f'<w:p {names}><w:r><w:t>The house</w:t><w:tab/><w:t xml:space="preserve"> is in </w:t></w:r>'
        '<w:hyperlink w:anchor="a"><w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t>the city</w:t></w:r>'
        '</w:hyperlink><w:r><w:t xml:space="preserve">, page </w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        '<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        '<w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    document.element.body.insert(0, parse_xml(paragraph))
    document.save(tmp_path / "a.docx")
    assert list(text_of(tmp_path / "a.docx")) == ["The house is in the city, page 7"]
    lines = written("a.txt", "Seite 7, das Haus ist in der Stadt\n")
    transfer_file(tmp_path / "a.docx", lines, tmp_path / "out.docx", aligner)
    made = docx.Document(str(tmp_path / "out.docx")).paragraphs[0]
    assert [link.text for link in made.hyperlinks] == ["der Stadt"]
    tags = [node.tag.rpartition("}")[2] for node in made._p.iter()]
    assert [tags.count(name) for name in ("tab", "fldChar", "instrText", "hyperlink", "u")] == [1, 3, 1, 1, 1]
    kinds = [
        node.get(node.tag.replace("fldChar", "fldCharType"))
        for node in made._p.iter()
        if "fldChar" in node.tag
    ]
    assert kinds == ["begin", "separate", "end"]
    assert "".join(made.text.split("\t")) == "Seite 7, das Haus ist in der Stadt"


def test_parallel_lines(written, tmp_path, capsys):
    source = written("eng.txt", "Press <b>Save</b>.\n\n{0} houses\n")
    target = written("deu.txt", "Drücken Sie Speichern.\n\nHäuser\n")
    assert main(["transfer", str(source), str(target), "-o", str(tmp_path / "out.txt")]) == 0
    assert (tmp_path / "out.txt").read_text("utf-8") == "Drücken Sie <b>Speichern</b>.\n\n{0} Häuser\n"
    assert capsys.readouterr().err == ""


def test_a_line_that_cannot_be_read(written, tmp_path, capsys):
    source = written("eng.txt", "<b>Press\nPress <b>Save</b>.\n")
    target = written("deu.txt", "Drücken\nDrücken Sie Speichern.\n")
    out, report = tmp_path / "out.txt", tmp_path / "report.jsonl"
    words = ["transfer", str(source), str(target), "-o", str(out)]
    assert main(words) == 1
    assert "eng.txt, line 1: <b> is never closed." in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == sorted([source, target])
    assert main([*words, "--on-error", "skip", "--report", str(report)]) == 0
    assert out.read_text("utf-8") == "\nDrücken Sie <b>Speichern</b>.\n"
    assert json.loads(report.read_text("utf-8")) == {"line": 1, "problem": "<b> is never closed."}
    assert "Could not read 1 of 2 lines or blocks: see" in capsys.readouterr().err


def test_an_element_without_a_link_is_reported(written, tmp_path, capsys):
    source, target = written("eng.txt", "<b>x</b>\n"), written("deu.txt", "\n")
    report = tmp_path / "report.jsonl"
    assert main(["transfer", str(source), str(target), "--report", str(report)]) == 0
    said = capsys.readouterr()
    assert said.out == "<b></b>\n"
    assert "No link speaks for the place of 1 of 1 element: see" in said.err
    assert json.loads(report.read_text("utf-8"))["element"] == "<b></b>"


def test_wrong_calls_are_told(written, tmp_path, aligner):
    source = written("a.txt", "x\n")
    with pytest.raises(UsageError, match="Give the source and its translation"):
        transfer_file(source, None, None, aligner)
    with pytest.raises(UsageError, match="holds its translations itself"):
        transfer_file(written("a.xlf", XLIFF_1), source, None, aligner)
    with pytest.raises(InputError, match="ends before line 2"):
        transfer_file(written("b.txt", "x\ny\n"), source, tmp_path / "o", aligner)
    assert main(["transfer", str(source), str(source), "-o", str(source)]) == 2
    assert main(["transfer", str(source), str(source), "-o", "out.txt", "--report", "out.txt"]) == 2


def test_a_statistical_aligner_that_was_saved(written, tmp_path, capsys):
    pairs = [("The house", "Das Haus"), ("The book", "Das Buch"), ("A book", "Ein Buch")] * 4
    StatisticalAligner("ibm1").fit(pairs).save(tmp_path / "model")
    source, target = written("a.txt", "The <b>book</b>\n"), written("b.txt", "Das Buch\n")
    words = ["transfer", str(source), str(target), "--load-model", str(tmp_path / "model")]
    assert main(words) == 0
    assert capsys.readouterr().out == "Das <b>Buch</b>\n"
    assert main([*words, "--model", "tiny"]) == 2
    assert "--model has no meaning for a statistical aligner" in capsys.readouterr().err


def test_text_of_lines(written, capsys):
    assert main(["transfer", str(written("a.txt", "Press <b>{0}</b>&amp;<br>go\n")), "--text"]) == 0
    assert capsys.readouterr().out == "Press {0}&amp; go\n"
    assert plain_text("**{0}** a", "markdown") == "{0} a"


def test_placeholders_of_markdown():
    assert transfer("The **house** {0}.", "Das Haus {0}.", syntax="markdown") == "Das **Haus** {0}."


@pytest.mark.parametrize("harm", ["xml", "archive", "text"])
def test_a_damaged_word_file_is_refused_in_a_sentence(harm, tmp_path, capsys):
    docx = pytest.importorskip("docx")
    whole, damaged, lines = tmp_path / "whole.docx", tmp_path / "damaged.docx", tmp_path / "lines.txt"
    docx.Document().save(whole)
    lines.write_text("Zeile\n", "utf-8")
    if harm == "text":
        damaged.write_text("no archive", "utf-8")
    elif harm == "xml":
        with zipfile.ZipFile(whole) as old, zipfile.ZipFile(damaged, "w") as new:
            for name in old.namelist():
                new.writestr(name, b"<a><b></a>" if name == "word/document.xml" else old.read(name))
    else:
        data = bytearray(whole.read_bytes())
        place = data.find(b"word/document.xml") + 200
        data[place : place + 60] = bytes(60)
        damaged.write_bytes(data)
    assert (
        main(["transfer", str(damaged), str(lines), "--model", "tiny", "-o", str(tmp_path / "out.docx")]) == 1
    )
    assert "save it again" in capsys.readouterr().err
    assert not (tmp_path / "out.docx").exists()


@pytest.mark.parametrize("name", ["a.tmx", "a.xliff"])
def test_a_document_of_another_format_is_refused(name, written, tmp_path, aligner):
    other = "xliff" if name.endswith("tmx") else "tmx"
    source = written(name, f"<{other}><file/></{other}>")
    with pytest.raises(InputError, match=f"begins with <{other}>, so it is no {name[2:].upper()} file"):
        transfer_file(source, None, tmp_path / "out", aligner=aligner)
    assert not (tmp_path / "out").exists()
