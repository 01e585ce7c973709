"""The bytes of a request -> pairs of sentences of bounded size, or a sentence that says what is wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from starlette.types import Receive, Scope

from wordalign.config import AlignConfig
from wordalign.errors import counted
from wordalign.project.markup.syntax import MalformedError
from wordalign.project.markup.transfer import finish, prepare
from wordalign.serve.refusals import RefusedError
from wordalign.serve.schemas import BatchRequest, PairIn, PairRequest, ProjectRequest, TransferRequest
from wordalign.serve.settings import Limits
from wordalign.serve.work import Part
from wordalign.text import split_words
from wordalign.types import Alignment, Pair, Sentence

Request = TypeVar("Request")

# A client that is told "too large" while it still sends would see a reset connection instead of the answer,
# so some of what it sends is read and thrown away.
DRAINED_BYTES = 16 << 20
DRAIN_SECONDS = 2.0
# Bodies that arrive in pieces are in memory meanwhile; one that arrives at once is not counted.
MOST_IN_PIECES = 512
# The deepest good request has lists of words in pairs in a list in an object.
DEEPEST = 16
# A word has about so many characters; a longer one counts as several, since it becomes many subwords.
CHARACTERS_OF_A_WORD = 6


class ClientGoneError(Exception):
    """Nobody is there to read an answer."""


class BodyReader:
    """Reads whole bodies, never more of them than allowed and never for longer than allowed."""

    def __init__(self, limits: Limits) -> None:
        self._limit = limits.body
        self._seconds = limits.seconds
        self._in_pieces = 0

    async def read(self, scope: Scope, receive: Receive) -> bytes:
        """The body, or a `RefusedError` where it is too large or too slow, whatever its header promised."""
        try:
            async with asyncio.timeout(self._seconds):
                if _declared_length(scope) <= self._limit:
                    body = await self._body(receive)
                    if body is not None:
                        return body
        except TimeoutError:
            message = (
                f"The request's body did not arrive within {self._seconds:g} seconds: send it again, faster."
            )
            raise RefusedError(408, "body_too_slow", message, close=True) from None
        await _drain(receive)
        message = f"The request's body is larger than {self._limit:,} bytes: send fewer pairs at a time."
        raise RefusedError(413, "body_too_large", message, close=True)

    async def _body(self, receive: Receive) -> bytes | None:
        """The body, or None as soon as it is too large."""
        first, more = await _piece(receive)
        if not more:
            return first if len(first) <= self._limit else None
        if self._in_pieces >= MOST_IN_PIECES:
            message = f"{self._in_pieces} requests are arriving already: try again in a moment."
            raise RefusedError(429, "queue_full", message, retry_after=1, close=True)
        self._in_pieces += 1
        try:
            pieces, size = [first], len(first)
            while more and size <= self._limit:
                piece, more = await _piece(receive)
                pieces.append(piece)
                size += len(piece)
            return b"".join(pieces) if size <= self._limit else None
        finally:
            self._in_pieces -= 1


async def _piece(receive: Receive) -> tuple[bytes, bool]:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGoneError
    return message.get("body", b""), message.get("more_body", False)


async def _drain(receive: Receive) -> None:
    drained, more = 0, True
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            while more and drained < DRAINED_BYTES:
                piece, more = await _piece(receive)
                drained += len(piece)
    except (TimeoutError, ClientGoneError):
        pass


def _declared_length(scope: Scope) -> int:
    value: bytes = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    return int(value) if value.isdigit() else 0


def check_type(scope: Scope) -> None:
    """Anything but JSON is refused, also because scripts of other web sites may send the rest unasked."""
    given: bytes = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    if given.partition(b";")[0].strip().lower() != b"application/json":
        raise RefusedError(415, "not_json", "Send JSON, with the header Content-Type: application/json.")


def parse_request(body: bytes, kind: TypeAdapter[Request]) -> Request:
    """The request, or a `RefusedError` that says which part of it is wrong."""
    try:
        return kind.validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)
    if any(problem["type"] == "json_invalid" for problem in first):
        value = _lenient_json(body)
        try:
            return kind.validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)
    raise RefusedError(422, "invalid_request", _problem(first))


def _lenient_json(body: bytes) -> Any:
    """JSON whose strings hold halves of surrogate pairs (a cut emoji): U+FFFD stands for each.

    Everything else that the strict parser did not take is refused here too.
    """
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        message = f"The request's body is not UTF-8: byte {error.start} is wrong."
        raise RefusedError(400, "invalid_json", message) from None
    except RecursionError:
        raise RefusedError(400, "invalid_json", "The request's JSON is nested too deeply.") from None
    except ValueError as error:
        said = str(error).replace("\n", " ")
        raise RefusedError(400, "invalid_json", f"The request's body is not JSON: {said}.") from None
    return _without_surrogates(value)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number that JSON has")


def _without_surrogates(value: Any, depth: int = 0) -> Any:
    if depth > DEEPEST:
        raise RefusedError(400, "invalid_json", "The request's JSON is nested too deeply.")
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item, depth + 1) for key, item in value.items()}
    return value


def _problem(problems: list[Any]) -> str:
    """The first thing that is wrong, by its place: `pairs[0].target` is missing."""
    # A sentence that is neither of its two kinds is wrong twice; of a list, the wrong word tells more.
    problem = next((one for one in problems if "list[str]" in one["loc"][:-1]), problems[0])
    loc = problem["loc"][1:] if problem["loc"][:1] in (("pair",), ("batch",)) else problem["loc"]
    place = [part for part in loc if part not in ("str", "list[str]")]
    if problem["type"] == "missing":
        said = "is missing"
    elif problem["type"] == "extra_forbidden":
        said = "is not known: see /openapi.json for what is"
    elif problem["loc"][-1:] in (("str",), ("list[str]",)):
        said = "is neither a text nor a list of words"
    else:
        said = f"is wrong: {problem['msg']}"
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")
    return f"{where or 'The request'} {said}."


def split_request(
    request: PairRequest | BatchRequest, choice: AlignConfig, limits: Limits, words: int
) -> list[tuple[Part, int]]:
    """The request's pairs in parts of about so many words, and how many each has."""
    given: Sequence[PairIn | PairRequest] = request.pairs
    if len(given) > limits.pairs:
        message = f"The request has {len(given)} pairs, but at most {limits.pairs} are allowed: send several."
        raise RefusedError(422, "too_many_pairs", message)
    pairs = []
    for number, pair in enumerate(given):
        where = "The {}" if isinstance(request, PairRequest) else f"pairs[{number}].{{}}"
        source = _bounded(pair.source, limits, where.format("source"))
        pairs.append(Pair(source, _bounded(pair.target, limits, where.format("target"))))
    return [
        (Part(tuple(part), choice, request.scores, request.matrix), size)
        for part, size in _parts(pairs, words)
    ]


