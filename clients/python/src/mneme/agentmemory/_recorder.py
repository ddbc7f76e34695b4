"""Records what an agent does. No failure in here reaches the agent."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any

from ._capture import Snapshot, bounded_json_of, fields_of, is_step, json_of, public_state, snapshot_of
from ._engine import log
from ._queue import MemoryQueue, Record
from .models import is_number, state_importance

#: Least time between two complaints about one agent, in seconds.
_COMPLAINT_INTERVAL_S = 60.0
_MESSAGE_MAX = 500
_ITEMS_MAX = 100

#: Ids of the agents whose action or capture runs here: their nested actions and `get_state` are not recorded.
_inside: ContextVar[frozenset[int]] = ContextVar("mneme_agentmemory_inside", default=frozenset())


def is_inside(agent: Any) -> bool:
    """True within an action or a capture of the agent."""
    return id(agent) in _inside.get()


class Inside:
    """The context of an action or a capture of an agent."""

    __slots__ = ("_id", "_token")

    def __init__(self, agent: Any) -> None:
        self._id = id(agent)
        self._token: Token[frozenset[int]] | None = None

    def __enter__(self) -> None:
        self._token = _inside.set(_inside.get() | {self._id})

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._token is not None:
            _inside.reset(self._token)


class Recorder:
    """Records one agent: the agent's own steps where it advances them, otherwise one step for each action."""

    def __init__(self, queue: MemoryQueue, agent_id: str, is_fixed_id: bool, clock: Callable[[], float]) -> None:
        self._queue = queue
        self._agent_id = agent_id
        self._is_fixed_id = is_fixed_id
        self.clock = clock
        self._lock = threading.Lock()
        self._declared: int | None = None
        self._advances = False
        self._acts = 0
        self._current_step = 0
        self._last_state: tuple[str, int] | None = None
        self._complained = float("-inf")

    def begin(self, agent: Any, state: Any) -> Run:
        """An action of the agent begins in this state."""
        run = Run(self, agent)
        with self.guard(agent):
            run.before = self._snapshot(agent, state)
            run.step = self._step_of(self._declared_by(agent, run.before))
            if run.before is not None:
                self._put_state(run.before, run.step, run.at)
        run.started = time.perf_counter()
        return run

    def saw_state(self, agent: Any, state: Any) -> None:
        """The agent was asked for its state outside of an action."""
        with self.guard(agent):
            snapshot = self._snapshot(agent, state)
            if snapshot is not None:
                self._put_state(snapshot, self._step_now(self._declared_by(agent, snapshot)), self.clock())

    def interaction(self, agent: Any, data: Any, priority: float) -> None:
        """The agent reports an interaction."""
        is_acting = is_inside(agent)
        with self.guard(agent):
            step = self._current_step if is_acting else self._step_now(self._declared_by(agent, None))
            self.put("interaction", step, json_of(fields_of(data)), priority, self.clock())

    def end(self, run: Run, snapshot: Snapshot | None, content: str, interactions: Iterable[Any]) -> None:
        """Stores an action, its interactions, and the state after it."""
        at = self.clock()
        declared = self._declared_by(run.agent, snapshot)
        step, after = run.step, self._step_after(run.step, declared)
        self.put("action", step, content, run.importance, at)
        for interaction in interactions:
            self.put("interaction", step, json_of(fields_of(interaction)), 1.0, at)
        if snapshot is not None:
            self._put_state(snapshot, after, at)

    def put(self, memory_type: str, step: int, json: str, priority: float, at: float) -> None:
        """Queues a memory."""
        self._queue.put(Record(self._agent_id, memory_type, step, json.encode(), priority, at))

    def _put_state(self, snapshot: Snapshot, step: int, at: float) -> None:
        with self._lock:
            if self._last_state == (snapshot.json, step):
                return
            self._last_state = (snapshot.json, step)
        self.put("state", step, snapshot.json, snapshot.importance, at)

    def _snapshot(self, agent: Any, state: Any) -> Snapshot | None:
        if state is UNKNOWN:
            return None
        snapshot = snapshot_of(state)
        if not self._is_fixed_id and snapshot.agent_id is not None:
            self._agent_id = snapshot.agent_id
        return snapshot

    def _declared_by(self, agent: Any, snapshot: Snapshot | None) -> int | None:
        """The step that the agent says it is at."""
        if snapshot is not None and snapshot.step is not None:
            return snapshot.step
        step = getattr(agent, "step_number", None)
        return step if is_step(step) else None

    def _step_of(self, declared: int | None) -> int:
        with self._lock:
            step = self._step(declared)
            self._declared = declared
            self._acts += 1
            self._current_step = step
            return step

    def _step_now(self, declared: int | None) -> int:
        with self._lock:
            return self._step(declared)

    def _step(self, declared: int | None) -> int:
        if declared is None:
            return self._acts
        if self._declared is not None and declared != self._declared:
            self._advances = True
        return declared if self._advances else declared + self._acts

    def _step_after(self, step: int, declared: int | None) -> int:
        with self._lock:
            if declared is not None and self._declared is not None and declared != self._declared:
                self._advances = True
            if declared is not None and self._advances:
                self._declared = declared
                return declared
            return step + 1

    def guard(self, agent: Any) -> Guard:
        """Logs an exception inside, and swallows it."""
        return Guard(self, agent)

    def complain(self, what: str) -> None:
        """Logs a failure with its traceback, at most once a minute for each agent."""
        now = time.monotonic()
        if now - self._complained >= _COMPLAINT_INTERVAL_S:
            self._complained = now
            log.warning("%s of agent %s was not recorded", what, self._agent_id, exc_info=True)


