"""The suites of haystack.testing, on a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DocumentStore, DuplicatePolicy
from haystack.testing import document_store as suites
from haystack.testing import document_store_async as async_suites

from mneme.haystack import MnemeDocumentStore
from mneme.testing import Server


class _Store:
    @pytest.fixture
    def document_store(self, server: Server, namespace: str) -> Iterator[MnemeDocumentStore]:
        store = MnemeDocumentStore(server.address, namespace)
        yield store
        store.close()


class TestDocumentStore(
    _Store,
    suites.DocumentStoreBaseExtendedTests,
    suites.CountDocumentsByFilterTest,
    suites.CountUniqueMetadataByFilterTest,
    suites.GetMetadataFieldsInfoTest,
    suites.GetMetadataFieldMinMaxTest,
    suites.GetMetadataFieldUniqueValuesTest,
):
    def test_write_documents(self, document_store: DocumentStore) -> None:
        """The suite leaves the default to the store: it is that of `FAIL`."""
        document = Document(content="test doc")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document])
        self.assert_documents_are_equal(document_store.filter_documents(), [document])


class TestDocumentStoreAsync(
    _Store,
    async_suites.CountDocumentsAsyncTest,
    async_suites.WriteDocumentsAsyncTest,
    async_suites.DeleteDocumentsAsyncTest,
    async_suites.DeleteAllAsyncTest,
    async_suites.DeleteByFilterAsyncTest,
    async_suites.UpdateByFilterAsyncTest,
    async_suites.FilterDocumentsAsyncTest,
    async_suites.CountDocumentsByFilterAsyncTest,
    async_suites.CountUniqueMetadataByFilterAsyncTest,
    async_suites.GetMetadataFieldsInfoAsyncTest,
    async_suites.GetMetadataFieldMinMaxAsyncTest,
    async_suites.GetMetadataFieldUniqueValuesAsyncTest,
):
    async def test_write_documents_async(self, document_store: MnemeDocumentStore) -> None:
        """The suite leaves the default to the store: it is that of `FAIL`."""
        document = Document(content="test doc")
        assert await document_store.write_documents_async([document], policy=DuplicatePolicy.NONE) == 1
        with pytest.raises(DuplicateDocumentError):
            await document_store.write_documents_async([document])
