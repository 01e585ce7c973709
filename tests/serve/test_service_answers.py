"""What the service answers is what the library says, however requests are merged."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families

import wordalign
from wordalign import Aligner, transfer
from wordalign.config import AlignConfig
from wordalign.encoders.calibration import Calibration
from wordalign.links import Method
from wordalign.text import split_words

SOURCE = "The museum isn't closed on Mondays."
TARGET = "Das Museum ist montags nicht geschlossen 😀."


def check(result, aligner, source, target, scores=True):
    """One result of the service beside the library's alignments of the same pair."""
    (found,) = aligner.stream_methods([(source, target)])
    assert result["methods"].keys() == found.keys()
    for name, alignment in found.items():
        answered = result["methods"][name]
        assert [tuple(link) for link in answered["links"]] == list(alignment.links)
        if scores:
            assert answered["scores"] == pytest.approx(alignment.scores, abs=1e-3)
        else:
            assert answered["scores"] is None


def same(one, other):
    """Equal answers, but for the last digit of a rounded number, which the batch's padding may touch."""
    if isinstance(one, float):
        assert one == pytest.approx(other, abs=2e-4)
    elif isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            same(one[key], other[key])
    elif isinstance(one, list):
        for left, right in zip(one, other, strict=True):
            same(left, right)
    else:
        assert one == other


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"model": "base", "scores": False},
        {"level": "subword", "methods": ["argmax", "itermax", "match", "forward", "reverse"]},
        {"methods": ["itermax:n_max=3,alpha=0.95", "calibrated:always=0.6"], "distortion": 0.5},
        {"methods": ["argmax"], "null": 0.99, "threshold": 0.5},
        {"methods": ["itermax:n_max=2", "itermax:n_max=3"]},
        {"level": None, "methods": None, "null": None, "model": None},
    ],
)
def test_links_and_scores_are_the_librarys(server, options):
    answer = server.align(source=SOURCE, target=TARGET, **options).json()
    library = {key: value for key, value in options.items() if key not in ("methods", "scores", "model")}
    aligner = Aligner(options.get("model") or "tiny", method=options.get("methods"), **library)
    check(answer["results"][0], aligner, SOURCE, TARGET, options.get("scores", True))
    assert answer["model"] == (options.get("model") or "tiny")
    assert answer["calibrated"] is True
    assert answer["signature"] == {method: aligner.signature(method) for method in aligner.methods}
    assert answer["results"][0]["matrix"] is None


def test_words_and_offsets(server):
    result = server.align(source=SOURCE, target=["Das", "Museum"]).json()["results"][0]
    sentence = split_words(SOURCE)
    assert result["source"] == {
        "words": list(sentence.words), "text": SOURCE, "offsets": [list(span) for span in sentence.offsets],
    }  # fmt: skip
    assert result["target"] == {"words": ["Das", "Museum"], "text": None, "offsets": None}


@pytest.mark.parametrize("level", ["word", "subword"])
def test_the_matrix_is_the_plain_similarity(server, level):
    answer = server.align(source=SOURCE, target=TARGET, level=level, matrix=True, distortion=0.7).json()
    matrix = answer["results"][0]["matrix"]
    aligner = Aligner("tiny", level=level)
    (expected,) = aligner.matrices([(SOURCE, TARGET)])
    assert matrix["level"] == level
    np.testing.assert_allclose(matrix["similarity"], expected.similarity, atol=1e-3)
    assert matrix["word_of_row"] == expected.word_of_row.tolist()
    assert matrix["word_of_column"] == expected.word_of_column.tolist()
    curve = aligner.encoder.calibration
    np.testing.assert_allclose(matrix["probability"], curve(expected.similarity), atol=1e-2)
    assert (len(matrix["row_text"]), len(matrix["column_text"])) == expected.similarity.shape
    words = answer["results"][0]["source"]["words"]
    if level == "word":
        assert matrix["row_text"] == words
    else:
        of_word = ["".join(text for text, word in zip(matrix["row_text"], matrix["word_of_row"], strict=True)
                   if word == number) for number in range(len(words))]  # fmt: skip
        assert [text.lstrip("▁") for text in of_word] == [word.lower() for word in words]