def project_part(request: ProjectRequest, choice: AlignConfig, limits: Limits) -> tuple[Part, int]:
    """The pair of the request as one part, which is answered by its spans; and how many words it has."""
    source = _bounded(request.source, limits, "The source")
    pair = Pair(source, _bounded(request.target, limits, "The target"))
    given = _given_links(request, pair)

    def answer(alignment: Alignment) -> dict[str, Any]:
        found = (given or alignment).project(
            [(start, end) for start, end in request.spans],
            reverse=request.reverse,
            characters=request.characters,
            intervals=request.intervals,
            edges=request.edges,
            min_probability=request.min_probability,
        )
        return {"spans": [{**asdict(span), "probability": round(span.probability, 4)} for span in found]}

    return Part((pair,), choice, answer=answer), _size(pair.source) + _size(pair.target)


def _given_links(request: ProjectRequest, pair: Pair) -> Alignment | None:
    if request.links is None:
        if request.scores is not None:
            raise RefusedError(422, "invalid_request", "Scores are those of given links: give links, too.")
        return None
    scores = [1.0] * len(request.links) if request.scores is None else request.scores
    if len(scores) != len(request.links):
        links, given = counted(len(request.links), "link"), counted(len(scores), "score")
        message = f"The request has {links}, but {given}: give a score for each link."
        raise RefusedError(422, "invalid_request", message)
    for i, j in request.links:
        if i >= len(pair.source) or j >= len(pair.target):
            message = (
                f"The link {i}-{j} is beyond sentences of {len(pair.source)} and {len(pair.target)} words."
            )
            raise RefusedError(422, "invalid_request", message)
    found = sorted({(i, j): score for (i, j), score in zip(request.links, scores, strict=True)}.items())
    kept = tuple(link for link, _ in found)
    return Alignment(kept, tuple(score for _, score in found), pair.source, pair.target)


def transfer_part(request: TransferRequest, choice: AlignConfig, limits: Limits) -> tuple[Part, int]:
    """The pair of the request as one part, which is answered by its markup; and how many words it has."""
    for name, side in (("source", request.source), ("target", request.target)):
        if len(side) > limits.characters:
            raise _too_long(f"The {name}", len(side), "characters", limits.characters)
    try:
        prepared = prepare(request.source, request.target, request.syntax)
    except MalformedError as error:
        raise RefusedError(422, "invalid_markup", str(error)) from None
    for name, words in (("source", len(prepared.pair.source)), ("target", len(prepared.pair.target))):
        if words > limits.words:
            raise _too_long(f"The {name}", words, "words", limits.words)

    def answer(alignment: Alignment) -> dict[str, Any]:
        done = finish(prepared, alignment)
        elements = [
            {"element": place.element.opening, "probability": round(place.probability, 4)}
            for place in done.walk()
        ]
        return {"text": done.text, "elements": elements}

    pair = prepared.pair
    return Part((pair,), choice, answer=answer), _size(pair.source) + _size(pair.target)


def _bounded(given: str | list[str], limits: Limits, what: str) -> Sentence:
    characters = len(given) if isinstance(given, str) else sum(map(len, given))
    if characters > limits.characters:
        raise _too_long(what, characters, "characters", limits.characters)
    sentence = split_words(given) if isinstance(given, str) else Sentence(tuple(given))
    if len(sentence) > limits.words:
        raise _too_long(what, len(sentence), "words", limits.words)
    return sentence


def _too_long(what: str, number: int, unit: str, most: int) -> RefusedError:
    message = f"{what} has {number:,} {unit}, but at most {most:,} are allowed: split it into sentences."
    return RefusedError(422, f"too_many_{unit}", message)


def _parts(pairs: list[Pair], words: int) -> Iterator[tuple[list[Pair], int]]:
    part: list[Pair] = []
    size = 0
    for pair in pairs:
        more = _size(pair.source) + _size(pair.target)
        if part and size + more > words:
            yield part, size
            part, size = [], 0
        part.append(pair)
        size += more
    yield part, size


def _size(sentence: Sentence) -> int:
    return max(len(sentence), sum(map(len, sentence.words)) // CHARACTERS_OF_A_WORD)
