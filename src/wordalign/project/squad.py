"""SQuAD: the answers of questions, as places in a paragraph.

The translation has a line for each paragraph, in the order of the file. The questions stay as they are. An
answer that finds no place is left out, and so is a question that had answers and has none left: it would
become one that cannot be answered. The file is one JSON value, and is held in memory.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wordalign.errors import InputError, UsageError
from wordalign.io.lines import shown
from wordalign.project.annotated import AnnotatedSpans, Reader, Verbatim
from wordalign.project.jsonl import ToSentence, load_json
from wordalign.project.spans import words_at
from wordalign.types import Alignment, ProjectedSpan

_ANSWERS = ("answers", "plausible_answers")


def is_squad(whole: Any) -> bool:
    return isinstance(whole, dict) and isinstance(whole.get("data"), list)


def read_squad(path: str | Path, to_sentence: ToSentence) -> Reader:
    whole = load_json(path)
    if not is_squad(whole):
        raise InputError(
            f'{shown(path)}: expected {{"data": [{{"paragraphs": [{{"context": …, "qas": …}}]}}]}}.'
        )
    written: list[dict[str, Any]] = []
    for number, article in enumerate(whole["data"], start=1):
        paragraphs: list[Any] = []
        try:
            written.append({**article, "paragraphs": paragraphs})
            given = enumerate(article["paragraphs"], start=1)
        except (KeyError, TypeError) as error:
            raise InputError(f"{shown(path)}, article {number}: not as in SQuAD: no paragraphs.") from error
        for place, paragraph in given:
            where = f"{shown(path)}, article {number}, paragraph {place}"
            yield _paragraph(paragraph, where, to_sentence, paragraphs)
    yield Verbatim(lambda: json.dumps({**whole, "data": written}, ensure_ascii=False))


def _paragraph(
    paragraph: dict[str, Any], place: str, to_sentence: ToSentence, written: list[Any]
) -> AnnotatedSpans:
    try:
        source = to_sentence(paragraph["context"])
        answers = [
            (question["id"], words_at(source, (start, start + len(answer["text"]))))
            for question in paragraph["qas"]
            for name in _ANSWERS
            for answer in question.get(name, ())
            for start in (answer["answer_start"],)
        ]
    except (KeyError, TypeError, AttributeError, UsageError) as error:
        raise InputError(f"{place}: not as in SQuAD: {_said(error)}") from error

    def write(alignment: Alignment, found: Sequence[ProjectedSpan]) -> str:
        text = alignment.target.text or ""
        spans = iter(found)
        questions = []
        for question in paragraph["qas"]:
            moved = dict(question)
            for name in _ANSWERS:
                if name in question:
                    moved[name] = _moved(question[name], spans, text)
            if moved.get("answers") or not question.get("answers"):
                questions.append(moved)
        written.append({**paragraph, "context": text, "qas": questions})
        return ""

    labels = [f"answer of {question}" for question, _ in answers]
    return AnnotatedSpans(
        source, place, [span for _, span in answers], labels, write, overlapping=True, raw=True
    )


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, UsageError) else 'expected "context" and "qas" with "answers".'


def _moved(answers: Sequence[dict[str, Any]], spans: Any, text: str) -> list[dict[str, Any]]:
    moved = []
    for answer in answers:
        if characters := next(spans).characters:
            start, end = characters[0][0], characters[-1][1]
            moved.append({**answer, "text": text[start:end], "answer_start": start})
    return moved
