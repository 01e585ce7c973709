"""JSON records with labelled spans, a record a line; what is written has the shape of what was read.

    {"text": …, "label": [[0, 6, "LOC"]]}                                  doccano; also "labels"
    {"text": …, "entities": [{"start_offset": 0, "end_offset": 6, …}]}     doccano with relations
    {"text": …, "spans": [{"start": 0, "end": 6, "label": "LOC"}]}         Prodigy and many data sets
    {"data": {"text": …}, "annotations": [{"result": [{"value": …}]}]}     Label Studio
    {"tokens": […], "ner_tags": ["B-LOC", "O"]}                            Hugging Face
    {"context": …, "question": …, "answers": {"text": […], "answer_start": […]}}     SQuAD at Hugging Face

Characters are counted in code points. Fields that are not about the text stay as they are. A file that ends
in .json is one list of such records (as Label Studio exports it), and is held in memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wordalign.errors import InputError, UsageError
from wordalign.io.compression import without_suffix
from wordalign.io.lines import open_input, read_lines, shown
from wordalign.project.annotated import AnnotatedSpans, Reader, Verbatim
from wordalign.project.labels import scheme_of, spans_of, tags_of
from wordalign.project.spans import words_at
from wordalign.types import Alignment, ProjectedSpan, Sentence, Span

Record = dict[str, Any]
ToSentence = Callable[[str], Sentence]

_SPAN_FIELDS = ("label", "labels", "entities", "spans")
_TAG_FIELDS = ("ner_tags", "tags", "labels")
_STARTS_AND_ENDS = (("start", "end"), ("start_offset", "end_offset"))
_LABELS = ("label", "labels", "type", "entity_group", "tag")
# Other counts of the same place, which would be wrong in the translation.
_STALE = ("token_start", "token_end")
_WANTED = (
    'expected {"text": …, "label": [[start, end, "LABEL"], …]}, or "entities" or "spans" of objects with '
    'start and end, or "tokens" and "ner_tags", or a task of Label Studio, or "context" and "answers"'
)


def read_jsonl(path: str | Path, to_sentence: ToSentence, names: Sequence[str] = ()) -> Reader:
    """`names` are the tags that numbers in `ner_tags` stand for."""
    if without_suffix(path).suffix.lower() == ".json":
        yield from _read_list(path, to_sentence, names)
        return
    for place, record in records(path):
        yield annotated_record(record, place, to_sentence, names, _one_line)


def records(path: str | Path) -> Iterator[tuple[str, Any]]:
    """The records of a file of JSON lines, each with its place."""
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            place = f"{shown(path)}, line {number}"
            try:
                yield place, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{place}: not JSON: {error}.") from error


def load_json(path: str | Path) -> Any:
    """A whole JSON file."""
    with open_input(path) as stream:
        try:
            return json.load(stream)
        except UnicodeDecodeError as error:
            raise InputError(
                f"{shown(path)} is not UTF-8. Convert the file first, e.g. with iconv."
            ) from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"{shown(path)} is not JSON: {error}.") from error


def annotated_record(
    record: Any,
    place: str,
    to_sentence: ToSentence,
    names: Sequence[str],
    done: Callable[[Record], str],
) -> AnnotatedSpans:
    """The spans of a record; `done` makes text of its translation."""
    try:
        shape = _shape_of(record, to_sentence, names)
        return AnnotatedSpans(
            shape.source,
            place,
            shape.spans,
            shape.labels,
            lambda alignment, found: done(shape.write(deepcopy(record), alignment, found)),
            overlapping=shape.overlapping,
            raw=shape.source.text is not None,
        )
    except (UsageError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(f"{place}: {_said(error)}") from error


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, (UsageError, ValueError)) else f"{_WANTED}."


@dataclass(frozen=True, slots=True)
class _Shape:
    source: Sentence
    spans: Sequence[Span]
    labels: Sequence[str]
    write: Callable[[Record, Alignment, Sequence[ProjectedSpan]], Record]
    overlapping: bool = True


def _shape_of(record: Any, to_sentence: ToSentence, names: Sequence[str]) -> _Shape:
    if not isinstance(record, dict):
        raise ValueError(f"{_WANTED}.")
    if "tokens" in record and (tags := _first_list(record, _TAG_FIELDS)) is not None:
        return _tagged(record, tags, names)
    if "data" in record and "annotations" in record:
        return _label_studio(record, to_sentence)
    if "context" in record and "answers" in record:
        return _answers(record, to_sentence)
    if isinstance(record.get("text"), str) and (field := _first_list(record, _SPAN_FIELDS)) is not None:
        entries = record[field]
        source = to_sentence(record["text"])
        places = [_place(entry) for entry in entries]
        return _Shape(
            source,
            [words_at(source, place) for place in places],
            [_label(entry) for entry in entries],
            partial(_write_entries, field),
        )
    raise ValueError(f"{_WANTED}.")


def _first_list(record: Record, fields: Sequence[str]) -> str | None:
    return next((field for field in fields if isinstance(record.get(field), list)), None)


def _place(entry: Any) -> Span:
    if isinstance(entry, dict):
        start, end = _start_and_end(entry)
        return entry[start], entry[end]
    return entry[0], entry[1]


def _start_and_end(entry: Record) -> tuple[str, str]:
    """The names of the two fields."""
    return _STARTS_AND_ENDS["start" not in entry]


def _label(entry: Any) -> str:
    found = (
        next((entry[name] for name in _LABELS if name in entry), "") if isinstance(entry, dict) else entry[2]
    )
    return ", ".join(map(str, found)) if isinstance(found, list) else str(found)


def _moved(entry: Any, characters: Span, text: str) -> Any:
    """The entry at another place."""
    if not isinstance(entry, dict):
        return [*characters, *entry[2:]]
    start, end = _start_and_end(entry)
    moved = {name: value for name, value in entry.items() if name not in _STALE}
    moved[start], moved[end] = characters
    if "text" in moved:
        moved["text"] = text[slice(*characters)]
    return moved


def _carried(entries: Sequence[Any], found: Sequence[ProjectedSpan], text: str) -> list[Any]:
    """The entries that were carried, at their new places; one that came out in pieces is several entries."""
    return [
        _moved(entry, characters, text)
        for entry, span in zip(entries, found, strict=True)
        for characters in span.characters or ()
    ]


def _write_entries(
    field: str, record: Record, alignment: Alignment, found: Sequence[ProjectedSpan]
) -> Record:
    text = alignment.target.text or ""
    entries = record[field]
    record[field] = _carried(entries, found, text)
    record["text"] = text
    record.pop("tokens", None)
    if "relations" in record:
        kept = {entry["id"] for entry in record[field] if isinstance(entry, dict) and "id" in entry}
        record["relations"] = [
            relation
            for relation in record["relations"]
            if {relation.get("from_id"), relation.get("to_id")} <= kept
        ]
    return record


def _tagged(record: Record, field: str, names: Sequence[str]) -> _Shape:
    given = record[field]
    numbered = any(isinstance(tag, int) for tag in given)
    if numbered and not names:
        raise ValueError(f"{field} are numbers: say with --labels what they stand for, as in O B-PER I-PER.")
    if numbered and (unknown := [tag for tag in given if not 0 <= tag < len(names)]):
        raise ValueError(f"the labels have no number {unknown[0]}, but 0 to {len(names) - 1}.")
    tags = [names[tag] for tag in given] if numbered else given
    if len(tags) != len(record["tokens"]):
        raise ValueError(f"{len(record['tokens'])} tokens, but {len(tags)} {field}.")
    spans = spans_of(tags)
    scheme = scheme_of(names or tags)
    if numbered:
        # Of any span may come out one of any length.
        wanted = {
            tag
            for *_, label in spans
            for words in (1, 3)
            for tag in tags_of([(0, words, label)], words, scheme)
        }
        if missing := sorted(wanted - set(names)):
            raise ValueError(
                f"the labels have no {missing[0]}, which may be needed: say it with --labels, too."
            )

    def write(record: Record, alignment: Alignment, found: Sequence[ProjectedSpan]) -> Record:
        carried = [(*span.target, spans[place][2]) for place, span in enumerate(found) if span.target]
        written = tags_of(carried, len(alignment.target), scheme)
        record["tokens"] = list(alignment.target.words)
        record[field] = [names.index(tag) for tag in written] if numbered else written
        return record

    source = Sentence(tuple(record["tokens"]))
    places = [(start, end) for start, end, _ in spans]
    return _Shape(source, places, [label for *_, label in spans], write, overlapping=False)


def _label_studio(record: Record, to_sentence: ToSentence) -> _Shape:
    texts = [name for name, value in record["data"].items() if isinstance(value, str)]
    field = "text" if "text" in texts else texts[0]
    source = to_sentence(record["data"][field])
    values = [item["value"] for item in _regions(record)]

    def write(record: Record, alignment: Alignment, found: Sequence[ProjectedSpan]) -> Record:
        text = alignment.target.text or ""
        record["data"][field] = text
        spans = iter(found)
        for annotation in record["annotations"]:
            kept = []
            for item in annotation["result"]:
                if not _is_region(item):
                    kept.append(item)
                elif (span := next(spans)).characters:
                    start, end = span.characters[0][0], span.characters[-1][1]
                    kept.append({**item, "value": _moved(item["value"], (start, end), text)})
            gone = {item["id"] for item in annotation["result"] if "id" in item} - {
                item["id"] for item in kept if "id" in item
            }
            annotation["result"] = [
                item for item in kept if not {item.get("from_id"), item.get("to_id")} & gone
            ]
        return record

    return _Shape(
        source,
        [words_at(source, (value["start"], value["end"])) for value in values],
        [_label(value) for value in values],
        write,
    )


def _regions(record: Record) -> list[Record]:
    return [item for annotation in record["annotations"] for item in annotation["result"] if _is_region(item)]


def _is_region(item: Record) -> bool:
    return isinstance(item.get("value"), dict) and {"start", "end"} <= item["value"].keys()


def _answers(record: Record, to_sentence: ToSentence) -> _Shape:
    answers = record["answers"]
    source = to_sentence(record["context"])
    spans = [
        words_at(source, (start, start + len(text)))
        for start, text in zip(answers["answer_start"], answers["text"], strict=True)
    ]

    def write(record: Record, alignment: Alignment, found: Sequence[ProjectedSpan]) -> Record:
        text = record["context"] = alignment.target.text or ""
        places = [(span.characters[0][0], span.characters[-1][1]) for span in found if span.characters]
        record["answers"] = {
            **answers,
            "text": [text[start:end] for start, end in places],
            "answer_start": [start for start, _ in places],
        }
        return record

    return _Shape(source, spans, ["answer"] * len(spans), write)


def _one_line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False)


def _read_list(path: str | Path, to_sentence: ToSentence, names: Sequence[str]) -> Reader:
    whole = load_json(path)
    if not isinstance(whole, list):
        raise InputError(
            f"{shown(path)}: expected a list of records; a file of a record a line ends in .jsonl."
        )
    begun = False

    def done(record: Record) -> str:
        nonlocal begun
        before, begun = (",\n" if begun else ""), True
        return before + _one_line(record)

    yield Verbatim(lambda: "[")
    for number, record in enumerate(whole, start=1):
        yield annotated_record(record, f"{shown(path)}, record {number}", to_sentence, names, done)
    yield Verbatim(lambda: "]")
