"""A document index of LangChain, searched as the server ranks."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.indexing import UpsertResponse
from langchain_core.indexing.base import DeleteResponse, DocumentIndex

from .._adapters import in_thread
from .._documents import Documents, memory_id
from ..options import Cancellation
from ._document import document_of, memory_of, refused_as_value_errors
from ._retriever import MnemeRetriever


class MnemeDocumentIndex(MnemeRetriever, DocumentIndex):
    """Documents without vectors of the caller: found by words and by the vectors of the server's embedder.

    As a retriever it returns documents only, unless `filter` says otherwise; `timeout_ms` is also that of writes.
    """

    filter: Any = 'type = "document"'

    def upsert(self, items: Sequence[Document], /, **kwargs: Any) -> UpsertResponse:
        """Stores documents; one with the id of another takes its place. Those before a refused one may be stored."""
        return self._upsert(items, kwargs, Cancellation())

    async def aupsert(self, items: Sequence[Document], /, **kwargs: Any) -> UpsertResponse:
        """As `upsert`."""
        return await in_thread(lambda cancel: self._upsert(items, kwargs, cancel))

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> DeleteResponse:
        """Erases documents, and returns the ids that were there. `ValueError` without ids."""
        return self._delete(ids, kwargs, Cancellation())

    async def adelete(self, ids: list[str] | None = None, **kwargs: Any) -> DeleteResponse:
        """As `delete`."""
        return await in_thread(lambda cancel: self._delete(ids, kwargs, cancel))

    def get(self, ids: Sequence[str], /, **kwargs: Any) -> list[Document]:
        """The documents that are there, in the order of the ids."""
        return self._get(ids, kwargs, Cancellation())

    async def aget(self, ids: Sequence[str], /, **kwargs: Any) -> list[Document]:
        """As `get`."""
        return await in_thread(lambda cancel: self._get(ids, kwargs, cancel))

    def _documents(self) -> Documents:
        return Documents(self.client, "document", self.timeout_ms)

    def _upsert(self, items: Sequence[Document], more: dict[str, Any], cancel: Cancellation) -> UpsertResponse:
        _refuse(more)
        ids = [each.id or str(uuid.uuid4()) for each in items]
        memories = [memory_of(each, id, None, "") for each, id in zip(items, ids, strict=True)]
        with refused_as_value_errors():
            self._documents().put(memories, "replace", cancel)
        return UpsertResponse(succeeded=ids, failed=[])

    def _delete(self, ids: list[str] | None, more: dict[str, Any], cancel: Cancellation) -> DeleteResponse:
        _refuse(more)
        if ids is None:
            raise ValueError("ids must be set")
        documents = self._documents()
        found = documents.read(map(memory_id, ids), cancel, "metadata")
        documents.erase(found, cancel)
        erased = [id for id in dict.fromkeys(ids) if memory_id(id) in found]
        return DeleteResponse(succeeded=erased, num_deleted=len(erased), failed=[], num_failed=0)

    def _get(self, ids: Sequence[str], more: dict[str, Any], cancel: Cancellation) -> list[Document]:
        _refuse(more)
        found = self._documents().read(map(memory_id, ids), cancel)
        return [document_of(found[name]) for name in map(memory_id, ids) if name in found]


def _refuse(more: dict[str, Any]) -> None:
    if more:
        raise TypeError(f"arguments that MnemeDocumentIndex does not know: {', '.join(sorted(more))}")
