"""The suites of langchain-tests, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.caches import BaseCache
from langchain_core.documents import Document
from langchain_core.indexing.base import DocumentIndex
from langchain_core.retrievers import BaseRetriever
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import (
    AsyncCacheTestSuite,
    BaseStoreAsyncTests,
    BaseStoreSyncTests,
    RetrieversIntegrationTests,
    SyncCacheTestSuite,
    VectorStoreIntegrationTests,
)
from langchain_tests.integration_tests.indexer import AsyncDocumentIndexTestSuite, DocumentIndexerTestSuite

import mneme
from mneme.langchain import MnemeByteStore, MnemeCache, MnemeDocumentIndex, MnemeRetriever, MnemeVectorStore
from mneme.testing import Server


@pytest.fixture
def client(server: Server, namespace: str) -> Iterator[mneme.Mneme]:
    with mneme.connect(server.address, namespace=namespace) as client:
        yield client


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, client: mneme.Mneme) -> VectorStore:
        return MnemeVectorStore(self.get_embeddings(), client)


class _ThreeValues:
    @pytest.fixture
    def three_values(self) -> tuple[bytes, bytes, bytes]:
        return b"foo", b"", b"\x00\xff"


class TestByteStoreSync(_ThreeValues, BaseStoreSyncTests[bytes]):
    @pytest.fixture
    def kv_store(self, client: mneme.Mneme) -> BaseStore[str, bytes]:
        return MnemeByteStore(client)


class TestByteStoreAsync(_ThreeValues, BaseStoreAsyncTests[bytes]):
    @pytest.fixture
    def kv_store(self, client: mneme.Mneme) -> BaseStore[str, bytes]:
        return MnemeByteStore(client)


class TestCacheSync(SyncCacheTestSuite):
    @pytest.fixture
    def cache(self, client: mneme.Mneme) -> BaseCache:
        return MnemeCache(client)


class TestCacheAsync(AsyncCacheTestSuite):
    @pytest.fixture
    def cache(self, client: mneme.Mneme) -> BaseCache:
        return MnemeCache(client)


class TestRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _memories(self, client: mneme.Mneme) -> None:
        self._client = client
        for city in ("Bern", "Basel", "Chur", "Sion"):
            client.store({"text": f"Ada visited the museum of {city}."})

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return MnemeRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"client": self._client}

    @property
    def retriever_query_example(self) -> str:
        return "Which museum did Ada visit?"


class TestDocumentIndexSync(DocumentIndexerTestSuite):
    @pytest.fixture
    def index(self, client: mneme.Mneme) -> DocumentIndex:
        return MnemeDocumentIndex(client=client)

    def test_it_recalls_its_documents_only(self, client: mneme.Mneme, index: DocumentIndex) -> None:
        client.store({"text": "The museum opens at nine."})
        index.upsert([Document(id="a", page_content="The museum is closed on Mondays.", metadata={"n": 1})])
        (found,) = index.invoke("museum")
        assert (found.id, found.metadata["n"]) == ("a", 1)


class TestDocumentIndexAsync(AsyncDocumentIndexTestSuite):
    @pytest.fixture
    def index(self, client: mneme.Mneme) -> DocumentIndex:
        return MnemeDocumentIndex(client=client)
