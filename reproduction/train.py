"""Trains some of the statistical aligners alone; the results take what is trained (`--no-training --keep`).

    python -m reproduction.train --data DIR eflomal word deu 50000 200000

So a row that is missing can be filled without the hours that all of them take, several at the same time.
Amounts are pairs of text beside the set's own sentences; one that is larger than the text means all of it.
"""

from __future__ import annotations

import argparse
import sys

from reproduction.lab.lab import Lab
from reproduction.lab.options import add_options, read_options
from reproduction.lab.paper import LANGUAGES
from reproduction.lab.statistical import ENGINES
from reproduction.lab.systems import NotRunError


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m reproduction.train",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("level", choices=["word", "subword"])
    parser.add_argument("language", choices=LANGUAGES)
    parser.add_argument("pairs", type=int, nargs="+")
    arguments = parser.parse_args()
    lab = Lab(read_options(parser, arguments))
    for pairs in arguments.pairs:
        try:
            found = lab.trained(arguments.engine, arguments.level, arguments.language, pairs)
        except NotRunError as error:
            sys.exit(f"python -m reproduction.train: {error}")
        lab.say(f"trained on {found.text_pairs:,} pairs in {found.seconds:,} s")


if __name__ == "__main__":
    main()
