"""Functions that are called on events of an agent, in the order of their priorities."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ._engine import log
from .errors import MemoryConfigException, MemoryRetrievalException, refused

if TYPE_CHECKING:
    from .space import MemorySpace

EventHook = Callable[[dict[str, Any], "MemorySpace"], Any]
"""Called with the data of the event and the agent's memory space. May return `{"store_memory": True, "memory_data": …,
"step_number": 0, "priority": 1.0}`, which is stored as a state."""

_PRIORITIES = (1, 10)
DEFAULT_PRIORITY = 5


class EventHooks:
    """Hooks by agent and event. Safe for threads."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._hooks: dict[tuple[str, str], list[tuple[int, EventHook]]] = {}

    def register(self, agent_id: str, event_type: str, hook: EventHook, priority: int = DEFAULT_PRIORITY) -> None:
        """Hooks of a higher priority, 1 to 10, are called first; those of one priority in the order of registration."""
        low, high = _PRIORITIES
        if not isinstance(event_type, str) or event_type == "":
            raise _refused("event_type", f"must be a text that is not empty, got {event_type!r}", agent_id)
        if not callable(hook) or inspect.iscoroutinefunction(hook):
            raise _refused("hook", f"must be a function that is no coroutine function, got {hook!r}", agent_id)
        if isinstance(priority, bool) or not isinstance(priority, int) or not low <= priority <= high:
            raise _refused("priority", f"must be a whole number from {low} to {high}, got {priority!r}", agent_id)
        with self._lock:
            hooks = self._hooks.setdefault((agent_id, event_type), [])
            hooks.append((priority, hook))
            hooks.sort(key=lambda each: -each[0])  # The sort is stable.

    def unregister(self, agent_id: str, event_type: str, hook: EventHook) -> bool:
        """Removes a hook; False where it is not registered."""
        with self._lock:
            hooks = self._hooks.get((agent_id, event_type), [])
            kept = [each for each in hooks if each[1] != hook]
            self._hooks[agent_id, event_type] = kept
            return len(kept) < len(hooks)

    def trigger(self, space: MemorySpace, event_type: str, data: Mapping[str, Any] | None) -> bool:
        """Calls each hook once. True where there is one and none failed; a failure is logged and reaches no caller."""
        if data is not None and not isinstance(data, Mapping):
            kind = MemoryRetrievalException
            raise refused(kind, "data", f"must be a dict or None, got {type(data).__name__}", agent_id=space.agent_id)
        with self._lock:
            hooks = list(self._hooks.get((space.agent_id, event_type), []))
        is_done = bool(hooks)
        for _, hook in hooks:
            try:
                _store(space, hook({"timestamp": self._clock(), **(data or {})}, space))
            except Exception:
                log.exception("a hook of %s for %s failed: %r", space.agent_id, event_type, hook)
                is_done = False
        return is_done


def _store(space: MemorySpace, answer: Any) -> None:
    if isinstance(answer, Mapping) and answer.get("store_memory") is True:
        space.store_state(answer.get("memory_data", {}), answer.get("step_number", 0), answer.get("priority", 1.0))


def _refused(field: str, problem: str, agent_id: str) -> Exception:
    return refused(MemoryConfigException, field, problem, agent_id=agent_id)
