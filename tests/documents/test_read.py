"""Every kind of file becomes its text, and a bad one a sentence."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from wordalign.documents.read import html_text, read_characters, read_text, subtitle_text
from wordalign.errors import InputError, UnknownNameError

CONTAINER = (
    '<container xmlns="urn:c"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><manifest>
<item id="b" href="two%20.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>
<item id="p" href="cover.png" media-type="image/png"/></manifest>
<spine><itemref idref="p"/>
<itemref idref="a"/><itemref idref="b"/><itemref idref="gone"/></spine></package>"""
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def archive(**files: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for name, text in files.items():
            packed.writestr(name.replace("__", "/").replace("_dot_", "."), text)
    return stream.getvalue()


def test_plain_text_is_kept_as_it_is(tmp_path):
    text = "Eins.\r\n\r\nZwei  drei. 😀\n"
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read_characters(path) == text
    packed = tmp_path / "a.txt.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert read_characters(packed) == text
    found = read_text(path, "de")
    assert [found.sentence(k) for k in range(len(found))] == ["Eins.", "Zwei  drei.", "😀"]


def test_html_without_its_markup():
    page = """<html><head><title>No</title></head><body><h1>A&nbsp;title</h1><p>One <b>bo</b>ld
    word.<br>Next</p><ul><li>x<li>y</ul><script>if (a < b) {}</script><p>漢<ruby>字<rt>じ</rt></ruby></p>"""
    assert html_text(page) == "A\xa0title".replace("\xa0", " ") + "\n\nOne bold word.\nNext\n\nx\n\ny\n\n漢字"


def test_a_script_that_is_never_closed_does_not_swallow_the_page():
    assert "kept" in html_text("<p>a</p><select><p>b</p><p>kept</p>")


def test_subtitles_go_on_in_the_next_one():
    text = subtitle_text(
        "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>I never said</i>\r\nthat I\r\n\r\n"
        "2\n00:00:02,100 --> 00:00:03,000\n{\\an8}would come.\n\n"
        "3\n00:00:20,000 --> 00:00:21,000\n- Who?\n- Me.\n"
    )
    assert text == "I never said that I would come.\n\n- Who?\n- Me."
    assert subtitle_text("WEBVTT\n\nNOTE x\n\n00:01.000 --> 00:02.000\nHi!\n") == "Hi!"


def test_a_book_is_read_in_the_order_of_its_spine(tmp_path):
    path = tmp_path / "book.epub"
    path.write_bytes(
        archive(
            **{
                "META-INF__container_dot_xml": CONTAINER,
                "OEBPS__book_dot_opf": PACKAGE,
                "OEBPS__one_dot_xhtml": "<html><body><p>First.</p></body></html>",
                "OEBPS__two _dot_xhtml": "<html><body><p>Second.</p></body></html>",
            }
        )
    )
    assert read_characters(path) == "First.\n\nSecond."


def test_a_word_file_with_a_footnote(tmp_path):
    body = f"<w:document {W}><w:body><w:p><w:r><w:t>One </w:t></w:r><w:r><w:t>two.</w:t><w:br/></w:r></w:p>"
    body += "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p></w:body></w:document>"
    note = f"<w:footnotes {W}><w:footnote><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>"
    path = tmp_path / "a.docx"
    path.write_bytes(archive(word__document_dot_xml=body, word__footnotes_dot_xml=note))
    assert read_characters(path) == "One two.\n\nA note."


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.txt", b"", "no sentence in"),
        ("a.txt", b" \n\t\n", "no sentence in"),
        ("a.txt", b"fine\n\xff", "line 2: not UTF-8"),
        ("a.txt", "é".encode("utf-16"), "is UTF-16"),
        ("a.txt", b"%PDF-1.7 x", "PDF"),
        ("a.epub", b"no zip", "cannot be read as an EPUB"),
        ("a.epub", archive(other="x"), "cannot be read as an EPUB"),
        ("a.docx", archive(word__document_dot_xml="<a><b></a>"), "cannot be read as a Word file"),
        ("a.srt", b"no cues here", "no sentence in"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path, name, data, said):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=said):
        read_text(path)


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("wordalign.documents.read.LARGEST", 5000)
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", " " * 100_000)
    with pytest.raises(InputError, match="unpacks to more"):
        read_characters(path)
    long = tmp_path / "long.txt"
    long.write_text("a" * 6000)
    with pytest.raises(InputError, match="cut it into parts"):
        read_characters(long)


def test_kinds_have_names(tmp_path):
    path = tmp_path / "page"
    path.write_text("<p>Hi.</p>")
    assert read_characters(path, "html") == "Hi."
    with pytest.raises(UnknownNameError, match="subtitles"):
        read_characters(path, "subtitle")