def test_a_request_that_is_no_object_is_refused_everywhere(server, refused):
    for path in ("/v1/align", "/v1/check", "/v1/project", "/v1/transfer"):
        assert "object" in refused(server.client.post(path, json=[]), 422, "invalid_request")


def test_a_language_that_the_model_does_not_know_is_told(server):
    known = "Das Museum der Stadt ist heute wegen des Umbaus geschlossen."
    letters = str.maketrans("aeioubcdfghjklmnpqrstvwxyz", "uoaiezxwvtsrqpnmlkjhgfdcby")
    source = "Because of the rebuilding the city's museum is closed today."
    told = server.align(source=source, target=known.lower().translate(letters)).json()["results"][0][
        "warnings"
    ]
    assert len(told) == 1
    assert "hardly trained on one of the languages" in told[0]
    assert server.align(source=source, target=known).json()["results"][0]["warnings"] == []


def test_the_matrix_says_which_curve_counts(server):
    source, target = "The old bridge is closed to all.", "The bridge is now shut to most."
    matrix = server.align(source=source, target=target, matrix=True).json()["results"][0]["matrix"]
    assert matrix["situation"] == "alike"
    aligner = Aligner("tiny")
    (expected,) = aligner.matrices([(source, target)])
    curve = aligner.encoder.calibration.in_situation("alike")
    np.testing.assert_allclose(matrix["probability"], curve(expected.similarity), atol=1e-2)
    assert np.abs(curve(expected.similarity) - aligner.encoder.calibration(expected.similarity)).max() > 0.05


def test_a_batch_keeps_the_order_and_empty_sentences(server, sentence_pairs):
    pairs = [{"source": source, "target": target} for source, target in sentence_pairs]
    pairs[3:3] = [{"source": "", "target": "nothing"}, {"source": [], "target": []}]
    answer = server.align(pairs=pairs, matrix=True).json()
    assert len(answer["results"]) == len(pairs)
    aligner = Aligner("tiny")
    for pair, result in zip(pairs, answer["results"], strict=True):
        assert result["source"]["words"] == list(pair["source"])
        check(result, aligner, pair["source"], pair["target"])
    assert answer["results"][4]["matrix"]["similarity"] == []


def test_a_bare_method_has_the_parameters_that_the_model_asks_for(server):
    by_name = server.align(source=SOURCE, target=TARGET, methods=["calibrated"]).json()
    assert by_name == server.align(source=SOURCE, target=TARGET).json()


def test_a_request_of_several_parts_equals_its_pairs_one_by_one(server, sentence_pairs):
    """More words than one batch takes: the parts are put together again in order."""
    pairs = [{"source": source * 5, "target": target * 5} for source, target in sentence_pairs]
    together = server.align(pairs=pairs).json()["results"]
    assert sum(len(pair["source"]) + len(pair["target"]) for pair in pairs) > 2 * 1500
    for pair, result in list(zip(pairs, together, strict=True))[::7]:
        same(server.align(**pair).json()["results"], [result])


def test_requests_of_many_clients_are_merged_and_change_nothing(server, sentence_pairs):
    choose = random.Random(3)
    requests = [
        {
            "source": source,
            "target": target,
            "model": choose.choice(["tiny", "base", None]),
            "level": choose.choice(["word", "subword"]),
            "methods": choose.sample(["argmax", "itermax", "calibrated"], 2),
            "distortion": choose.choice([0.0, 0.5]),
            "matrix": choose.random() < 0.3,
        }
        for source, target in sentence_pairs * 2
    ]
    singly = [server.align(**request).json() for request in requests]
    batches = server.metric("wordalign_batch_pairs_count")
    with ThreadPoolExecutor(32) as pool:
        merged = list(pool.map(lambda request: server.align(**request), requests))
    assert [response.status_code for response in merged] == [200] * len(requests)
    for response, alone in zip(merged, singly, strict=True):
        same(response.json(), alone)
    assert server.metric("wordalign_batch_pairs_count") - batches < len(requests)


