"""`AgentMemoryAPI`: the memories of all agents of a namespace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any

from typing_extensions import Self

from .. import client as blocking
from . import _checks as check
from . import _files
from ._cache import clear_caches, set_default_ttl
from ._engine import Engine
from ._events import DEFAULT_PRIORITY, EventHook, EventHooks
from ._queue import EXIT_TIMEOUT_S, FlushReport, MemoryQueue
from ._retrieval import Entry
from .config import MemoryConfig
from .errors import (
    MemoryConfigException,
    MemoryMaintenanceException,
    MemoryRetrievalException,
    MemoryStoreException,
    failing_as,
    refused,
)
from .space import MemorySpace


class AgentMemoryAPI:
    """The memories of agents in a namespace of a Mneme server. Any number of threads may use it at the same time.

    Nothing is sent until the first call, which makes the namespace where it is missing and sends the options of the
    configuration that were set.
    """

    def __init__(
        self, config: MemoryConfig | Mapping[str, Any] | None = None, *, client: blocking.Mneme | None = None
    ) -> None:
        """`client`: a client to use in place of a new one; it stays open when the API is closed."""
        if config is None:
            config = MemoryConfig()
        elif not isinstance(config, MemoryConfig):
            if not isinstance(config, Mapping):
                raise refused(MemoryConfigException, "config", f"must be a MemoryConfig or a dict, got {config!r}")
            config = MemoryConfig().changed(config)
        self.is_closed = False
        self._engine = Engine(config, client)
        self._events = EventHooks()
        self._queue = MemoryQueue(self._engine, config.queue_limit, config.queue_bytes)

    @property
    def config(self) -> MemoryConfig:
        """The configuration. Change it with `configure_memory_system`."""
        return self._engine.config

    @property
    def client(self) -> blocking.Mneme:
        """The Mneme client, for everything that the server has beyond this API."""
        return self._engine.client

    def get_memory_space(self, agent_id: str) -> MemorySpace:
        """The memories of one agent. Sends nothing."""
        return MemorySpace(self._engine, self._events, agent_id)

    def store_agent_state(
        self, agent_id: str, state_data: Mapping[str, Any], step_number: int, priority: float = 1.0
    ) -> bool:
        """Stores a state durably. `state_data`: a dict that JSON can carry, or a model; `priority`, 0 to 1, is also the
        importance of the memory. Two memories of one step are two memories."""
        return self._space(MemoryStoreException, agent_id).store_state(state_data, step_number, priority)

    def store_agent_interaction(
        self, agent_id: str, interaction_data: Mapping[str, Any], step_number: int, priority: float = 1.0
    ) -> bool:
        """Stores an interaction durably."""
        return self._space(MemoryStoreException, agent_id).store_interaction(interaction_data, step_number, priority)

    def store_agent_action(
        self, agent_id: str, action_data: Mapping[str, Any], step_number: int, priority: float = 1.0
    ) -> bool:
        """Stores an action durably."""
        return self._space(MemoryStoreException, agent_id).store_action(action_data, step_number, priority)

    def retrieve_state_by_id(self, agent_id: str, memory_id: str) -> Entry | None:
        """The entry with this id; None where the agent has none. Counts as an access, which may move the memory up."""
        return self._space(MemoryRetrievalException, agent_id).retrieve_state_by_id(memory_id)

    def retrieve_recent_states(self, agent_id: str, count: int = 10, memory_type: str | None = None) -> list[Entry]:
        """The entries that happened last, latest first."""
        return self._space(MemoryRetrievalException, agent_id).retrieve_recent_states(count, memory_type)

    def retrieve_similar_states(
        self, agent_id: str, query_state: Mapping[str, Any], k: int = 5, memory_type: str | None = None
    ) -> list[Entry]:
        """The entries most like a state, best first. The result is kept until the next write
        through this API, or until its time is over."""
        space = self._space(MemoryRetrievalException, agent_id)
        return space.retrieve_similar_states(query_state, k, memory_type)

    def retrieve_by_time_range(
        self, agent_id: str, start_step: int, end_step: int, memory_type: str | None = None
    ) -> list[Entry]:
        """The entries of a range of steps, both included, lowest step first."""
        return self._space(MemoryRetrievalException, agent_id).retrieve_by_time_range(start_step, end_step, memory_type)

    def retrieve_by_attributes(
        self, agent_id: str, attributes: Mapping[str, Any], memory_type: str | None = None
    ) -> list[Entry]:
        """The entries whose contents have all of these values at their dotted paths, latest step first."""
        return self._space(MemoryRetrievalException, agent_id).retrieve_by_attributes(attributes, memory_type)

    def search_by_embedding(
        self, agent_id: str, query_embedding: Sequence[float], k: int = 5, memory_tiers: Sequence[str] | None = None
    ) -> list[Entry]:
        """The entries nearest to a vector of the server's model, best first. `memory_tiers`: `stm`, `im`, `ltm`."""
        return self._space(MemoryRetrievalException, agent_id).search_by_embedding(query_embedding, k, memory_tiers)

    def search_by_content(self, agent_id: str, content_query: str | Mapping[str, Any], k: int = 5) -> list[Entry]:
        """The entries that have words of a text, or of a dict, in any order, best first."""
        return self._space(MemoryRetrievalException, agent_id).search_by_content(content_query, k)

    def search(
        self,
        agent_id: str,
        query: Any,
        strategy_name: str | None = None,
        limit: int = 10,
        metadata_filter: Mapping[str, Any] | None = None,
        tier: str | None = None,
        *,
        now: datetime | None = None,
        **parameters: Any,
    ) -> list[Entry]:
        """The entries that a search strategy finds; see `MemorySpace.search`."""
        space = self._space(MemoryRetrievalException, agent_id)
        return space.search(query, strategy_name, limit, metadata_filter, tier, now=now, **parameters)

    def get_memory_snapshots(self, agent_id: str, steps: Sequence[int]) -> dict[int, Entry | None]:
        """The state at each of the steps; None where there is none."""
        return self._space(MemoryRetrievalException, agent_id).get_memory_snapshots(steps)

    def get_attribute_change_history(
        self, agent_id: str, attribute_name: str, start_step: int | None = None, end_step: int | None = None
    ) -> list[Entry]:
        """Changes of a value in the states, by step; see `MemorySpace.get_attribute_change_history`."""
        space = self._space(MemoryRetrievalException, agent_id)
        return space.get_attribute_change_history(attribute_name, start_step, end_step)

    def get_memory_statistics(self, agent_id: str) -> dict[str, Any]:
        """Counts of memories by tier and by type, of all tiers, and the last maintenance by this API."""
        return self._space(MemoryRetrievalException, agent_id).get_memory_statistics()

    def force_memory_maintenance(self, agent_id: str | None = None) -> bool:
        """Moves memories down that are over the limits or the times to live of their tiers: of one agent, or of all."""
        if agent_id is not None:
            return self._space(MemoryMaintenanceException, agent_id).force_memory_maintenance()
        with failing_as(MemoryMaintenanceException, "force_memory_maintenance"):
            self._engine.ready(MemoryMaintenanceException, "force_memory_maintenance")
            self._engine.maintain(None)
        self._engine.maintained(None)
        return True

    def set_importance_score(self, agent_id: str, memory_id: str, importance_score: float) -> bool:
        """Sets the importance of a memory, 0 to 1. False where the agent has no such memory."""
        return self._space(MemoryMaintenanceException, agent_id).set_importance_score(memory_id, importance_score)

    def clear_agent_memory(self, agent_id: str, memory_tiers: Sequence[str] | None = None) -> bool:
        """Erases the agent's memories: all, or those of tiers (`stm`, `im`, `ltm`)."""
        return self._space(MemoryMaintenanceException, agent_id).clear_agent_memory(memory_tiers)

    clear_memory = clear_agent_memory

    def configure_memory_system(self, config: Mapping[str, Any] | MemoryConfig) -> bool:
        """Changes options, by name or by dotted name such as `stm_config.memory_limit`: all of them, or none.
        Connection, namespace and queue stay as they are."""
        changes = config.as_dict() if isinstance(config, MemoryConfig) else config
        if not isinstance(changes, Mapping):
            raise refused(MemoryConfigException, "config", f"must be a dict or a MemoryConfig, got {config!r}")
        fixed = ("address", "namespace", "token", "connect", "queue_limit", "queue_bytes")
        named = next((name for name in fixed if name in changes and changes[name] != getattr(self.config, name)), None)
        if named is not None:
            raise refused(MemoryConfigException, named, "cannot be changed: make another AgentMemoryAPI")
        changed = self.config.changed(changes)
        known = self.config.settings()
        news = {key: value for key, value in changed.settings().items() if known.get(key) != value}
        self._engine.change_config(changed, news)
        return True

    def clear_cache(self) -> None:
        """Removes every kept result in the process, those of `cacheable` functions too."""
        clear_caches()

    clear_all_caches = clear_cache

    def set_cache_ttl(self, ttl: float) -> None:
        """Sets how long results are kept, in seconds, where a `cacheable` function has no time of its own."""
        set_default_ttl(ttl)

    def load_from_json(self, file: _files.File, *, embedding_model: str | None = None) -> int:
        """Stores the memories of a file that `save_to_json` of the library wrote, each in its tier, and returns their
        number. Loading it again changes nothing. Vectors of the file are stored where `embedding_model` names their
        model; otherwise the server computes its own."""
        return _files.load(self._engine, file, embedding_model)

    def save_to_json(self, file: _files.File, *, agent_id: str | None = None) -> int:
        """Writes the memories of an agent, or of all agents, into a file, and returns their number."""
        return _files.save(self._engine, file, agent_id)

    def register_memory_hook(
        self, agent_id: str, event_type: str, hook: EventHook, priority: int = DEFAULT_PRIORITY
    ) -> None:
        """Registers `hook(data, memory_space)` for an event of an agent. Hooks of a higher priority, 1 to 10, are
        called first; those of one priority in the order of registration."""
        self._events.register(check.agent_id(MemoryConfigException, agent_id), event_type, hook, priority)

    def unregister_memory_hook(self, agent_id: str, event_type: str, hook: EventHook) -> bool:
        """Removes a hook; False where it is not registered."""
        return self._events.unregister(agent_id, event_type, hook)

    def trigger_memory_event(self, agent_id: str, event_type: str, data: Mapping[str, Any] | None = None) -> bool:
        """Calls each hook of an event once. True where there is one and none failed; a failure is logged and reaches no
        caller. What a hook returns with `store_memory` is stored as a state."""
        return self._events.trigger(self._space(MemoryRetrievalException, agent_id), event_type, data)

    def flush(self, timeout: float = 10.0) -> FlushReport:
        """Waits until the memories of hooks are stored, at most `timeout` seconds, and says what was stored."""
        return self._queue.flush(timeout)

    def close(self, timeout: float = EXIT_TIMEOUT_S) -> FlushReport:
        """Stores what waits, within `timeout` seconds, then closes the connection, unless the client was given. What
        was not stored is in the report and in the log."""
        report = self._queue.close(timeout)
        self.is_closed = True
        self._engine.close()
        return report

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _space(self, kind: check.Kind, agent_id: str) -> MemorySpace:
        return self.get_memory_space(check.agent_id(kind, agent_id))
