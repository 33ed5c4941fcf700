"""ir_datasets as a corpus: a stand-in of its interface, and the package itself where it is."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from judge.corpora import find_sources, open_corpora
from judge.errors import UsageError
from judge.loading import load_inputs
from judge.types import Document


class Segment(NamedTuple):
    doc_id: str
    url: str
    title: str
    segment: str


class Abstract(NamedTuple):
    doc_id: str
    title: str
    abstract: str
    body: bytes

    def default_text(self) -> str:
        return f"{self.title} {self.abstract}"


class Store:
    """What `docs_store()` gives."""

    cleared = 0

    def get(self, doc_id: str) -> Any:
        rows = [
            Segment("s#1", "u", "T", "text"),
            Abstract("a", "T", "abstract", b"<html>"),
        ]
        found = {row[0]: row for row in rows}
        if doc_id not in found:
            raise KeyError(f"doc_id={doc_id} not found")
        return found[doc_id]

    def clear_cache(self) -> None:
        Store.cleared += 1


class Dataset:
    def __init__(self, docs: bool) -> None:
        self._docs = docs

    def has_docs(self) -> bool:
        return self._docs

    def docs_store(self) -> Store:
        return Store()


def load(name: str) -> Dataset:
    return {"segments/v2.1": Dataset(docs=True), "queries": Dataset(docs=False)}[name]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("ir_datasets")
    module.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", module)


@pytest.mark.usefixtures("stand_in")
def test_documents_are_found() -> None:
    before = Store.cleared
    with open_corpora(["ir_datasets:segments/v2.1"]) as corpora:
        assert corpora.get("s#1") == Document(docid="s#1", text="text", title="T", url="u")
        assert corpora.get("a") == Document(docid="a", text="T abstract", title="T")
        assert corpora.get("b") is None
        assert corpora.missing == ["b"]
        assert not corpora.empty
    assert Store.cleared == before + 1


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ir_datasets:nope", "ir_datasets:nope: ir_datasets knows no such dataset"),
        ("ir_datasets:queries", "ir_datasets:queries: the dataset has no documents"),
    ],
)
def test_datasets_that_cannot_be_used(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_corpora([name])


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(UsageError, match=r"pip install 'rag-judge\[ir-datasets\]'"):
        open_corpora(["ir_datasets:vaswani"])


def test_files_and_datasets_together(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"docid": "x", "text": "y"}\n')
    sources = find_sources([tmp_path, "ir_datasets:a", "ir_datasets:b/c", "ir_datasets:a"])
    assert sources.datasets == ["ir_datasets:a", "ir_datasets:b/c"]
    assert sources.files == sources.paths == [tmp_path / "docs.jsonl"]


@pytest.mark.usefixtures("stand_in")
def test_dataset_of_a_judging_command(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\tbees\n")
    (tmp_path / "docs.jsonl").write_text('{"docid": "x", "text": "y"}\n')
    inputs = load_inputs(
        str(tmp_path / "topics.tsv"),
        corpus=["ir_datasets:segments/v2.1", str(tmp_path / "docs.jsonl")],
        notice=lambda text: None,
    )
    with inputs.corpora as corpora:
        assert corpora.get("s#1") is not None
        assert corpora.get("x") is not None
    prints = inputs.fingerprints("corpus")
    assert prints["corpus/ir_datasets:segments/v2.1"] == "dataset"
    assert prints["corpus/docs.jsonl"].startswith("sha256:")
