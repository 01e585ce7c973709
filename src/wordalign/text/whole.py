"""Stretches of raw text that are one word although the Unicode word rules would cut them.

    "Mail me@x.org: <b>%(n)s</b> in ~/a-b.txt."  ->  me@x.org  <b>  %(n)s  </b>  ~/a-b.txt

Addresses, file names, tags and placeholders mean something only as a whole. So do clitics that stand alone
(Dutch `'s avonds`, and `sister 's`, `l' homme` in text that was tokenised before): there the apostrophe looks
like a quotation mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wordalign.text.clitics import ELIDED, VOWEL

# A text without any of these has no such stretch. Most texts have none, and this is quick to see.
_HINT = re.compile(
    r"[<{%@&./\\'’](?:(?<=[<{%@&])|(?<=[./\\])\w|(?<=['’])(?:[\W\d]|\Z|(?<=[\W\d].)|(?<=\A.)))"
)

_EXTENSIONS = frozenset(
    (  # noqa: SIM905
        "7z aac avi bak bat bin bmp bz2 c cc cfg class conf cpp cs css csv dat db deb dll dmg doc docx epub "
        "exe flac gif go gz h hpp htm html ico ini ipynb iso jar java jpeg jpg js json jsx log lua md mkv mo "
        "mov mp3 mp4 mpeg odp ods odt ogg otf pdf php png po pot ppt pptx ps py rar rb rpm rs rst rtf sh so "
        "sql srt svg tar tex tgz tif tiff tmx toml tsv tsx ttf txt wav webm webp whl woff woff2 xcf xhtml "
        "xlf xliff xls xlsx xml xz yaml yml zip zst"
    ).split()
)
_DOMAINS = frozenset(
    (  # noqa: SIM905
        "com org net edu gov info biz io dev app eu uk de fr es nl pl ru ua cn jp kr br ca au ch cz se tr tv "
        "wiki"
    ).split()
)

# A letter, mark or digit in an address: all but white space, punctuation and symbols, and but the letters of
# Thai, Khmer, Chinese, Japanese, Korean …, which write on without a space after an address.
_NAMES = (
    r"[^\s\x00-/:-@\[-^`{-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf×÷;·՚-՟։-֏־׀׃׆׳״\u0600-\u060f؛-؟٪-٭۔܀-܍।॥"
    r"\u0e00-\u109f\u1100-\u11ff፡-፨\u1780-\u17ff\u2000-\u2bff\u2e00-\ud7ff\uf900-\ufaff\ufe10-\ufe6f"
    r"\uff00-\uffff\U0001b000-\U0001b2ff\U0001f000-\U0003ffff]"
)
_IN_URL = r"/=&#~+*$@%\-"

# Every run is possessive, and begins only where none could have begun before, so that time stays linear.
# Punctuation belongs to a run only if the run goes on behind it; else it is the sentence's.
_URL_TAIL = (
    rf"(?:{_NAMES}++|[{_IN_URL}]++|\((?:{_NAMES}|[.,/\-])*+\)|[.,;:!?'()\[\]|]++(?=[{_IN_URL}]|{_NAMES}))*+"
)
_ALONE = r"(?<![\w'’‘“”\"])"

_WHOLE = re.compile(
    "|".join(
        (
            # https://example.org/a?b=c and www.example.org
            rf"(?<![A-Za-z0-9+.\-])(?:[A-Za-z][A-Za-z0-9+.\-]*+://|www\.)(?={_NAMES}|\[){_URL_TAIL}",
            # name@example.org
            rf"(?<!{_NAMES})(?<![.+\-%])(?:{_NAMES}|[.+\-%])++@(?:{_NAMES}|-)++(?:\.(?:{_NAMES}|-)++)++",
            # <b> </b> <br/> <1> <a href="x">
            r"</?(?:[A-Za-z][A-Za-z0-9_:.\-]*+|[0-9]++)"
            r"(?:\s++[A-Za-z0-9_:.\-]++=(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=]++))*+\s*+/?>",
            # &amp; &#39;
            r"&(?:[A-Za-z]{2,8}|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});",
            # {0} ${name} %{name} {{name}} {}
            r"[$%#]?(?:\{\{[^\s{}]{1,80}+\}\}|\{[^\s{}]{0,80}+\})",
            # %% %(name)s %s %1$s %.2f %ld
            r"%%|%\([^\s()]{1,80}+\)[#0+\-]?[0-9]*+(?:\.[0-9]++)?[A-Za-z]",
            r"(?<![0-9%])%(?:[0-9]++\$)?[#0+\-]?[0-9]*+(?:\.[0-9]++)?(?:hh|h|ll|l|z)?"
            r"[diouxXeEfFgGcs@](?![a-zß-öø-ÿ]{2})",
            # do n't, sister 's, Dutch 's avonds
            rf"{_ALONE}(?i:n['’]t|['’](?:s|re|ve|ll|d|m|t|n|k))(?=\s|\Z|[.,;:!?](?!\w))",
            # l' homme, dell'80 %, l'example.org, un po' di
            rf"{_ALONE}(?:{ELIDED}['’](?=\s{VOWEL}|\s?[0-9<{{«“\"]|\s?(?:{_NAMES}|[\-/])++\.{_NAMES})"
            r"|(?i:po)['’](?!\w))",
            # the 1990's, rock 'n' roll
            rf"(?<=[0-9])['’]s(?!\w)|{_ALONE}(?i:['’]n['’])(?!\w)",
            # ~/notes ./a /usr/bin C:\x
            rf"(?<!{_NAMES})(?<![.\-/\\~])"
            rf"(?:~/|\.{{1,2}}/|/(?=(?:{_NAMES}++|[.\-]++(?={_NAMES}))++/)|[A-Za-z]:\\|\\\\)(?={_NAMES}|\.)"
            rf"(?:(?:{_NAMES}|~)++|[./\\\-]++(?={_NAMES}))*+[/\\]?",
            # Any other run of names, for `_is_address` to judge: read-me.txt, src/main.py, my-site.org/a-b
            rf"(?P<names>[.*]?(?:{_NAMES}++|[.\-/\\]++(?={_NAMES}))++)",
        )
    )
)
_URL_END = re.compile(_URL_TAIL)
_GOES_ON = ("/", ":", "?", "#")


def may_have_whole(text: str) -> bool:
    """Whether `whole_spans` has to look for anything. That never depends on what stands beyond a space."""
    return _HINT.search(text) is not None


def reaches_beyond_space(token: str) -> bool:
    """Whether what stands behind the next space may decide about a stretch in the token.

    Only tags have spaces inside, and only an elided word looks at the one behind it.
    """
    return "<" in token or token.endswith(("'", "’"))


def whole_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each such stretch, in order.

    >>> list(whole_spans("{0} of %d"))
    [(0, 3), (7, 9)]
    """
    if not may_have_whole(text):
        return
    end = 0
    for found in _WHOLE.finditer(text):
        start = found.start()
        if start < end or (found.lastgroup and not _is_address(found.group())):
            continue
        end = found.end()
        if found.lastgroup and text[end : end + 1] in _GOES_ON:
            end = _URL_END.match(text, end).end()  # type: ignore[union-attr]  # it matches the empty string too
        yield start, end


def _is_address(names: str) -> bool:
    """True for a file name with a known extension and for a known domain, with or without a path.

    >>> [_is_address(names) for names in ("read-me.txt", "my-site.org/a-b", "and/or", "3.14", "U.S")]
    [True, True, False, False, False]
    """
    name, dot, extension = names.rpartition(".")
    if not dot:
        return False
    if name and extension.lower() in _EXTENSIONS:
        return True
    host, dot, domain = re.split(r"[/\\]", names, maxsplit=1)[0].rpartition(".")
    return domain in _DOMAINS and not host.startswith(".")
