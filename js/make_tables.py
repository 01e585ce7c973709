"""Writes `tables.js`, what the JavaScript aligner takes from the Python one: `js/make_tables.py [--check]`.

Patterns and Unicode tables come from the modules that split text here, so that both split alike.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

import regex
from tokenizers import normalizers

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "src/wordalign/serve/aligner/tables.js"
sys.path.insert(0, str(Path(__file__).parent))

from to_javascript import SPACE, javascript  # noqa: E402

from wordalign import __version__  # noqa: E402
from wordalign.encoders import onnx  # noqa: E402
from wordalign.links.methods import METHODS  # noqa: E402
from wordalign.registry import parameter_defaults  # noqa: E402
from wordalign.serve import unspaced  # noqa: E402
from wordalign.text import characters, clitics, syllables, whole, words  # noqa: E402

# The classes of UAX #29 that the rules speak of; all other characters are like no other.
WORD_BREAK = (
    "CR", "LF", "Newline", "Extend", "ZWJ", "Format", "Katakana", "Hebrew_Letter", "ALetter", "Single_Quote",
    "Double_Quote", "MidNumLet", "MidLetter", "MidNum", "Numeric", "ExtendNumLet", "WSegSpace",
    "Regional_Indicator",
)  # fmt: skip

# Other versions of these may know more characters.
MADE_WITH = ", ".join(f"{name} {metadata.version(name)}" for name in ("regex", "tokenizers"))
HEAD = f"""\
// Made by js/make_tables.py, with {MADE_WITH}, from the Python modules that do the same. Not to be edited.
"""
OTHER_VERSIONS = 77  # the exit code where nothing can be said


def ranges(pattern: str) -> Iterator[tuple[int, int]]:
    """The characters that a pattern matches, as first and last of each run."""
    text = "".join(map(chr, range(0x110000)))
    for found in regex.finditer(f"{pattern}+", text):
        yield found.start(), found.end() - 1


def _property(name: str) -> Iterator[tuple[int, int]]:
    return ranges(rf"\p{{{name}}}")


def packed(runs: Iterable[tuple[int, int]]) -> str:
    """Runs as pairs of numbers in base 36: how many characters are left out before, and how many it has."""
    parts, end = [], 0
    for first, last in runs:
        parts += [_base36(first - end), _base36(last + 1 - first)]
        end = last + 1
    return " ".join(parts)


def _base36(number: int) -> str:
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
        if not number:
            return digits


def _classes(runs: Iterable[tuple[int, int]]) -> str:
    """Runs as the inside of a character class."""
    return "".join(f"\\u{{{a:x}}}" + (f"-\\u{{{b:x}}}" if b > a else "") for a, b in runs)


def too_new() -> Iterator[tuple[int, int]]:
    """Characters that Unicode takes apart or moves in normalised text, and the tokenizer does not."""
    apart = [
        c for c in _characters(r"[^\p{Decomposition_Type=None}]") if normalizers.NFKD().normalize_str(c) == c
    ]
    moved = [c for c in _characters(r"[^\p{Canonical_Combining_Class=0}]") if not _is_moved(c)]
    return ((ord(c), ord(c)) for c in sorted({*apart, *moved}))


def _is_moved(mark: str) -> bool:
    """Whether it changes places with a mark that goes above or below a letter."""
    texts = ("\u0301" + mark, mark + "\u0301", "\u0316" + mark, mark + "\u0316")
    return any(normalizers.NFD().normalize_str(text) != text for text in texts)


def _characters(pattern: str) -> Iterator[str]:
    return (chr(number) for first, last in ranges(pattern) for number in range(first, last + 1))


def tables() -> str:
    lines = [HEAD]

    def add(says: str, name: str, value: str) -> None:
        lines.append(f"// {says}\nexport const {name} = {value};\n")

    def add_pattern(says: str, name: str, pattern: str, engine: object, flags: str = "u") -> None:
        add(says, name, f"/{javascript(pattern, engine)}/{flags}")

    add("The version of wordalign.", "VERSION", f'"{__version__}"')
    defaults = {name: parameter_defaults(METHODS.get(name)) for name in METHODS}
    given = ", ".join(f"{name}: {_object(settings)}" for name, settings in defaults.items() if settings)
    add(
        "The parameters of methods where neither the model nor the caller says them.",
        "METHOD_DEFAULTS",
        f"{{ {given} }}",
    )
    add("Subwords of a window.", "WINDOW", str(onnx.WINDOW))

    add(
        "text/whole.py: stretches that are one word.",
        "EXTENSIONS",
        f'new Set("{" ".join(sorted(whole._EXTENSIONS))}".split(" "))',
    )
    add(
        "Domains that are known without a scheme before them.",
        "DOMAINS",
        f'new Set("{" ".join(sorted(whole._DOMAINS))}".split(" "))',
    )
    add_pattern("A text without this has no such stretch.", "HINT", whole._HINT.pattern, re)
    add_pattern(
        "Where the group `found` matched, `isAddress` judges.", "WHOLE", whole._WHOLE.pattern, re, "gu"
    )
    add_pattern("The rest of an address.", "URL_END", whole._URL_END.pattern, re, "uy")

    add_pattern(
        "text/clitics.py: words with an apostrophe.", "ELISION", clitics._ELISION.pattern, regex, "uy"
    )
    add_pattern("At the end of a word.", "CLITIC", clitics._CLITIC.pattern, regex)
    add_pattern("A word that may be a Dutch plural,", "PLURAL", clitics._PLURAL.pattern, regex)
    add_pattern("in a text that has Dutch words", "DUTCH", clitics._DUTCH.pattern, regex)
    add_pattern("and no English ones.", "ENGLISH", clitics._ENGLISH.pattern, regex)
    add_pattern("Languages with ejectives.", "EJECTIVE", clitics._EJECTIVE.pattern, regex)

    pieces, _, grapheme = syllables._PIECES.pattern.rpartition("|")
    assert grapheme == r"\X"
    add(
        "Characters that `tokenizers` does not know yet: it neither takes them apart nor moves them.",
        "TOO_NEW",
        f"/([{_classes(too_new())}]+)/u",
    )
    add_pattern("text/syllables.py: a syllable.", "SYLLABLE", pieces, regex, "uy")
    joined = "".join(rf"\p{{Grapheme_Cluster_Break={name}}}" for name in ("Extend", "ZWJ", "SpacingMark"))
    add(
        "Anything else is a character with what belongs to it.",
        "CHARACTER",
        f"/[^][{_classes(ranges(f'[{joined}]'))}]*/uy",
    )

    add_pattern(
        "text/words.py: text of scripts without spaces.",
        "UNSPACED_RUN",
        words._UNSPACED_RUN.pattern,
        regex,
        "gu",
    )
    add("White space as Python knows it.", "SPACE_ONLY", f"/^[{SPACE}]*$/u")
    add_pattern(
        "text/characters.py: tabs and line breaks inside words,",
        "BREAKS",
        characters._BREAKS.pattern,
        re,
        "gu",
    )
    add_pattern("and what is no text.", "CONTROLS", characters._CONTROLS.pattern, re, "gu")

    scripts = "".join(
        f"\n  {{ code: {json.dumps(code)}, letter: /{javascript(script)}/u,"
        f"\n    split: {_sentence(unspaced.SPLIT, name)},"
        f"\n    unknown: {_sentence(unspaced.UNKNOWN, name)} }},"
        for name, (code, script) in unspaced.UNSPACED.items()
    )
    add("serve/unspaced.py: what a reader is told.", "UNSPACED", f"[{scripts}\n]")

    classes = "".join(f'\n  {name}: "{packed(_property("Word_Break=" + name))}",' for name in WORD_BREAK)
    add(
        "The classes of UAX #29, as `regex` has them: for each run, in base 36, how many characters are\n"
        "// left out before it, and how many it has.",
        "WORD_BREAK",
        f"{{{classes}\n}}",
    )
    add("Emoji that a joiner joins.", "PICTOGRAPHIC", f'"{packed(_property("Extended_Pictographic"))}"')
    return "\n".join(lines)


def _sentence(template: str, name: str) -> str:
    return json.dumps(template.replace("{name}", name), ensure_ascii=False)


def _object(settings: dict[str, object]) -> str:
    return "{ " + ", ".join(f"{key}: {value!r}" for key, value in settings.items()) + " }"


def main() -> None:
    if "--check" not in sys.argv[1:]:
        TABLES.write_text(tables(), "utf-8")
        return
    found = TABLES.read_text("utf-8")
    if not found.startswith(HEAD):
        sys.stderr.write(f"tables.js was made with other versions of libraries than {MADE_WITH}.\n")
        sys.exit(OTHER_VERSIONS)
    if found != tables():
        sys.exit(f"{TABLES.relative_to(ROOT)} is not what js/make_tables.py writes: run it again.")


if __name__ == "__main__":
    main()
