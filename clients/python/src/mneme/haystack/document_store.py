"""A document store of Haystack in a namespace of Mneme."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from haystack import default_from_dict, default_to_dict
from haystack.dataclasses import Document
from haystack.document_stores.errors import DocumentStoreError, DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret, deserialize_secrets_inplace
from typing_extensions import Self

from .._adapters import guarded, in_thread
from .._documents import HITS, IDS, Documents, memory_id
from .._known import strict
from ..client import connect
from ..errors import AbortedError, NotFoundError
from ..filters import Filter, all_of, where
from ..memory import Embedding, Memory
from ..options import Cancellation
from . import _metadata
from ._document import document_of, json_content, memory_of, parts_of, store_errors
from ._filters import check, matches, narrowed

T = TypeVar("T")
Filters = dict[str, Any]
Search = Callable[[int, "Filter | None"], list[tuple[Memory, float]]]

#: Attempts to update a document that others change.
_ATTEMPTS = 5


class MnemeDocumentStore:
    """Documents in a namespace of a server, with filters that Haystack's own function decides.

    The namespace should be the store's own: documents are memories of type `document` with the same ids. Nothing is
    sent until the first call. Every method has a twin for asyncio, whose cancelled task cancels its call. Errors are
    those of Haystack (`DocumentStoreError`, `DuplicateDocumentError`, `FilterError`; `ValueError` for wrong types).
    """

    @strict
    def __init__(
        self,
        address: str = "127.0.0.1:50051",
        namespace: str = "default",
        *,
        token: Secret | None = None,
        tls: bool = False,
        model: str = "haystack",
        timeout_ms: float = 30_000,
    ) -> None:
        """`model`: name of the model of the embeddings, which the first one fixes for the namespace. `timeout_ms`:
        longest time of a call."""
        self.address = address
        self.namespace = namespace
        self.token = token
        self.tls = tls
        self.model = model
        self.timeout_ms = timeout_ms
        secret = token.resolve_value() if token is not None else None
        self._client = guarded(connect(address, namespace=namespace, token=secret, tls=tls))
        self._documents = Documents(self._client, "document", timeout_ms)

    def to_dict(self) -> dict[str, Any]:
        """The arguments of this store."""
        return default_to_dict(
            self,
            address=self.address,
            namespace=self.namespace,
            token=self.token.to_dict() if self.token is not None else None,
            tls=self.tls,
            model=self.model,
            timeout_ms=self.timeout_ms,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """A store with these arguments."""
        deserialize_secrets_inplace(data["init_parameters"], keys=["token"])
        store: Self = default_from_dict(cls, data)
        return store

    def close(self) -> None:
        """Closes the connection."""
        self._client.close()

    def count_documents(self) -> int:
        """How many documents there are."""
        return self._call(self._count)

    async def count_documents_async(self) -> int:
        """As `count_documents`."""
        return await self._call_async(self._count)

    def filter_documents(self, filters: Filters | None = None) -> list[Document]:
        """The documents that match, in the order of writing."""
        return self._call(lambda cancel: list(self._matching(filters, cancel)))

    async def filter_documents_async(self, filters: Filters | None = None) -> list[Document]:
        """As `filter_documents`."""
        return await self._call_async(lambda cancel: list(self._matching(filters, cancel)))

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Stores documents; returns how many. `NONE` is `FAIL`, which stores nothing when an id exists."""
        return self._call(lambda cancel: self._write(documents, policy, cancel))

    async def write_documents_async(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """As `write_documents`."""
        return await self._call_async(lambda cancel: self._write(documents, policy, cancel))

    def delete_documents(self, document_ids: list[str]) -> None:
        """Erases documents; ids that are not there are passed over."""
        self._call(lambda cancel: self._documents.erase(map(memory_id, document_ids), cancel))

    async def delete_documents_async(self, document_ids: list[str]) -> None:
        """As `delete_documents`."""
        await self._call_async(lambda cancel: self._documents.erase(map(memory_id, document_ids), cancel))

    def delete_all_documents(self, recreate_index: bool = False) -> None:
        """Erases all documents, and nothing else. With `recreate_index` it deletes the namespace with all that is in
        it, so that the next embedding may have another model and dimension."""
        self._call(lambda cancel: self._delete_all(recreate_index, cancel))

    async def delete_all_documents_async(self, recreate_index: bool = False) -> None:
        """As `delete_all_documents`."""
        await self._call_async(lambda cancel: self._delete_all(recreate_index, cancel))

    def delete_by_filter(self, filters: Filters) -> int:
        """Erases the documents that match; returns how many."""
        return self._call(lambda cancel: self._delete(filters, cancel))

    async def delete_by_filter_async(self, filters: Filters) -> int:
        """As `delete_by_filter`."""
        return await self._call_async(lambda cancel: self._delete(filters, cancel))

    def update_by_filter(self, filters: Filters, meta: dict[str, Any]) -> int:
        """Merges meta into those of the documents that match, one by one; returns how many."""
        return self._call(lambda cancel: self._update(filters, meta, cancel))

    async def update_by_filter_async(self, filters: Filters, meta: dict[str, Any]) -> int:
        """As `update_by_filter`."""
        return await self._call_async(lambda cancel: self._update(filters, meta, cancel))

    def count_documents_by_filter(self, filters: Filters) -> int:
        """How many documents match."""
        return self._call(lambda cancel: sum(1 for _ in self._matching(filters, cancel)))

    async def count_documents_by_filter_async(self, filters: Filters) -> int:
        """As `count_documents_by_filter`."""
        return await self._call_async(lambda cancel: sum(1 for _ in self._matching(filters, cancel)))

    def count_unique_metadata_by_filter(self, filters: Filters, metadata_fields: list[str]) -> dict[str, int]:
        """How many different values each field has among the documents that match."""
        return self._call(lambda cancel: _metadata.unique_counts(self._matching(filters, cancel), metadata_fields))

    async def count_unique_metadata_by_filter_async(
        self, filters: Filters, metadata_fields: list[str]
    ) -> dict[str, int]:
        """As `count_unique_metadata_by_filter`."""
        return await self._call_async(
            lambda cancel: _metadata.unique_counts(self._matching(filters, cancel), metadata_fields)
        )

    def get_metadata_fields_info(self) -> dict[str, dict[str, str]]:
        """The fields of the meta of all documents, with their types."""
        return self._call(lambda cancel: _metadata.fields_info(self._matching(None, cancel)))

    async def get_metadata_fields_info_async(self) -> dict[str, dict[str, str]]:
        """As `get_metadata_fields_info`."""
        return await self._call_async(lambda cancel: _metadata.fields_info(self._matching(None, cancel)))

    def get_metadata_field_min_max(self, metadata_field: str) -> dict[str, Any]:
        """The least and the greatest value of a field."""
        return self._call(lambda cancel: _metadata.min_max(self._matching(None, cancel), metadata_field))

    async def get_metadata_field_min_max_async(self, metadata_field: str) -> dict[str, Any]:
        """As `get_metadata_field_min_max`."""
        return await self._call_async(lambda cancel: _metadata.min_max(self._matching(None, cancel), metadata_field))

    def get_metadata_field_unique_values(
        self,
        metadata_field: str,
        search_term: str | None = None,
        from_: int = 0,
        size: int = 10,
        filters: Filters | None = None,
    ) -> tuple[list[Any], int]:
        """A page of the different values of a field, and how many there are."""
        return self._call(
            lambda cancel: _metadata.unique_values(
                self._matching(filters, cancel), metadata_field, search_term, from_, size
            )
        )

    async def get_metadata_field_unique_values_async(
        self,
        metadata_field: str,
        search_term: str | None = None,
        from_: int = 0,
        size: int = 10,
        filters: Filters | None = None,
    ) -> tuple[list[Any], int]:
        """As `get_metadata_field_unique_values`."""
        return await self._call_async(
            lambda cancel: _metadata.unique_values(
                self._matching(filters, cancel), metadata_field, search_term, from_, size
            )
        )

    def embedding_retrieval(
        self, query_embedding: list[float], filters: Filters | None = None, top_k: int = 10
    ) -> list[Document]:
        """The documents nearest to an embedding, with their cosines as scores. Documents without one are left out."""
        return self._call(lambda cancel: self._nearest(query_embedding, filters, top_k, cancel))

    async def embedding_retrieval_async(
        self, query_embedding: list[float], filters: Filters | None = None, top_k: int = 10
    ) -> list[Document]:
        """As `embedding_retrieval`."""
        return await self._call_async(lambda cancel: self._nearest(query_embedding, filters, top_k, cancel))

    def text_retrieval(
        self, query: str, filters: Filters | None = None, top_k: int = 10, min_relevance: float | None = 0
    ) -> list[Document]:
        """The documents that answer a text by words and meaning, with their relevance (0 to 1) as scores; those below
        `min_relevance` are left out, with None those below the setting of the namespace (0.07)."""
        return self._call(lambda cancel: self._answering(query, filters, top_k, min_relevance, cancel))

    async def text_retrieval_async(
        self, query: str, filters: Filters | None = None, top_k: int = 10, min_relevance: float | None = 0
    ) -> list[Document]:
        """As `text_retrieval`."""
        return await self._call_async(lambda cancel: self._answering(query, filters, top_k, min_relevance, cancel))

    def _call(self, call: Callable[[Cancellation], T]) -> T:
        with store_errors():
            return call(Cancellation())

    async def _call_async(self, call: Callable[[Cancellation], T]) -> T:
        with store_errors():
            return await in_thread(call)

    def _count(self, cancel: Cancellation) -> int:
        return self._documents.count(None, cancel)

    def _found(self, filters: Filters | None, cancel: Cancellation) -> Iterator[tuple[Memory, Document]]:
        if filters:
            check(filters)
        for memory in self._documents.scan(narrowed(filters) if filters else None, cancel, "full"):
            document = document_of(memory)
            if not filters or matches(filters, document):
                yield memory, document

    def _matching(self, filters: Filters | None, cancel: Cancellation) -> Iterator[Document]:
        return (document for _, document in self._found(filters, cancel))

    def _write(self, documents: list[Document], policy: DuplicatePolicy, cancel: Cancellation) -> int:
        if not isinstance(documents, (list, tuple)) or not all(isinstance(each, Document) for each in documents):
            raise ValueError("Please provide a list of Documents.")
        memories = [memory_of(document, self.model) for document in documents]
        if policy == DuplicatePolicy.OVERWRITE:
            return self._documents.put(memories, "replace", cancel)
        if policy == DuplicatePolicy.SKIP:
            return self._documents.put(memories, "keep", cancel)
        ids = [memory["id"] for memory in memories]
        seen = set(self._documents.read(ids, cancel, "metadata"))
        for document, id in zip(documents, ids, strict=True):
            if id in seen:
                raise DuplicateDocumentError(f"ID '{document.id}' already exists.")
            seen.add(id)
        return self._documents.put(memories, "fail", cancel)

    def _delete_all(self, recreate_index: bool, cancel: Cancellation) -> None:
        if recreate_index:
            self._documents.erase_namespace(cancel)
        else:
            self._documents.erase_where(None, cancel)

    def _delete(self, filters: Filters, cancel: Cancellation) -> int:
        return self._documents.erase([memory.id for memory, _ in self._found(filters, cancel)], cancel)

    def _update(self, filters: Filters, meta: dict[str, Any], cancel: Cancellation) -> int:
        found = [memory for memory, _ in self._found(filters, cancel)]
        return sum(self._update_one(memory, filters, meta, cancel) for memory in found)

    def _update_one(self, memory: Memory, filters: Filters, meta: dict[str, Any], cancel: Cancellation) -> int:
        """1 when it was changed; 0 when others have changed or erased it so that it matches no more."""
        current: Memory | None = memory
        for _ in range(_ATTEMPTS):
            if current is None or (filters and not matches(filters, document_of(current))):
                return 0
            parts = parts_of(current)
            content = json_content({**parts, "meta": {**parts["meta"], **meta}}, parts["id"])
            try:
                options: Any = {"timeout_ms": self.timeout_ms, "cancel": cancel, "if_version": current.version}
                self._client.update(current.id, {"content": content}, **options)
                return 1
            except AbortedError:
                current = self._documents.read([current.id], cancel, "full").get(current.id)
            except NotFoundError:
                return 0
        raise DocumentStoreError(f"the document '{parts_of(memory)['id']}' was changed by others {_ATTEMPTS} times")

    def _nearest(
        self, embedding: list[float], filters: Filters | None, top_k: int, cancel: Cancellation
    ) -> list[Document]:
        if not isinstance(embedding, (list, tuple)) or not embedding or not isinstance(embedding[0], (int, float)):
            raise ValueError("query_embedding should be a non-empty list of floats.")
        asked = Embedding(list(embedding), self.model)
        return self._ranked(
            lambda limit, among: self._documents.nearest(asked, limit, among, cancel, "full"), filters, top_k, cancel
        )

    def _answering(
        self, query: str, filters: Filters | None, top_k: int, least: float | None, cancel: Cancellation
    ) -> list[Document]:
        if not isinstance(query, str):
            raise ValueError(f"query should be a text, got {type(query).__name__}")
        return self._ranked(
            lambda limit, among: self._documents.matching(query, limit, among, cancel, least), filters, top_k, cancel
        )

    def _ranked(self, search: Search, filters: Filters | None, top_k: int, cancel: Cancellation) -> list[Document]:
        """Asks for more than `top_k`, as the server narrows down only; where few of them match, it asks for those that
        match by their ids."""
        if not isinstance(top_k, int) or not 0 <= top_k <= HITS:
            raise ValueError(f"top_k must be a whole number from 0 to {HITS}, got {top_k!r}")
        if filters:
            check(filters)
        if top_k == 0:
            return []
        if not filters:
            return _scored(search(top_k, None))
        narrow = narrowed(filters)
        for limit in dict.fromkeys((min(HITS, max(50, 4 * top_k)), HITS)):
            hits = search(limit, narrow)
            found = [document for document in _scored(hits) if matches(filters, document)]
            if len(found) >= top_k or len(hits) < limit:
                return found[:top_k]
        ids = [memory.id for memory, _ in self._found(filters, cancel)]
        best: list[tuple[Memory, float]] = []
        for start in range(0, len(ids), IDS):
            best += search(top_k, all_of(where.id.is_in(ids[start : start + IDS])))
        return _scored(sorted(best, key=lambda hit: -hit[1])[:top_k])


def _scored(hits: list[tuple[Memory, float]]) -> list[Document]:
    return [document_of(memory, score=score) for memory, score in hits]
