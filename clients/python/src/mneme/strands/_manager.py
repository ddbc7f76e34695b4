"""The memory manager of Strands, for many stores and agents."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

from strands.memory import (
    MemoryAddOptions,
    MemoryAddToolConfig,
    MemoryEntry,
    MemoryInjectionConfig,
    MemorySearchOptions,
    MemoryStore,
    MemoryToolConfig,
)
from strands.memory import MemoryManager as StrandsMemoryManager
from strands.telemetry.tracer import get_tracer
from typing_extensions import Required, TypedDict, Unpack

from .._known import assert_known
from .._quoting import provenance, xml_memory
from ..context import ContextQuery
from ..errors import MnemeError
from ._messages import text_of
from ._store import MnemeMemoryStore, MnemeStoreConfig

if TYPE_CHECKING:
    from strands import Agent
    from strands.types.content import Messages

logger = logging.getLogger(__name__)

_DEFAULT_RESULTS = 3
#: Last messages that a context is built for.
_CONTEXT_MESSAGES = 20
#: Texts of the messages that a model call has anyway.
_live_texts: ContextVar[frozenset[str]] = ContextVar("live_texts", default=frozenset())


class InjectionConfig(MemoryInjectionConfig, total=False):
    """Injection of memories into the model's input."""

    build_context: ContextQuery | bool
    """Injects the context that each Mneme store builds within a budget of tokens, in place of `max_entries` entries and
    `format`; a query has keys of `mneme.ContextQuery`, such as `token_budget`. Other stores are not searched."""


class MemoryManagerOptions(TypedDict, total=False):
    """Arguments of `MemoryManager` beside the stores."""

    search_tool_config: MemoryToolConfig | bool
    """The tool `search_memory`, or its name and description. Default: True."""
    add_tool_config: MemoryAddToolConfig | bool
    """The tool `add_memory`, or its name, description, stores and `wait_for_writes`. Default: False."""
    injection: InjectionConfig | bool
    """Injection of memories into the model's input. Default: True."""
    search_timeout_ms: float
    """Longest time for the search of one store, after which the results of the others are returned. Default: 2,000."""
    flush_timeout_ms: float
    """Longest time for which `flush` waits for the extraction of one store. Default: 5,000."""


_PARTS: dict[str, Any] = {
    "search_tool_config": MemoryToolConfig,
    "add_tool_config": MemoryAddToolConfig,
    "injection": InjectionConfig,
}


class MemoryManagerConfig(MemoryManagerOptions, total=False):
    """Arguments of `MemoryManager`."""

    stores: Required[Sequence[MemoryStore | MnemeStoreConfig]]
    """Memory stores of Strands, or configs of `MnemeMemoryStore`."""


