"""F1 of static vectors by the amount of text."""

from __future__ import annotations

import json

from mini import make_data, make_vectors
from reproduction.lab.lab import Lab
from reproduction.lab.options import Options

from reproduction import vector_text


def test_static_vectors_by_the_amount_of_text(tmp_path):
    data = make_data(tmp_path / "data")
    assert "--vectors-by-text" in vector_text.show(vector_text.run(Lab(Options(data=data))))
    for amount, words in ((100, 1_000_000), (20, 200_000)):
        mapped = tmp_path / "amounts" / str(amount) / "mapped"
        make_vectors(mapped)
        facts = {"word/eng-deu": {"made": {"eng": {"words": words}, "deu": {"words": words}}}}
        (mapped / "facts.json").write_text(json.dumps(facts))
    lab = Lab(Options(data=data, vectors_by_text=tmp_path / "amounts"))
    result = vector_text.run(lab)
    assert [cell["sentences"] for cell in result["cells"]] == [20, 100]
    shown = vector_text.show(result)
    assert "| ENG-DEU | " in shown
    assert "(0.2 million, 100%)" in shown
    assert list(vector_text.draw(result)) == [""]
