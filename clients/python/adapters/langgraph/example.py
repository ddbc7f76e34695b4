"""An agent of LangGraph that keeps its memory and its threads on a Mneme server. usage: example.py [ADDRESS]

The model is scripted, so that the example needs no key: put a chat model of your own in its place.
"""

from __future__ import annotations

import sys
from typing import Any

from langchain_core.language_models import FakeListChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Command, interrupt

from mneme.langgraph import MnemeSaver, MnemeStore


def build(saver: BaseCheckpointSaver[str], store: BaseStore) -> CompiledStateGraph[Any, Any, Any, Any]:
    model = FakeListChatModel(responses=["Noted.", "You drink tea without milk."])

    def remember(state: MessagesState, *, store: BaseStore) -> None:
        text = str(state["messages"][-1].content)
        if not text.endswith("?") and interrupt(f"remember {text!r}?") == "yes":
            store.put(("users", "ada"), f"note-{len(state['messages'])}", {"text": text})

    def answer(state: MessagesState, *, store: BaseStore) -> dict[str, Any]:
        found = store.search(("users", "ada"), query=str(state["messages"][-1].content), limit=3)
        notes = "\n".join(item.value["text"] for item in found)
        return {"messages": [model.invoke([("system", f"Known of the user:\n{notes}"), *state["messages"]])]}

    builder = StateGraph(MessagesState)
    builder.add_node("remember", remember)
    builder.add_node("answer", answer)
    builder.add_edge(START, "remember")
    builder.add_edge("remember", "answer")
    return builder.compile(checkpointer=saver, store=store)


def main(address: str) -> None:
    with MnemeStore(address) as store, MnemeSaver(address) as saver:
        graph = build(saver, store)
        first: Any = {"configurable": {"thread_id": "monday"}}
        asked = graph.invoke({"messages": [("user", "I drink tea without milk.")]}, first)
        print("waits:", asked["__interrupt__"][0].value)
        print("agent:", graph.invoke(Command(resume="yes"), first)["messages"][-1].content)

        second: Any = {"configurable": {"thread_id": "tuesday"}}
        print("agent:", graph.invoke({"messages": [("user", "What do I drink?")]}, second)["messages"][-1].content)
        print("memory:", [item.value["text"] for item in store.search(("users",), query="drink")])
        print("checkpoints of monday:", len(list(graph.get_state_history(first))))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051")
