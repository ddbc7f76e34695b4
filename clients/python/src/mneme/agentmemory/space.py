"""`MemorySpace`: the memories of one agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ..memory import NewMemory, Scope
from . import _checks as check
from ._cache import clear_caches, set_default_ttl
from ._engine import Engine
from ._events import EventHook, EventHooks
from ._retrieval import NO_THRESHOLD, Entry, Retrieval
from .errors import (
    MemoryMaintenanceException,
    MemoryRetrievalException,
    MemoryStoreException,
    failing_as,
    refused,
)

_STORE = MemoryStoreException
_MAINTENANCE = MemoryMaintenanceException


class MemorySpace:
    """The memories of one agent: from `AgentMemoryAPI.get_memory_space`.

    Calls that `AgentMemoryAPI` has too also take `agent_id`, which must be that of the space.
    """

    def __init__(self, engine: Engine, events: EventHooks, agent_id: str) -> None:
        self.agent_id = check.agent_id(MemoryRetrievalException, agent_id)
        self._engine = engine
        self._events = events
        self._retrieval = Retrieval(engine, self.agent_id)

    def __repr__(self) -> str:
        return f"MemorySpace({self.agent_id!r})"

    # Storing

    def store_state(
        self, state_data: Mapping[str, Any], step_number: int, priority: float = 1.0, *, agent_id: str | None = None
    ) -> bool:
        """Stores a state durably."""
        return self._store("state", "state_data", state_data, step_number, priority, agent_id)

    def store_interaction(
        self,
        interaction_data: Mapping[str, Any],
        step_number: int,
        priority: float = 1.0,
        *,
        agent_id: str | None = None,
    ) -> bool:
        """Stores an interaction durably."""
        return self._store("interaction", "interaction_data", interaction_data, step_number, priority, agent_id)

    def store_action(
        self, action_data: Mapping[str, Any], step_number: int, priority: float = 1.0, *, agent_id: str | None = None
    ) -> bool:
        """Stores an action durably."""
        return self._store("action", "action_data", action_data, step_number, priority, agent_id)

    def add_memory(
        self, memory_type: str, data: Mapping[str, Any], step_number: int | None = None, priority: float = 1.0
    ) -> str:
        """Stores a memory of any type and returns its id."""
        if check.memory_type(_STORE, memory_type) is None:
            raise refused(_STORE, "memory_type", "is required", agent_id=self.agent_id)
        return self._stored(memory_type, "data", data, step_number, priority)

    def _store(
        self,
        memory_type: str,
        field: str,
        data: Mapping[str, Any],
        step_number: int,
        priority: float,
        agent_id: str | None,
    ) -> bool:
        self._check_agent(_STORE, agent_id)
        check.whole(_STORE, "step_number", step_number)
        self._stored(memory_type, field, data, step_number, priority)
        return True

    def _stored(self, memory_type: str, field: str, data: Any, step: int | None, priority: float) -> str:
        if step is not None:
            check.whole(_STORE, "step_number", step)
        weight = check.share(_STORE, "priority", priority)
        content = check.json_content(_STORE, field, check.record(_STORE, field, data))
        memory = NewMemory(
            scope=Scope(agent=self.agent_id),
            type=memory_type,
            step=step,
            content=content,
            importance=weight,
            priority=weight,
        )
        known = {"agent_id": self.agent_id, "step_number": step, "memory_type": memory_type}
        with failing_as(_STORE, f"store_agent_{memory_type}", **known):
            client = self._engine.ready(_STORE, f"store_agent_{memory_type}", **known)
            receipt = client.store(memory)
        self._engine.stored(self.agent_id)
        return receipt.id

    # Retrieving

    def retrieve_state_by_id(self, memory_id: str, *, agent_id: str | None = None) -> Entry | None:
        """The entry with this id; None where the agent has none. Counts as an access, which may move the memory up."""
        self._check_agent(MemoryRetrievalException, agent_id)
        return self._retrieval.by_id(memory_id)

    def retrieve_recent_states(
        self, count: int = 10, memory_type: str | None = None, *, agent_id: str | None = None
    ) -> list[Entry]:
        """The entries that happened last, latest first."""
        self._check_agent(MemoryRetrievalException, agent_id)
        return self._retrieval.recent(count, memory_type)

    def retrieve_similar_states(
        self,
        query_state: Mapping[str, Any],
        k: int = 5,
        memory_type: str | None = None,
        threshold: float | None = None,
        context_weights: Mapping[str, float] | None = None,
        *,
        agent_id: str | None = None,
    ) -> list[Entry]:
        """The entries most like a state, best first: with `threshold` those of at least this cosine. `context_weights`:
        how much values of the state are emphasized, by path. The result is kept until the next write through this API,
        or until its time is over."""
        self._check_agent(MemoryRetrievalException, agent_id)
        least = NO_THRESHOLD if threshold is None else threshold
        args = (query_state, k, memory_type, least, context_weights)
        return self._retrieval.kept(
            "retrieve_similar_states",
            args,
            lambda: self._retrieval.similar(query_state, k, memory_type, least, context_weights),
        )

    def retrieve_by_time_range(
        self, start_step: int, end_step: int, memory_type: str | None = None, *, agent_id: str | None = None
    ) -> list[Entry]:
        """The entries of a range of steps, both included, lowest step first."""
        self._check_agent(MemoryRetrievalException, agent_id)
        return self._retrieval.in_steps(start_step, end_step, memory_type)

    def retrieve_by_attributes(
        self, attributes: Mapping[str, Any], memory_type: str | None = None, *, agent_id: str | None = None
    ) -> list[Entry]:
        """The entries whose contents have all of these values at their dotted paths, latest step first."""
        self._check_agent(MemoryRetrievalException, agent_id)
        return self._retrieval.with_attributes(attributes, memory_type)

    def search_by_embedding(
        self,
        query_embedding: Sequence[float],
        k: int = 5,
        memory_tiers: Sequence[str] | None = None,
        *,
        agent_id: str | None = None,
    ) -> list[Entry]:
        """The entries nearest to a vector of the server's model, best first. `memory_tiers`: `stm`, `im`, `ltm`."""
        self._check_agent(MemoryRetrievalException, agent_id)
        return self._retrieval.by_vector(query_embedding, k, memory_tiers)

    def search_by_content(
        self, content_query: str | Mapping[str, Any], k: int = 5, *, agent_id: str | None = None
    ) -> list[Entry]:
        """The entries that have words of a text, or of a dict, in any order, best first. The result is kept as that of
        `retrieve_similar_states`."""
        self._check_agent(MemoryRetrievalException, agent_id)
        return self._retrieval.kept(
            "search_by_content", (content_query, k), lambda: self._retrieval.by_content(content_query, k)
        )

    def hybrid_retrieve(
        self,
        query_state: Mapping[str, Any],
        k: int = 5,
        memory_type: str | None = None,
        vector_weight: float = 0.4,
        attribute_weight: float = 0.6,
    ) -> list[Entry]:
        """The entries like a state by vector and by equal attributes, best first."""
        return self._retrieval.hybrid(query_state, k, memory_type, vector_weight, attribute_weight)

    def search(
        self,
        query: Any,
        strategy_name: str | None = None,
        limit: int = 10,
        metadata_filter: Mapping[str, Any] | None = None,
        tier: str | None = None,
        *,
        now: datetime | None = None,
        **parameters: Any,
    ) -> list[Entry]:
        """The entries that a search strategy finds, best first.

        `strategy_name`: `similarity` (default), `temporal`, `attribute`, `step_based`, `sequence`, `match`, `window`,
        `path`, `importance`, `compound`, `combined` and the other presets of `docs/recall.md`, with their `parameters`;
        `now`: instant that relative windows are counted back from.
        """
        return self._retrieval.search(query, strategy_name, limit, metadata_filter, tier, now, parameters)

    def get_memory_snapshots(self, steps: Sequence[int], *, agent_id: str | None = None) -> dict[int, Entry | None]:
        """The state at each of the steps; None where there is none."""
        self._check_agent(MemoryRetrievalException, agent_id)
        return self._retrieval.snapshots(steps)

    def get_attribute_change_history(
        self,
        attribute_name: str,
        start_step: int | None = None,
        end_step: int | None = None,
        *,
        agent_id: str | None = None,
    ) -> list[Entry]:
        """Changes of a value in the states, by step: `{memory_id, step_number, timestamp, previous_value, new_value,
        change}`. `change` is `appeared`, `changed` or `disappeared`; `attribute_name` may be a dotted path."""
        self._check_agent(MemoryRetrievalException, agent_id)
        return self._retrieval.changes(attribute_name, start_step, end_step)

    # Maintenance

    def get_memory_statistics(self, *, agent_id: str | None = None) -> dict[str, Any]:
        """Counts of memories by tier and by type, of all tiers, and the last maintenance by this API."""
        self._check_agent(MemoryRetrievalException, agent_id)
        operation = "get_memory_statistics"
        with failing_as(MemoryRetrievalException, operation, agent_id=self.agent_id):
            client = self._engine.ready(MemoryRetrievalException, operation, agent_id=self.agent_id)
            totals = client.namespaces.get_agent_statistics(self.agent_id)
        upkeep = self._engine.upkeep(self.agent_id)
        of = {check.TIER_NAMES[each.tier]: each for each in totals.tiers}
        tiers = {
            name: {
                "count": of[name].memory_count if name in of else 0,
                "size_bytes": of[name].content_bytes if name in of else 0,
            }
            for name in check.TIERS
        }
        return {
            "total_memories": totals.memory_count,
            "stm_count": tiers["stm"]["count"],
            "im_count": tiers["im"]["count"],
            "ltm_count": tiers["ltm"]["count"],
            "memory_type_distribution": {each.type: each.memory_count for each in totals.types},
            "last_maintenance_time": upkeep.last_time,
            "insert_count_since_maintenance": upkeep.insert_count,
            "timestamp": self._engine.clock(),
            "tiers": tiers,
        }

    def force_memory_maintenance(self, *, agent_id: str | None = None) -> bool:
        """Moves the agent's memories down that are over the limits or the times to live of their tiers."""
        self._check_agent(_MAINTENANCE, agent_id)
        operation = "force_memory_maintenance"
        with failing_as(_MAINTENANCE, operation, agent_id=self.agent_id):
            self._engine.ready(_MAINTENANCE, operation, agent_id=self.agent_id)
            self._engine.maintain(self.agent_id)
        self._engine.maintained(self.agent_id)
        return True

    def set_importance_score(self, memory_id: str, importance_score: float, *, agent_id: str | None = None) -> bool:
        """Sets the importance of a memory, 0 to 1. False where the agent has no such memory."""
        self._check_agent(_MAINTENANCE, agent_id)
        importance = check.share(_MAINTENANCE, "importance_score", importance_score)
        operation, known = "set_importance_score", {"agent_id": self.agent_id, "memory_id": memory_id}
        with failing_as(_MAINTENANCE, operation, **known):
            client = self._engine.ready(_MAINTENANCE, operation, **known)
            found = client.batch_get([memory_id], view="metadata").memories
            if not found or found[0].scope.agent != self.agent_id:
                return False
            client.set_importance(memory_id, importance)
        self._engine.wrote()
        return True

    def clear_agent_memory(self, memory_tiers: Sequence[str] | None = None, *, agent_id: str | None = None) -> bool:
        """Erases the agent's memories: all, or those of tiers (`stm`, `im`, `ltm`)."""
        self._check_agent(_MAINTENANCE, agent_id)
        tiers = check.tiers(_MAINTENANCE, memory_tiers) or list(check.TIERS.values())
        operation = "clear_agent_memory"
        with failing_as(_MAINTENANCE, operation, agent_id=self.agent_id):
            client = self._engine.ready(_MAINTENANCE, operation, agent_id=self.agent_id)
            for tier in tiers:
                client.clear_tier(tier, scope=Scope(agent=self.agent_id))
        self._engine.wrote()
        return True

    clear_memory = clear_agent_memory

    def clear_cache(self) -> None:
        """Removes every kept result in the process, those of `cacheable` functions too."""
        clear_caches()

    def set_cache_ttl(self, ttl: float) -> None:
        """Sets how long results are kept, in seconds."""
        set_default_ttl(ttl)

    # Events

    def register_memory_hook(self, event_type: str, hook: EventHook, priority: int = 5) -> None:
        """Registers a function for an event; see `AgentMemoryAPI.register_memory_hook`."""
        self._events.register(self.agent_id, event_type, hook, priority)

    def trigger_memory_event(self, event_type: str, data: Mapping[str, Any] | None = None) -> bool:
        """Calls the functions of an event; see `AgentMemoryAPI.trigger_memory_event`."""
        return self._events.trigger(self, event_type, data)

    def _check_agent(self, kind: check.Kind, agent_id: str | None) -> None:
        if agent_id is not None and agent_id != self.agent_id:
            raise refused(kind, "agent_id", f"must be that of the space, {self.agent_id!r}, got {agent_id!r}")
