"""A masked language model of our own that never saw parallel text: the paper's subject, at a small size.

    python -m reproduction.mlm.sentences --data DIR --out WORK     # single sentences, no two translations
    python -m reproduction.mlm.vocabulary WORK                     # pieces of words; the text in numbers
    python -m reproduction.mlm.train WORK --seconds 580            # on a GPU; --resume continues
    python -m reproduction.mlm.sentences --data DIR --out WORK --check

`WORK/model` is then a folder in Hugging Face format: `Aligner("WORK/model", layer=8)`, or
`python -m reproduction --model own=WORK/model` for all tables.
"""