class Guard:
    """Swallows an `Exception` of a recorder, and says so. The agent's own actions are never inside."""

    __slots__ = ("_inside", "_recorder")

    def __init__(self, recorder: Recorder, agent: Any) -> None:
        self._recorder = recorder
        self._inside = Inside(agent)

    def __enter__(self) -> None:
        self._inside.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        if isinstance(error, Exception):
            self._recorder.complain("something")
        self._inside.__exit__(kind, error, at)
        return isinstance(error, Exception)


class _Unknown:
    """No state."""


UNKNOWN = _Unknown()


def read_state(recorder: Recorder, agent: Any) -> Any:
    """The agent's state, or an awaitable of it; `UNKNOWN` where it cannot be read."""
    with recorder.guard(agent):
        method = getattr(agent, "get_state", None)
        return method() if callable(method) else public_state(agent)
    return UNKNOWN


class Run:
    """One action of an agent, from its begin to its end."""

    def __init__(self, recorder: Recorder, agent: Any) -> None:
        self.recorder = recorder
        self.agent = agent
        self.at = recorder.clock()
        self.started = 0.0
        self.step = 0
        self.before: Snapshot | None = None
        self.importance = 0.5
        self._observation: str | None = None
        #: As JSON.
        self._items: list[str] = []
        self._item_count = 0
        self._is_ended = False

    def observe(self, observation: Any) -> None:
        """The arguments of the action, as they are now."""
        with self.recorder.guard(self.agent):
            self._observation = bounded_json_of(observation)

    def saw(self, item: Any) -> None:
        """The action yielded an item."""
        self._item_count += 1
        if len(self._items) < _ITEMS_MAX:
            with self.recorder.guard(self.agent):
                self._items.append(bounded_json_of(item))

    def end(self, state: Any, result: Any = None, error: BaseException | None = None) -> None:
        """The action is over, with a result or an exception. Counts once."""
        duration = time.perf_counter() - self.started
        if self._is_ended:
            return
        self._is_ended = True
        with self.recorder.guard(self.agent):
            after = self.recorder._snapshot(self.agent, state)
            action = _Action(self.agent, result)
            reward = action.reward if action.reward is not None else _reward_in(after)
            change = 0.5 if self.before is None or after is None else _change(self.before, after)
            self.importance = min(1.0, 0.5 * abs(reward) + 0.5 * change)
            facts = {
                "action_type": action.action_type,
                "reward": reward,
                "state_change": change,
                "execution_time": duration,
                "step_number": self.step,
            }
            if error is not None:
                facts["error"] = _error(error)
            parts = {
                "action_params": bounded_json_of(action.params) if action.params else "{}",
                "state_before": "null" if self.before is None else self.before.json,
                "state_after": "null" if after is None else after.json,
            }
            if self._observation is not None:
                parts["observation"] = self._observation
            if action.other is not None:
                parts["result"] = bounded_json_of(action.other)
            if self._item_count > 0:
                parts["yielded"] = f"[{','.join(self._items)}]"
                parts["yield_count"] = str(self._item_count)
            joined = "".join(f',"{name}":{value}' for name, value in parts.items())
            content = f"{json_of(facts)[:-1]}{joined}}}"
            self.recorder.end(self, after, content, action.interactions)


def _change(before: Snapshot, after: Snapshot) -> float:
    return state_importance(before.numbers, after.numbers)


def _reward_in(after: Snapshot | None) -> float:
    reward = None if after is None else after.numbers.get("reward")
    return float(reward) if is_number(reward) else 0.0


def _error(error: BaseException) -> dict[str, Any]:
    is_cancelled = isinstance(error, (asyncio.CancelledError, GeneratorExit))
    return {"type": type(error).__name__, "message": str(error)[:_MESSAGE_MAX], "cancelled": is_cancelled}


class _Action:
    """What a result says of an action: an `ActionResult`, a dict with the same keys, or any value."""

    def __init__(self, agent: Any, result: Any) -> None:
        is_nothing = result is None or result is agent
        has_fields = isinstance(result, Mapping) or (not is_nothing and hasattr(result, "action_type"))
        fields = fields_of(result) if has_fields else {}
        extra = fields.get("extra_data")
        more = {**fields, **extra} if isinstance(extra, Mapping) else fields
        kind = more.get("action_type") or more.get("action")
        self.action_type = kind if isinstance(kind, str) and kind else "act"
        params = more.get("params", more.get("action_params"))
        self.params: Mapping[str, Any] = params if isinstance(params, Mapping) else {}
        reward = more.get("reward")
        self.reward = float(reward) if is_number(reward) else None
        self.interactions = _interactions_in(more)
        known = ("action_type", "params", "action_params", "reward", "extra_data", "interaction", "interactions")
        rest = {key: value for key, value in more.items() if key not in known}
        self.other: Any = (rest or None) if has_fields else (None if is_nothing else result)


def _interactions_in(fields: Mapping[str, Any]) -> list[Any]:
    many, one = fields.get("interactions"), fields.get("interaction")
    found = [*many] if isinstance(many, (list, tuple)) else []
    return [each for each in [*found, one] if isinstance(each, Mapping) or hasattr(each, "as_dict")]
