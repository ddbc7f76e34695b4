"""MnemeDocumentStore and its retrievers beyond the suites."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from haystack import Document, Pipeline
from haystack.dataclasses import ByteStream, SparseEmbedding
from haystack.document_stores.errors import DocumentStoreError, DuplicateDocumentError
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.types import DuplicatePolicy, FilterPolicy
from haystack.errors import FilterError
from haystack.utils import Secret

import mneme
from mneme.haystack import MnemeDocumentStore, MnemeEmbeddingRetriever, MnemeTextRetriever
from mneme.testing import Server


@pytest.fixture
def store(server: Server, namespace: str) -> Iterator[MnemeDocumentStore]:
    store = MnemeDocumentStore(server.address, namespace)
    yield store
    store.close()


def test_documents_come_back_as_they_were(store: MnemeDocumentStore) -> None:
    documents = [
        Document(id="a/b", content="  padded\r\n", meta={"n": 1, "f": 1.0, "deep": {"list": [None, True, "x"]}}),
        Document(id="ä", content="", embedding=[0.1, 0.2]),
        Document(id="x" * 300, content=None, embedding=[0.0, 0.0]),
        Document(id="blob", blob=ByteStream(b"\x00\xff", meta={"k": 1}, mime_type="image/png")),
        Document(id="s", content="é", sparse_embedding=SparseEmbedding([1, 5], [0.5, 0.25]), score=0.5),
        Document(id="e", content="exact", embedding=[0.5, -0.25]),
        Document(id="tiny", content="tiny", embedding=[1e-60, 1.0]),
    ]
    assert store.write_documents(documents) == 7
    assert store.filter_documents() == documents
    assert {each.id for each in store.embedding_retrieval([1.0, 1.0], top_k=10)} == {"ä", "e", "tiny"}
    store.delete_documents(["a/b", "none"])
    assert store.filter_documents() == documents[1:]


def test_duplicates_fail_as_a_whole_or_are_passed_over(store: MnemeDocumentStore) -> None:
    first, other = Document(id="1", content="first"), Document(id="1", content="other")
    with pytest.raises(DuplicateDocumentError):
        store.write_documents([Document(id="2", content="second"), first, other])
    assert store.count_documents() == 0
    store.write_documents([first])
    with pytest.raises(DuplicateDocumentError):
        store.write_documents([Document(id="2", content="second"), other], DuplicatePolicy.FAIL)
    assert store.write_documents([other, Document(id="2")], DuplicatePolicy.SKIP) == 1
    assert [each.content for each in store.filter_documents()] == ["first", None]


VALUES: list[Any] = [
    *(
        1,
        0,
        2,
        1.0,
        -1.5,
        True,
        False,
        None,
        "1",
        "a",
        "A",
        "",
        "2024-01-02",
        "2024-01-02T00:00:00",
        "2024-01-02T01:00",
    ),
    *([1, "a"], ["a"], {"b": 1}, 2**60, "x" * 2_000),
]


def condition(rng: random.Random, levels: int) -> dict[str, Any]:
    if levels and rng.random() < 0.5:
        parts = [condition(rng, levels - 1) for _ in range(rng.randint(1, 3))]
        return {"operator": rng.choice(["AND", "OR", "NOT"]), "conditions": parts}
    operator = rng.choice(["==", "==", "!=", "in", "in", "not in", ">", "<="])
    value = [rng.choice(VALUES) for _ in range(rng.randint(0, 3))] if "in" in operator else rng.choice(VALUES)
    return {
        "field": rng.choice(["meta.a", "meta.b", "b", "meta.c.d", "content", "id"]),
        "operator": operator,
        "value": value,
    }


def outcome(store: Any, filters: dict[str, Any]) -> Any:
    try:
        return [each.id for each in store.filter_documents(filters)]
    except (FilterError, TypeError):
        return "refused"


def test_filters_are_those_of_the_memory_store_of_haystack(store: MnemeDocumentStore) -> None:
    """Ours refuses at least what it refuses; where it does not, both find the same."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng, reference = random.Random(seed), InMemoryDocumentStore(shared=False)
    documents = []
    for number in range(60):
        meta = {key: rng.choice(VALUES) for key in "abc" if rng.random() < 0.8}
        if rng.random() < 0.5:
            meta["c"] = {"d": rng.choice(VALUES)}
        documents.append(Document(id=f"d{number}", content=rng.choice(["a", "b", "1"]), meta=meta))
    store.write_documents(documents)
    reference.write_documents(documents)
    compared = 0
    for _ in range(300):
        filters = condition(rng, 3)
        ours, theirs = outcome(store, filters), outcome(reference, filters)
        if theirs != "refused" and ours != "refused":
            assert ours == theirs, filters
            compared += 1
        elif ours == "refused":
            assert theirs == "refused" or any(key in str(filters) for key in (">", "<=")), filters
    assert compared > 100


