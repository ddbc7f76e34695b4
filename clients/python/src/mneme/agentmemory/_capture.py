"""States and results of agents as JSON. Values that JSON cannot carry are converted, so a capture never refuses one."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import date
from typing import Any

from .models import Model, is_number

_DEPTH_MAX = 32
_VISITS_MAX = 100_000
_REPR_MAX = 200
_TEXT_MAX = 1 << 16
#: Value of a state that has keys, but no numbers to compare.
_NO_NUMBERS: Mapping[str, Any] = {"": None}


@dataclass(frozen=True)
class Snapshot:
    """A state at an instant. Later changes of the agent do not reach it."""

    json: str
    numbers: Mapping[str, Any]
    """Its numbers and truth values at the top level; empty for an empty state."""
    agent_id: str | None
    step: int | None
    importance: float
    """Of the state by itself, 0.5 to 1: how bad its health and how large its reward is."""


def snapshot_of(state: Any) -> Snapshot:
    """The state as it is now."""
    fields = fields_of(state)
    numbers = {key: value for key, value in fields.items() if isinstance(value, (int, float))}
    agent, step = fields.get("agent_id"), fields.get("step_number")
    return Snapshot(
        json=json_of(fields),
        numbers=(numbers or _NO_NUMBERS) if fields else {},
        agent_id=agent if isinstance(agent, str) and agent else None,
        step=step if is_step(step) else None,
        importance=_importance(fields),
    )


def is_step(value: Any) -> bool:
    """True for a whole number that can be a step."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _importance(fields: Mapping[str, Any]) -> float:
    health, reward = fields.get("health"), fields.get("reward")
    parts = [0.5]
    if is_number(health):
        parts.append(1 - health)
    if is_number(reward):
        parts.append(abs(reward) / 5)
    return float(min(1.0, max(parts)))


def fields_of(value: Any) -> Mapping[str, Any]:
    """A dict of it: of a dict, a model, a dataclass or a pydantic model its fields, of anything else `{"value": …}`."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Model):
        return {name: each for name, each in vars(value).items() if each is not None}
    for method in ("as_dict", "model_dump", "to_dict", "_asdict"):
        found = getattr(value, method, None)
        fields = found() if callable(found) and not isinstance(value, type) else None
        if isinstance(fields, Mapping):
            return fields
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return {} if value is None else {"value": value}


def public_state(agent: Any) -> dict[str, Any]:
    """Public attributes with plain values, of an agent without `get_state`."""
    kinds = (str, int, float, bool, list, dict, tuple, type(None))
    found = getattr(agent, "__dict__", {})
    return {key: value for key, value in found.items() if not key.startswith("_") and isinstance(value, kinds)}


def json_of(value: Any) -> str:
    """The value as JSON text."""
    try:
        text = _dumps(value)
        text.encode()
    except (TypeError, ValueError, RecursionError):
        return _dumps(_plain(value, 0, itertools.count())).encode(errors="replace").decode()
    return text


def bounded_json_of(value: Any) -> str:
    """The same; of a value with more than 65,536 characters of JSON their number."""
    text = json_of(value)
    return text if len(text) <= _TEXT_MAX else f'"<{len(text):,} characters>"'


def _dumps(value: Any) -> str:
    return _ENCODER.encode(value)


def _converted(value: Any) -> Any:
    """The nearest that JSON can carry."""
    if isinstance(value, (Set, tuple)):
        return sorted(value, key=repr) if isinstance(value, Set) else list(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"<{len(value)} bytes>"
    try:
        if hasattr(value, "tolist"):  # numpy
            return value.tolist()
        fields = fields_of(value)
    except Exception:
        return _short_repr(value)
    return _short_repr(value) if set(fields) == {"value"} else dict(fields)


def _short_repr(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _REPR_MAX else f"{text[:_REPR_MAX]}…"


def _plain(value: Any, depth: int, visits: Iterator[int]) -> Any:
    """The value with texts as keys, without NaN, and without what is nested too deeply."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    # Objects that refer to each other would be walked along every path between them.
    if depth > _DEPTH_MAX or next(visits) >= _VISITS_MAX:
        return "<nested too deeply>"
    if isinstance(value, Mapping):
        return {
            key if isinstance(key, str) else _short_repr(key): _plain(each, depth + 1, visits)
            for key, each in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_plain(each, depth + 1, visits) for each in value]
    return _plain(_converted(value), depth + 1, visits)


_ENCODER = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":"), default=_converted)
