"""`wordalign tune`: a model learns from your own text, gold links or dictionary."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from wordalign.cli.options import add_segmenter_option
from wordalign.io import PAIR_FORMATS

if TYPE_CHECKING:
    from wordalign.tuning.learn import Checked


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "tune",
        help="teach a bundled model your own text, language or gold links",
        description="Teach a model your own text, language, gold links or dictionary, and write it to a "
        "folder that `--model` takes everywhere. A part is held out, and only a better model is written. "
        "Ctrl-C keeps the best so far.",
    )
    parser.add_argument(
        "input",
        nargs="*",
        metavar="FILE",
        help="parallel text without links: two files, or one of pairs ('source ||| target', .tsv, .jsonl)",
    )
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="for the tuned model")
    parser.add_argument("--model", help="what to start from: base (default), tiny, or a tuned folder")
    parser.add_argument(
        "--gold",
        nargs="+",
        metavar="FILE",
        help="gold links to learn from: the links of the first lines of the text; or source, target and "
        "links in three files; or all in one ('source ||| target ||| 0-0 1p2', .tsv, .jsonl)",
    )
    parser.add_argument(
        "--dev",
        nargs="+",
        metavar="FILE",
        help="gold links to measure by, in three files or in one (default: hold out a part)",
    )
    parser.add_argument(
        "--dictionary", metavar="FILE", help="words or phrases and their translations: two columns with a TAB"
    )
    parser.add_argument(
        "--input-format", choices=PAIR_FORMATS, help="of a file of pairs; by default its suffix tells"
    )
    parser.add_argument(
        "--raw", action="store_true", help="the input is plain text: find the words (default: tokenised)"
    )
    add_segmenter_option(parser)
    parser.add_argument(
        "--aligner",
        default="eflomal",
        help="links the text: eflomal, fast_align, hmm … (default: %(default)s)",
    )
    parser.add_argument(
        "--languages", nargs="+", default=[], metavar="CODE", help="to be listed with the model"
    )
    parser.add_argument("--resume", action="store_true", help="continue an interrupted run")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--device", help="cpu, cuda … (default: a GPU where there is one)")
    learning = parser.add_argument_group("how much and how fast is learned")
    learning.add_argument(
        "--text-tokens",
        type=int,
        default=600_000,
        metavar="N",
        help="subwords of text in all (default: %(default)s)",
    )
    learning.add_argument(
        "--gold-steps", type=int, default=100, metavar="N", help="on gold pairs (default: %(default)s)"
    )
    learning.add_argument(
        "--text-rate",
        type=float,
        metavar="R",
        help="default: 0.0001; where a language is new, 0.0003 for embeddings and 0.00003 for the rest",
    )
    learning.add_argument("--gold-rate", type=float, default=1e-4, metavar="R", help="default: %(default)s")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from wordalign.tuning.files import read_material
    from wordalign.tuning.run import TuneSettings, tune

    settings = TuneSettings(
        aligner=arguments.aligner,
        seed=arguments.seed,
        device=arguments.device,
        text_tokens=arguments.text_tokens,
        gold_steps=arguments.gold_steps,
        text_rate=arguments.text_rate,
        gold_rate=arguments.gold_rate,
    )
    given = read_material(
        arguments.input,
        arguments.gold,
        arguments.dev,
        arguments.dictionary,
        input_format=arguments.input_format,
        raw=arguments.raw,
        segmenter=arguments.segmenter,
    )
    with _Bar() as bar:
        found = tune(
            given.text,
            output=arguments.output,
            gold=given.gold,
            dev=given.dev,
            dictionary=given.entries,
            model=arguments.model,
            settings=settings,
            languages=arguments.languages,
            resume=arguments.resume,
            progress=bar.show,
            report=_say,
        )
    _say(found.verdict())
    if not found.gold and found.better:
        _say(
            f"There were no gold links to measure by: this is agreement with {settings.aligner}, which errs "
            "too. Some gold sentences (--dev) would tell more."
        )
    mean = sum(found.agreement.values()) / len(found.agreement)
    lowest = min(found.agreement, key=lambda name: found.agreement[name])
    _say(
        f"In other languages its links agree with those of {found.parent} by {mean:.1%} on average, and by "
        f"{found.agreement[lowest]:.1%} in {lowest}, the lowest."
    )
    if forgotten := found.forgotten():
        _say(
            f"warning: much has changed in {', '.join(forgotten)}. If these languages matter, give text of "
            "them too, or a smaller --text-rate or --gold-rate."
        )
    _say(f"{arguments.output} is written, after {found.seconds:.0f} s. Its card is MODEL_CARD.md.")
    if found.stopped:
        _say("The learning was stopped early: --resume continues it.")
        raise KeyboardInterrupt


def _say(sentence: str) -> None:
    print(f"wordalign: {sentence}", file=sys.stderr)


class _Bar:
    """The checks on the way: a bar on a terminal, and lines elsewhere."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._stage = ""

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def show(self, checked: Checked) -> None:
        score = f"held-out AER {1 - checked.score:.4f}, best {1 - checked.best:.4f}"
        if not sys.stderr.isatty():
            _say(f"{checked.stage}: step {checked.step:,} of {checked.steps:,}, {score}")
            return
        if self._stage != checked.stage:
            from tqdm import tqdm

            self._close()
            self._stage, self._bar = checked.stage, tqdm(desc=checked.stage, unit=" steps")
        self._bar.total = checked.steps
        self._bar.set_postfix_str(score, refresh=False)
        self._bar.update(checked.step - self._bar.n)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