def test_the_list_of_models(server):
    answer = server.get("/v1/models").json()
    assert [(model["name"], model["default"]) for model in answer["models"]] == [
        ("tiny", True),
        ("base", False),
    ]
    for model in answer["models"]:
        aligner = Aligner(model["name"])
        assert model["level"] == aligner.level
        assert model["method"] == aligner.config.specs[0]
        assert model["methods"]["itermax"] == {"n_max": 2, "alpha": 0.9}
        assert model["methods"]["calibrated"] == Method.parse(aligner.config.specs[0]).parameters
        assert "deu" in model["languages"]
        curve = aligner.encoder.calibration
        assert Calibration.from_facts(model["calibration"]) == curve
    assert answer["limits"]["pairs"] == 128
    config = AlignConfig()
    for name, value in answer["defaults"].items():
        assert value == getattr(config, name)


def test_a_model_without_calibration(start_server, tiny_model, refused):
    with start_server("--model", str(tiny_model("bert"))) as server:
        (_, model) = server.get("/v1/models").json()["models"]
        assert model["calibration"] is None
        assert "calibrated" not in model["methods"]
        answer = server.align(source=SOURCE, target=TARGET, model=model["name"], matrix=True).json()
        matrix = answer["results"][0]["matrix"]
        assert (answer["calibrated"], matrix["level"], matrix["probability"]) == (False, "subword", None)
        assert len(matrix["row_text"]) == len(matrix["similarity"])
        check(answer["results"][0], Aligner(model["name"]), SOURCE, TARGET)
        wrong = server.align(source="a", target="b", model=model["name"], methods=["calibrated"])
        assert "itermax" in refused(wrong, 422, "unknown_method")


def test_health_and_metrics(server):
    assert server.get("/healthz").json() == {"status": "ok", "version": wordalign.__version__, "queue": 0}
    before = server.metric('wordalign_http_answers_total{route="/v1/align",status="200"}')
    words = server.metric("wordalign_words_total")
    server.align(source="one two", target="eins zwei")
    assert server.metric('wordalign_http_answers_total{route="/v1/align",status="200"}') == before + 1
    assert server.metric("wordalign_words_total") == words + 4
    response = server.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    families = {family.name for family in text_string_to_metric_families(response.text)}
    assert {"wordalign_align_seconds", "wordalign_batch_pairs", "wordalign_queue_requests"} <= families


def test_a_reader_is_told_why_there_are_few_links(server):
    """Lao and Thai stand without spaces, and Lao is no language of the bundled models."""
    lao = server.align(source="The museum is closed.", target="ພິພິທະພັນປິດ").json()["results"][0]
    assert len(lao["warnings"]) == 2
    assert "Lao is written without spaces" in lao["warnings"][0]
    assert "does not know Lao" in lao["warnings"][1]
    words = server.align(source="The museum is closed.", target=["ພິພິທະພັນ", "ປິດ"]).json()["results"][0]
    assert words["warnings"] == lao["warnings"][1:]
    (thai,) = server.align(source="The museum is closed.", target="พิพิธภัณฑ์ปิด").json()["results"][0]["warnings"]
    assert "Thai is written without spaces" in thai
    assert server.align(source=SOURCE, target="東京へ行く").json()["results"][0]["warnings"] == []


def test_every_kind_of_work_counts_by_its_own_name(server):
    pair = {"source": "Guten Tag", "target": "Good day"}
    for path, more in (("check", {}), ("project", {"spans": [[0, 1]]}), ("transfer", {})):
        name = f'wordalign_http_answers_total{{route="/v1/{path}",status="200"}}'
        before = server.metric(name)
        assert server.client.post(f"/v1/{path}", json={**pair, **more}).status_code == 200
        assert server.metric(name) == before + 1


def test_spans_are_carried_as_by_the_library(server):
    pair = {"source": "He lives in New York.", "target": "In New York wohnt er."}
    answer = server.client.post("/v1/project", json={**pair, "spans": [[12, 20], [0, 2]], "characters": True})
    assert answer.status_code == 200
    (result,) = answer.json()["results"]
    found = Aligner("tiny").align(*pair.values()).project([(12, 20), (0, 2)], characters=True)
    assert [span["intervals"] for span in result["spans"]] == [[[1, 3]], [[4, 5]]]
    for answered, span in zip(result["spans"], found, strict=True):
        assert answered["characters"] == [list(place) for place in span.characters]
        assert answered["probability"] == pytest.approx(span.probability, abs=1e-3)
    assert result["target"]["words"] == ["In", "New", "York", "wohnt", "er", "."]
    back = server.client.post("/v1/project", json={**pair, "spans": [[1, 3]], "reverse": True}).json()
    assert back["results"][0]["spans"][0]["intervals"] == [[3, 5]]


