"""What a request may say and what an answer holds, for checking and for the OpenAPI document."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    FiniteFloat,
    Tag,
    TypeAdapter,
)

from wordalign.config import AlignConfig
from wordalign.text.situations import Situation

Sentence = Annotated[
    str | list[str], Field(description="Raw text, which is split into words, or a list of words.")
]
Share = Annotated[FiniteFloat, Field(ge=0, le=1)]


class PairIn(BaseModel):
    """A sentence and its translation."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: Sentence
    target: Sentence


class Choice(BaseModel):
    """All that decides about links and that a request may choose."""

    model_config = ConfigDict(extra="forbid", strict=True)

    model: Annotated[
        str | None, Field(description="One of GET /v1/models; the service's first by default.")
    ] = None
    level: Annotated[
        Literal["word", "subword"] | None, Field(description="By default what the model does best.")
    ] = None
    methods: Annotated[
        list[str] | None,
        Field(
            min_length=1,
            max_length=8,
            description="Names of methods, also with parameters as in itermax:n_max=3, no one twice; by "
            "default what the model does best.",
        ),
    ] = None
    distortion: Annotated[
        Share, Field(description="Prefers words at similar positions; the paper uses 0.5.")
    ] = AlignConfig.distortion
    null: Annotated[
        Share | None, Field(description="Drops links whose normalised entropy is above this.")
    ] = None
    threshold: Annotated[Share, Field(description="Drops links of a lower score.")] = AlignConfig.threshold

    def config_fields(self) -> dict[str, Any]:
        """What of this belongs to `AlignConfig`, by the names of its fields."""
        given = {"method" if name == "methods" else name: value for name, value in self}
        return {field.name: given[field.name] for field in fields(AlignConfig) if field.name in given}


class Options(Choice):
    scores: Annotated[bool, Field(description="Give each link's score.")] = True
    matrix: Annotated[
        bool, Field(description="Give the similarities that the links were found in, without distortion.")
    ] = False


class BatchRequest(Options):
    """Many pairs."""

    pairs: Annotated[list[PairIn], Field(min_length=1)]


class PairRequest(Options):
    """One pair."""

    source: Sentence
    target: Sentence

    @property
    def pairs(self) -> list[PairRequest]:
        return [self]


def _kind(value: Any) -> str:
    single = isinstance(value, dict) and "pairs" not in value and ("source" in value or "target" in value)
    return "pair" if single else "batch"


AlignRequest = Annotated[
    Annotated[PairRequest, Tag("pair")] | Annotated[BatchRequest, Tag("batch")], Discriminator(_kind)
]
REQUEST: TypeAdapter[PairRequest | BatchRequest] = TypeAdapter(AlignRequest)


SpanIn = Annotated[
    list[Annotated[int, Field(ge=0)]],
    Field(min_length=2, max_length=2, description="Start and end; the end no longer belongs to it."),
]


LinkIn = Annotated[
    list[Annotated[int, Field(ge=0)]],
    Field(min_length=2, max_length=2, description="A word of the source and one of the target, from 0."),
]


class ProjectRequest(Choice):
    """A pair, and spans of one side that are carried to the other; links are given, or the first method's."""

    source: Sentence
    target: Sentence
    links: Annotated[
        list[LinkIn] | None, Field(max_length=100_000, description="By default they are found.")
    ] = None
    scores: Annotated[
        list[Share] | None, Field(max_length=100_000, description="One for each given link; 1 by default.")
    ] = None
    spans: Annotated[list[SpanIn], Field(min_length=1, max_length=1000)]
    characters: Annotated[bool, Field(description="Spans count code points of raw text, not words.")] = False
    reverse: Annotated[bool, Field(description="The spans are of the target.")] = False
    intervals: Annotated[int, Field(ge=1, le=8, description="Pieces that a span may come out as.")] = 1
    edges: Annotated[
        Literal["trim", "keep"], Field(description="What happens to unlinked words at the edges.")
    ] = "trim"
    min_probability: Annotated[Share, Field(description="Less probable results have no intervals.")] = 0.0


PROJECT_REQUEST: TypeAdapter[ProjectRequest] = TypeAdapter(ProjectRequest)


class TransferRequest(Choice):
    """A source with markup and its plain translation; links are those of the first method."""

    source: Annotated[str, Field(description="Text with tags and placeholders.")]
    target: Annotated[str, Field(description="The translation, as plain text.")]
    syntax: Annotated[
        Literal["html", "xml", "xliff", "text", "markdown"] | None,
        Field(description="By default html where the source has tags or entities, and text where not."),
    ] = None


TRANSFER_REQUEST: TypeAdapter[TransferRequest] = TypeAdapter(TransferRequest)


class SentenceOut(BaseModel):
    """A sentence as words; for raw text also the text and each word's place in it, in code points."""

    words: list[str]
    text: str | None
    offsets: list[tuple[int, int]] | None


class LinksOut(BaseModel):
    """Linked words, from 0, sorted."""

    links: list[tuple[int, int]]
    scores: list[float] | None


