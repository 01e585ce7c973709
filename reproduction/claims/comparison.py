"""Claims about Table 2: who is better than whom."""

from __future__ import annotations

from reproduction.claims.finding import (
    AGREES,
    DIFFERS,
    ENGINES,
    LEVELS,
    NOT_RUN,
    PARTLY,
    Finding,
    Results,
    cells_of,
    each,
    judged,
    mean,
    own_label,
    shown,
)
from reproduction.lab.cells import Cell, pick, value
from reproduction.lab.experiment import Result
from reproduction.lab.paper import LABELS
from reproduction.lab.programs import ORIGINALS
from reproduction.lab.statistical import ibm4_amount
from reproduction.lab.systems import map_failed
from reproduction.lab.tables import listed, number, signed
from reproduction.originals import OURS


def embeddings_win(results: Results) -> Finding:
    claim = (
        "Alignments from embeddings beat the statistical aligners for four language pairs and are comparable "
        "for two (Table 2)."
    )
    cells = cells_of(results, "main_comparison")
    wins, losses = [], []
    for language in each(pick(cells, system="base"), "language"):
        ours = value(cells, system="base", level="word", method="argmax", language=language)
        rivals = [cell for cell in pick(cells, language=language) if cell["kind"] == "statistical"]
        if ours is not None and rivals:
            best = max(cell["scores"]["f1"] for cell in rivals)
            (wins if ours > best else losses).append(f"{language} ({number(ours)}, {number(best)})")
    found = (
        f"`base` with Argmax has a higher F1 than every statistical aligner trained here on {listed(wins)}"
    )
    found += f"; not on {listed(losses)}" if losses else ""
    found += " (in brackets F1 of `base` and of the best statistical aligner)."
    result = results.get("main_comparison", {})
    at_word_level = pick(result.get("significance", []), second_level="word")
    tests = [test for test in at_word_level if "not_run" not in test]
    if tests:
        certain = [test["language"] for test in tests if test["significant"] and test["difference"] > 0]
        found += (
            f" Its lead over eflomal at the word level is more than chance (p < .05) on {listed(certain)}."
        )
    found += _without_parallel_text(cells)
    reason = (
        f"Our aligners had at most {result.get('train_pairs', 0):,} pairs of text beside the test sentences, "
        "the paper's up to 1.9 million; and `base` itself is not free of parallel text."
    )
    return judged(len(wins), len(wins) + len(losses), claim, found, reason)


def _without_parallel_text(cells: list[Cell]) -> str:
    """How the model of our own compares with fast_align and eflomal: the thesis itself."""
    said = []
    for language in each(pick(cells, system="own"), "language"):
        ours = value(cells, system="own", level="subword", method="argmax", language=language)
        rivals = [
            f"{LABELS[engine]} {number(rival)}"
            for engine in ("fast_align", "eflomal")
            if (rival := value(cells, system=engine, level="word", language=language)) is not None
        ]
        if ours is not None and rivals:
            said.append(f"{language} {number(ours)} ({', '.join(rivals)})")
    if not said:
        return ""
    return (
        f" Our {own_label(cells)}, which saw no parallel text, has with Argmax at the subword level "
        f"{', '.join(said)}."
    )


def statistical_numbers(results: Results) -> Finding:
    claim = "The F1 of fast-align, Giza++/IBM4 and eflomal, within .03 on average (Table 2)."
    gaps: dict[str, list[float]] = {}
    for cell in cells_of(results, "main_comparison"):
        if cell["kind"] == "statistical":
            gaps.setdefault(LABELS[cell["system"]], []).append(cell["scores"]["f1"] - cell["paper"]["f1"])
    near = sum(abs(mean(found)) <= 0.03 for found in gaps.values())
    said = "; ".join(
        f"{label} {signed(mean(found), 3)} (from {signed(min(found))} to {signed(max(found))})"
        for label, found in gaps.items()
    )
    reason = ""
    result = results.get("main_comparison", {})
    if near < len(gaps):
        reason = _program_or_text(results) or (
            "The text is another and mostly less, words are split by other rules, and subwords are those of "
            "the bundled model instead of mBERT's."
        )
        reason += _less_for_ibm4(result)
    return judged(
        near, len(gaps), claim, f"Ours minus the paper's, mean of all sets and levels: {said}.", reason
    )


def _less_for_ibm4(result: Result) -> str:
    """That IBM 4 had less text than the others, or less on one level than on the other."""
    if result["ibm4_pairs"] >= result["train_pairs"] and not result.get("ibm4_subwords"):
        return ""
    return f" IBM 4, the slowest, had {ibm4_amount(result)} pairs."


def _program_or_text(results: Results) -> str:
    """Whether the program or the text makes the difference: the original programs on the same text."""
    said = []
    for original in ORIGINALS:
        cells = pick(cells_of(results, "originals"), engine=original.engine)
        gaps = {}
        for language in each(cells, "language"):
            ours = value(cells, language=language, program=OURS)
            theirs = value(cells, language=language, program=original.papers_way)
            if ours is not None and theirs is not None:
                gaps[language] = ours - theirs
        if gaps:
            shown_gaps = listed([f"{language} {signed(gap, 3)}" for language, gap in gaps.items()])
            said.append(
                f"On the same text and with the paper's settings, the F1 of ours minus that of the program "
                f"that its authors publish is, for {LABELS[original.engine]}, {shown_gaps}."
            )
    if not said:
        return ""
    gains = _gains_by_text(results)
    if gains:
        said.append(f"More text closes part of the distance: fast_align has {'; '.join(gains)}.")
    return " ".join(said)


