"""A vector store of LangChain in a namespace of Mneme."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from typing_extensions import Self

from .._adapters import in_thread
from .._documents import HITS, Documents, memory_id
from .._known import strict
from ..client import Mneme
from ..memory import Embedding, Memory
from ..options import Cancellation
from ._document import document_of, memory_of, refused_as_value_errors
from ._filter import MetadataFilter, server_filter

_TIMEOUT_MS = 30_000
Scored = list[tuple[Memory, float]]


class MnemeVectorStore(VectorStore):
    """Documents with vectors of LangChain's embeddings, searched by cosine, in the namespace of a client.

    The namespace should be the store's own: documents are memories of type `document` with the same ids. Metadata are
    JSON. `filter` of searches is a dict (`{"lang": "en", "page": {"$gte": 3}}`; `$eq`, `$ne`, `$gt`, `$gte`, `$lt`,
    `$lte`, `$in`, `$nin`, `$exists`, `$and`, `$or`, `$not`) or a filter of Mneme. `k` is at most 1,000.
    """

    @strict
    def __init__(
        self, embedding: Embeddings, client: Mneme, *, model: str | None = None, timeout_ms: float = _TIMEOUT_MS
    ) -> None:
        """`model`: name of the model of the vectors, which the first vector fixes for the namespace (default: the
        attribute `model` or `model_name` of the embeddings, otherwise the name of their class). `timeout_ms`: longest
        time of a call."""
        self._embedding = embedding
        self._model = model or _model_of(embedding)
        self._documents = Documents(client, "document", timeout_ms)

    @property
    def embeddings(self) -> Embeddings:
        """The embeddings of documents and queries."""
        return self._embedding

    def add_documents(self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
        """Stores documents; one with the id of another takes its place. Those before a refused one may be stored."""
        names = _ids(documents, ids, kwargs)
        vectors = self._embedding.embed_documents([each.page_content for each in documents]) if documents else []
        self._write(documents, names, vectors, Cancellation())
        return names

    async def aadd_documents(self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
        """As `add_documents`."""
        names = _ids(documents, ids, kwargs)
        vectors = await self._embedding.aembed_documents([each.page_content for each in documents]) if documents else []
        await in_thread(lambda cancel: self._write(documents, names, vectors, cancel))
        return names

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents that are there, in the order of the ids."""
        return self._read(ids, Cancellation())

    async def aget_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """As `get_by_ids`."""
        return await in_thread(lambda cancel: self._read(ids, cancel))

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Erases documents; ids that are not there are passed over. Without ids it erases all documents."""
        return self._erase(ids, kwargs, Cancellation())

    async def adelete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """As `delete`."""
        return await in_thread(lambda cancel: self._erase(ids, kwargs, cancel))

    def similarity_search(
        self, query: str, k: int = 4, filter: MetadataFilter | None = None, **kwargs: Any
    ) -> list[Document]:
        """The `k` documents nearest to the query, nearest first."""
        return [each for each, _ in self.similarity_search_with_score(query, k, filter, **kwargs)]

    async def asimilarity_search(
        self, query: str, k: int = 4, filter: MetadataFilter | None = None, **kwargs: Any
    ) -> list[Document]:
        """As `similarity_search`."""
        return [each for each, _ in await self.asimilarity_search_with_score(query, k, filter, **kwargs)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, filter: MetadataFilter | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """The nearest documents with their cosines, -1 to 1."""
        return self.similarity_search_with_score_by_vector(self._embedding.embed_query(query), k, filter, **kwargs)

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, filter: MetadataFilter | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """As `similarity_search_with_score`."""
        vector = await self._embedding.aembed_query(query)
        return await self.asimilarity_search_with_score_by_vector(vector, k, filter, **kwargs)

    def similarity_search_by_vector(
        self, embedding: list[float], k: int = 4, filter: MetadataFilter | None = None, **kwargs: Any
    ) -> list[Document]:
        """The documents nearest to a vector."""
        return [each for each, _ in self.similarity_search_with_score_by_vector(embedding, k, filter, **kwargs)]

    async def asimilarity_search_by_vector(
        self, embedding: list[float], k: int = 4, filter: MetadataFilter | None = None, **kwargs: Any
    ) -> list[Document]:
        """As `similarity_search_by_vector`."""
        return [each for each, _ in await self.asimilarity_search_with_score_by_vector(embedding, k, filter, **kwargs)]

    def similarity_search_with_score_by_vector(
        self, embedding: list[float], k: int = 4, filter: MetadataFilter | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """The documents nearest to a vector, with their cosines."""
        _refuse(kwargs)
        return _documents(self._nearest(embedding, k, filter, Cancellation(), "basic"))

    async def asimilarity_search_with_score_by_vector(
        self, embedding: list[float], k: int = 4, filter: MetadataFilter | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """As `similarity_search_with_score_by_vector`."""
        _refuse(kwargs)
        return _documents(await in_thread(lambda cancel: self._nearest(embedding, k, filter, cancel, "basic")))

    def max_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: MetadataFilter | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """`k` of the `fetch_k` nearest documents that are unlike one another. Needs numpy."""
        vector = self._embedding.embed_query(query)
        return self.max_marginal_relevance_search_by_vector(vector, k, fetch_k, lambda_mult, filter, **kwargs)

    async def amax_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: MetadataFilter | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """As `max_marginal_relevance_search`."""
        vector = await self._embedding.aembed_query(query)
        return await self.amax_marginal_relevance_search_by_vector(vector, k, fetch_k, lambda_mult, filter, **kwargs)

    def max_marginal_relevance_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: MetadataFilter | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """The same for a vector."""
        _refuse(kwargs)
        return _diverse(embedding, self._nearest(embedding, fetch_k, filter, Cancellation(), "full"), k, lambda_mult)

    async def amax_marginal_relevance_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: MetadataFilter | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """As `max_marginal_relevance_search_by_vector`."""
        _refuse(kwargs)
        found = await in_thread(lambda cancel: self._nearest(embedding, fetch_k, filter, cancel, "full"))
        return _diverse(embedding, found, k, lambda_mult)

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        client: Mneme | None = None,
        **kwargs: Any,
    ) -> Self:
        """A store with these texts. `client` is required."""
        store = cls(embedding, _required(client), **kwargs)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    @classmethod
    async def afrom_texts(
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        client: Mneme | None = None,
        **kwargs: Any,
    ) -> Self:
        """As `from_texts`."""
        store = cls(embedding, _required(client), **kwargs)
        await store.aadd_texts(texts, metadatas, ids=ids)
        return store

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda cosine: min(1.0, max(0.0, cosine))

    def _write(
        self, documents: list[Document], ids: list[str], vectors: list[list[float]], cancel: Cancellation
    ) -> None:
        if len(vectors) != len(documents):
            raise ValueError(f"the embeddings gave {len(vectors)} vectors for {len(documents)} documents")
        made = zip(documents, ids, vectors, strict=True)
        memories = [memory_of(document, id, vector, self._model) for document, id, vector in made]
        with refused_as_value_errors():
            self._documents.put(memories, "replace", cancel)

    def _read(self, ids: Sequence[str], cancel: Cancellation) -> list[Document]:
        found = self._documents.read(map(memory_id, ids), cancel)
        return [document_of(found[name]) for name in map(memory_id, ids) if name in found]

    def _erase(self, ids: list[str] | None, more: dict[str, Any], cancel: Cancellation) -> bool:
        _refuse(more)
        if ids is None:
            self._documents.erase_where(None, cancel)
        else:
            self._documents.erase(map(memory_id, ids), cancel)
        return True

    def _nearest(
        self, vector: list[float], k: int, filter: MetadataFilter | None, cancel: Cancellation, view: Any
    ) -> Scored:
        if not isinstance(k, int) or not 0 <= k <= HITS:
            raise ValueError(f"k must be a whole number from 0 to {HITS}, got {k!r}")
        condition = server_filter(filter)
        if k == 0:
            return []
        with refused_as_value_errors():
            return self._documents.nearest(Embedding(list(vector), self._model), k, condition, cancel, view)


def _documents(found: Scored) -> list[tuple[Document, float]]:
    return [(document_of(memory), cosine) for memory, cosine in found]


def _diverse(vector: list[float], found: Scored, k: int, lambda_mult: float) -> list[Document]:
    import numpy  # Imported only on demand.
    from langchain_core.vectorstores.utils import maximal_marginal_relevance

    vectors = [list(memory.embedding.values) for memory, _ in found if memory.embedding is not None]
    if not vectors:
        return []
    chosen = maximal_marginal_relevance(numpy.array(vector, dtype=numpy.float32), vectors, lambda_mult, k)
    return [document_of(found[place][0]) for place in chosen]


def _ids(documents: list[Document], ids: Sequence[str | None] | None, more: dict[str, Any]) -> list[str]:
    _refuse(more)
    for each in documents:
        if not isinstance(each, Document):
            raise ValueError(f"documents must be of the class Document, got {type(each).__name__}")
    if ids is not None and len(ids) != len(documents):
        raise ValueError(f"ids must be as many as the documents: got {len(ids)} ids and {len(documents)} documents")
    names = ids if ids is not None else [each.id for each in documents]
    return [name or str(uuid.uuid4()) for name in names]


def _refuse(more: dict[str, Any]) -> None:
    if more:
        raise TypeError(f"arguments that MnemeVectorStore does not know: {', '.join(sorted(more))}")


def _required(client: Mneme | None) -> Mneme:
    if client is None:
        raise ValueError("client is required: a client from mneme.connect")
    return client


def _model_of(embedding: Embeddings) -> str:
    for name in ("model", "model_name"):
        value = getattr(embedding, name, None)
        if isinstance(value, str) and value:
            return value
    return type(embedding).__name__