def test_spans_are_carried_along_given_links(server):
    request = {"source": ["a", "b", "c"], "target": ["x", "y"], "spans": [[0, 1], [1, 2], [2, 3]]}
    links = {"links": [[2, 0], [0, 1], [1, 0]], "scores": [0.2, 0.5, 0.9]}
    answer = server.client.post("/v1/project", json={**request, **links}).json()
    spans = answer["results"][0]["spans"]
    assert [span["intervals"] for span in spans] == [[[1, 2]], [[0, 1]], []]
    assert spans[0]["probability"] == 0.5
    certain = server.client.post("/v1/project", json={**request, "links": [[0, 1]]}).json()
    assert [span["probability"] for span in certain["results"][0]["spans"]] == [1.0, 0.0, 0.0]
    none = server.client.post("/v1/project", json={**request, "links": []}).json()
    assert {span["reason"] for span in none["results"][0]["spans"]} == {"no word of it is linked"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"spans": [[0, 1]], "links": [[6, 0]]}, "The link 6-0 is beyond sentences of 6 and 6 words"),
        ({"spans": [[0, 1]], "links": [[0, 0]], "scores": []}, "The request has 1 link, but 0 scores"),
        ({"spans": [[0, 1]], "scores": [1.0]}, "give links, too"),
        ({"spans": [[0, 1]], "links": [[0]]}, "links[0] is wrong"),
        ({"spans": [[3, 3]]}, "(3, 3) is no span of a sentence of 6 words"),
        ({"spans": [[3]]}, "spans[0] is wrong"),
        ({"spans": [[0, 999]], "characters": True}, "no span of a text of 21 characters"),
        ({"spans": [[0, 1]], "matrix": True}, "matrix is not known"),
        ({"spans": []}, "spans is wrong"),
        ({}, "spans is missing"),
    ],
)
def test_spans_that_are_wrong(server, refused, wrong, said):
    pair = {"source": "He lives in New York.", "target": "In New York wohnt er."}
    assert said in refused(server.client.post("/v1/project", json={**pair, **wrong}), 422, "invalid_request")


def test_markup_is_carried_as_by_the_library(server, refused):
    pair = {"source": "Press <b>Save</b>, {0}.", "target": "Drücken Sie Speichern, {0}."}
    answer = server.client.post("/v1/transfer", json=pair)
    assert answer.status_code == 200
    (result,) = answer.json()["results"]
    assert result["text"] == transfer(*pair.values(), Aligner("tiny"))
    assert result["text"] == "Drücken Sie <b>Speichern</b>, {0}."
    assert [place["element"] for place in result["elements"]] == ["<b>"]
    named = server.client.post("/v1/transfer", json={**pair, "methods": ["argmax"]}).json()
    assert list(named["signature"]) == ["argmax"]
    for wrong, code, said in (
        ({"source": "<b>x"}, "invalid_markup", "<b> is never closed."),
        ({"target": "<i>x</i>"}, "invalid_markup", "markup of its own"),
        ({"syntax": "sgml"}, "invalid_request", "syntax is wrong"),
        ({"source": ["x"]}, "invalid_request", "source is wrong"),
        ({"source": "x" * 100_000}, "too_many_characters", "The source has 100,000 characters"),
    ):
        assert said in refused(server.client.post("/v1/transfer", json={**pair, **wrong}), 422, code)


def test_a_pair_is_checked(server):
    pairs = [
        {"source": "See page 12.", "target": "Siehe Seite 13."},
        {"source": "The museum is closed.", "target": "The museum is closed."},
    ]
    first, copied = server.client.post("/v1/check", json={"pairs": pairs}).json()["results"]
    assert {finding["text"] for finding in first["findings"]} >= {"12", "13"}
    assert first["source"]["words"] == ["See", "page", "12", "."]
    assert copied["score"] < 0.5
