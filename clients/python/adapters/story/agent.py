"""An agent of LangGraph that keeps what customers say.

Each line on its standard input is a message; it answers with a line of JSON.
"""

from __future__ import annotations

import json
import operator
import sys
from typing import Annotated, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from mneme.langgraph import MnemeSaver, MnemeStore


class Place(TypedDict):
    """Where the memories are."""

    address: str
    namespace: str
    timeout_ms: float
    connect: dict[str, bool]


class Desk(TypedDict):
    """State of the graph: every message of the thread, and the last one that was kept."""

    messages: Annotated[list[str], operator.add]
    kept: str


def keep(state: Desk, *, store: BaseStore) -> dict[str, str]:
    """Keeps the newest message under its number in the thread."""
    key = f"message-{len(state['messages'])}"
    store.put(("customers", "mia"), key, {"text": state["messages"][-1]})
    return {"kept": key}


def main(address: str, namespace: str) -> None:
    place: Place = {
        "address": address,
        "namespace": namespace,
        "timeout_ms": 60_000,
        "connect": {"wait_for_ready": True},
    }
    with MnemeStore(**place) as store, MnemeSaver(**place) as saver:
        graph = StateGraph(Desk)
        graph.add_node("keep", keep)
        graph.add_edge(START, "keep")
        graph.add_edge("keep", END)
        desk = graph.compile(checkpointer=saver, store=store)
        print(json.dumps({"ready": True}), flush=True)
        thread: RunnableConfig = {"configurable": {"thread_id": "desk"}}
        for line in sys.stdin:
            state = desk.invoke(Desk(messages=[line.strip()], kept=""), thread)
            print(json.dumps({"kept": state["kept"], "messages": state["messages"]}), flush=True)


main(*sys.argv[1:])
