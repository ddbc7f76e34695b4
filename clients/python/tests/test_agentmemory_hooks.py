"""Hooks: what an agent does is recorded once, in order, and memory never reaches the agent."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import gc
import inspect
import logging
import pickle
from collections.abc import AsyncGenerator, Generator
from typing import Any

import pytest

from mneme.agentmemory import (
    ActionResult,
    AgentMemoryAPI,
    AgentState,
    BaseAgent,
    FlushReport,
    MemoryConfig,
    install_memory_hooks,
    record_interaction,
    set_default_api,
    with_memory,
)
from mneme.agentmemory import hooks as module
from mneme.testing import Server, start_server


def flushed(api: AgentMemoryAPI) -> FlushReport:
    report = api.flush(120)
    assert report.complete, report
    return report


def memories(api: AgentMemoryAPI, agent: str, kind: str) -> list[dict[str, Any]]:
    flushed(api)
    return api.get_memory_space(agent).retrieve_by_time_range(0, 1_000_000, kind)


def actions(api: AgentMemoryAPI, agent: str) -> list[dict[str, Any]]:
    return [entry["contents"] for entry in memories(api, agent, "action")]


class Walker(BaseAgent):
    """Walks, gets tired, and talks."""

    def __init__(self, agent_id: str = "walker") -> None:
        super().__init__(None, agent_id)
        self.health = 1.0
        self.acted = 0

    def act(self, observation: Any = None) -> ActionResult:
        self.acted += 1
        self.health -= 0.25
        return ActionResult("walk", {"to": observation}, 0.5)

    def get_state(self) -> AgentState:
        state = super().get_state()
        state.health = self.health
        return state


def test_an_act_is_recorded_with_its_states_result_and_reward(api: AgentMemoryAPI) -> None:
    agent = with_memory(Walker(), api=api)
    agent.act("north")
    agent.act("south")
    first, second = memories(api, "walker", "action")
    contents = first["contents"]
    assert (first["step_number"], second["step_number"], agent.acted) == (0, 1, 2)
    assert (contents["action_type"], contents["action_params"], contents["reward"]) == ("walk", {"to": "north"}, 0.5)
    assert (contents["state_before"]["health"], contents["state_after"]["health"]) == (1.0, 0.75)
    assert (contents["observation"], contents["step_number"]) == ("north", 0)
    assert contents["execution_time"] > 0 and "error" not in contents
    # health changes by 0.25, step_number by 1, of two numbers: (0.25 + 1) / 2; with half of the reward.
    assert contents["state_change"] == pytest.approx(0.625)
    assert first["metadata"]["importance_score"] == pytest.approx(0.5 * 0.5 + 0.5 * 0.625)
    states = memories(api, "walker", "state")
    assert [(entry["step_number"], entry["contents"]["health"]) for entry in states] == [(0, 1.0), (1, 0.75), (2, 0.5)]
    assert [entry["metadata"]["importance_score"] for entry in states] == [0.5, 0.5, 0.5]
    history = api.get_attribute_change_history("walker", "health")
    assert [change["new_value"] for change in history] == [1.0, 0.75, 0.5]


def test_a_class_is_hooked_with_its_subclasses_and_once(api: AgentMemoryAPI) -> None:
    @install_memory_hooks(api=api)
    class Decorated(Walker):
        def act(self, observation: Any = None) -> ActionResult:
            return super().act(observation)

    class Sub(Decorated):
        def act(self, observation: Any = None) -> ActionResult:
            result = super().act(observation)
            result.params["sub"] = True
            return result

    install_memory_hooks(Sub)
    assert with_memory(Sub("again"), api=api).act("x").params["sub"]
    agent = Sub("sub")
    agent.act("north")
    assert [each["action_params"] for each in actions(api, "sub")] == [{"to": "north", "sub": True}]
    Decorated("plain").act("south")
    assert len(actions(api, "plain")) == len(actions(api, "again")) == 1
    assert Sub.act.__name__ == "act" and Sub.__name__ == "Sub"


def test_an_inherited_method_and_an_init_subclass_of_ones_own_are_kept(api: AgentMemoryAPI) -> None:
    seen: list[str] = []

    class Plain:
        def __init_subclass__(cls, label: str, **arguments: Any) -> None:
            super().__init_subclass__(**arguments)
            seen.append(label)

        def act(self) -> int:
            return 7

    @install_memory_hooks(api=api)
    class Decorated(Plain, label="decorated"):
        agent_id = "inherits"

    class Sub(Decorated, label="sub"):
        pass

    assert Sub().act() == 7
    assert with_memory(Plain.__new__(Plain), "instance", api=api).act() == 7
    assert seen == ["decorated", "sub"]
    assert [each["result"] for each in actions(api, "inherits")] == [7]
    assert len(actions(api, "instance")) == 1
    assert not hasattr(Plain.act, "__mneme_hooked__")


def test_an_exception_of_the_agent_is_recorded_and_passed_on(api: AgentMemoryAPI) -> None:
    class Fails(Walker):
        def act(self, observation: Any = None) -> ActionResult:
            super().act(observation)
            raise KeyError("door")

    agent = with_memory(Fails("fails"), api=api)
    for _ in range(2):
        with pytest.raises(KeyError, match="door"):
            agent.act()
    assert agent.acted == 2
    first, _ = actions(api, "fails")
    assert first["error"] == {"type": "KeyError", "message": "'door'", "cancelled": False}
    assert first["state_after"]["health"] == 0.75


def test_a_failure_of_memory_never_reaches_the_agent(api: AgentMemoryAPI, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Walker):
        def get_state(self) -> AgentState:
            raise RuntimeError("no state")

    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError("no repr")

    agent = with_memory(Broken("broken"), api=api)
    result: Any = agent.act(Odd())
    assert result.params["to"].__class__ is Odd and agent.acted == 1
    (action,) = actions(api, "broken")
    assert action["state_before"] is None and action["state_after"] is None
    assert action["observation"] == "<Odd>"
    assert "of agent broken was not recorded" in caplog.text and caplog.text.count("no state") <= 4
    agent.act(Odd())
    assert caplog.text.count("was not recorded") == 1  # Once a minute.


def test_values_that_json_cannot_carry_are_converted(api: AgentMemoryAPI) -> None:
    import numpy

    @dataclasses.dataclass
    class Point:
        x: int

    loop: list[Any] = []
    loop.append(loop)
    state = {"at": Point(1), "seen": {"b", "a"}, "map": numpy.arange(3), "nan": float("nan"), 5: "five", "raw": b"abc"}

    class Agent:
        agent_id = "odd"

        def act(self, *args: Any, **kwargs: Any) -> Any:
            return loop

        def get_state(self) -> Any:
            return state

    with_memory(Agent(), api=api).act(1, two=2)
    (action,) = actions(api, "odd")
    assert action["state_after"] == {
        "at": {"x": 1},
        "seen": ["a", "b"],
        "map": [0, 1, 2],
        "nan": None,
        "5": "five",
        "raw": "<3 bytes>",
    }
    assert action["observation"] == {"args": [1], "two": 2}
    assert action["result"] is not None


def test_interactions_are_recorded_at_their_step(api: AgentMemoryAPI) -> None:
    class Talks(Walker):
        def act(self, observation: Any = None) -> ActionResult:
            self.record_interaction({"interaction_type": "said", "content": "inside"}, priority=0.3)
            talk = {"interaction_type": "conversation", "other_agent_id": "b", "content": observation}
            return ActionResult("talk", interactions=[talk])

    agent = with_memory(Talks("talks"), api=api)
    agent.act("hello")
    agent.act("bye")
    record_interaction(agent, {"interaction_type": "later"})
    record_interaction(Walker(), {"interaction_type": "not hooked"})
    found = memories(api, "talks", "interaction")
    assert [(entry["step_number"], entry["contents"].get("content")) for entry in found] == [
        (0, "inside"),
        (0, "hello"),
        (1, "inside"),
        (1, "bye"),
        (2, None),
    ]
    assert found[0]["metadata"]["importance_score"] == 0.3


def test_agents_of_any_kind_are_enhanced_in_place(api: AgentMemoryAPI) -> None:
    @dataclasses.dataclass
    class Unhashable:
        wood: int = 0

        def act(self) -> Unhashable:
            self.wood += 1
            return self

    class Slotted:
        __slots__ = ("wood",)

        def __init__(self) -> None:
            self.wood = 1

        def act(self) -> int:
            return self.wood

    class Replaced:
        def act(self) -> int:
            return 1

    unhashable, slotted, replaced = Unhashable(), Slotted(), Replaced()
    replaced.act = lambda: 2  # type: ignore[method-assign]
    assert with_memory(unhashable, "unhashable", api=api) is unhashable
    assert unhashable.act() is unhashable and unhashable.wood == 1 and isinstance(unhashable, Unhashable)
    assert with_memory(slotted, "slotted", api=api).act() == 1
    assert with_memory(with_memory(replaced, "replaced", api=api), "replaced", api=api).act() == 2
    (action,) = actions(api, "unhashable")
    assert (action["state_before"], action["state_after"]) == ({"wood": 0}, {"wood": 1})
    assert "result" not in action
    assert [each["result"] for each in actions(api, "slotted")] == [1]
    assert [each["result"] for each in actions(api, "replaced")] == [2]
    with pytest.raises(TypeError, match="list has no method act"):
        with_memory([], api=api)
    with pytest.raises(TypeError, match="agent_id"):
        with_memory(Replaced(), "", api=api)
    with pytest.raises(TypeError, match="must decorate a class"):
        install_memory_hooks(Replaced())  # type: ignore[call-overload]


def test_a_copy_is_of_the_agents_own_class_and_ids_are_let_go(api: AgentMemoryAPI) -> None:
    agent = with_memory(Walker("copied"), api=api)
    agent.act("north")
    for made in (copy.copy(agent), copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert type(made) is Walker and vars(made) == vars(agent)
        made.act("south")
    assert len(actions(api, "copied")) == 1
    key = id(agent)
    assert key in module._bindings
    del agent
    gc.collect()
    assert key not in module._bindings


def test_steps_are_those_of_the_agent_where_it_advances_them(api: AgentMemoryAPI) -> None:
    class Counts:
        def __init__(self) -> None:
            self.step_number = 10

        def act(self, advance: int) -> None:
            self.step_number += advance

    counts = with_memory(Counts(), "counts", api=api)
    for advance in (5, 0, 1):
        counts.act(advance)
    assert [entry["step_number"] for entry in memories(api, "counts", "action")] == [10, 15, 15]
    assert [entry["step_number"] for entry in memories(api, "counts", "state")] == [10, 15, 16]

    class Stays:
        def act(self) -> None:
            pass

    stays = with_memory(Stays(), "stays", api=api)
    for _ in range(3):
        stays.act()
    assert [entry["step_number"] for entry in memories(api, "stays", "action")] == [0, 1, 2]


def test_a_state_that_is_asked_for_outside_of_an_action_is_recorded_when_it_is_new(api: AgentMemoryAPI) -> None:
    agent = with_memory(Walker("asked"), api=api)
    agent.get_state()
    agent.get_state()
    agent.health = 0.125
    agent.get_state()
    found = memories(api, "asked", "state")
    assert [entry["contents"]["health"] for entry in found] == [1.0, 0.125]
    assert [entry["metadata"]["importance_score"] for entry in found] == [0.5, 0.875]


def test_coroutines_are_recorded_when_they_are_over(api: AgentMemoryAPI) -> None:
    class Soon(Walker):
        async def act(self, observation: Any = None) -> ActionResult:  # type: ignore[override]
            await asyncio.sleep(0)
            if observation == "wait":
                await asyncio.Event().wait()
            return super().act(observation)

        async def get_state(self) -> AgentState:  # type: ignore[override]
            await asyncio.sleep(0)
            return super().get_state()

    async def run() -> None:
        agent = with_memory(Soon("soon"), api=api)
        assert inspect.iscoroutinefunction(agent.act)
        await agent.act("one")
        await asyncio.gather(agent.act("two"), agent.act("three"))
        waiting = asyncio.ensure_future(agent.act("wait"))
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert agent.acted == 3

    asyncio.run(run())
    found = actions(api, "soon")
    assert sorted(str(each["observation"]) for each in found) == ["one", "three", "two", "wait"]
    (cancelled,) = [each for each in found if each["observation"] == "wait"]
    assert cancelled["error"] == {"type": "CancelledError", "message": "", "cancelled": True}
    assert next(each for each in found if each["observation"] == "one")["state_after"]["health"] == 0.75


def test_generators_keep_their_protocol(api: AgentMemoryAPI) -> None:
    class Yields(Walker):
        def act(self, observation: Any = None) -> Generator[str, str, str]:  # type: ignore[override]
            said = yield f"first {observation}"
            try:
                yield f"second {said}"
            except KeyError:
                yield "caught"
            return "done"

    agent = with_memory(Yields("yields"), api=api)
    assert inspect.isgeneratorfunction(agent.act)
    agent.act("never begun")
    steps = agent.act("a")
    assert (next(steps), steps.send("b"), steps.throw(KeyError("x"))) == ("first a", "second b", "caught")
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value == "done"
    closed = agent.act("c")
    next(closed)
    assert agent.get_state().step_number == 1  # Between two items the agent is free.
    closed.close()
    one, other = actions(api, "yields")
    assert (one["yielded"], one["yield_count"], one["result"]) == (["first a", "second b", "caught"], 3, "done")
    assert (other["yielded"], other["error"]["type"], other["error"]["cancelled"]) == (
        ["first c"],
        "GeneratorExit",
        True,
    )


def test_async_generators_keep_their_protocol(api: AgentMemoryAPI) -> None:
    class Streams(Walker):
        async def act(self, observation: Any = None) -> AsyncGenerator[str, str]:  # type: ignore[override]
            said = yield f"first {observation}"
            await asyncio.sleep(0)
            try:
                yield f"second {said}"
            except KeyError:
                yield "caught"

    async def run() -> None:
        agent = with_memory(Streams("streams"), api=api)
        assert inspect.isasyncgenfunction(agent.act)
        items: Any = agent.act("a")
        assert await anext(items) == "first a" and await items.asend("b") == "second b"
        assert await items.athrow(KeyError("x")) == "caught"
        with pytest.raises(StopAsyncIteration):
            await anext(items)
        closed: Any = agent.act("c")
        await anext(closed)
        await closed.aclose()

    asyncio.run(run())
    one, other = actions(api, "streams")
    assert (one["yielded"], "error" in one) == (["first a", "second b", "caught"], False)
    assert (other["yielded"], other["error"]["type"]) == (["first c"], "GeneratorExit")


def test_a_plain_function_may_return_what_is_to_come(api: AgentMemoryAPI) -> None:
    class Later:
        def act(self, made: Any) -> Any:
            return made

    async def answer() -> int:
        return 1

    async def run() -> None:
        agent = with_memory(Later(), "later", api=api)
        assert await agent.act(answer()) == 1
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        assert agent.act(future) is future
        future.set_result(2)
        await asyncio.sleep(0)
        assert list(agent.act(each for each in (3, 4))) == [3, 4]

    asyncio.run(run())
    results = [each.get("result", each.get("yielded")) for each in actions(api, "later")]
    assert results == [1, 2, [3, 4]]


def test_hooks_can_be_off_and_find_the_configuration_of_the_agent(vector_server: Server, namespace: str) -> None:
    options = {"address": vector_server.address, "namespace": namespace}

    @install_memory_hooks
    class Configured(Walker):
        pass

    off, on = Configured("off"), Configured("on")
    off.config = {"memory_config": {**options, "enable_memory_hooks": False}}
    on.config = {"memory_config": MemoryConfig(**options)}
    for agent in (off, on):
        agent.act("north")
        assert (agent.acted, agent.step_number) == (1, 1)
    (api,) = [api for config, api in module._apis if config == on.config["memory_config"]]
    assert len(actions(api, "on")) == 1 and actions(api, "off") == []
    other = Configured("other")
    other.config = type("Config", (), {"memory_config": MemoryConfig(**options)})()
    other.act("north")
    assert len(actions(api, "other")) == 1  # Equal configurations share an API.
    api.close()


def test_a_bad_configuration_leaves_the_agent_without_a_memory(caplog: pytest.LogCaptureFixture) -> None:
    agent = with_memory(Walker("bad"))
    agent.config = {"memory_config": {"cleanup_interval": 0}}
    agent.act("north")
    assert agent.acted == 1 and "has no memory" in caplog.text


def test_a_server_that_is_away_for_the_whole_run_is_said(caplog: pytest.LogCaptureFixture) -> None:
    connect = {"wait_for_ready": False, "retry": False}
    api = AgentMemoryAPI(MemoryConfig(address="127.0.0.1:1", connect=connect, queue_limit=50))
    agent = with_memory(Walker("alone"), api=api)
    with caplog.at_level(logging.WARNING, "mneme.agentmemory"):
        for step in range(40):
            agent.act(step)
        assert agent.acted == 40
        waiting = api.flush(0.3)
        assert (waiting.stored, waiting.pending, waiting.not_stored) == (0, 50, 31)
        assert waiting.last_error is not None and not waiting.complete
        closed = api.close(0.1)
    assert (closed.stored, closed.pending, closed.not_stored) == (0, 0, 81)
    assert closed.failures[0].agent_id == "alone" and "the queue holds 50 memories" in closed.failures[0].reason
    assert {failure.memory_type for failure in closed.failures} == {"state", "action"}
    assert "memories wait: " in caplog.text and "81 in all" in caplog.text
    agent.act("after")
    assert agent.acted == 41


def test_a_server_that_comes_back_gets_everything_in_order(namespace: str) -> None:
    with start_server("--embedder", "hashing") as first:
        address = first.address
    connect = {"wait_for_ready": False, "retry": False}
    api = AgentMemoryAPI(MemoryConfig(address=address, namespace=namespace, connect=connect))
    agent = with_memory(Walker("patient"), api=api)
    for step in range(5):
        agent.act(step)
    assert api.flush(0.1).pending == 11
    with start_server("--embedder", "hashing", listen=address):
        assert flushed(api).stored == 11
        assert [each["observation"] for each in actions(api, "patient")] == [0, 1, 2, 3, 4]
        api.close()


def test_a_memory_that_is_refused_does_not_hold_up_the_others(api: AgentMemoryAPI) -> None:
    class Large(Walker):
        notes = ""

        def get_state(self) -> AgentState:
            state = super().get_state()
            state.extra_data["notes"] = self.notes
            return state

    agent = with_memory(Large("large"), api=api)
    agent.act("x" * (1 << 20))
    agent.notes = "x" * (1 << 20)
    agent.get_state()
    agent.notes = ""
    agent.act("small")
    report = api.flush(120)
    assert (report.pending, report.not_stored) == (0, 1)
    assert (report.failures[0].memory_type, report.failures[0].step_number) == ("state", 1)
    assert "exceed 1,048,576" in report.failures[0].reason
    observed = api.get_memory_space("large").retrieve_by_time_range(0, 9, "action")
    assert [entry["contents"]["observation"] for entry in observed] == ["<1,048,578 characters>", "small"]
    odd = with_memory(Walker("large"), "o" * 5_000, api=api)  # An agent that the server refuses.
    odd.act("north")
    agent.act("again")
    report = api.flush(120)
    assert report.pending == 0 and report.not_stored == 4
    assert len(api.get_memory_space("large").retrieve_by_time_range(0, 9, "action")) == 3


def test_events_call_their_hooks_by_priority_once_and_in_order(api: AgentMemoryAPI) -> None:
    called: list[str] = []

    def hook(name: str, answer: Any = None) -> Any:
        def call(data: dict[str, Any], space: Any) -> Any:
            called.append(f"{name} {data['what']} {space.agent_id}")
            assert data["timestamp"] > 0
            if isinstance(answer, Exception):
                raise answer
            return answer

        return call

    stored = {"store_memory": True, "memory_data": {"critical": True}, "step_number": 9, "priority": 0.9}
    low, high = hook("low"), hook("high", stored)
    api.register_memory_hook("a", "critical", low, priority=1)
    api.register_memory_hook("a", "critical", hook("first"))
    api.register_memory_hook("a", "critical", hook("second", {"store_memory": False, "memory_data": {}}))
    api.get_memory_space("a").register_memory_hook("critical", high, priority=10)
    assert api.trigger_memory_event("a", "critical", {"what": "fire"}) is True
    assert called == ["high fire a", "first fire a", "second fire a", "low fire a"]
    (entry,) = api.retrieve_recent_states("a")
    assert (entry["contents"], entry["step_number"], entry["type"]) == ({"critical": True}, 9, "state")
    assert entry["metadata"]["importance_score"] == 0.9
    called.clear()
    api.register_memory_hook("a", "critical", hook("fails", ValueError("hook")), priority=9)
    assert api.unregister_memory_hook("a", "critical", high) is True
    assert api.unregister_memory_hook("a", "critical", high) is False
    assert api.get_memory_space("a").trigger_memory_event("critical", {"what": "flood"}) is False
    assert called == ["fails flood a", "first flood a", "second flood a", "low flood a"]
    assert api.trigger_memory_event("a", "unknown") is False
    assert api.trigger_memory_event("b", "critical") is False


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("", "e", print), "agent_id"),
        (("a", "", print), "event_type"),
        (("a", "e", 5), "hook"),
        (("a", "e", print, 0), "priority"),
        (("a", "e", print, 11), "priority"),
        (("a", "e", print, True), "priority"),
    ],
)
def test_a_bad_hook_is_named(api: AgentMemoryAPI, arguments: Any, field: str) -> None:
    from mneme.agentmemory import MemoryConfigException

    with pytest.raises(MemoryConfigException) as caught:
        api.register_memory_hook(*arguments)
    assert caught.value.context["field"] == field


def test_a_long_run_is_that_of_a_reference(vector_server: Server, namespace: str) -> None:
    """Statistics, tiers and the history of changes are those of the same run counted by hand."""
    limits = {"stm_config": {"memory_limit": 50}, "im_config": {"memory_limit": 100}, "cleanup_interval": 100}
    config = MemoryConfig(address=vector_server.address, namespace=namespace, **limits)
    with AgentMemoryAPI(config) as api:
        agent = with_memory(Walker("runner"), api=api)
        health: list[float] = [1.0]
        for step in range(10_000):
            agent.health = 1.0 if step % 7 == 0 else agent.health
            if health[-1] != agent.health:
                health.append(agent.health)
            agent.act(step)
            health.append(agent.health)
            if step % 1_000 == 0:
                flushed(api)  # The agent is faster than a durable store, and the queue is bounded.
        assert flushed(api).stored == api.get_memory_statistics("runner")["total_memories"]
        api.force_memory_maintenance("runner")
        stats = api.get_memory_statistics("runner")
        assert stats["memory_type_distribution"]["action"] == 10_000
        assert (stats["stm_count"], stats["im_count"]) == (50, 100)
        assert stats["ltm_count"] == stats["total_memories"] - 150
        changes = api.get_attribute_change_history("runner", "health")
        assert [change["new_value"] for change in changes] == health
        shots = api.get_memory_snapshots("runner", [0, 150, 10_000])
        assert all(entry is not None and entry["contents"]["step_number"] == step for step, entry in shots.items())


def test_the_default_api_can_be_set(api: AgentMemoryAPI) -> None:
    set_default_api(api)
    try:
        with_memory(Walker("default")).act("north")
        assert len(actions(api, "default")) == 1
    finally:
        set_default_api(None)
