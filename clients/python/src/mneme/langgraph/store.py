"""A store of LangGraph in a namespace of Mneme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from itertools import chain, islice
from types import TracebackType
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)
from typing_extensions import Self

from .. import client as blocking
from .._adapters import in_thread, query_text
from .._known import strict
from ..errors import MnemeError
from ..filters import Filter, all_of, where
from ..memory import Memory
from ..options import Cancellation
from ..recall import RecallHit
from ._filters import admits, check, narrow
from ._items import (
    UNINDEXED,
    address_of,
    expiry,
    found_item_of,
    item_id,
    item_of,
    items_within,
    memory_of,
    ttl_minutes_of,
    value_of,
)
from ._remote import Remote

_HITS_MAX = 1_000

Puts = dict[tuple[tuple[str, ...], str], PutOp]


class MnemeStore(BaseStore):
    """A store in a namespace of a server: durable, searched by the server's recall, shared by any number of programs.
    It may be used from any thread and any event loop.

    ```python
    from mneme.langgraph import MnemeStore

    with MnemeStore("127.0.0.1:50051") as store:
        store.put(("users", "ada"), "drink", {"text": "drinks tea without milk"}, ttl=60)
        print(store.search(("users",), query="what does she drink?")[0].value)
    ```

    A batch reads the state before it and then writes; of several puts of one key the last one counts.
    """

    supports_ttl = True

    @strict
    def __init__(
        self,
        address: str = "127.0.0.1:50051",
        *,
        namespace: str = "default",
        fields: Sequence[str] | None = None,
        ttl: TTLConfig | None = None,
        min_relevance: float = 0,
        timeout_ms: float = 10_000,
        connect: Mapping[str, Any] | None = None,
        client: blocking.Mneme | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        """`address`, `namespace` and `connect` (more arguments of `mneme.connect`) say where the items are; `client` is
        a client to use in their place. Nothing is sent until the first call.

        `fields`: paths of the texts that a query searches (default: the whole value); `ttl`: defaults of times to live;
        `min_relevance`: lowest relevance of an item that a search with a query finds, 0 to 1 (default 0: a search gives
        up to `limit` items, whether they answer or not); `timeout_ms`: longest time of each call to the server; `now`:
        the clock of `updated_at` and of expiry.
        """
        if isinstance(fields, str):
            raise TypeError("fields: must be a list of paths, got str")
        self.ttl_config = ttl
        self._fields = fields
        self._min_relevance = min_relevance
        self._now = now
        self._remote = Remote(address, client.namespace if client else namespace, connect, client, timeout_ms)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carries out operations; the results are in their order."""
        return self._batch(list(ops), None)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`. Cancelling the task cancels the call to the server; a write may have taken effect."""
        given = list(ops)
        return await in_thread(lambda cancel: self._batch(given, cancel))

    def close(self) -> None:
        """Closes the connection, unless it belongs to a supplied client."""
        self._remote.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _batch(self, ops: list[Op], cancel: Cancellation | None) -> list[Result]:
        results: list[Result] = [None] * len(ops)
        gets: dict[int, GetOp] = {}
        puts: Puts = {}
        for op in ops:
            validate_op_namespace(op)
        for place, op in enumerate(ops):
            if isinstance(op, GetOp):
                gets[place] = op
            elif isinstance(op, PutOp):
                puts[tuple(op.namespace), op.key] = op
            elif not isinstance(op, (SearchOp, ListNamespacesOp)):
                raise ValueError(f"Unknown operation type: {type(op)}")
        written = self._memories_of(puts)  # Every put is checked before the first call.
        for place, item in self._get(gets, cancel).items():
            results[place] = item
        for place, op in enumerate(ops):
            if isinstance(op, SearchOp):
                results[place] = self._search(op, cancel)
            elif isinstance(op, ListNamespacesOp):
                results[place] = self._list_namespaces(op, cancel)
        self._remote.forget_ids([item_id(*key) for key, op in puts.items() if op.value is None], cancel)
        self._remote.write(written, "replace", cancel)
        return results

    def _memories_of(self, puts: Puts) -> list[dict[str, Any]]:
        now = self._now()
        return [memory_of(op, self._fields, now) for op in puts.values() if op.value is not None]

    def _get(self, gets: dict[int, GetOp], cancel: Cancellation | None) -> dict[int, Item | None]:
        ids = {place: item_id(op.namespace, op.key) for place, op in gets.items()}
        found = self._remote.read(list(dict.fromkeys(ids.values())), cancel)
        refreshed = {ids[place] for place, op in gets.items() if op.refresh_ttl}
        self._refresh([memory for memory in found.values() if memory.id in refreshed], cancel)
        return {place: item_of(found[id]) if id in found else None for place, id in ids.items()}

    def _search(self, op: SearchOp, cancel: Cancellation | None) -> list[SearchItem]:
        for name, value in (("limit", op.limit), ("offset", op.offset)):
            if value < 0:
                raise ValueError(f"{name}: must be 0 or more, got {value}")
        check(op.filter)
        end = op.offset + op.limit
        if op.limit == 0:
            return []
        condition = all_of(items_within(op.namespace_prefix), *narrow(op.filter))
        ranked = self._ranked(op, condition, end, cancel)
        ids = {memory.id for memory, _ in ranked}
        listed = () if _asked(op) and self._min_relevance > 0 else self._listed(op, condition, end, cancel)
        rest = ((memory, None) for memory in listed if memory.id not in ids)
        found: list[tuple[Memory, RecallHit | None]] = list(islice(chain(ranked, rest), op.offset, end))
        if op.refresh_ttl:
            self._refresh([memory for memory, _ in found], cancel)
        return [found_item_of(memory, hit) for memory, hit in found]

    def _ranked(
        self, op: SearchOp, condition: Filter, end: int, cancel: Cancellation | None
    ) -> list[tuple[Memory, RecallHit | None]]:
        """The items that answer the query, best first; the best `end` of them at least."""
        text = _asked(op)
        if not text:
            return []
        indexed = condition & ~where.tag.equals(UNINDEXED)
        # Each item is an answer of its own, also one of equal text. All pages of a search are of one ranking.
        query: dict[str, Any] = {"text": text, "filter": indexed, "include_invalid": True}
        query["min_relevance"] = self._min_relevance
        limit = _HITS_MAX if op.offset > 0 else min(end, _HITS_MAX)
        while True:
            hits = self._remote.recall(cancel, limit=limit, **query)
            found = [(hit.memory, hit) for hit in hits if _is_admitted(hit.memory, op)]
            if len(found) >= end or len(hits) < limit or limit == _HITS_MAX:
                return list(found)
            limit = _HITS_MAX

    def _listed(self, op: SearchOp, condition: Filter, end: int, cancel: Cancellation | None) -> Iterator[Memory]:
        """All items, newest first."""
        pages = self._remote.list(condition, cancel, order="event_time_desc", page_size=min(end, 1_000))
        return (memory for memory in pages if _is_admitted(memory, op))

    def _refresh(self, memories: Iterable[Memory], cancel: Cancellation | None) -> None:
        """Begins the time to live anew. An item that another program has changed meanwhile keeps its own."""
        now = self._now()
        for memory in memories:
            minutes = ttl_minutes_of(memory)
            if minutes is None:
                continue
            changes = {"expire_time": expiry(minutes, now)}
            try:
                self._remote.client.update(
                    memory.id, changes, if_version=memory.version, **self._remote.options(cancel)
                )
            except MnemeError as error:
                if error.reason not in ("VERSION_MISMATCH", "MEMORY_NOT_FOUND"):
                    raise

    def _list_namespaces(self, op: ListNamespacesOp, cancel: Cancellation | None) -> list[tuple[str, ...]]:
        for name, value in (("limit", op.limit), ("offset", op.offset)):
            if value < 0:
                raise ValueError(f"{name}: must be 0 or more, got {value}")
        conditions = op.match_conditions or ()
        within = all_of(items_within(()), *(items_within(_literal(each)) for each in conditions))
        addresses = (address_of(memory) for memory in self._remote.list(within, cancel, view="metadata"))
        found = {address.namespace for address in addresses if address is not None}
        matching = (labels for labels in found if all(_does_match(each, labels) for each in conditions))
        return sorted({labels[: op.max_depth] for labels in matching})[op.offset : op.offset + op.limit]


def _asked(op: SearchOp) -> str:
    """As much of the query as is searched; empty without one."""
    return query_text(op.query or "")


def _is_admitted(memory: Memory, op: SearchOp) -> bool:
    value = value_of(memory)
    return value is not None and admits(value, op.filter)


def _literal(condition: MatchCondition) -> tuple[str, ...]:
    """The labels before the first wildcard of a prefix."""
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    labels = tuple(condition.path)
    if condition.match_type == "suffix":
        return ()
    return labels[: labels.index("*")] if "*" in labels else labels


def _does_match(condition: MatchCondition, labels: tuple[str, ...]) -> bool:
    size = len(condition.path)
    if len(labels) < size:
        return False
    part = labels[:size] if condition.match_type == "prefix" else labels[len(labels) - size :]
    return all(wanted in ("*", label) for wanted, label in zip(condition.path, part, strict=True))
