"""The tables and figures of the SimAlign paper, ours beside theirs.

    python -m reproduction --data DIR                  # all of them, then docs/results.md
    python -m reproduction.main_comparison --data DIR  # one of them

Each experiment is a module of this package; `lab/` is what they share. Results are JSON files with the
settings that made them; Markdown and figures are drawn from those, and so is docs/results.md.
"""
