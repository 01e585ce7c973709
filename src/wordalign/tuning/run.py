"""Text, gold links or a dictionary, and a model -> a model that suits them better, in a folder of its own.

check the material -> label the text -> learn -> export -> calibrate -> measure -> write the better one
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wordalign.aligners.neural import Aligner
from wordalign.encoders.resolve import resolve
from wordalign.errors import MissingExtraError, UsageError
from wordalign.evaluate import compare, evaluate
from wordalign.io.whole import refuse_foreign_folder, whole_folder
from wordalign.text.pairs import PairLike
from wordalign.tuning.material import Linked, Material, gather
from wordalign.tuning.report import TuneReport, model_card
from wordalign.tuning.shipped import agreement, shipped_pairs
from wordalign.types import GoldAlignment

if TYPE_CHECKING:
    from wordalign.tuning.learn import Checked
    from wordalign.tuning.lesson import Lesson

MADE_FILES = {"model.onnx", "tokenizer.json", "model.json", "MODEL_CARD.md"}


@dataclass(frozen=True, slots=True)
class TuneSettings:
    """All that decides about the learning, beside the material.

    `aligner`      the statistical aligner that links the text
    `seed`         the same seed gives the same model on the same machine
    `device`       where torch computes; by default a GPU where there is one
    `text_tokens`  subwords of text that are learned from in all
    `gold_steps`   steps of about 1,000 subwords of gold pairs
    `text_rate`    how fast is learned from text; by default embeddings learn the faster, and all else the
                   slower, the less of the languages is known
    `gold_rate`    how fast is learned from gold links
    `checks`       how often each stage is checked on the held-out pairs
    """

    aligner: str = "eflomal"
    seed: int = 0
    device: str | None = None
    text_tokens: int = 600_000
    gold_steps: int = 100
    text_rate: float | None = None
    gold_rate: float = 1e-4
    checks: int = 6

    def __post_init__(self) -> None:
        for name in ("text_tokens", "gold_steps", "text_rate", "gold_rate", "checks"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"{name} is more than 0, not {value}.")


def tune(
    pairs: Iterable[PairLike] = (),
    *,
    output: str | Path,
    gold: Iterable[Linked | tuple[PairLike, GoldAlignment]] = (),
    dev: Iterable[Linked | tuple[PairLike, GoldAlignment]] = (),
    dictionary: Iterable[PairLike] = (),
    model: str | None = None,
    settings: TuneSettings | None = None,
    languages: Sequence[str] = (),
    resume: bool = False,
    progress: Callable[[Checked], object] = lambda checked: None,
    report: Callable[[str], object] = lambda sentence: None,
) -> TuneReport:
    """Tune a model to text, gold links or a dictionary, and write it to the folder `output`.

    `pairs` are sentences and their translations, without links; `gold` are such pairs with gold links, and
    `dev` more of them, which are only measured by; `dictionary` has words or phrases and their translations.
    Without `dev`, a part of the gold pairs is held out, or of the text where there is no gold. Only a model
    that is better on what was held out is written; otherwise the folder holds the parent.

    `model`      what to start from: a bundled model or a folder that was made here; by default `base`
    `languages`  codes of languages that `pairs` are in, to be listed with the model
    `resume`     continue an interrupted run with the same input and settings
    `progress`   is called after each check on the held-out pairs
    `report`     is called with sentences about what was left out, and what happens

    The folder is a model for `Aligner(folder)` and `--model folder`.
    """
    begun = time.monotonic()
    settings = settings or TuneSettings()
    folder = _parent_folder(model)
    _refuse_missing_extra(settings)
    refuse_foreign_folder(output, _made_files)
    from wordalign.text.pairs import as_pair

    examples, judged = ([Linked(as_pair(one[0]), one[1]) for one in part] for part in (gold, dev))
    material = gather(pairs, examples, judged, dictionary, seed=settings.seed)
    for note in material.notes:
        report(note)
    from wordalign.tuning.lesson import Lesson

    lesson = Lesson(material, folder, settings, _state_file(output), resume=resume, report=report)
    lesson.learn(progress)
    parent = Aligner(str(folder))
    with whole_folder(output, _made_files) as new:
        found = _finish(lesson, material, parent, new, str(output), settings, languages)
        found = replace(found, seconds=round(time.monotonic() - begun, 1))
        (new / "MODEL_CARD.md").write_text(model_card(Path(output).resolve().name, found), encoding="utf-8")
    if not lesson.stopped:
        lesson.keeper.remove()
    return found


def _finish(
    lesson: Lesson,
    material: Material,
    parent: Aligner,
    folder: Path,
    output: str,
    settings: TuneSettings,
    languages: Sequence[str],
) -> TuneReport:
    """Export what was learned, calibrate and measure it, and leave the better model in the folder."""
    from wordalign.tuning.calibrate import (
        Judged,
        Thresholds,
        calibrated,
        fitted,
        held_out_links,
        links_of,
        score_pairs,
    )
    from wordalign.tuning.export import write_facts

    facts = lesson.export(folder, Path(output).resolve().name, languages)
    tuned = Aligner(str(folder))
    calibration = tuned.encoder.calibration
    assert calibration is not None
    assert parent.encoder.calibration is not None
    held_out = lesson.held_out
    pairs, golds = [one.pair for one in held_out], [one.links for one in held_out]
    scored = Judged.by_gold(score_pairs(tuned, pairs), golds)
    thresholds = Thresholds(**lesson.parent_facts()["thresholds"])
    # A long learning from text knows the rehearsed sentences by heart, and is too certain of them. That of
    # gold links does not: there, fitted to unseen sentences instead, Czech lost .008 and .030 of F1.
    purpose: Literal["rehearse", "check"] = "rehearse" if material.held_out else "check"
    shipped = [pair for part in shipped_pairs(purpose).values() for pair in part]
    others = Judged.by_model(
        score_pairs(tuned, shipped),
        score_pairs(parent, shipped),
        parent.encoder.calibration,
        thresholds,
    )
    if material.held_out:
        links = held_out_links(calibration, scored, others)
        calibration, thresholds = calibrated(calibration, [scored, others])
    else:
        calibration = fitted(calibration, [others])
        links = [links_of(one, calibration, thresholds) for one in scored.scored]
    after = evaluate(golds, links)
    before = evaluate(golds, [set(one.links) for one in parent.align_batch(pairs)])
    better = after.scores.aer < before.scores.aer
    facts |= {"calibration": calibration.facts(), "thresholds": asdict(thresholds)}
    if not better:
        facts = lesson.parent_facts()
        for name in ("model.onnx", "tokenizer.json"):
            shutil.copyfile(lesson.parent / name, folder / name)
    write_facts(folder, facts)
    found = TuneReport(
        output=output,
        parent=parent.encoder.signature,
        better=better,
        gold=bool(material.held_out),
        before={name: round(value, 4) for name, value in before.scores._asdict().items()},
        after={name: round(value, 4) for name, value in after.scores._asdict().items()},
        comparison=compare(after, before),
        agreement=agreement(parent, Aligner(str(folder))),
        known=lesson.known,
        pieces=lesson.new_pieces,
        data={
            "text": len(material.text),
            "gold": len(material.gold),
            "entries": len(material.entries),
            "held_out": len(held_out),
            "notes": material.notes,
        },
        settings={**asdict(settings), "device": str(lesson.device), "part": lesson.part},
        thresholds=facts["thresholds"],
        stopped=lesson.stopped,
        seconds=0.0,
    )
    write_facts(folder, {**facts, "tuned": found.facts()})
    return found


def _parent_folder(model: str | None) -> Path:
    source = resolve(model)
    if source.kind != "onnx" or source.folder is None:
        raise UsageError(
            f"The model {source.short!r} cannot be tuned: give a bundled one (base, tiny), or a folder that "
            "`wordalign tune` has written."
        )
    return source.folder


def _refuse_missing_extra(settings: TuneSettings) -> None:
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError("Tuning a model", "tune") from error
    try:
        device = torch.device(settings.device or "cpu")
    except RuntimeError as error:
        raise UsageError(f"There is no device {settings.device!r}: give cpu, cuda or cuda:1.") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise UsageError("torch finds no GPU here: leave out --device, or give cpu.")


def _state_file(output: str | Path) -> Path:
    final = Path(output).resolve()
    return final.with_name(f"{final.name}.partial")


def _made_files(folder: Path) -> set[str]:
    """The files of a folder that an earlier tuning has written."""
    try:
        facts: dict[str, Any] = json.loads((folder / "model.json").read_text("utf-8"))
    except (OSError, ValueError):
        return set()
    return MADE_FILES if "tuned" in facts else set()
