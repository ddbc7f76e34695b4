"""Graphs whose server, or whose own process, is killed between steps, and go on."""

from __future__ import annotations

import asyncio
import operator
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

from langchain_core.language_models import FakeListChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Command, interrupt
from langgraph_support import restarted_server

from mneme.langgraph import MnemeSaver, MnemeStore

_CONFIG: Any = {"configurable": {"thread_id": "trip"}}
#: A restart takes longer than adapters wait for a server by default.
_PATIENT: Any = {"timeout_ms": 25_000, "connect": {"wait_for_ready": True}}


class _State(MessagesState):
    done: Annotated[list[str], operator.add]


def build(
    saver: BaseCheckpointSaver[str], store: BaseStore, stop_at: str = ""
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """A scripted agent that plans, asks, books and reports; it kills its own process at one of its steps."""
    model = FakeListChatModel(responses=["plan: night train", "booked", "report"])

    def step(name: str) -> Any:
        def run(state: _State, *, store: BaseStore) -> dict[str, Any]:
            if name == stop_at:
                os.kill(os.getpid(), signal.SIGKILL)
            store.put(("steps",), f"{name}-{len(state['done'])}", {"text": f"did {name}"})
            return {"messages": [model.invoke(state["messages"])], "done": [name]}

        return run

    def ask(state: _State) -> dict[str, Any]:
        return {"done": [f"ask {interrupt('book it?')}"]}

    builder = StateGraph(_State)
    for name in ("plan", "book", "report"):
        builder.add_node(name, step(name))
    builder.add_node("ask", ask)
    builder.add_edge(START, "plan").add_edge("plan", "ask").add_edge("ask", "book").add_edge("book", "report")
    return builder.compile(checkpointer=saver, store=store)


def test_a_graph_goes_on_after_its_server_was_killed(tmp_path: Path) -> None:
    with restarted_server(tmp_path) as server:
        address = server.address
        with MnemeSaver(address, **_PATIENT) as saver, MnemeStore(address, **_PATIENT) as store:
            graph = build(saver, store)
            for _ in graph.stream({"messages": [("user", "to Vienna")], "done": []}, _CONFIG, durability="sync"):
                server.kill_and_start()  # Between any two steps.
        with MnemeSaver(address, **_PATIENT) as saver, MnemeStore(address, **_PATIENT) as store:
            graph = build(saver, store)  # Of another program.
            assert graph.get_state(_CONFIG).next == ("ask",)
            assert graph.get_state(_CONFIG).interrupts[0].value == "book it?"
            for _ in graph.stream(Command(resume="yes"), _CONFIG, durability="async"):
                server.kill_and_start()
            end = graph.get_state(_CONFIG)
            assert end.next == () and end.values["done"] == ["plan", "ask yes", "book", "report"]

            asked = next(state for state in graph.get_state_history(_CONFIG) if state.next == ("ask",))
            branch = graph.update_state(asked.config, {"done": ["plan again"]}, as_node="plan")
            graph.invoke(None, branch)
            server.kill_and_start()
            other = graph.invoke(Command(resume="no"), _CONFIG)
            assert other["done"] == ["plan", "plan again", "ask no", "book", "report"]
            server.kill_and_start()
            assert graph.get_state(end.config).values == end.values  # The branch that was left is still there.
            assert graph.get_state(_CONFIG).values["done"] == other["done"]
            assert len(store.search(("steps",))) == 5


def test_a_graph_with_tasks_goes_on_after_its_server_was_killed(tmp_path: Path) -> None:
    async def main(address: str) -> None:
        with MnemeSaver(address, **_PATIENT) as saver, MnemeStore(address, **_PATIENT) as store:
            graph = build(saver, store)
            await graph.ainvoke({"messages": [("user", "to Vienna")], "done": []}, _CONFIG)
            server.kill_and_start()
            async for _ in graph.astream(Command(resume="yes"), _CONFIG):
                server.kill_and_start()
            state = await graph.aget_state(_CONFIG)
            assert state.values["done"] == ["plan", "ask yes", "book", "report"]
            assert len([each async for each in graph.aget_state_history(_CONFIG)]) == 6

    with restarted_server(tmp_path) as server:
        asyncio.run(main(server.address))


_KILLED = """
import sys
from test_langgraph_kills import _CONFIG, build
from langgraph.types import Command
from mneme.langgraph import MnemeSaver, MnemeStore

with MnemeSaver(sys.argv[1]) as saver, MnemeStore(sys.argv[1]) as store:
    graph = build(saver, store, sys.argv[2])
    graph.invoke({"messages": [("user", "to Vienna")], "done": []}, _CONFIG, durability="sync")
    graph.invoke(Command(resume="yes"), _CONFIG, durability="sync")
"""


def test_a_program_that_was_killed_goes_on_at_its_step(tmp_path: Path) -> None:
    with restarted_server(tmp_path) as server:
        killed = subprocess.run(
            [sys.executable, "-c", _KILLED, server.address, "book"], cwd=Path(__file__).parent, check=False, timeout=100
        )
        assert killed.returncode == -signal.SIGKILL
        server.kill_and_start()
        with MnemeSaver(server.address) as saver, MnemeStore(server.address) as store:
            graph = build(saver, store)
            assert graph.get_state(_CONFIG).next == ("book",)
            assert graph.invoke(None, _CONFIG)["done"] == ["plan", "ask yes", "book", "report"]
            assert len(store.search(("steps",))) == 3
