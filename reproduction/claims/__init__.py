"""What the paper claims, what our results say of it, and the likely reason where they differ."""

from __future__ import annotations

from collections.abc import Callable

from reproduction.claims import analyses, comparison, extraction, text
from reproduction.claims.finding import (
    AGREES,
    DIFFERS,
    NOT_RUN,
    PARTLY,
    Finding,
    Results,
    cells_of,
    own_label,
)

CLAIMS: tuple[Callable[[Results], Finding], ...] = (
    comparison.embeddings_win,
    comparison.statistical_numbers,
    comparison.eflomal_best,
    comparison.subwords,
    comparison.static_numbers,
    comparison.static_subwords,
    extraction.itermax_trade,
    extraction.itermax_better,
    extraction.match_last,
    extraction.null_precision,
    extraction.distortion,
    extraction.kappa,
    extraction.tau,
    text.symmetrisation,
    text.more_text,
    text.line_above,
    analyses.rare_words,
    analyses.parts_of_speech,
    analyses.auxiliaries,
    analyses.layers,
    analyses.runtime,
)
HEADINGS = {
    AGREES: "What agrees",
    PARTLY: "What agrees in part",
    DIFFERS: "What does not agree",
    NOT_RUN: "What could not be tested here",
}


def _stand_ins(results: Results) -> str:
    """What stands for mBERT and XLM-R, and so what the claims about them test."""
    base = (
        "`base`, the bundled encoder, stands for the paper's contextual embeddings, whose weights cannot be "
        "had here. It has learned from parallel text; mBERT and XLM-R have not. So it tests the methods"
    )
    label = own_label(cells_of(results, "methods"))
    if label is None:
        return f"{base}, but not that no parallel text is needed."
    return (
        f"{base}. {label[0].upper()}{label[1:]} has seen none: it is a small model of our own, made from "
        "single sentences of which no two are translations of each other (`reproduction/mlm`), and its "
        "layer, in brackets, was chosen on development sets. It tests the paper's thesis, that no parallel "
        "text is needed."
    )


def summary(results: Results) -> str:
    """The opening of the page: a list for each verdict."""
    findings = [claim(results) for claim in CLAIMS]
    by_verdict = {kind: [found for found in findings if found.verdict == kind] for kind in HEADINGS}
    counts = {kind: len(found) for kind, found in by_verdict.items()}
    parts = [
        "## Summary",
        f"Of {len(findings)} claims of the paper, our results agree with {counts[AGREES]}, agree in part "
        f"with {counts[PARTLY]} and do not agree with {counts[DIFFERS]}; {counts[NOT_RUN]} could not be "
        "tested here. A claim agrees when every case that was run does, and in part when most do.",
        _stand_ins(results),
    ]
    for kind, heading in HEADINGS.items():
        if by_verdict[kind]:
            parts += [f"### {heading}", "\n".join(found.line() for found in by_verdict[kind])]
    return "\n\n".join(parts)
