"""Retrievers of Haystack for the document store."""

from __future__ import annotations

from typing import Any

from haystack import component, default_from_dict, default_to_dict
from haystack.dataclasses import Document
from haystack.document_stores.types import FilterPolicy
from haystack.document_stores.types.filter_policy import apply_filter_policy
from typing_extensions import Self

from .._known import strict
from .document_store import Filters, MnemeDocumentStore


class _Retriever:
    """Arguments that both retrievers have, and their form as a dict."""

    @strict
    def __init__(
        self,
        document_store: MnemeDocumentStore,
        *,
        filters: Filters | None = None,
        top_k: int = 10,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
    ) -> None:
        """`filter_policy`: filters of a run take the place of `filters`, or are joined with them."""
        if not isinstance(document_store, MnemeDocumentStore):
            raise TypeError("document_store must be an instance of MnemeDocumentStore")
        if top_k <= 0:
            raise ValueError(f"top_k must be greater than 0, but got {top_k}")
        self.document_store = document_store
        self.filters = filters
        self.top_k = top_k
        self.filter_policy = filter_policy

    def to_dict(self) -> dict[str, Any]:
        """The arguments of this retriever and of its store."""
        return default_to_dict(
            self,
            document_store=self.document_store.to_dict(),
            filters=self.filters,
            top_k=self.top_k,
            filter_policy=self.filter_policy.value,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """A retriever with these arguments, and a store of its own."""
        given = dict(data["init_parameters"])
        if isinstance(given["document_store"], dict):
            given["document_store"] = MnemeDocumentStore.from_dict(given["document_store"])
        if isinstance(given.get("filter_policy"), str):
            given["filter_policy"] = FilterPolicy.from_str(given["filter_policy"])
        retriever: Self = default_from_dict(cls, {**data, "init_parameters": given})
        return retriever

    def _settings(self, filters: Filters | None, top_k: int | None) -> tuple[Filters | None, int]:
        joined = apply_filter_policy(self.filter_policy, self.filters, filters)
        return joined, self.top_k if top_k is None else top_k


@component
class MnemeEmbeddingRetriever(_Retriever):
    """The documents nearest to an embedding, with their cosines as scores."""

    @component.output_types(documents=list[Document])
    def run(
        self, query_embedding: list[float], filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """At most `top_k` documents, nearest first."""
        return {"documents": self.document_store.embedding_retrieval(query_embedding, *self._settings(filters, top_k))}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query_embedding: list[float], filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """As `run`."""
        settings = self._settings(filters, top_k)
        return {"documents": await self.document_store.embedding_retrieval_async(query_embedding, *settings)}


@component
class MnemeTextRetriever(_Retriever):
    """The documents that answer a text, by words and by the vectors of the server's embedder."""

    @strict
    def __init__(
        self,
        document_store: MnemeDocumentStore,
        *,
        filters: Filters | None = None,
        top_k: int = 10,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        min_relevance: float | None = None,
    ) -> None:
        """As `MnemeEmbeddingRetriever`; `min_relevance`: least relevance of a document, 0 for all, by default the
        setting of the namespace (0.07)."""
        # `component` makes the class anew, so that `super()` would be of another one.
        _Retriever.__init__(self, document_store, filters=filters, top_k=top_k, filter_policy=filter_policy)
        self.min_relevance = min_relevance

    def to_dict(self) -> dict[str, Any]:
        """As of `MnemeEmbeddingRetriever`."""
        made = _Retriever.to_dict(self)
        made["init_parameters"]["min_relevance"] = self.min_relevance
        return made

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """At most `top_k` documents, best first."""
        settings = self._settings(filters, top_k)
        return {"documents": self.document_store.text_retrieval(query, *settings, self.min_relevance)}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """As `run`."""
        settings = self._settings(filters, top_k)
        return {"documents": await self.document_store.text_retrieval_async(query, *settings, self.min_relevance)}
