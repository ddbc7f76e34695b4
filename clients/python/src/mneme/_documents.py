"""Documents of frameworks as memories of one type in a namespace."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ._adapters import guarded, query_text, recalled
from .client import Mneme
from .errors import MnemeError
from .filters import Filter, FilterLike, all_of, where
from .memory import Embedding, Memory, MemoryView
from .options import Cancellation
from .results import ConflictPolicy

#: Hits that one recall may return.
HITS = 1_000
#: Ids that one filter names, beside other values: a filter has 1,000 in all.
IDS = 900
#: Only the vector decides the order.
_BY_VECTOR = {"keyword": 0, "vector": 1, "recency": 0, "importance": 0, "session": 0, "time": 0, "place": 0}
#: Only the words decide it, and the vectors of an embedder of the server.
_BY_TEXT = {"recency": 0, "importance": 0, "session": 0, "time": 0, "place": 0}
_MEMORY_ID = re.compile(r"[A-Za-z0-9._:-][A-Za-z0-9._~:-]{0,127}")


def memory_id(document_id: str) -> str:
    """Id of the memory of a document: the same where the server allows it, otherwise `~` and a hash."""
    if _MEMORY_ID.fullmatch(document_id):
        return document_id
    return "~" + hashlib.sha256(document_id.encode("utf-8", "surrogatepass")).hexdigest()


class Documents:
    """Memories of one type in the namespace of a client. A namespace that does not exist yet is empty."""

    def __init__(self, client: Mneme, type: str, timeout_ms: float) -> None:
        self.client = guarded(client)
        self.timeout_ms = timeout_ms
        self._type = type

    def put(self, memories: Sequence[Mapping[str, Any]], policy: ConflictPolicy, cancel: Cancellation) -> int:
        """Stores memories; returns how many. Those before a refused one may be stored."""
        if not memories:
            return 0
        typed = ({**memory, "type": self._type} for memory in memories)
        options: Any = {"conflict_policy": policy, "timeout_ms": self.timeout_ms, "cancel": cancel}
        return self.client.import_memories(typed, **options).stored_count

    def read(self, ids: Iterable[str], cancel: Cancellation, view: MemoryView = "basic") -> dict[str, Memory]:
        """The memories that are there, by id."""
        parts = _parts(ids)
        return {memory.id: memory for part in parts for memory in self.scan(where.id.is_in(part), cancel, view)}

    def scan(self, filter: FilterLike | None, cancel: Cancellation, view: MemoryView = "basic") -> Iterator[Memory]:
        """The memories that the filter admits, in the order of storing."""
        options: Any = {"timeout_ms": self.timeout_ms, "cancel": cancel, "view": view, "order": "create_time_asc"}
        try:
            with self.client.list(filter=self._admitted(filter), **options) as memories:
                yield from memories
        except MnemeError as error:
            _pass_unless_absent(error)

    def count(self, filter: FilterLike | None, cancel: Cancellation) -> int:
        """How many memories the filter admits."""
        try:
            found = self.client.count(filter=self._admitted(filter), timeout_ms=self.timeout_ms, cancel=cancel)
            return found.count
        except MnemeError as error:
            _pass_unless_absent(error)
            return 0

    def erase(self, ids: Iterable[str], cancel: Cancellation) -> int:
        """Erases the memories that are there; returns how many."""
        return sum(self.erase_where(where.id.is_in(part), cancel) for part in _parts(ids))

    def erase_where(self, filter: FilterLike | None, cancel: Cancellation) -> int:
        """Erases the memories that the filter admits; without one all of the type."""
        try:
            options: Any = {"timeout_ms": self.timeout_ms, "cancel": cancel}
            return self.client.forget(filter=self._admitted(filter), **options).forgotten_count
        except MnemeError as error:
            _pass_unless_absent(error)
            return 0

    def erase_namespace(self, cancel: Cancellation) -> None:
        """Deletes the namespace with all that is in it."""
        try:
            options: Any = {"force": True, "timeout_ms": self.timeout_ms, "cancel": cancel}
            self.client.namespaces.delete(self.client.namespace, **options)
        except MnemeError as error:
            _pass_unless_absent(error)

    def nearest(
        self,
        embedding: Embedding,
        limit: int,
        filter: FilterLike | None,
        cancel: Cancellation,
        view: MemoryView = "basic",
    ) -> list[tuple[Memory, float]]:
        """Memories with a vector by their cosine to another one, which comes with each."""
        hits = self._recall(
            {"embedding": embedding, "weights": _BY_VECTOR, "explain": True}, limit, filter, cancel, view
        )
        scored = ((hit.memory, _value(hit.components, "vector")) for hit in hits)
        return [(memory, cosine) for memory, cosine in scored if cosine is not None]

    def matching(
        self,
        text: str,
        limit: int,
        filter: FilterLike | None,
        cancel: Cancellation,
        min_relevance: float | None = 0,
    ) -> list[tuple[Memory, float]]:
        """Memories that answer a text, with their relevance, best first. None: the least of the namespace."""
        query = query_text(text)
        if not query:
            return []
        asked = {"text": query, "weights": _BY_TEXT, "min_relevance": min_relevance}
        hits = self._recall(asked, limit, filter, cancel, "basic")
        return [(hit.memory, hit.relevance) for hit in hits]

    def _recall(
        self,
        query: Mapping[str, Any],
        limit: int,
        filter: FilterLike | None,
        cancel: Cancellation,
        view: MemoryView,
    ) -> Sequence[Any]:
        arguments: Any = {**query, "limit": limit, "filter": self._admitted(filter), "view": view}
        arguments.update(include_invalid=True, timeout_ms=self.timeout_ms, cancel=cancel)
        try:
            return recalled(self.client, arguments, lambda ids: self.read(ids, cancel, view)).hits
        except MnemeError as error:
            _pass_unless_absent(error)
            return ()

    def _admitted(self, filter: FilterLike | None) -> FilterLike:
        if isinstance(filter, str):
            return f'type = "{self._type}" AND ({filter})'
        own: Filter = where.type.equals(self._type)
        return own if filter is None else all_of(own, filter)


def _parts(ids: Iterable[str]) -> Iterator[list[str]]:
    distinct = list(dict.fromkeys(ids))
    return (distinct[start : start + IDS] for start in range(0, len(distinct), IDS))


def _value(components: Iterable[Any], name: str) -> float | None:
    return next((float(each.value) for each in components if each.name == name), None)


def _pass_unless_absent(error: MnemeError) -> None:
    if error.reason != "NAMESPACE_NOT_FOUND":
        raise error
