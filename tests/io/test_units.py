"""CSV, Parquet, TMX and XLIFF: what is a pair there, what is chosen, and what is refused in words."""

from __future__ import annotations

import gzip
import json
import lzma
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordalign.errors import InputError, UsageError
from wordalign.io.pairs import PAIR_FORMATS, guess_pair_format, tokenized
from wordalign.io.records import Parser, Records, read_pairs
from wordalign.io.units import NOTHING_CHOSEN, UNIT_FORMATS, Chosen, Unit

TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
<header srclang="{header}" datatype="plaintext"/>
<body>
{units}
</body>
</tmx>
"""
LETTERS = "abcxyzäß中 &<>'\";,"


def tu(**texts):
    sides = "".join(
        f'<tuv xml:lang="{language.replace("_", "-")}"><seg>{text}</seg></tuv>'
        for language, text in texts.items()
    )
    return f"<tu>{sides}</tu>"


def tmx(*units, header="en"):
    return TMX.format(header=header, units="\n".join(units))


def xliff(body, attributes='source-language="en" target-language="de"'):
    return f'<xliff version="1.2"><file {attributes}><body>{body}</body></file></xliff>'


def unit(source, target=None):
    target = "" if target is None else f"<target>{target}</target>"
    return f"<trans-unit id='1'><source>{source}</source>{target}</trans-unit>"


@pytest.fixture
def write(tmp_path):
    def write_text(name, content):
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
        return path

    return write_text


def sides(path, pair_format=None, **chosen):
    found = UNIT_FORMATS[pair_format or guess_pair_format(path)].read(path, Chosen(**chosen))
    return [(each.source, each.target) for each in found]


def test_names_tell_formats():
    names = ("a.csv", "a.CSV.gz", "a.tmx", "a.xlf.xz", "a.xliff", "a.parquet", "a.pq")
    assert [guess_pair_format(name) for name in names] == [
        "csv", "csv", "tmx", "xliff", "xliff", "parquet", "parquet",
    ]  # fmt: skip
    assert set(UNIT_FORMATS) < set(PAIR_FORMATS)


class TestTmx:
    def test_units_in_order_with_their_lines(self, write):
        path = write("m.tmx", tmx(tu(en="Yes", de="Ja"), tu(en="No", de="Nein")))
        units = list(UNIT_FORMATS["tmx"].read(path, NOTHING_CHOSEN))
        assert units == [Unit("Yes", "Ja", 6), Unit("No", "Nein", 7)]

    @pytest.mark.parametrize(
        ("header", "chosen", "expected"),
        [
            ("en", {}, ("yes", "ja")),
            ("de", {}, ("ja", "yes")),
            ("*all*", {}, ("ja", "yes")),  # the first one of the file
            ("EN", {}, ("yes", "ja")),
            ("en", {"target_language": "en"}, ("ja", "yes")),
            ("de", {"source_language": "en"}, ("yes", "ja")),
        ],
    )
    def test_which_language_is_the_source(self, write, header, chosen, expected):
        path = write("m.tmx", tmx(tu(de_DE="ja", en_US="yes"), header=header))
        assert sides(path, **chosen) == [expected]

    def test_a_third_language_must_be_chosen(self, write):
        path = write("m.tmx", tmx(tu(en="yes", de="ja"), tu(en="yes", fr="oui"), tu(de="ja", fr="oui")))
        with pytest.raises(
            InputError, match=r"m\.tmx, line 7: there are more than two languages, en, de, fr"
        ):
            sides(path)
        assert sides(path, target_language="fr") == [("yes", ""), ("yes", "oui"), ("", "oui")]
        assert sides(path, source_language="de", target_language="fr")[2] == ("ja", "oui")

    def test_a_language_that_is_nowhere_is_an_error(self, write):
        path = write("m.tmx", tmx(tu(en="yes", de="ja")))
        with pytest.raises(InputError, match=r"has texts in en and in it\. Its languages are en, de"):
            sides(path, target_language="it")

    def test_codes_are_no_text_and_white_space_is_one_space(self, write):
        seg = 'Press <bpt i="1">&lt;b&gt;</bpt>Save<ept i="1">&lt;/b&gt;</ept>\n  '
        seg += "<ph>{0}<sub>x</sub></ph><hi>now</hi>"
        path = write("m.tmx", tmx(tu(en=seg, de="A &amp; <![CDATA[<B>]]>\u00a0C")))
        assert sides(path) == [("Press Save now", "A & <B>\u00a0C")]

    def test_other_encodings(self, write):
        text = tmx(tu(en="yes", de="schön")).replace("UTF-8", "UTF-16")
        assert sides(write("a.tmx", text.encode("utf-16"))) == [("yes", "schön")]
        text = tmx(tu(en="yes", de="schön")).replace("UTF-8", "ISO-8859-1")
        assert sides(write("b.tmx", text.encode("latin-1"))) == [("yes", "schön")]

    @pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
    def test_compressed(self, write, suffix, pack):
        path = write(f"m.tmx{suffix}", pack(tmx(tu(en="yes", de="ja")).encode()))
        assert sides(path) == [("yes", "ja")]

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
    @given(st.lists(st.tuples(st.text(LETTERS), st.text(LETTERS)), min_size=1))
    def test_any_text_survives(self, write, pairs):
        from xml.sax.saxutils import escape

        path = write("m.tmx", tmx(*(tu(en=escape(one), de=escape(other)) for one, other in pairs)))
        expected = [tuple(" ".join(side.split(" ")).strip() for side in pair) for pair in pairs]
        found = sides(path)
        assert [tuple(side.split() for side in pair) for pair in found] == [
            tuple(side.split() for side in pair) for pair in expected
        ]


class TestHostileXml:
    def test_entities_are_refused(self, write):
        bomb = '<!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
        path = write("m.tmx", tmx(tu(en="&b;", de="x")).replace('<!DOCTYPE tmx SYSTEM "tmx14.dtd">', bomb))
        with pytest.raises(InputError, match=r"line 2: the entity 'a' is declared here"):
            sides(path)

    def test_files_outside_are_not_read(self, write, tmp_path):
        (tmp_path / "secret").write_text("secret")
        outside = f'<!DOCTYPE tmx [<!ENTITY a SYSTEM "{tmp_path}/secret">]>'
        path = write("m.tmx", tmx(tu(en="&a;", de="x")).replace('<!DOCTYPE tmx SYSTEM "tmx14.dtd">', outside))
        with pytest.raises(InputError, match="entity 'a' is declared"):
            sides(path)

    def test_unknown_entities_are_refused(self, write):
        path = write("m.tmx", tmx(tu(en="a&nbsp;b", de="x")))
        with pytest.raises(InputError, match=r"line 6: &nbsp; stands for a character that is not known"):
            sides(path)

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("<tmx><body><tu></body></tmx>", r"line 1: an XML parser refuses it \(mismatched tag\)"),
            ("<tmx>\n<body>\n", r"line 3: an XML parser refuses it \(the document ends too early\)"),
            ("", r"line 1: an XML parser refuses it \(the document ends too early\)"),
            ("<html/>", r"line 1: the document begins with <html>, so it is not a TMX file"),
            ('<?xml version="1.0" encoding="klingon"?><tmx/>', "line 1: .*(unknown encoding|cannot be read)"),
        ],
    )
    def test_what_cannot_be_read_is_said_with_its_line(self, write, content, said):
        with pytest.raises(InputError, match=rf"m\.tmx, {said}"):
            sides(write("m.tmx", content))

    def test_a_damaged_compressed_file(self, write):
        units = [tu(en=f"yes {n}", de="ja") for n in range(5000)]
        path = write("m.tmx.gz", gzip.compress(tmx(*units).encode())[:-2000])
        with pytest.raises(InputError):
            sides(path)

    @pytest.mark.parametrize("size", [1, 2, 7, 64])
    def test_blocks_of_any_size_give_the_same_units(self, write, monkeypatch, size):
        from wordalign.io import xml

        path = write("m.tmx", tmx(tu(en="yes &amp; no", de="ja <ph>x</ph> nein"), tu(en="schön", de="中文")))
        whole = list(UNIT_FORMATS["tmx"].read(path, NOTHING_CHOSEN))
        monkeypatch.setattr(xml, "_BLOCK", size)
        assert list(UNIT_FORMATS["tmx"].read(path, NOTHING_CHOSEN)) == whole
        assert [(each.source, each.target) for each in whole] == [("yes & no", "ja nein"), ("schön", "中文")]

    def test_memory_stays_constant(self, write):
        path = write("m.tmx", tmx(*(tu(en=f"yes {n} " * 20, de="ja " * 40) for n in range(6_000))))
        tracemalloc.start()
        try:
            assert sum(1 for _ in UNIT_FORMATS["tmx"].read(path, NOTHING_CHOSEN)) == 6_000
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert path.stat().st_size > 2_000_000
        assert peak < 1_500_000


class TestXliff:
    def test_version_1(self, write):
        other = "<alt-trans><source>never</source><target>nie</target></alt-trans>"
        body = (
            unit("Press <g id='1'>Save</g> <x id='2'/>.", "Drücken Sie <g id='1'>Speichern</g>.")
            + unit("Untranslated")
            + f"<group>{unit('Two', 'Zwei')[: -len('</trans-unit>')]}{other}</trans-unit></group>"
        )
        path = write("a.xlf", xliff(body))
        assert sides(path) == [
            ("Press Save .", "Drücken Sie Speichern."),
            ("Untranslated", ""),
            ("Two", "Zwei"),
        ]

    def test_version_2(self, write):
        path = write(
            "a.xliff",
            '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" xmlns:mtc="m" version="2.0" srcLang="en" '
            'trgLang="de"><file id="f"><unit id="1"><mtc:matches><mtc:match><source>no</source>'
            "<target>nein</target></mtc:match></mtc:matches><segment><source>One <pc id='1'>two</pc></source>"
            "<target>Eins zwei</target></segment><ignorable><source> </source></ignorable>"
            "<segment><source>Three</source><target>Drei</target></segment></unit></file></xliff>",
        )
        assert sides(path) == [("One two", "Eins zwei"), ("Three", "Drei")]

    def test_the_other_direction_and_several_languages(self, write):
        path = write("a.xlf", xliff(unit("Yes", "Ja")))
        assert sides(path, source_language="de") == [("Ja", "Yes")]
        assert sides(path, source_language="de", target_language="en") == [("Ja", "Yes")]
        with pytest.raises(
            InputError, match=r"has 1 unit, but no translation that was asked for.* from en to de"
        ):
            sides(path, target_language="fr")
        more = xliff(unit("Yes", "Oui"), 'source-language="en" target-language="fr"')
        both = xliff(unit("Yes", "Ja")).replace("</xliff>", more.partition(">")[2])
        path = write("b.xlf", both)
        with pytest.raises(InputError, match=r"several pairs of languages .from en to de; from en to fr"):
            sides(path)
        assert sides(path, target_language="fr") == [("", ""), ("Yes", "Oui")]

    def test_units_that_a_tool_has_cut_into_sentences(self, write):
        def cut(*sentences):
            return " ".join(f'<mrk mtype="seg" mid="{n}">{text}</mrk>' for n, text in sentences)

        source = cut((1, 'Press <mrk mtype="term">Save</mrk>.'), (2, "It is closed."), (3, "New."))
        target = cut((2, "Es ist zu."), (1, "Drücken Sie <g id='1'>Speichern</g>."))
        body = (
            f"<trans-unit><source>Press Save. It is closed. New.</source><seg-source>{source}</seg-source>"
            f"<target>{target}</target></trans-unit>"
            f"<trans-unit><source>{cut((1, 'Yes.'), (2, 'No.'))}</source>"
            "<target>Ja. Nein.</target></trans-unit>"
        )
        path = write("a.sdlxliff", xliff(body))
        assert sides(path) == [
            ("Press Save.", "Drücken Sie Speichern."),
            ("It is closed.", "Es ist zu."),
            ("New.", ""),
            ("Yes. No.", "Ja. Nein."),
        ]

    def test_a_file_without_any_translation(self, write):
        with pytest.raises(InputError, match="has 2 units, but no translation"):
            sides(
                write(
                    "a.xlf",
                    xliff(unit("Yes") + unit("No", "")),
                )
            )


class TestCsv:
    def test_quotes_and_lines_within_fields(self, write):
        path = write("a.csv", '\ufeffid,target,source\r\n1,"Ja, ""genau"".","Yes,\nright."\r\n\r\n2,b,a\r\n')
        assert sides(path) == [("Yes, right.", 'Ja, "genau".'), ("", ""), ("a", "b")]
        lines = [each.line for each in UNIT_FORMATS["csv"].read(path, NOTHING_CHOSEN)]
        assert lines == [2, 4, 5]

    @pytest.mark.parametrize("separator", [";", "\t"])
    def test_other_separators(self, write, separator):
        path = write("a.csv", f'English{separator}German\n"a{separator}b"{separator}c\n')
        assert sides(path, columns=("English", "German")) == [(f"a{separator}b", "c")]

    def test_excel_says_which_separator(self, write):
        path = write("a.csv", "sep=|\r\nsource|target\r\na,b|c;d\r\n")
        (found,) = UNIT_FORMATS["csv"].read(path, NOTHING_CHOSEN)
        assert found == Unit("a,b", "c;d", 3)

    def test_columns_by_number_have_no_header(self, write):
        path = write("a.csv", "a,b,c\nd,e,f\n")
        assert sides(path, columns=("3", "1")) == [("c", "a"), ("f", "d")]
        with pytest.raises(
            InputError, match=r"no column 'source' in its first row, but 'a', 'b', 'c'.*--columns"
        ):
            sides(path)
        named = write("b.csv", "1,2\na,b\n")
        assert sides(named, columns=("2", "1")) == [("b", "a")]

    def test_a_short_row_is_told_with_its_line(self, write):
        path = write("a.csv", "source,target\na,b\nonly\n")
        with pytest.raises(
            InputError, match=r"a\.csv, row 2 \(line 3\): expected 2 columns or more, found 1"
        ):
            list(read_pairs(path, "csv", tokenized))

    @pytest.mark.parametrize("row", ['"never closed,b\nc,d\n', '"a"b,c\n'])
    def test_a_wrong_quotation_mark_is_told_where_the_row_begins(self, write, row):
        with pytest.raises(InputError, match=r"a\.csv, line 3: not CSV"):
            sides(write("a.csv", f"source,target\na,b\n{row}"))

    def test_bytes_that_are_not_utf8_spoil_one_row(self, write):
        path = write("a.csv", b"source,target\na,b\n\xc4pfel,apples\nc,d\n")
        with pytest.raises(InputError, match=r"a\.csv, row 2 \(line 3\): not UTF-8\. Convert"):
            list(read_pairs(path, "csv", tokenized))
        assert [each.source for each in UNIT_FORMATS["csv"].read(path, NOTHING_CHOSEN)] == ["a", "", "c"]
        with pytest.raises(InputError, match=r"b\.csv, line 1: not UTF-8"):
            sides(write("b.csv", "source,target\n".encode("utf-16")))

    def test_an_empty_file(self, write):
        assert sides(write("a.csv", "")) == []

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
    @given(st.lists(st.tuples(st.text(LETTERS, min_size=1), st.text(LETTERS, min_size=1))))
    def test_what_csv_writes_is_read_back(self, tmp_path, pairs):
        import csv

        path = tmp_path / "a.csv"
        with path.open("w", newline="") as stream:
            csv.writer(stream).writerows([("source", "target"), *pairs])
        expected = [pair if any(map(str.strip, pair)) else ("", "") for pair in pairs]
        assert sides(path) == expected


class TestParquet:
    @pytest.fixture
    def table(self, tmp_path):
        import pyarrow
        from pyarrow import parquet

        rows = {
            "source": ["a b", "c"],
            "target": ["x", None],
            "translation": [{"de": "ja", "en": "yes"}, {"de": "nein", "en": "no"}],
            "words": [["a", "b"], ["c"]],
        }
        parquet.write_table(pyarrow.table(rows), tmp_path / "a.parquet")
        return tmp_path / "a.parquet"

    def test_columns_fields_and_lists_of_words(self, table):
        assert sides(table, columns=("translation.en", "translation.de")) == [("yes", "ja"), ("no", "nein")]
        assert sides(table, columns=("words", "words"))[0] == (["a", "b"], ["a", "b"])
        assert UNIT_FORMATS["parquet"].length(table) == 2

    def test_what_is_wrong_is_said(self, table, tmp_path):
        with pytest.raises(InputError, match=r"a\.parquet, row 2: expected a text or a list of words"):
            list(read_pairs(table, "parquet", tokenized))
        with pytest.raises(InputError, match=r"has no column 'german', but source, target"):
            sides(table, columns=("source", "german"))
        with pytest.raises(UsageError, match="give a file's name"):
            sides("-", "parquet")
        (tmp_path / "b.parquet").write_text("no table")
        with pytest.raises(InputError, match="is no Parquet file"):
            sides(tmp_path / "b.parquet")
        with pytest.raises(InputError, match="There is no file"):
            sides(tmp_path / "c.parquet")


def test_a_choice_that_the_format_does_not_offer_is_refused():
    with pytest.raises(UsageError, match="--columns is for CSV and Parquet"):
        Chosen(columns=("a", "b")).check("tmx")
    with pytest.raises(UsageError, match="--target-language are for TMX and XLIFF"):
        Chosen(target_language="de").check("csv")
    with pytest.raises(UsageError, match="Name two columns"):
        Chosen.of(["a"], None, None)
    assert Chosen.of([1, 2], None, None) == Chosen(columns=("1", "2"))
    Chosen(columns=("a", "b")).check("csv")
    Chosen(target_language="de").check("xliff")


def test_a_record_is_a_line_of_json_that_the_parser_understands(write):
    path = write("m.tmx", tmx(tu(en="It is", de="Es ist")))
    (record,) = Records((path,), "tmx")
    assert json.loads(record.lines[0]) == {"line": 6, "source": "It is", "target": "Es ist"}
    assert Parser((str(path),), "tmx")(record).target.words == ("Es", "ist")
