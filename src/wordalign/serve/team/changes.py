"""What a change does to a project: the same as in the page (page/annotate/changes.js), and checked.

A change is {pair, field, key, from, to}: in a pair, a field, or one entry of it, became `to` and was `from`;
null stands for an entry that is not there.

>>> project = {"pairs": [{"source": ["a"], "target": ["b"], "links": {}}]}
>>> change = Change(pair=0, field="links", key="0-0", before=None, after="sure")
>>> applied(project, [change])["pairs"][0]["links"]
{'0-0': 'sure'}
>>> project["pairs"][0]["links"]
{}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

_LINK = re.compile(r"([0-9]{1,4})-([0-9]{1,4})")
_WORD = re.compile(r"([st])([0-9]{1,4})")
# The fields that have entries, and what an entry may be.
ENTRIES: Mapping[str, tuple[Any, ...]] = {
    "links": ("sure", "possible"),
    "nulls": (True,),
    "checked": (True,),
}
MAPS = (*ENTRIES, "suggested", "faint", "votes")
LONGEST_COMMENT = 20_000
LONGEST_TEXT = 1_000  # of a signature


class ConflictError(Exception):
    """Something else is there than the change was made for."""


class Change(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    pair: Annotated[int, Field(ge=0)]
    field: Literal["links", "nulls", "checked", "suggested", "faint", "suggested_by", "comment", "done"]
    key: Annotated[str | None, Field(max_length=10)] = None
    before: Annotated[Any, Field(alias="from")] = None
    after: Annotated[Any, Field(alias="to")] = None

    @model_validator(mode="after")
    def _fits(self) -> Change:
        if self.key is not None and self.field not in ENTRIES:
            raise ValueError(f"{self.field} has no entries that are changed one by one.")
        return self

    def as_json(self) -> dict[str, Any]:
        key = {} if self.key is None else {"key": self.key}
        return {"pair": self.pair, "field": self.field, **key, "from": self.before, "to": self.after}


def applied(project: Mapping[str, Any], changes: Iterable[Change]) -> dict[str, Any]:
    """The project after the changes, all of them or, with a `ConflictError` or a `ValueError`, none."""
    pairs = list(project["pairs"])
    for change in changes:
        if change.pair >= len(pairs):
            raise ValueError(f"There is no pair {change.pair}.")
        pair = pairs[change.pair]
        held = pair.get(change.field)
        present = held if change.key is None else (held or {}).get(change.key)
        if (present or None) != (change.before or None):
            raise ConflictError
        value = _checked(pair, change)
        if change.key is not None:
            entries = {key: entry for key, entry in (held or {}).items() if key != change.key}
            value = entries if value is None else {**entries, change.key: value}
        pairs[change.pair] = {**pair, change.field: value}
    return {**project, "pairs": pairs}


def checked_pair(pair: Any) -> dict[str, Any]:
    """A pair of a project that somebody sent, or a ValueError."""
    if not isinstance(pair, dict):
        raise ValueError("is not an object.")
    for side in ("source", "target"):
        words = pair.get(side)
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ValueError(f"{side} is not a list of words.")
    for field in MAPS:
        if field in pair:
            _check_entries(pair, field, pair[field])
    if len(str(pair.get("comment", ""))) > LONGEST_COMMENT:
        raise ValueError(f"the comment is longer than {LONGEST_COMMENT:,} characters.")
    return pair


def _checked(pair: Mapping[str, Any], change: Change) -> Any:
    """The new value, or a ValueError if it does not fit the pair."""
    field, value = change.field, change.after
    if change.key is not None:
        _check_place(pair, field, change.key)
        if value is not None and value not in ENTRIES[field]:
            raise ValueError(f"{value!r} is not what {field} can be.")
        return value
    if field in MAPS:
        _check_entries(pair, field, value)
    elif field == "done" and type(value) is not bool:
        raise ValueError("done is true or false.")
    elif field in ("comment", "suggested_by"):
        longest = LONGEST_COMMENT if field == "comment" else LONGEST_TEXT
        if not isinstance(value, str) or len(value) > longest:
            raise ValueError(f"{field} is a text of at most {longest:,} characters.")
    return value


def _check_entries(pair: Mapping[str, Any], field: str, entries: Any) -> None:
    if not isinstance(entries, dict):
        raise ValueError(f"{field} is not an object.")
    for key, value in entries.items():
        _check_place(pair, field, key)
        if field in ENTRIES and value not in ENTRIES[field]:
            raise ValueError(f"{value!r} is not what {field} can be.")
        if field in ("suggested", "faint") and not (type(value) in (int, float) and 0 <= value <= 1):
            raise ValueError(f"{field} has a probability that is none.")
        if field == "votes" and not (isinstance(value, str) and len(value) <= LONGEST_TEXT):
            raise ValueError("votes has a name that is none.")


def _check_place(pair: Mapping[str, Any], field: str, key: str) -> None:
    sizes = len(pair["source"]), len(pair["target"])
    if field == "nulls":
        word = _WORD.fullmatch(key)
        fits = word is not None and int(word[2]) < sizes["st".index(word[1])]
    else:
        link = _LINK.fullmatch(key)
        fits = link is not None and int(link[1]) < sizes[0] and int(link[2]) < sizes[1]
    if not fits:
        raise ValueError(f"there are no words for {key!r}.")
