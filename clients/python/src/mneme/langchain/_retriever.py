"""A retriever of LangChain that recalls memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from .._adapters import guarded, in_thread, is_asked_again, query_text
from .._documents import HITS
from .._known import assert_known
from .._quoting import provenance, xml_memory
from ..client import Mneme
from ..errors import MnemeError
from ..options import Cancellation
from ._document import memory_as_document, refused_as_value_errors

#: Further hits, in place of questions of former turns.
_ASKED_AGAIN = 5


class MnemeRetriever(BaseRetriever):
    """Recalls memories of any type that answer a question: by words, by meaning and by time, as the server ranks them.

    A document's metadata are the keys of the memory's JSON content, and `_id`, `_type`, `_time`, `_relevance` (0 to 1),
    `_score`, `_trust` and `_speaker`; `quoted_documents` writes them for a prompt. A question is searched up to 8 KiB.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Mneme
    k: int = 4
    """Most documents, 1 to 1,000; `invoke(question, k=…)` sets it for one call."""
    filter: Any = None
    """Which memories may be returned: a text or a `mneme.Filter`."""
    scope: Any = None
    """A `mneme.Scope` or a dict: memories of it and those that its ancestors share."""
    min_relevance: float | None = None
    """Documents below this relevance are left out; 0 leaves none out. None: the setting of the namespace (0.07)."""
    timeout_ms: float = 5_000

    def __init__(self, **given: Any) -> None:
        assert_known(given, type(self).model_fields, type(self).__name__)
        super().__init__(**given)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return self._recall(query, kwargs, Cancellation())

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return await in_thread(lambda cancel: self._recall(query, kwargs, cancel))

    def _recall(self, query: str, more: Mapping[str, Any], cancel: Cancellation) -> list[Document]:
        assert_known(more, ("k", "filter", "scope", "min_relevance"), "MnemeRetriever")
        text = query_text(query)
        if not text:
            return []
        given: dict[str, Any] = {
            "filter": self.filter,
            "scope": self.scope,
            "min_relevance": self.min_relevance,
            **more,
        }
        k = given.pop("k", self.k)
        if not isinstance(k, int) or not 1 <= k <= HITS:
            raise ValueError(f"k must be a whole number from 1 to {HITS}, got {k!r}")
        try:
            with refused_as_value_errors():
                client, limit = guarded(self.client), min(k + _ASKED_AGAIN, HITS)
                found = client.recall(text=text, timeout_ms=self.timeout_ms, cancel=cancel, limit=limit, **given)
        except MnemeError as error:
            if error.reason == "NAMESPACE_NOT_FOUND":
                return []
            raise
        hits = [hit for hit in found.hits if not is_asked_again(hit.memory, text)][:k]
        return [
            memory_as_document(hit.memory, _relevance=hit.relevance, _score=hit.score, _trust=hit.trust) for hit in hits
        ]


def quoted_documents(documents: Iterable[Document]) -> str:
    """Documents as quoted data for a prompt, with their speaker, trust and day: none can end its entry, imitate a role
    or hold instructions that look like those of the program. Empty without documents."""
    return xml_memory((each.page_content, provenance(each.metadata)) for each in documents)
