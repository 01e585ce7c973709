"""All tables and figures, one after the other, then docs/results.md.

    python -m reproduction --data DIR [--only itermax methods]

What is finished and still holds is not computed again.
"""

from __future__ import annotations

import argparse
import sys

from reproduction.experiments import EXPERIMENTS
from reproduction.lab.lab import Lab
from reproduction.lab.options import Options, add_options, read_options
from reproduction.report import write_report
from wordalign.errors import WordalignError


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m reproduction",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    names = [experiment.name for experiment in EXPERIMENTS]
    parser.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names)
    )
    arguments = parser.parse_args()
    lab = Lab(read_options(parser, arguments))
    for experiment in EXPERIMENTS:
        if experiment.name in arguments.only:
            try:
                experiment.perform(lab)
            except WordalignError as error:
                sys.exit(f"python -m reproduction: {experiment.name}: {error}")
    if lab.options.out == Options.out:
        lab.say(f"wrote {write_report(lab.options.out)}")
    else:
        lab.say(f"wrote {write_report(lab.options.out, lab.options.out / 'results.md')}")


if __name__ == "__main__":
    main()