def _gains_by_text(results: Results) -> list[str]:
    """F1 of fast_align with the least and with the most text, for each language."""
    points = cells_of(results, "learning_curve", "languages")
    gains = []
    for language in each(points, "language"):
        curve = sorted(
            pick(points, system="fast_align", language=language), key=lambda cell: int(cell["text_pairs"])
        )
        if len(curve) > 1:
            gains.append(
                f"{language} {number(curve[0]['scores']['f1'])} with {curve[0]['text_pairs']:,} pairs and "
                f"{number(curve[-1]['scores']['f1'])} with {curve[-1]['text_pairs']:,}"
            )
    return gains


def eflomal_best(results: Results) -> Finding:
    claim = "eflomal is better than fast-align (Table 2)."
    cells = cells_of(results, "main_comparison")
    pairs = [
        (
            value(cells, system="eflomal", level=level, language=language),
            value(cells, system="fast_align", level=level, language=language),
        )
        for level in LEVELS
        for language in each(pick(cells, system="eflomal"), "language")
    ]
    both = [(ours, other) for ours, other in pairs if ours is not None and other is not None]
    hits = sum(ours > other for ours, other in both)
    return judged(hits, len(both), claim, f"So it is in {hits} of {len(both)} cases (set and level).")


def static_numbers(results: Results) -> Finding:
    claim = "The F1 of fastText vectors, within .03 on average (Table 2)."
    cells = pick(cells_of(results, "main_comparison"), kind="static", level="word", method="argmax")
    gaps = [cell["scores"]["f1"] - cell["paper"]["f1"] for cell in cells]
    if not gaps:
        return Finding(NOT_RUN, claim, "There were no static vectors.")
    near = abs(mean(gaps)) <= 0.03
    said = ", ".join(f"{cell['language']} {signed(gap, 3)}" for cell, gap in zip(cells, gaps, strict=True))
    found = f"Ours minus the paper's, Argmax, word level: {said}."
    maps = results["main_comparison"].get("maps", {})
    failed = [
        name.partition("eng-")[2] for name in maps if name.startswith("word/") and map_failed(maps[name])
    ]
    if failed:
        found += f" No map to English was found for {listed(failed)}."
    reason = ""
    if not near or failed:
        reason = (
            "Our vectors have seen a few million words of each language, of which many are those of "
            "programs and manuals; the paper's have seen all of Wikipedia."
        )
        curves = _gains_by_words(results)
        if curves:
            reason += f" More text closes part of the distance: with the same settings {'; '.join(curves)}."
    return Finding(AGREES if near and not failed else PARTLY if near else DIFFERS, claim, found, reason)


def _gains_by_words(results: Results) -> list[str]:
    """F1 of static vectors that have seen the least and the most text, for each language."""
    cells = cells_of(results, "vector_text")
    gains = []
    for language in each(cells, "language"):
        curve = sorted(pick(cells, language=language), key=lambda cell: int(cell["words"][language]))
        if len(curve) > 1:
            ends = (
                f"{number(cell['scores']['f1'])} with {cell['words'][language] / 1e6:.1f}"
                for cell in (curve[0], curve[-1])
            )
            gains.append(f"{language} has {' and '.join(ends)} million words")
    return gains


def static_subwords(results: Results) -> Finding:
    claim = "Static vectors of subwords are worse than those of words (Table 2)."
    cells = pick(cells_of(results, "main_comparison"), kind="static", method="argmax")
    words = {cell["language"]: cell["scores"]["f1"] for cell in pick(cells, level="word")}
    pieces = {cell["language"]: cell["scores"]["f1"] for cell in pick(cells, level="subword")}
    gaps = {language: pieces[language] - words[language] for language in words if language in pieces}
    maps = results.get("main_comparison", {}).get("maps", {})
    subword_maps = {language: maps.get(f"subword/eng-{language}") for language in words}
    lost = [language for language, found_map in subword_maps.items() if found_map and map_failed(found_map)]
    found = ", ".join(f"{language} {signed(gap, 3)}" for language, gap in gaps.items())
    found = f"Subword minus word F1, Argmax: {found}." if gaps else ""
    if lost:
        found += f" The map of subwords failed where that of words did not: {listed(lost)}."
    if not gaps:
        return Finding(NOT_RUN, claim, found.strip())
    return judged(sum(gap < 0 for gap in gaps.values()), len(gaps), claim, found)


def subwords(results: Results) -> Finding:
    claim = "The subword level is slightly better than the word level for most methods (Table 2)."
    cells = [cell for cell in cells_of(results, "main_comparison") if cell["method"] in (None, "argmax")]
    gaps: dict[str, list[float]] = {}
    for cell in pick(cells, level="word"):
        other = value(cells, system=cell["system"], level="subword", language=cell["language"])
        if other is not None and cell["kind"] != "static":
            gaps.setdefault(shown(cell["label"]), []).append(other - cell["scores"]["f1"])
    better = [name for name, found in gaps.items() if mean(found) > 0]
    said = ", ".join(f"{name} {signed(mean(found), 3)}" for name, found in gaps.items())
    reason = ""
    if any(name in gaps and name not in better for name in ("`base`", "`tiny`")):
        reason = (
            "The bundled models were trained on links of whole words, which leaves subwords little to add."
        )
    missing = [
        LABELS[engine] for engine in ENGINES if LABELS[engine] in gaps and LABELS[engine] not in better
    ]
    if missing:
        reason += (
            f" {listed(missing)}: with little text the pieces of a small vocabulary are often ambiguous; the "
            "paper used mBERT's larger one."
        )
    if LABELS["ibm4"] in gaps:
        reason += _less_for_ibm4(results["main_comparison"])
    found = f"Mean of subword minus word F1 (Argmax for encoders, without static vectors): {said}."
    return judged(len(better), len(gaps), claim, found, reason.strip())
