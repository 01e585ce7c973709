"""Segmenters: functions from a run of text without spaces to its words, found by name.

A name is one of those below (each with an extra that brings its package), a plug-in of the entry-point group
`wordalign.segmenters`, or `module:function`, where the module is installed or lies in the current folder.

    icu         Chinese, Japanese, Thai, Lao, Khmer, Burmese     pip install 'wordalign[icu]'
    jieba       Chinese                                          pip install 'wordalign[jieba]'
    pythainlp   Thai                                             pip install 'wordalign[pythainlp]'
    sudachi     Japanese                                         pip install 'wordalign[sudachi]'

A run has letters of one script, or of the Japanese mixture of scripts. What a segmenter of the table does not
know is split as without one: into syllables or characters.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import regex

from wordalign.errors import MissingExtraError, UnknownNameError, UsageError
from wordalign.registry import Registry
from wordalign.text.syllables import syllables
from wordalign.text.words import Segmenter

_OWN = ("icu", "jieba", "pythainlp", "sudachi")
SEGMENTERS: Registry[Any] = Registry(
    "segmenter", {name: f"{__name__}:load_{name}" for name in _OWN}, "wordalign.segmenters"
)


def find_segmenter(segmenter: str | Segmenter | None) -> Segmenter | None:
    """The segmenter of that name; a function and None are returned as they are."""
    if segmenter is None or callable(segmenter):
        return segmenter
    if segmenter in _OWN:
        try:
            own: Segmenter = SEGMENTERS.get(segmenter)()
        except ModuleNotFoundError as error:
            raise MissingExtraError(f"The segmenter {segmenter!r}", segmenter) from error
        return own
    module, colon, function = segmenter.partition(":")
    hint = "Any other is given as module:function."
    found = _import(module, function, segmenter) if colon else SEGMENTERS.get(segmenter, hint)
    if not callable(found):
        raise UsageError(f"The segmenter {segmenter!r} is not a function from a text to its words.")
    return found  # type: ignore[no-any-return]


def _import(module: str, function: str, segmenter: str) -> object:
    """`module:function`; the current folder is searched last, so that it hides no installed module."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # it stays: the module may import its neighbours later
    try:
        return getattr(importlib.import_module(module), function)
    except ModuleNotFoundError as error:
        if error.name is not None and module.startswith(error.name):
            problem = f"there is no module {error.name!r}, neither installed nor in {here}"
        else:
            problem = f"its module needs the module {error.name!r}, which is not installed"
    except AttributeError:
        problem = f"the module {module!r} has no function {function!r}"
    except Exception as error:  # whatever the module does when it is imported
        problem = f"its module cannot be imported ({type(error).__name__}: {error})"
    raise UnknownNameError("segmenter", segmenter, SEGMENTERS, f"For module:function, {problem}.")


@cache
def load_icu() -> Segmenter:
    from icu4py.breakers import WordBreaker

    scripts = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    return _for_scripts(rf"[{scripts}]", lambda run: WordBreaker(run, "root"))


@cache
def load_jieba() -> Segmenter:
    import jieba

    # jieba would read a cache that any user of the machine can write: so its dictionary is read each time.
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return _for_scripts(r"\p{Han}[^\p{Hiragana}\p{Katakana}ー]*+$", tokenizer.cut)


@cache
def load_pythainlp() -> Segmenter:
    from pythainlp.tokenize import word_tokenize

    return _for_scripts(r"\p{Thai}", lambda run: word_tokenize(run, join_broken_num=False))


@cache
def load_sudachi() -> Segmenter:
    import sudachipy

    # Short units: they are nearest to what other languages call words.
    tokenizer = sudachipy.Dictionary(dict="core").tokenizer(mode=sudachipy.SplitMode.A)
    lock = Lock()  # a tokenizer serves one thread at a time

    def cut(run: str) -> list[str]:
        with lock:
            return [morpheme.surface() for morpheme in tokenizer.tokenize(run)]

    return _for_scripts(r"[\p{Han}\p{Hiragana}\p{Katakana}ー]", cut)


def _for_scripts(pattern: str, cut: Callable[[str], Iterable[str]]) -> Segmenter:
    """`cut` for the runs that begin with the pattern, syllables or characters for all others."""
    knows = regex.compile(pattern)
    return lambda run: cut(run) if knows.match(run) else syllables(run)
