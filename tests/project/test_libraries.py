"""Entities in spaCy documents and tags in columns of Hugging Face datasets, with the libraries themselves."""

from __future__ import annotations

import pickle

import pytest

from wordalign import AlignConfig, Aligner
from wordalign.errors import UsageError
from wordalign.project.columns import ProjectColumns
from wordalign.project.labels import Rules
from wordalign.project.spacy import project_ents


@pytest.fixture(scope="module")
def aligner() -> Aligner:
    return Aligner("tiny")


def test_entities_and_spans_of_spacy_documents(aligner):
    spacy = pytest.importorskip("spacy")
    doc = spacy.blank("en")("Angela Merkel visited the European Parliament.")
    doc.set_ents([doc.char_span(0, 13, label="PER"), doc.char_span(26, 45, label="ORG", kb_id="Q8889")])
    doc.spans["all"] = [doc[0:2], doc.char_span(0, 45, label="EVENT")]
    other = spacy.blank("de")("Das Europäische Parlament wurde von Angela Merkel besucht.")
    assert project_ents(doc, other, aligner) is other
    assert {(ent.text, ent.label_, ent.kb_id_) for ent in other.ents} == {
        ("Europäische Parlament", "ORG", "Q8889"),
        ("Angela Merkel", "PER", ""),
    }
    assert other.spans["all"][0].text == "Angela Merkel"
    assert other.spans["all"][1].label_ == "EVENT"
    project_ents(doc, other, aligner, Rules(min_probability=1.0))
    assert not other.ents


def test_columns_of_hugging_face_datasets():
    datasets = pytest.importorskip("datasets")
    names = ["O", "B-LOC", "I-LOC"]
    features = datasets.Features(
        tokens=datasets.List(datasets.Value("string")),
        ner_tags=datasets.List(datasets.ClassLabel(names=names)),
        translation=datasets.Value("string"),
    )
    rows = {
        "tokens": [["He", "lives", "in", "New", "York", "."], ["She", "sleeps"]],
        "ner_tags": [[0, 0, 0, 1, 2, 0], [0, 0]],
        "translation": ["Er wohnt in New York.", "Sie schläft"],
    }
    dataset = datasets.Dataset.from_dict(rows, features)
    project = ProjectColumns(AlignConfig("tiny"), names=dataset.features["ner_tags"].feature.names)
    found = dataset.map(project, batched=True)
    assert found[0]["tokens"] == ["Er", "wohnt", "in", "New", "York", "."]
    assert [names[tag] for tag in found[0]["ner_tags"]] == ["O", "O", "O", "B-LOC", "I-LOC", "O"]
    assert found[1]["ner_tags"] == [0, 0]
    assert found.features["ner_tags"] == dataset.features["ner_tags"]


def test_columns_go_to_other_processes_without_the_model(aligner):
    project = ProjectColumns(aligner)
    batch = {"tokens": [["Berlin"]], "ner_tags": [["B-LOC"]], "translation": [["Berlin"]]}
    wanted = {"tokens": [["Berlin"]], "ner_tags": [["B-LOC"]]}
    assert project(batch) == wanted
    assert len(pickled := pickle.dumps(project)) < 10_000
    assert pickle.loads(pickled)(batch) == wanted


def test_wrong_columns_are_explained(aligner):
    with pytest.raises(UsageError, match="no column 'ner_tags', but 'tokens', 'translation'"):
        ProjectColumns(aligner)({"tokens": [], "translation": []})
    with pytest.raises(UsageError, match="give names"):
        ProjectColumns(aligner)({"tokens": [["a"]], "ner_tags": [[1]], "translation": ["a"]})
