"""MnemeVectorStore beyond its suite: filters, ids, scores, and input that it must refuse."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings

import mneme
from mneme import where
from mneme.langchain import MnemeVectorStore
from mneme.testing import Server


class Table(Embeddings):
    """Vectors by text."""

    def __init__(self, **vectors: list[float]) -> None:
        self.vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.vectors.get(text, [0.5, 0.5])


@pytest.fixture
def client(server: Server, namespace: str) -> Iterator[mneme.Mneme]:
    with mneme.connect(server.address, namespace=namespace) as client:
        yield client


@pytest.fixture
def store(client: mneme.Mneme) -> MnemeVectorStore:
    return MnemeVectorStore(Table(east=[1.0, 0.0], north=[0.0, 1.0], west=[-1.0, 0.0]), client)


def found(store: MnemeVectorStore, filter: Any) -> list[str]:
    return sorted(str(each.id) for each in store.similarity_search("east", k=100, filter=filter))


def test_scores_are_cosines_and_relevance_is_never_negative(store: MnemeVectorStore) -> None:
    store.add_texts(["west", "east", "north"], ids=["w", "e", "n"])
    scored = store.similarity_search_with_score("east", k=3)
    assert [(each.id, score) for each, score in scored] == [("e", 1.0), ("n", 0.0), ("w", -1.0)]
    relevant = store.similarity_search_with_relevance_scores("east", k=3)
    assert [score for _, score in relevant] == [1.0, 0.0, 0.0]


FILTERS: list[tuple[Any, list[str]]] = [
    ({"lang": "en"}, ["a", "b"]),
    ({"lang": "en", "page": 2}, ["b"]),
    ({"page": {"$gte": 2, "$lt": 3}}, ["b"]),
    ({"page": {"$gt": 2}}, ["c"]),
    ({"page": {"$lte": 1}}, ["a"]),
    ({"lang": {"$ne": "en"}}, ["c", "d"]),
    ({"lang": {"$in": ["de", "fr"]}}, ["c"]),
    ({"lang": {"$in": []}}, []),
    ({"lang": {"$nin": ["de"]}}, ["a", "b", "d"]),
    ({"lang": {"$exists": False}}, ["d"]),
    ({"lang": {"$exists": True}}, ["a", "b", "c"]),
    ({"lang": None}, ["d"]),
    ({"source": None}, ["b", "c", "d"]),
    ({"source": {"$ne": None}}, ["a"]),
    ({"ok": True}, ["a"]),
    ({"ok": 1}, []),
    ({"loc": {"line": 3}}, ["d"]),
    ({"loc.line": 3}, ["d"]),
    ({"tags": "x"}, ["c"]),
    ({"$or": [{"page": 1}, {"lang": "de"}]}, ["a", "c"]),
    ({"$and": [{"page": {"$gt": 1}}, {"$not": {"lang": "de"}}]}, ["b"]),
    ({}, ["a", "b", "c", "d"]),
    ('content.metadata.lang = "de"', ["c"]),
    ("", ["a", "b", "c", "d"]),
    (where.id.equals("d"), ["d"]),
]


def test_filters(store: MnemeVectorStore) -> None:
    metadatas: list[dict[str, Any]] = [
        {"lang": "en", "page": 1, "ok": True, "source": "s"},
        {"lang": "en", "page": 2, "source": None},
        {"lang": "de", "page": 3, "tags": ["x", "y"]},
        {"loc": {"line": 3}},
    ]
    store.add_texts(["east"] * 4, metadatas, ids=list("abcd"))
    assert [found(store, filter) for filter, _ in FILTERS] == [expected for _, expected in FILTERS]


@pytest.mark.parametrize(
    "filter",
    [
        {"$where": 1},
        {"a": {"$regex": "x"}},
        {"a": {"$in": "x"}},
        {"a": {"$gt": None}},
        {"a": {"$gt": [1]}},
        {"a": math.nan},
        {"a": {"$exists": 1}},
        {"$and": []},
        {"$or": [1]},
        {"$not": {}},
        {"": 1},
        {1: 1},
        {"a": object()},
        [1],
        lambda _: True,
        "lang ==== 1",
    ],
)
def test_filters_outside_of_the_contract_are_refused(store: MnemeVectorStore, filter: Any) -> None:
    store.add_texts(["east"])
    with pytest.raises(ValueError):
        store.similarity_search("east", filter=filter)


def test_odd_ids_and_texts_come_back_as_they_were(store: MnemeVectorStore) -> None:
    ids = ["a/b", "ä", "x" * 500, " ", "~kv", "~" + "0" * 64, "a:b.c~d-e"]
    texts = ["", " ", "\n\t", "é", "e\u0301", "  padded\r\n", "日本語"]
    documents = [Document(id=id, page_content=text, metadata={"n": id}) for id, text in zip(ids, texts, strict=True)]
    assert store.add_documents(documents) == ids
    assert store.get_by_ids(list(reversed(ids))) == list(reversed(documents))
    assert sorted(store.similarity_search("east", k=100), key=str) == sorted(documents, key=str)
    store.delete(ids[:3])
    assert store.get_by_ids(ids) == documents[3:]


def test_more_documents_than_a_batch_holds(store: MnemeVectorStore) -> None:
    ids = [f"d{number}" for number in range(1_100)]
    store.add_texts(["east"] * 1_100, ids=ids)
    assert [each.id for each in store.get_by_ids(ids)] == ids
    store.delete(ids[:1_050])
    assert [each.id for each in store.get_by_ids(ids)] == ids[1_050:]
    assert store.delete()
    assert store.get_by_ids(ids) == []


def test_delete_leaves_other_memories_of_the_namespace(store: MnemeVectorStore, client: mneme.Mneme) -> None:
    client.store({"id": "mine", "text": "not a document"})
    store.add_texts(["east"])
    store.delete(["mine"])
    store.delete()
    assert [each.id for each in client.list()] == ["mine"]


@pytest.mark.parametrize(
    "metadata", [{"x": math.nan}, {"x": math.inf}, {"x": object()}, {"x": b"y"}, {"x": (1,)}, {1: 2}, {"x": "\ud800"}]
)
def test_metadata_that_are_not_json_are_refused(store: MnemeVectorStore, metadata: dict[Any, Any]) -> None:
    with pytest.raises(ValueError, match="metadata"):
        store.add_documents([Document(page_content="east", metadata=metadata)])
    assert store.similarity_search("east") == []


@pytest.mark.parametrize("vector", [[0.0, 0.0], [math.nan, 1.0], [1.0, 0.0, 0.0], []])
def test_vectors_that_cannot_be_searched_are_refused(client: mneme.Mneme, vector: list[float]) -> None:
    store = MnemeVectorStore(Table(east=[1.0, 0.0], bad=vector), client, model="m")
    store.add_texts(["east"])
    with pytest.raises(ValueError):
        store.add_texts(["bad"])
    with pytest.raises(ValueError):
        store.similarity_search("bad")


def test_arguments_outside_of_the_contract_are_refused(store: MnemeVectorStore) -> None:
    with pytest.raises(ValueError, match="ids"):
        store.add_documents([Document(page_content="east")], ids=["1", "2"])
    with pytest.raises(ValueError, match="Document"):
        store.add_documents(["east"])  # type: ignore[list-item]
    for k in (-1, 1_001, 1.5):
        with pytest.raises(ValueError, match="k must"):
            store.similarity_search("east", k=k)  # type: ignore[arg-type]
    assert store.similarity_search("east", k=0) == []
    with pytest.raises(TypeError, match="where"):
        store.similarity_search("east", where={"a": 1})
    with pytest.raises(ValueError, match="client"):
        MnemeVectorStore.from_texts(["east"], Table())
    assert store.add_documents([]) == []


async def test_from_texts_mmr_and_the_retriever_of_the_store(client: mneme.Mneme) -> None:
    embeddings = DeterministicFakeEmbedding(size=8)
    store = await MnemeVectorStore.afrom_texts(["one", "two", "three"], embeddings, client=client, ids=["1", "2", "3"])
    assert store.max_marginal_relevance_search("two", k=2)[0].id == "2"
    diverse = await store.amax_marginal_relevance_search("two", k=3)
    assert sorted(str(each.id) for each in diverse) == ["1", "2", "3"]
    retriever = store.as_retriever(search_kwargs={"k": 1})
    assert (await retriever.ainvoke("three"))[0].page_content == "three"
    assert client.get("1", view="full").embedding.model == "DeterministicFakeEmbedding"  # type: ignore[union-attr]


async def test_a_server_that_is_away_is_reported_within_the_timeout() -> None:
    with mneme.connect("127.0.0.1:1", timeout_ms=300) as client:
        store = MnemeVectorStore(Table(), client, timeout_ms=300)
        with pytest.raises(mneme.MnemeError):
            store.add_texts(["east"])
        with pytest.raises(mneme.MnemeError):
            await store.asimilarity_search("east")
        with pytest.raises(mneme.MnemeError):
            await store.adelete(["1"])


async def test_a_cancelled_task_cancels_its_call() -> None:
    with mneme.connect("127.0.0.1:1", timeout_ms=60_000) as client:
        store = MnemeVectorStore(Table(), client, timeout_ms=60_000)
        for call in (store.asimilarity_search("east"), store.aadd_texts(["east"]), store.adelete(["1"])):
            task = asyncio.ensure_future(call)
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await asyncio.get_running_loop().shutdown_default_executor()  # Its threads end, since their calls have.