@pytest.mark.parametrize(
    "filters",
    [
        {"operator": "XOR", "conditions": []},
        {"conditions": []},
        {"operator": "AND"},
        {"field": "meta.a", "value": 1},
        {"field": "meta.a", "operator": "=="},
        {"field": "meta.a", "operator": "like", "value": "x"},
        {"field": "meta.a", "operator": "in", "value": "x"},
        {"field": "meta.a", "operator": ">", "value": [1]},
        {"field": 1, "operator": "==", "value": 1},
        {"operator": "AND", "conditions": ["x"]},
        {"operator": "AND", "conditions": 1},
        {"a": 1},
        [1],
    ],
)
def test_filters_outside_of_the_contract_are_refused(store: MnemeDocumentStore, filters: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: store.filter_documents(filters),
        lambda: store.delete_by_filter(filters),
        lambda: store.update_by_filter(filters, {"x": 1}),
        lambda: store.embedding_retrieval([1.0], filters),
        lambda: store.text_retrieval("x", filters),
    ]
    for call in calls:
        with pytest.raises(FilterError):
            call()


def test_retrieval_with_filters_that_the_server_cannot_decide(store: MnemeDocumentStore) -> None:
    """Of 1,200 documents the last 20 match, which are neither among the 50 nearest nor among the 1,000 nearest."""
    documents = [
        Document(id=f"d{n}", content=f"stone {n}", meta={"n": n}, embedding=[1.0, n / 1_000]) for n in range(1_200)
    ]
    store.write_documents(documents)
    late = {"field": "meta.n", "operator": ">=", "value": 1_180}
    nearest = store.embedding_retrieval([1.0, 0.0], late, top_k=3)
    assert [each.id for each in nearest] == ["d1180", "d1181", "d1182"]
    assert nearest[0].score == pytest.approx(1 / math.hypot(1, 1.18))
    assert {each.meta["n"] >= 1_180 for each in store.text_retrieval("stone", late, top_k=5)} == {True}
    exact = {"field": "meta.n", "operator": "in", "value": [7, 1_199]}
    assert [each.id for each in store.embedding_retrieval([1.0, 0.0], exact)] == ["d7", "d1199"]
    assert store.update_by_filter(exact, {"seen": True}) == 2
    assert store.delete_by_filter({"field": "meta.seen", "operator": "!=", "value": True}) == 1_198
    assert [each.embedding for each in store.filter_documents()] == [[1.0, 0.007], [1.0, 1.199]]


@pytest.mark.parametrize("meta", [{"x": math.nan}, {"x": object()}, {"x": (1,)}, {1: 2}, {"x": "\ud800"}, {"x": b"y"}])
def test_meta_that_are_not_json_are_refused(store: MnemeDocumentStore, meta: dict[Any, Any]) -> None:
    with pytest.raises(DocumentStoreError, match="meta"):
        store.write_documents([Document(id="1", meta=meta)])
    store.write_documents([Document(id="2", meta={"a": 1})])
    with pytest.raises(DocumentStoreError, match="meta"):
        store.update_by_filter({"field": "meta.a", "operator": "==", "value": 1}, meta)
    assert store.filter_documents() == [Document(id="2", meta={"a": 1})]


def test_embeddings_outside_of_the_contract_are_refused(store: MnemeDocumentStore) -> None:
    store.write_documents([Document(id="1", embedding=[1.0, 0.0])])
    for embedding in ([math.nan, 1.0], [math.inf, 1.0], [1e300, 1.0], [1.0, 2.0, 3.0], ["x"]):
        with pytest.raises(DocumentStoreError):
            store.write_documents([Document(id="2", embedding=embedding)])  # type: ignore[arg-type]
    queries: list[Any] = [[], "x", ["x"]]
    for query in queries:
        with pytest.raises(ValueError):
            store.embedding_retrieval(query)
    with pytest.raises(DocumentStoreError):
        store.embedding_retrieval([0.0, 0.0])
    for top_k in (-1, 1_001):
        with pytest.raises(ValueError):
            store.text_retrieval("x", top_k=top_k)
    assert store.text_retrieval(" ") == store.text_retrieval("x", top_k=0) == []
    store.delete_all_documents(recreate_index=True)
    assert store.write_documents([Document(id="3", embedding=[1.0, 2.0, 3.0])]) == 1