class MemoryManager(StrandsMemoryManager):
    """A memory manager for `Agent(memory_manager=…)`. `agent(…)` flushes it after every invocation; `invoke_async` and
    `stream_async` never do."""

    def __init__(
        self,
        stores: MemoryManagerConfig | Sequence[MemoryStore | MnemeStoreConfig],
        **config: Unpack[MemoryManagerOptions],
    ) -> None:
        """Takes a config, or the stores and the other keys of a config."""
        given: dict[str, Any] = {**stores, **config} if isinstance(stores, Mapping) else {"stores": stores, **config}
        assert_known(given, ["stores", *MemoryManagerOptions.__annotations__], "MemoryManager")
        for name, kind in _PARTS.items():
            if isinstance(given.get(name), Mapping):
                assert_known(given[name], kind.__annotations__, name)
        self._search_timeout_ms: float = given.pop("search_timeout_ms", 2_000)
        self._flush_timeout_ms: float = given.pop("flush_timeout_ms", 5_000)
        self._all_stores = [_store_of(each) for each in given.pop("stores", ())]
        self._failures: dict[tuple[str, str], str] = {}
        self._writes: set[asyncio.Task[None]] = set()
        self._coordinators: list[Any] = []
        self._runs: list[MnemeMemoryStore] = []
        super().__init__(self._all_stores, **given)

    @property
    def failures(self) -> Mapping[str, str]:
        """Why the last search, flush or write of a store failed, by its name, and what it did not save; empty when all
        succeeded."""
        found: dict[str, list[str]] = {}
        for (name, what), why in self._failures.items():
            found.setdefault(name, []).append(f"{what}: {why}")
        for store in dict.fromkeys([*self._all_stores, *self._runs]):
            if isinstance(store, MnemeMemoryStore) and store.unsaved is not None:
                found.setdefault(store.name, []).append(f"save: {store.unsaved}")
        return {name: "; ".join(reasons) for name, reasons in found.items()}

    async def init_agent(self, agent: Agent) -> None:
        """Each agent has a run of its own in the stores: its messages are numbered from 0."""
        bindings = self._extraction_stores
        runs = [_run_of(binding.store) for binding in bindings]
        self._extraction_stores = [
            dataclasses.replace(binding, store=run) for binding, run in zip(bindings, runs, strict=True)
        ]
        self._coordinator = None
        try:
            await super().init_agent(agent)
        finally:
            self._extraction_stores = bindings
        if self._coordinator is not None:
            self._coordinators.append(self._coordinator)
            self._runs += [run for run in runs if isinstance(run, MnemeMemoryStore)]

    async def search(self, query: str, options: MemorySearchOptions | None = None) -> list[MemoryEntry]:
        """Entries of all stores, or of those that are named, best first by the relevance that stores report. Entries
        without one follow, in the order of the stores. A store that fails or is late is logged, named in `failures`
        and left out."""
        named = (options or {}).get("stores")
        limit = (options or {}).get("max_search_results")
        tracer = get_tracer()
        names = [store.name for store in self._all_stores] if named is None else named
        span = tracer.start_memory_search_span(query, names, max_search_results=limit)
        try:
            targets = self._all_stores if named is None else self._named(named)
        except ValueError as error:
            tracer.end_memory_search_span(span, error=error)
            raise
        found = await asyncio.gather(*(self._search_one(store, query, limit) for store in targets))
        entries = [entry for each in found if each is not None for entry in each]
        entries.sort(key=_relevance, reverse=True)
        tracer.end_memory_search_span(span, entries=entries, store_failure_count=found.count(None))
        return entries

    async def add(self, content: str, options: MemoryAddOptions | None = None, **internal: Any) -> None:
        """Adds to all writable stores, or to those that are named. All of them are written, then the stores that failed
        are named in an `AggregateMemoryError`."""
        for store in self._named((options or {}).get("stores") or ()):
            if store.writable and type(store).add is MemoryStore.add:
                raise ValueError(f"MemoryManager: store '{store.name}' has no add method (only add_messages)")
        write = asyncio.ensure_future(super().add(content, options, **internal))
        self._writes.add(write)
        write.add_done_callback(self._writes.discard)
        await write

    async def flush(self) -> None:
        """Waits for all writes, sends every message that is not saved yet, and waits until the servers have extracted
        from them, at most `flush_timeout_ms`. Never fails: what is pending or has failed is named in `failures`."""
        await asyncio.sleep(0)  # Writes that were scheduled begin.
        await asyncio.gather(*self._writes_here(), return_exceptions=True)
        await asyncio.gather(*(coordinator.flush() for coordinator in self._coordinators))
        await asyncio.gather(*(self._flush_one(run) for run in self._runs if run.has_unextracted))

    async def close(self) -> None:
        """Flushes, then ends the connections of the stores."""
        await self.flush()
        stores = [store for store in self._all_stores if isinstance(store, MnemeMemoryStore)]
        await asyncio.gather(*(store.close() for store in stores))

    def _named(self, names: Sequence[str]) -> list[MemoryStore]:
        by_name = {store.name: store for store in self._all_stores}
        for name in names:
            if name not in by_name:
                raise ValueError(f"MemoryManager: store '{name}' not found")
        return [by_name[name] for name in dict.fromkeys(names)]

    async def _search_one(self, store: MemoryStore, query: str, limit: int | None) -> list[MemoryEntry] | None:
        most = limit if limit is not None else store.max_search_results
        options: MemorySearchOptions = {"max_search_results": _DEFAULT_RESULTS if most is None else most}
        live = _live_texts.get()
        with self._bounded(store, "search"):
            found = await asyncio.wait_for(store.search(query, options), self._search_timeout_ms / 1000)
            return [dataclasses.replace(entry, store_name=store.name) for entry in found if entry.content not in live]
        return None

    async def _flush_one(self, run: MnemeMemoryStore) -> None:
        with self._bounded(run, "flush"):
            result = await run.flush(self._flush_timeout_ms)
            if not result.complete:
                errors = [each.error for each in result.conversations if each.error]
                raise RuntimeError("; ".join([f"{result.pending_count} messages are not extracted", *errors]))

    @contextmanager
    def _bounded(self, store: MemoryStore, what: str) -> Iterator[None]:
        """Notes a failure of the store in place of raising it."""
        try:
            yield
            self._failures.pop((store.name, what), None)
        except Exception as error:
            if isinstance(error, MnemeError) and error.reason == "NAMESPACE_NOT_FOUND":
                return  # Nothing was stored yet.
            late = isinstance(error, asyncio.TimeoutError)
            why = f"no answer within {self._search_timeout_ms:g} ms" if late else str(error) or type(error).__name__
            self._failures[store.name, what] = why
            logger.warning("store=<%s>, reason=<%s> | %s failed", store.name, why, what)

    def _writes_here(self) -> list[asyncio.Task[None]]:
        """Writes of the running event loop: those of a loop that was closed have ended with it."""
        loop = asyncio.get_running_loop()
        return [write for write in self._writes if write.get_loop() is loop]

    async def _provide_memory_context(self, messages: Messages, config: MemoryInjectionConfig) -> str | None:
        wanted = cast(InjectionConfig, config).get("build_context")
        live = _live_texts.set(frozenset(text for message in messages if (text := text_of(message))))
        try:
            if not wanted:
                return await super()._provide_memory_context(messages, config)
            query = self._resolve_injection_query(messages, config)
            return await self._context(query, messages, {} if wanted is True else wanted) if query else None
        finally:
            _live_texts.reset(live)

    def _default_injection_format(self, entries: list[MemoryEntry]) -> str:
        """Entries as quoted data with their store, speaker, trust and day, as `build_context` writes them."""
        return xml_memory(
            (entry.content, {"source": entry.store_name or "", **provenance(entry.metadata or {})}) for entry in entries
        )

    async def _context(self, query: str, messages: Messages, wanted: ContextQuery) -> str | None:
        """The contexts of all Mneme stores; one that fails is left out."""
        recent = [{"role": message["role"], "text": text} for message in messages if (text := text_of(message))]
        asked: ContextQuery = {"query": query, "messages": recent[-_CONTEXT_MESSAGES:], **wanted}

        async def text_from(store: MnemeMemoryStore) -> str:
            with self._bounded(store, "build_context"):
                return (await store.build_context(asked)).text
            return ""

        stores = [store for store in self._all_stores if isinstance(store, MnemeMemoryStore)]
        texts = await asyncio.gather(*map(text_from, stores))
        return "\n".join(text for text in texts if text) or None


def _store_of(given: MemoryStore | MnemeStoreConfig) -> MemoryStore:
    return MnemeMemoryStore(**given) if isinstance(given, dict) else given


def _run_of(store: MemoryStore) -> MemoryStore:
    return store.new_run() if isinstance(store, MnemeMemoryStore) else store


def _relevance(entry: MemoryEntry) -> float:
    found = (entry.metadata or {}).get("_relevance")
    return found if isinstance(found, float) else -1.0
