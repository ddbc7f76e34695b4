"""States, actions and results of agents, validated. Fields that a model does not have go into `extra_data`."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeGuard

Check = Callable[[Any], "str | None"]


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) and value != "" else f"must be a text that is not empty, got {value!r}"


def _step(value: Any) -> str | None:
    is_step = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return None if is_step else f"must be a whole number from 0 to 2^53 - 1, got {value!r}"


def is_number(value: Any) -> TypeGuard[float]:
    """True for a finite int or float; a bool is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _number(value: Any) -> str | None:
    return None if is_number(value) else f"must be a finite number, got {value!r}"


def _duration(value: Any) -> str | None:
    return None if is_number(value) and value >= 0 else f"must be a number of at least 0, in seconds, got {value!r}"


def _object(value: Any) -> str | None:
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return None
    return f"must be a dict with texts as keys, got {value!r}"


def _or_none(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


class Model:
    """A validated record. Setting a field checks it; `ValueError` names model, field and problem."""

    FIELDS: ClassVar[Mapping[str, Check]] = {}
    extra_data: dict[str, Any]

    def _fill(self, fields: Mapping[str, Any], extra_data: Any, unknown: Mapping[str, Any]) -> None:
        for name, value in fields.items():
            setattr(self, name, value)
        self.extra_data = {**({} if extra_data is None else self._checked("extra_data", extra_data)), **unknown}

    def _checked(self, name: str, value: Any) -> Any:
        problem = self.FIELDS[name](value) if name in self.FIELDS else _object(value)
        if problem is not None:
            raise ValueError(f"{type(self).__name__}.{name}: {problem}")
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.FIELDS or name == "extra_data":
            self.__dict__[name] = self._checked(name, value)
        else:
            self.extra_data[name] = value

    def as_dict(self) -> dict[str, Any]:
        """The fields that have a value, copied."""
        names = [*self.FIELDS, "extra_data"]
        return {name: copy.deepcopy(self.__dict__[name]) for name in names if self.__dict__[name] is not None}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())})"


class AgentState(Model):
    """The state of an agent at a step."""

    agent_id: str
    step_number: int
    health: float | None
    reward: float | None
    position_x: float | None
    position_y: float | None
    position_z: float | None
    resource_level: float | None

    FIELDS: ClassVar[Mapping[str, Check]] = {
        "agent_id": _text,
        "step_number": _step,
        **dict.fromkeys(
            ("health", "reward", "position_x", "position_y", "position_z", "resource_level"), _or_none(_number)
        ),
    }

    def __init__(
        self,
        agent_id: str,
        step_number: int = 0,
        health: float | None = None,
        reward: float | None = None,
        position_x: float | None = None,
        position_y: float | None = None,
        position_z: float | None = None,
        resource_level: float | None = None,
        extra_data: Mapping[str, Any] | None = None,
        **unknown: Any,
    ) -> None:
        self._fill(
            {
                "agent_id": agent_id,
                "step_number": step_number,
                "health": health,
                "reward": reward,
                "position_x": position_x,
                "position_y": position_y,
                "position_z": position_z,
                "resource_level": resource_level,
            },
            extra_data,
            unknown,
        )


class ActionResult(Model):
    """The result of an action."""

    action_type: str
    params: dict[str, Any]
    reward: float

    FIELDS: ClassVar[Mapping[str, Check]] = {"action_type": _text, "params": _object, "reward": _number}

    def __init__(
        self,
        action_type: str,
        params: Mapping[str, Any] | None = None,
        reward: float = 0.0,
        extra_data: Mapping[str, Any] | None = None,
        **unknown: Any,
    ) -> None:
        fields = {"action_type": action_type, "params": {} if params is None else params, "reward": reward}
        self._fill(fields, extra_data, unknown)


class ActionData(Model):
    """An action, with the states before and after it."""

    action_type: str
    action_params: dict[str, Any]
    state_before: dict[str, Any] | None
    state_after: dict[str, Any] | None
    reward: float
    execution_time: float | None
    step_number: int | None

    FIELDS: ClassVar[Mapping[str, Check]] = {
        "action_type": _text,
        "action_params": _object,
        "state_before": _or_none(_object),
        "state_after": _or_none(_object),
        "reward": _number,
        "execution_time": _or_none(_duration),
        "step_number": _or_none(_step),
    }

    def __init__(
        self,
        action_type: str,
        action_params: Mapping[str, Any] | None = None,
        state_before: Mapping[str, Any] | None = None,
        state_after: Mapping[str, Any] | None = None,
        reward: float = 0.0,
        execution_time: float | None = None,
        step_number: int | None = None,
        extra_data: Mapping[str, Any] | None = None,
        **unknown: Any,
    ) -> None:
        self._fill(
            {
                "action_type": action_type,
                "action_params": {} if action_params is None else action_params,
                "state_before": state_before,
                "state_after": state_after,
                "reward": reward,
                "execution_time": execution_time,
                "step_number": step_number,
            },
            extra_data,
            unknown,
        )

    def get_state_difference(self) -> dict[str, float]:
        """Signed change of each number that both states have at their top level."""
        before, after = self.state_before or {}, self.state_after or {}
        return {
            key: after[key] - value for key, value in before.items() if is_number(value) and is_number(after.get(key))
        }


def state_importance(before: Mapping[str, Any], after: Mapping[str, Any]) -> float:
    """How much a state changed, 0 to 1: the mean of `min(1, |after - before| / max(1, |before|))` over the numbers that
    both have. 0.5 where there is none in common, 1 where one of the states is empty and the other is not.
    """
    if not before or not after:
        return 0.5 if not before and not after else 1.0
    pairs = [(value, after[key]) for key, value in before.items() if key in after and _counts(value, after[key])]
    if not pairs:
        return 0.5
    return float(sum(min(1.0, abs(new - old) / max(1.0, abs(old))) for old, new in pairs) / len(pairs))


def _counts(one: Any, other: Any) -> bool:
    return all(isinstance(value, (int, float)) and math.isfinite(value) for value in (one, other))
