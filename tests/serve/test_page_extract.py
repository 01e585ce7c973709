"""The page extracts links in the browser: they must be the library's, for every method and option."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from wordalign import Aligner, Alignment, Pair, Sentence
from wordalign.aligners.neural import SimilarityMatrix
from wordalign.encoders import Encoder
from wordalign.encoders.calibration import Calibration
from wordalign.links import Method
from wordalign.text.situations import situation_of

pytest_plugins = ("serve.browser",)

CURVE = Calibration(
    6.0, 0.5, (-30.0, -3.0, 1.0, 7.0), (-9.0, -3.0, 0.5, 4.0), sharpness=12.0, larger=0.4, smaller=1.1,
    situations={"alike": (-11.3, -4.1, -0.35, 2.9), "unspaced": (-9.0, -2.0, 2.5, 7.0)},
)  # fmt: skip
# A pair of sentences in each situation, for matrices that have no words of their own.
SIDES = {
    "usual": ("an old bridge", "ein alter Steg"),
    "unspaced": ("an old bridge", "旧 石桥"),
    "alike": ("this old bridge is closed", "this old bridge is open"),
}
SPECS = (
    "argmax", "forward", "reverse", "match", "itermax", "itermax:n_max=1", "itermax:n_max=3,alpha=0.95",
    "itermax:n_max=4,alpha=0.0", "calibrated:always=0.5,mutual=0.1", "calibrated:always=0.45,mutual=0.4",
    "calibrated:always=1.0,mutual=0.0",
)  # fmt: skip
OPTIONS: tuple[dict[str, float], ...] = (
    {},
    {"distortion": 0.5},
    {"distortion": 1.0, "threshold": 0.3},
    {"null": 0.95},
    {"null": 0.992},
    {"distortion": 0.25, "null": 0.9, "threshold": 0.05},
)

# Values travel as text: playwright wraps every single number otherwise.
EXTRACT = """async (given) => {
  const { align, unitsOf } = await import("/page/align.js");
  const { parseMethod } = await import("/page/methods.js");
  const { matrices, curve, cases } = JSON.parse(given);
  const units = matrices.map(unitsOf);
  const found = cases.map(({ spec, options }) => units.map((one) => {
    const { links } = align(one, curve, { ...options, method: parseMethod(spec) });
    return [...links].map(([key, score]) => [...key.split("-").map(Number), score]);
  }));
  return JSON.stringify(found);
}"""


@dataclass
class NoEncoder(Encoder):
    """The aligner needs one to be made; these tests bring their own matrices."""

    calibration: Calibration | None
    signature: str = "none"

    def encode(self, sentences: Any) -> list[Any]:
        raise AssertionError("nothing is encoded here")


def made_matrices() -> list[SimilarityMatrix]:
    """Usual matrices, and ones full of ties, zeros and words of several or no units."""
    random = np.random.default_rng(7)
    shapes = [(1, 1), (1, 4), (5, 1), (2, 2), (3, 3), (4, 7), (7, 4), (9, 9), (12, 5), (30, 33), (70, 61)]
    matrices = []
    for m, n in shapes:
        fine = random.random((m, n), dtype=np.float32)
        coarse = random.choice(np.array([0, 0.25, 0.5, 0.75, 1], dtype=np.float32), (m, n))
        sparse = fine * (random.random((m, n)) < 0.4)
        empty_edges = fine.copy()
        empty_edges[-1], empty_edges[:, -1] = 0, 0
        for values in (fine, coarse, sparse, empty_edges, np.ones((m, n), dtype=np.float32)):
            rows = np.cumsum(random.integers(0, 3, m))
            columns = np.cumsum(random.integers(0, 3, n))
            matrices.append(SimilarityMatrix(values.astype(np.float32), rows, columns))
    return [*matrices, SimilarityMatrix(np.zeros((0, 3), np.float32), np.arange(0), np.arange(3))]


def as_json(matrix: SimilarityMatrix, situation: str) -> dict[str, Any]:
    return {
        "situation": situation,
        "similarity": matrix.similarity.astype(float).tolist(),
        "word_of_row": matrix.word_of_row.tolist(),
        "word_of_column": matrix.word_of_column.tolist(),
    }


def situations(matrices: list[SimilarityMatrix]) -> list[str]:
    return [kind for _, kind in zip(matrices, itertools.cycle(SIDES), strict=False)]


def library_links(
    matrices: list[SimilarityMatrix], curve: Calibration | None, spec: str, options: dict[str, float]
) -> list[dict[tuple[int, int], float]]:
    aligner = Aligner(NoEncoder(curve), method=spec, **options)
    pairs = [Pair(*(Sentence(tuple(side.split())) for side in SIDES[kind])) for kind in situations(matrices)]
    found = [next(iter(by_method.values())) for by_method in aligner.extract(pairs, matrices)]
    return [dict(zip(alignment.links, alignment.scores, strict=True)) for alignment in found]


def spelled_out(spec: str) -> str:
    """With every parameter: the page has no defaults of its own."""
    return str(Method.parse(spec))


def page_options(options: dict[str, float]) -> dict[str, float]:
    return {{"null": "tau"}.get(name, name): value for name, value in options.items()}


@pytest.mark.parametrize("curve", [CURVE, None], ids=["calibrated scores", "similarities"])
def test_made_matrices_give_the_librarys_links_and_scores(visit, curve):
    matrices = made_matrices()
    specs = [spec for spec in SPECS if curve or not spec.startswith("calibrated")]
    cases = list(itertools.product(specs, OPTIONS))
    given = {
        "matrices": [as_json(*given) for given in zip(matrices, situations(matrices), strict=True)],
        "curve": curve and curve.facts(),
        "cases": [{"spec": spelled_out(spec), "options": page_options(options)} for spec, options in cases],
    }
    answers = json.loads(visit().page.evaluate(EXTRACT, json.dumps(given)))
    for (spec, options), found in zip(cases, answers, strict=True):
        for number, links in enumerate(library_links(matrices, curve, spec, options)):
            where = f"{spec}, {options}, matrix {number}"
            assert [(i, j) for i, j, _ in found[number]] == list(links), where
            scores = [score for *_, score in found[number]]
            assert np.allclose(scores, list(links.values()), rtol=0, atol=1e-12), where


SITUATIONS = """async (given) => {
  const { situationOf } = await import("/page/situation.js");
  return JSON.parse(given).map(([source, target]) => situationOf(source, target));
}"""


def test_the_page_finds_the_librarys_situations(visit, sentence_pairs):
    pairs = [(side.split(), other.split()) for side, other in SIDES.values()] + sentence_pairs
    pairs += [(source, [*target, *source[: len(source) // 2]]) for source, target in sentence_pairs]
    pairs += [
        ([], []),
        (["a"], []),
        (["One", "2", "THREE", "four", "5", "."], ["one", "2", "three", "vier", "5", "."]),
        (["ΟΔΟΣ", "ΠΟΛΗ", "ÇA", "straße"], ["οδος", "πολη", "ça", "STRASSE"]),
        (["aa", "𠀀𠀁"], ["bb"]),
        (["aaaaa", "𠀀𠀁"], ["bb"]),
        (["ひらがな", "カタカナ", "ｶﾀｶﾅ"], ["x"]),
        (["ສະບາຍດີ", "བོད་སྐད།", "မြန်မာ", "ខ្មែរ"], ["x"]),
        (["한국어", "입니다"], ["x"]),
    ]
    found = visit().page.evaluate(SITUATIONS, json.dumps(pairs))
    expected = [situation_of(source, target) for source, target in pairs]
    assert set(expected) == set(SIDES)
    assert found == expected


ASK = """async (given) => {
  const { pairs, level, curve, cases } = JSON.parse(given);
  const { align, unitsOf, signature } = await import("/page/align.js");
  const { parseMethod } = await import("/page/methods.js");
  const { alignPairs } = await import("/page/service.js");
  const answers = await alignPairs(pairs, "base", level);
  const found = cases.map(({ spec, options }) => answers.map((answer) => {
    const chosen = { ...options, method: parseMethod(spec) };
    const links = [...align(unitsOf(answer.matrix), curve, chosen).links];
    return { links: links.map(([key]) => key), signature: signature(answer.signature, chosen) };
  }));
  return JSON.stringify(found);
}"""


@pytest.mark.parametrize("level", ["word", "subword"])
def test_real_sentences_give_the_librarys_links_and_signature(visit, sentence_pairs, level):
    chosen = [
        *sentence_pairs[:30:2],
        (" ".join(sentence_pairs[0][0]), "Le vieux pont, reconstruit."),
        ("The old bridge is closed to all traffic.", "The bridge is now closed to most traffic."),
        ("The old bridge is closed.", "旧石桥关闭了。"),
    ]
    base = Aligner("base", level=level)
    cases = [
        {"spec": spec, "options": options} for spec, options in itertools.product(SPECS[3:9:2], OPTIONS[:4])
    ]
    curve = base.encoder.calibration
    given = {
        "pairs": [{"source": source, "target": target} for source, target in chosen],
        "level": level,
        "curve": curve.facts(),
        "cases": [
            {"spec": spelled_out(case["spec"]), "options": page_options(case["options"])} for case in cases
        ],
    }
    answers = json.loads(visit().page.evaluate(ASK, json.dumps(given)))
    pairs = [alignment_pair(alignment) for alignment in base.align_batch(chosen)]
    matrices = base.matrices(pairs)
    for case, found in zip(cases, answers, strict=True):
        aligner = Aligner(base.encoder, level=level, method=case["spec"], **case["options"])
        for by_method, answer in zip(aligner.extract(pairs, matrices), found, strict=True):
            (alignment,) = by_method.values()
            assert " ".join(answer["links"]) == alignment.pharaoh(), case
            assert answer["signature"] == aligner.signature()


def alignment_pair(alignment: Alignment) -> Pair:
    return Pair(alignment.source, alignment.target)