class MatrixOut(BaseModel):
    """A row a unit of `level` of the source, a column a unit of the target."""

    level: Literal["word", "subword"]
    situation: Annotated[
        Situation, Field(description="Which of the model's curves from scores to probabilities counts.")
    ]
    similarity: list[list[float]]
    word_of_row: list[int]
    word_of_column: list[int]
    row_text: list[str]
    column_text: list[str]
    probability: Annotated[
        list[list[float]] | None, Field(description="That a link is right, where the model knows it.")
    ]


class ResultOut(BaseModel):
    """The links of one pair; each method goes by its name, or by its parameters where several share one."""

    source: SentenceOut
    target: SentenceOut
    methods: dict[str, LinksOut]
    matrix: MatrixOut | None
    warnings: Annotated[list[str], Field(description="Why fewer links than usual can be expected.")]


class AlignAnswer(BaseModel):
    """A result for each pair, in order."""

    model: str
    signature: Annotated[dict[str, str], Field(description="For each method, all that its scores depend on.")]
    calibrated: Annotated[bool, Field(description="Whether scores are probabilities.")]
    results: list[ResultOut]


class ProjectedSpanOut(BaseModel):
    """Where a span came out; `reason` says why there are no intervals."""

    source: Annotated[tuple[int, int], Field(description="The span, in words.")]
    intervals: Annotated[list[tuple[int, int]], Field(description="In words of the other side.")]
    characters: Annotated[
        list[tuple[int, int]] | None, Field(description="The intervals in raw text, in code points.")
    ]
    probability: float
    missing: Annotated[list[int], Field(description="Words of the span that have no link into them.")]
    outside: Annotated[list[int], Field(description="Words that are linked with the span, but not in them.")]
    shared: Annotated[list[int], Field(description="Their words that are linked with others, too.")]
    reason: str


class ProjectedOut(BaseModel):
    """The spans of one pair, in order."""

    source: SentenceOut
    target: SentenceOut
    spans: list[ProjectedSpanOut]


class ProjectAnswer(BaseModel):
    """One result."""

    model: str
    signature: dict[str, str]
    calibrated: bool
    results: list[ProjectedOut]


class PlacedOut(BaseModel):
    """An element of the source, as it was written, and how much of what is linked speaks for its place."""

    element: str
    probability: float


class TransferredOut(BaseModel):
    """The translation with markup. The sentences are without markup; U+FFFC stands for a placeholder."""

    source: SentenceOut
    target: SentenceOut
    text: str
    elements: list[PlacedOut]


class TransferAnswer(BaseModel):
    """One result."""

    model: str
    signature: dict[str, str]
    calibrated: bool
    results: list[TransferredOut]


class FindingOut(BaseModel):
    """Words of a side, from `start` to `end` (not included), that seem wrong."""

    kind: Literal["untranslated", "added", "copied", "number", "url", "placeholder", "name", "language"]
    side: Literal["source", "target"]
    start: int
    end: int
    text: str
    probability: float


class CheckedOut(BaseModel):
    """What is wrong with one pair."""

    source: SentenceOut
    target: SentenceOut
    score: Annotated[float, Field(description="The probability that the pair is a translation.")]
    findings: list[FindingOut]


class CheckAnswer(BaseModel):
    """A result for each pair, in order."""

    model: str
    signature: dict[str, str]
    calibrated: Annotated[bool, Field(description="Whether scores are probabilities.")]
    results: list[CheckedOut]


class CalibrationOut(BaseModel):
    """How similarities become probabilities: see the module `wordalign.encoders.calibration`.

    The score of a cell is scale * cosine + bias + larger * max(r, c) + smaller * min(r, c), where r and c
    are the logarithms of the softmax of sharpness * cosine over its row and over its column; log_odds are the
    log odds of a link at some scores, straight lines between, and situations has those for pairs in other
    situations than the usual one. The similarity is (cosine + 1) / 2.
    """

    scale: float
    bias: float
    sharpness: float
    larger: float
    smaller: float
    scores: list[float]
    log_odds: list[float]
    situations: dict[str, list[float]]


class ModelOut(BaseModel):
    name: str
    default: bool
    note: Annotated[str, Field(description="What it is, and for which languages.")]
    signature: str
    languages: Annotated[list[str] | None, Field(description="ISO 639-3 codes, where they are known.")]
    level: Literal["word", "subword"]
    method: Annotated[str, Field(description="The model's default method with its parameters.")]
    methods: Annotated[
        dict[str, dict[str, float]],
        Field(description="Every method it can use, with the parameters used for the bare name."),
    ]
    calibration: CalibrationOut | None


class LimitsOut(BaseModel):
    body: int
    pairs: int
    words: int
    characters: int
    cells: int
    queue: int
    seconds: float


class DefaultsOut(BaseModel):
    """The options that are the same for every model."""

    distortion: float = Options.model_fields["distortion"].default
    null: float | None = Options.model_fields["null"].default
    threshold: float = Options.model_fields["threshold"].default


class ModelsAnswer(BaseModel):
    models: list[ModelOut]
    defaults: DefaultsOut
    limits: LimitsOut


class Health(BaseModel):
    status: Literal["ok"]
    version: str
    queue: Annotated[int, Field(description="Requests that wait or are worked on.")]


class ErrorDetail(BaseModel):
    code: str
    message: str


class ErrorAnswer(BaseModel):
    """What went wrong, in a word and in a sentence."""

    error: ErrorDetail
