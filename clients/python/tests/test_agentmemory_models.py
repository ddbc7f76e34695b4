"""Models of the Agent Memory API, and the exceptions by operation."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mneme.agentmemory import (
    ActionData,
    ActionResult,
    AgentState,
    MemoryAPIException,
    MemoryConfigException,
    MemoryMaintenanceException,
    MemoryRetrievalException,
    MemoryStoreException,
)
from mneme.agentmemory._capture import json_of
from mneme.agentmemory.errors import failing_as
from mneme.agentmemory.models import Model, state_importance
from mneme.errors import DataLossError, InvalidArgumentError, NotFoundError, UnavailableError, Violation


def test_a_state_as_a_dict_leaves_out_fields_without_a_value() -> None:
    state = AgentState(agent_id="a", step_number=3, health=0.5, extra_data={"inventory": {"wood": 5}})
    assert state.as_dict() == {
        "agent_id": "a",
        "step_number": 3,
        "health": 0.5,
        "extra_data": {"inventory": {"wood": 5}},
    }
    state.as_dict()["extra_data"]["inventory"]["wood"] = 9
    assert state.extra_data["inventory"]["wood"] == 5


def test_unknown_fields_go_into_extra_data() -> None:
    state = AgentState("a", 3, mood="calm", extra_data={"tired": False})
    assert state.extra_data == {"tired": False, "mood": "calm"}
    result = ActionResult("trade", {"item": "wood"}, 0.5, outcome="success")
    assert result.extra_data == {"outcome": "success"}
    setattr(state, "weather", "rain")  # noqa: B010 (mypy knows the fields)
    assert state.extra_data["weather"] == "rain"


@pytest.mark.parametrize(
    ("model", "fields", "field"),
    [
        (AgentState, {"agent_id": ""}, "agent_id"),
        (AgentState, {"agent_id": 5}, "agent_id"),
        (AgentState, {"agent_id": "a", "step_number": -1}, "step_number"),
        (AgentState, {"agent_id": "a", "step_number": 1.5}, "step_number"),
        (AgentState, {"agent_id": "a", "step_number": True}, "step_number"),
        (AgentState, {"agent_id": "a", "health": "well"}, "health"),
        (AgentState, {"agent_id": "a", "position_x": float("inf")}, "position_x"),
        (AgentState, {"agent_id": "a", "extra_data": [1]}, "extra_data"),
        (ActionResult, {"action_type": ""}, "action_type"),
        (ActionResult, {"action_type": "a", "params": [1]}, "params"),
        (ActionResult, {"action_type": "a", "reward": float("nan")}, "reward"),
        (ActionData, {"action_type": "a", "execution_time": -1}, "execution_time"),
        (ActionData, {"action_type": "a", "state_before": 5}, "state_before"),
    ],
)
def test_bad_fields_are_named(model: type[Model], fields: dict[str, Any], field: str) -> None:
    with pytest.raises(ValueError, match=rf"^{model.__name__}\.{field}: must be "):
        model(**fields)


def test_a_field_is_checked_when_it_is_set() -> None:
    state = AgentState("a")
    with pytest.raises(ValueError, match=r"^AgentState\.step_number"):
        state.step_number = -1
    state.health = 0.25
    assert (state.step_number, state.as_dict()["health"]) == (0, 0.25)


def test_the_difference_of_states_has_signs_and_numbers_only() -> None:
    before = {"health": 1.0, "wood": 5, "name": "a", "alive": True}
    data = ActionData("trade", state_before=before, state_after={"health": 0.5, "wood": 7, "name": "b", "alive": False})
    assert data.get_state_difference() == {"health": -0.5, "wood": 2}
    assert ActionData("wait").get_state_difference() == {}


def test_importance_of_a_difference() -> None:
    assert state_importance({}, {}) == 0.5
    assert state_importance({}, {"a": 1}) == state_importance({"a": 1}, {}) == 1.0
    assert state_importance({"a": "x"}, {"a": "y"}) == 0.5
    assert state_importance({"a": 10, "b": 0}, {"a": 5, "b": 0}) == 0.25
    assert state_importance({"a": 0}, {"a": 99}) == 1.0
    assert state_importance({"alive": True}, {"alive": False}) == 1.0


@pytest.mark.parametrize(
    "kind", [MemoryStoreException, MemoryRetrievalException, MemoryMaintenanceException, MemoryConfigException]
)
def test_an_exception_has_reason_context_and_recoverability(kind: type[MemoryAPIException]) -> None:
    gone = NotFoundError("no such memory", reason="MEMORY_NOT_FOUND", metadata={"name": "namespaces/n/memories/m"})
    with pytest.raises(kind, match=re.escape("get: no such memory")) as caught, failing_as(kind, "get", agent_id="a"):
        raise gone
    error = caught.value
    assert isinstance(error, MemoryAPIException)
    assert (error.reason, error.recoverability, error.recoverable) == ("MEMORY_NOT_FOUND", "recoverable", True)
    assert error.context == {
        "operation": "get",
        "agent_id": "a",
        "name": "namespaces/n/memories/m",
        "code": "NOT_FOUND",
    }
    assert error.__cause__ is gone


def test_recoverability_is_that_of_the_cause() -> None:
    def of(cause: Exception) -> tuple[str, str]:
        with pytest.raises(MemoryAPIException) as caught, failing_as(MemoryStoreException, "store"):
            raise cause
        return caught.value.reason, caught.value.recoverability

    assert of(UnavailableError("away")) == ("UNAVAILABLE", "potentially_recoverable")
    assert of(DataLossError("bytes", reason="CHECKSUM_MISMATCH")) == ("CHECKSUM_MISMATCH", "fatal")
    refused = InvalidArgumentError("x: bad", violations=(Violation("x", "bad"),))
    assert of(refused) == ("FIELD_INVALID", "recoverable")


def test_lists_that_contain_each_other_are_cut() -> None:
    lists: list[list[Any]] = [[] for _ in range(20)]
    for each in lists:
        each.extend(lists)
    assert "nested too deeply" in json_of(lists)
