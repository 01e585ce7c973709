"""Claims about rare words, parts of speech, layers and time: Figures 4 and 6, Tables 6 and 12."""

from __future__ import annotations

from typing import Any

from reproduction.claims.finding import NOT_RUN, Finding, Results, judged, shown
from reproduction.lab.experiment import Result
from reproduction.lab.tables import number
from reproduction.layers import best_layer


def rare_words(results: Results) -> Finding:
    claim = "Rare words are aligned better at the subword level than at the word level (Figure 6)."
    curves = [curve for curve in results.get("frequency", {}).get("curves", []) if "bins" in curve]
    hits = cases = 0
    said = []
    worse = []
    for system in dict.fromkeys(curve["system"] for curve in curves):
        levels = {curve["level"]: curve for curve in curves if curve["system"] == system}
        if len(levels) < 2 or system == "fasttext":
            continue
        rarest = next(iter(levels["word"]["bins"]))
        word, subword = (levels[level]["bins"][rarest]["f1"] for level in ("word", "subword"))
        cases, hits = cases + 1, hits + (subword > word)
        name = shown(levels["word"]["label"].partition(",")[0])
        worse += [] if subword > word else [name]
        said.append(f"{name} {number(word)} and {number(subword)}")
    reason = ""
    if "`base`" in worse:
        reason = (
            "`base` makes a word's vector from its subwords in context, so that a rare word is no unknown "
            "word at the word level either."
        )
    found = (
        "F1 at the word and at the subword level of links with a word that the text lacks: "
        f"{', '.join(said)}."
    )
    return judged(hits, cases, claim, found, reason)


def _rows(results: Results) -> dict[str, Any]:
    """Rows of Table 6 at the word level, by system."""
    rows = results.get("parts_of_speech", {}).get("rows", [])
    return {row["system"]: row for row in rows if "tags" in row and row["level"] == "word"}


def parts_of_speech(results: Results) -> Finding:
    claim = "Embeddings align auxiliaries, pronouns and verbs better than eflomal (Table 6)."
    rows = _rows(results)
    encoders = [system for system in ("base", "own") if system in rows]
    if not encoders or "eflomal" not in rows:
        return Finding(NOT_RUN, claim)
    eflomal = rows["eflomal"]["tags"]
    hits = cases = 0
    said = []
    for system in encoders:
        tags = rows[system]["tags"]
        shared = [tag for tag in ("AUX", "PRON", "VERB") if tag in tags and tag in eflomal]
        cases += len(shared)
        hits += sum(tags[tag]["f1"] > eflomal[tag]["f1"] for tag in shared)
        found = ", ".join(
            f"{tag} {number(tags[tag]['f1'])} and {number(eflomal[tag]['f1'])}" for tag in shared
        )
        said.append(f"{shown(rows[system]['label'].partition(',')[0])} and eflomal: {found}")
    return judged(hits, cases, claim, f"F1 at the word level of {'; '.join(said)}.")


def auxiliaries(results: Results) -> Finding:
    claim = (
        "Links of auxiliaries span fewer words in eflomal than in embeddings (2.72 and 3.22 on average, "
        "section on parts of speech)."
    )
    rows = _rows(results)
    spans = {system: row["auxiliary_distance"] for system, row in rows.items()}
    encoders = [system for system in ("base", "own") if spans.get(system)]
    if not encoders or not spans.get("eflomal"):
        return Finding(NOT_RUN, claim)
    hits = sum(spans["eflomal"] < spans[system] for system in encoders)
    said = ", ".join(
        f"{shown(rows[system]['label'].partition(',')[0])} {number(spans[system], 2)}" for system in encoders
    )
    found = f"Ours: eflomal {number(spans['eflomal'], 2)}, {said}."
    return judged(hits, len(encoders), claim, found)


def layers(results: Results) -> Finding:
    claim = "F1 over the layers of a model is highest in the middle, at layer 8 of 12 (Figure 4)."
    models = [model for model in results.get("layers", {}).get("models", []) if "not_run" not in model]
    pretrained = [model for model in models if model.get("kind", "huggingface") == "huggingface"]
    if not pretrained:
        found = (
            "No model with several layers could be loaded: the weights of mBERT and XLM-R are not reachable "
            "here, and the bundled models were trained to align with their last layer."
        )
        return Finding(NOT_RUN, claim, found if "layers" in results else "")
    hits = cases = 0
    said = []
    for model in pretrained:
        last = model["layers"] - 1
        best = {language: best_layer(model, language) for language in _languages(model)}
        cases, hits = cases + len(best), hits + sum(0 < layer < last for layer in best.values())
        found = ", ".join(f"{language} {layer}" for language, layer in best.items())
        said.append(f"{model['label']} with {last} layers: {found}")
    found = f"Best layers: {'; '.join(said)}."
    for model in models:
        if model not in pretrained:
            rising = sum(best_layer(model, language) >= model["layers"] - 2 for language in _languages(model))
            found += (
                f" {shown(model['label'])}, which was trained to align with its last layer, is best there on "
                f"{rising} of {len(_languages(model))} sets."
            )
    return judged(hits, cases, claim, found)


def _languages(model: Result) -> list[str]:
    return list(dict.fromkeys(point["language"] for point in model["curves"]))


def runtime(results: Results) -> Finding:
    claim = (
        "To align 500 pairs, fast-align takes about as long as eflomal, IBM 4 and a contextual encoder (on a "
        "GPU) three times as long or more (Table 12)."
    )
    rows = {
        row["system"]: row for row in results.get("runtime", {}).get("rows", []) if row.get("of_yardstick")
    }
    ratios = {system: row["of_yardstick"] for system, row in rows.items()}
    tests = [0.5 < ratios["fast_align"] < 2] if "fast_align" in ratios else []
    encoder = "mbert" if "mbert" in ratios else "base"
    tests += [round(ratios[system]) >= 3 for system in ("ibm4", encoder) if system in ratios]
    said = ", ".join(
        f"{shown(row['label'].partition(' –')[0])} {row['of_yardstick']:.2f}" for row in rows.values()
    )
    found = f"Time in multiples of eflomal's, all on the CPU: {said}."
    reasons = []
    if max(ratios.get(system, 1) for system in ("fast_align", "fast_align program")) < 0.5:
        beside_ours = ratios["fast_align program"] / ratios["fast_align"]
        reasons.append(
            f"fast_align's own program takes {beside_ours:.1f} times as long as ours; the paper does not say "
            "what its four seconds include."
        )
    if ratios.get("base", 2) < 1:
        reasons.append(
            "The bundled models are small and run in 8 bits on the CPU; the statistical aligners first train "
            "on the pairs."
        )
        if ratios.get("mbert", 0) > 1:
            reasons.append(
                f"A model of mBERT's size takes {ratios['mbert'] / ratios['base']:.0f} times as long as "
                "`base` on the same processor."
            )
    return judged(sum(tests), len(tests), claim, found, " ".join(reasons))
