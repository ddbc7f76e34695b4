"""Retrieval of an agent's memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from ..filters import Filter, all_of, any_of, path, where
from ..memory import Memory, Tier
from ..results import AttributeChange, MemoryOrder
from . import _checks as check
from ._engine import Engine, log
from ._entries import VectorForms, entry_of
from ._keys import call_key
from .errors import MemoryRetrievalException, failing_as, refused

Entry = dict[str, Any]

_KIND = MemoryRetrievalException
#: Steps in one call of the server.
_STEPS_PER_CALL = 1_000
_CHANGES_PER_CALL = 10_000
#: Most hits of one search.
HITS_MAX = 1_000
#: No cosine is below it.
NO_THRESHOLD = -1.0
_STATE = "state"

#: The parameter of a preset that a bare query stands for; of the others an object is all parameters.
_BARE = {
    "attribute": "query",
    "similarity": "query",
    "content": "query",
    "hybrid": "query_state",
    "importance": "min_importance",
    "step_based": "reference_step",
    "sequence": "reference_id",
    "temporal": "timestamp",
}
_TAKES_OBJECTS = {"attribute", "similarity", "content", "hybrid"}


class Retrieval:
    """Reads memories of one agent. Arguments are checked before anything is sent."""

    def __init__(self, engine: Engine, agent_id: str) -> None:
        self._engine = engine
        self._agent = agent_id

    def by_id(self, memory_id: str) -> Entry | None:
        """The entry, which counts as an access, unless it is of another agent."""
        if not isinstance(memory_id, str) or memory_id == "":
            raise self._refused("memory_id", f"must be a text that is not empty, got {memory_id!r}")
        config = self._engine.config
        counts = not (config.stm_config.test_mode or config.im_config.test_mode)
        with failing_as(_KIND, "retrieve_state_by_id", agent_id=self._agent, memory_id=memory_id):
            client = self._ready("retrieve_state_by_id")
            found = client.batch_get([memory_id], view=self._view)
            if not found.memories or found.memories[0].scope.agent != self._agent:
                return None
            memory = client.get(memory_id, view=self._view, focus=True) if counts else found.memories[0]
            return entry_of(memory, self._forms())

    def listed(
        self,
        operation: str,
        conditions: Iterable[Filter],
        order: MemoryOrder,
        memory_type: str | None,
        count: int | None = None,
    ) -> list[Entry]:
        """All memories that meet the conditions, or the first ones."""
        kind = check.memory_type(_KIND, memory_type)
        of_type = [] if kind is None else [where.type.equals(kind)]
        filter = all_of(where.agent.equals(self._agent), *of_type, *conditions)
        with failing_as(_KIND, operation, agent_id=self._agent):
            client = self._ready(operation)
            size = {} if count is None else {"page_size": min(count, HITS_MAX)}
            with client.list(filter=filter, order=order, view=self._view, **size) as memories:
                found = list(memories if count is None else islice(memories, count))
            return self._entries((memory, None) for memory in found)

    def recent(self, count: int, memory_type: str | None) -> list[Entry]:
        """The memories that happened last, latest first."""
        check.whole(_KIND, "count", count, 1)
        return self.listed("retrieve_recent_states", [], "event_time_desc", memory_type, count)

    def in_steps(self, start_step: int, end_step: int, memory_type: str | None) -> list[Entry]:
        """Memories of a range of steps, lowest step first."""
        check.whole(_KIND, "start_step", start_step)
        check.whole(_KIND, "end_step", end_step)
        if start_step > end_step:
            raise self._refused("start_step", f"must not exceed end_step, got {start_step} and {end_step}")
        bounds = [where.step.greater_or_equal(start_step), where.step.less_or_equal(end_step)]
        return self.listed("retrieve_by_time_range", bounds, "step_asc", memory_type)

    def with_attributes(self, attributes: Mapping[str, Any], memory_type: str | None) -> list[Entry]:
        """Memories whose contents have all of the values at their dotted paths, latest step first."""
        if not isinstance(attributes, Mapping) or not attributes:
            raise self._refused("attributes", f"must be a dict that is not empty, got {attributes!r}")
        for name in attributes:
            if not isinstance(name, str) or name == "":
                raise self._refused("attributes", f"must have paths as keys, got {name!r}")
        check.json_content(_KIND, "attributes", attributes)
        # Contents of imported entries are one level deeper.
        conditions = [
            any_of(path(name).equals(value), path(f"content.{name}").equals(value))
            for name, value in attributes.items()
        ]
        found = self.listed("retrieve_by_attributes", conditions, "step_desc", memory_type)
        # The filter also looks into arrays.
        return [entry for entry in found if all(_has(entry, name, value) for name, value in attributes.items())]

    def snapshots(self, steps: Sequence[int]) -> dict[int, Entry | None]:
        """The state at each step."""
        if not isinstance(steps, (list, tuple)) or not steps:
            raise self._refused("steps", f"must be a list of steps that is not empty, got {steps!r}")
        asked = list(dict.fromkeys(check.whole(_KIND, f"steps[{place}]", step) for place, step in enumerate(steps)))
        found: dict[int, Entry | None] = dict.fromkeys(asked)
        with failing_as(_KIND, "get_memory_snapshots", agent_id=self._agent):
            client, forms = self._ready("get_memory_snapshots"), self._forms()
            for at in range(0, len(asked), _STEPS_PER_CALL):
                part = asked[at : at + _STEPS_PER_CALL]
                scope = {"agent": self._agent}
                for state in client.get_states_at_steps(part, scope=scope, type=_STATE, view=self._view):
                    found[state.step] = None if state.memory is None else entry_of(state.memory, forms)
        return found

    def changes(self, name: str, start_step: int | None, end_step: int | None) -> list[Entry]:
        """Changes of a value in states, by step."""
        if not isinstance(name, str) or name == "":
            raise self._refused("attribute_name", f"must be a text that is not empty, got {name!r}")
        for field, step in (("start_step", start_step), ("end_step", end_step)):
            if step is not None:
                check.whole(_KIND, field, step)
        if start_step is not None and end_step is not None and start_step > end_step:
            raise self._refused("start_step", f"must not exceed end_step, got {start_step} and {end_step}")
        operation = "get_attribute_change_history"
        with failing_as(_KIND, operation, agent_id=self._agent):
            self._ready(operation)
            found = self._changes(name, start_step, end_step) or self._changes(f"content.{name}", start_step, end_step)
        return [_change_entry(change) for change in found]

    def _changes(self, name: str, start_step: int | None, end_step: int | None) -> list[AttributeChange]:
        found: list[AttributeChange] = []
        while True:
            answer = self._engine.client.get_attribute_history(
                name,
                scope={"agent": self._agent},
                type=_STATE,
                start_step=start_step,
                end_step=end_step,
                limit=_CHANGES_PER_CALL,
            )
            changes = list(answer.changes)
            if found:
                # The answer begins with changes of the last step, and says of the first one that it appeared.
                ids = [change.id for change in changes]
                changes = changes[ids.index(found[-1].id) + 1 :] if found[-1].id in ids else changes
            found += changes
            if not answer.truncated or not changes:
                return found
            start_step = found[-1].step

    def similar(
        self,
        query_state: Mapping[str, Any],
        k: int,
        memory_type: str | None,
        threshold: float,
        context_weights: Mapping[str, float] | None = None,
    ) -> list[Entry]:
        """The memories most like a state, best first, over all tiers."""
        state = check.record(_KIND, "query_state", query_state)
        check.json_content(_KIND, "query_state", state)
        if not self._engine.config.use_embedding_engine:
            raise self._refused("use_embedding_engine", "is False: similarity needs it")
        parameters = {"query": state, "min_score": threshold}
        if context_weights is not None:
            parameters["context_weights"] = dict(context_weights)
        return self.preset("retrieve_similar_states", "similarity", parameters, k, memory_type)

    def by_vector(self, query_embedding: Any, k: int, memory_tiers: Sequence[str] | None) -> list[Entry]:
        """The memories nearest to a vector of the server's model, best first."""
        values, tiers = check.vector(_KIND, query_embedding), check.tiers(_KIND, memory_tiers)
        parameters = {"query": values, "min_score": NO_THRESHOLD}
        return self.preset("search_by_embedding", "similarity", parameters, k, None, tiers)

    def by_content(self, content_query: str | Mapping[str, Any], k: int) -> list[Entry]:
        """Memories that have words of a text, best first."""
        is_text = isinstance(content_query, str) and content_query.strip() != ""
        if not is_text and not (isinstance(content_query, Mapping) and content_query):
            problem = f"must be a text or a dict that is not empty, got {content_query!r}"
            raise self._refused("content_query", problem)
        query: Any = content_query
        if isinstance(content_query, Mapping):
            check.json_content(_KIND, "content_query", content_query)
            only_text = set(content_query) == {"text"} and isinstance(content_query["text"], str)
            query = content_query["text"] if only_text else dict(content_query)
        return self.preset("search_by_content", "content", {"query": query}, k, None)

    def hybrid(
        self, state: Mapping[str, Any], k: int, memory_type: str | None, vector: float, attribute: float
    ) -> list[Entry]:
        """Memories like a state by vector and by equal attributes."""
        given = check.record(_KIND, "query_state", state)
        check.json_content(_KIND, "query_state", given)
        parameters = {"query_state": given, "vector_weight": vector, "attribute_weight": attribute}
        return self.preset("hybrid_retrieve", "hybrid", parameters, k, memory_type)

    def search(
        self,
        query: Any,
        strategy_name: str | None,
        limit: int,
        metadata_filter: Mapping[str, Any] | None,
        tier: str | None,
        now: datetime | None,
        more: Mapping[str, Any],
    ) -> list[Entry]:
        """Searches by a strategy."""
        name = strategy_name or "similarity"
        is_spread = isinstance(query, Mapping) and name not in _TAKES_OBJECTS
        parameters: dict[str, Any] = dict(query) if is_spread else {}
        if not is_spread and query is not None:
            parameters[_BARE.get(name, "query")] = query
        parameters.update({key: value for key, value in more.items() if value is not None})
        parameters.pop("skip_validation", None)  # Checksums are always verified.
        if metadata_filter is not None:
            parameters["metadata_filter"] = metadata_filter
        if tier is not None:
            parameters["tier"] = tier
        check.json_content(_KIND, "query", parameters)
        if check.whole(_KIND, "limit", limit) == 0:
            return []
        return self.preset("search", name, parameters, limit, None, now=now)

    def preset(
        self,
        operation: str,
        name: str,
        parameters: Mapping[str, Any],
        k: int,
        memory_type: str | None,
        tiers: Sequence[Tier] | None = None,
        now: datetime | None = None,
    ) -> list[Entry]:
        """Hits of a preset with their scores, best first."""
        check.whole(_KIND, "limit" if operation == "search" else "k", k, 1)
        kind = check.memory_type(_KIND, memory_type)
        preset: dict[str, Any] = {
            "name": name,
            "parameters": dict(parameters) if kind is None else {**parameters, "memory_type": kind},
        }
        if now is not None:
            preset["now"] = now
        query: dict[str, Any] = {"preset": preset, "scope": {"agent": self._agent}, "scope_view": "own"}
        if tiers is not None:
            query["tiers"] = tiers
        with failing_as(_KIND, operation, agent_id=self._agent):
            client = self._ready(operation)
            answer = client.recall({**query, "limit": k, "view": self._view})
            if answer.degraded:
                parts = ", ".join(f"{each.part}: {each.reason}" for each in answer.degraded)
                log.warning("%s of %s is incomplete: %s", operation, self._agent, parts)
            return self._entries((hit.memory, hit.score) for hit in answer.hits)

    def kept(self, operation: str, args: tuple[Any, ...], compute: Callable[[], list[Entry]]) -> list[Entry]:
        """The result of an earlier call with equal arguments, if it is kept, or the computed one."""
        found: list[Entry] = self._engine.cache.through(call_key((operation, self._agent, *args), {}), compute)
        return found

    @property
    def _view(self) -> Any:
        return "full" if self._engine.config.use_embedding_engine else "basic"

    def _forms(self) -> VectorForms:
        return self._engine.forms() if self._engine.config.use_embedding_engine else VectorForms()

    def _entries(self, found: Iterable[tuple[Memory, float | None]]) -> list[Entry]:
        memories = list(found)
        forms = self._forms() if any(memory.embedding for memory, _ in memories) else VectorForms()
        return [entry_of(memory, forms, score) for memory, score in memories]

    def _ready(self, operation: str) -> Any:
        return self._engine.ready(_KIND, operation, agent_id=self._agent)

    def _refused(self, field: str, problem: str) -> Exception:
        return refused(_KIND, field, problem, agent_id=self._agent)


def _has(entry: Entry, name: str, wanted: Any) -> bool:
    value: Any = entry["contents"]
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return False
        value = value[part]
    return _is_equal(value, wanted)


def _is_equal(one: Any, other: Any) -> bool:
    """Equality of JSON values: a truth value is no number."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_equal(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_is_equal, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _change_entry(change: AttributeChange) -> Entry:
    return {
        "memory_id": change.id,
        "step_number": change.step,
        "timestamp": change.event_time.timestamp(),
        "previous_value": change.previous_value,
        "new_value": change.new_value,
        "change": change.kind,
    }