async def test_retrievers_in_a_pipeline_that_was_saved(store: MnemeDocumentStore) -> None:
    store.write_documents(
        [
            Document(content="The museum is closed on Mondays.", meta={"lang": "en"}, embedding=[1.0, 0.0]),
            Document(content="Das Museum hat montags zu.", meta={"lang": "de"}, embedding=[0.9, 0.1]),
        ]
    )
    english = {"field": "meta.lang", "operator": "==", "value": "en"}
    pipeline = Pipeline()
    pipeline.add_component("text", MnemeTextRetriever(store, top_k=1))
    pipeline.add_component("vector", MnemeEmbeddingRetriever(store, filters=english, filter_policy=FilterPolicy.MERGE))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["mneme.haystack.*"])
    assert again.to_dict() == pipeline.to_dict()
    found = again.run({"text": {"query": "closed museum"}, "vector": {"query_embedding": [1.0, 0.0]}})
    assert [each.meta["lang"] for each in found["text"]["documents"]] == ["en"]
    assert [(each.meta["lang"], each.score) for each in found["vector"]["documents"]] == [("en", 1.0)]
    retriever = MnemeTextRetriever(store)
    assert len((await retriever.run_async(query="museum", filters=english))["documents"]) == 1
    vectors = await MnemeEmbeddingRetriever(store).run_async(query_embedding=[1.0, 0.0], top_k=1)
    assert [each.meta["lang"] for each in vectors["documents"]] == ["en"]
    with pytest.raises(TypeError):
        MnemeTextRetriever(InMemoryDocumentStore())  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        MnemeEmbeddingRetriever(store, top_k=0)


def test_a_token_is_saved_by_its_name_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEME_TOKEN_OF_TEST", "secret")
    store = MnemeDocumentStore(token=Secret.from_env_var("MNEME_TOKEN_OF_TEST"))
    assert "secret" not in str(store.to_dict())
    again = MnemeDocumentStore.from_dict(store.to_dict())
    assert again.token == store.token
    for each in (store, again):
        each.close()


async def test_a_server_that_is_away_is_reported_within_the_timeout() -> None:
    store = MnemeDocumentStore("127.0.0.1:1", timeout_ms=300)
    with pytest.raises(DocumentStoreError) as caught:
        store.write_documents([Document(id="1")], DuplicatePolicy.OVERWRITE)
    assert isinstance(caught.value.__cause__, mneme.MnemeError)
    for call in (store.filter_documents, store.count_documents, store.delete_all_documents):
        with pytest.raises(DocumentStoreError):
            call()
    with pytest.raises(DocumentStoreError):
        await store.text_retrieval_async("x")
    store.close()


async def test_a_cancelled_task_cancels_its_call() -> None:
    store = MnemeDocumentStore("127.0.0.1:1", timeout_ms=60_000)
    documents = [Document(id="1")]
    calls = (
        store.write_documents_async(documents, DuplicatePolicy.OVERWRITE),
        store.filter_documents_async(),
        store.text_retrieval_async("x"),
    )
    for call in calls:
        task = asyncio.ensure_future(call)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await asyncio.get_running_loop().shutdown_default_executor()  # Its threads end, since their calls have.
    store.close()


def test_hits_that_are_too_large_for_one_answer_are_read_all_the_same(store: MnemeDocumentStore) -> None:
    documents = [
        Document(id=f"d{place}", content="x" * 350_000, meta={"n": place}, embedding=[1.0, place])
        for place in range(50)
    ]
    store.write_documents(documents)
    filters = {"field": "meta.n", "operator": ">", "value": 47}
    found = store.embedding_retrieval([1.0, 0.0], filters=filters, top_k=1)
    assert [(each.id, each.content == documents[48].content) for each in found] == [("d48", True)]
    assert [each.id for each in store.embedding_retrieval([1.0, 0.0], top_k=50)] == [each.id for each in documents]


def test_a_query_is_searched_up_to_its_limit(store: MnemeDocumentStore) -> None:
    store.write_documents([Document(id="1", content="The museum is closed.")])
    assert [each.id for each in store.text_retrieval("museum\0 " * 5_000)] == ["1"]


def test_a_document_that_was_erased_meanwhile_is_not_updated(store: MnemeDocumentStore) -> None:
    store.write_documents([Document(id="1", content="first")])
    (memory,) = store._documents.scan(None, mneme.Cancellation(), "full")
    store.delete_documents(["1"])
    assert store._update_one(memory, {}, {"k": 1}, mneme.Cancellation()) == 0
