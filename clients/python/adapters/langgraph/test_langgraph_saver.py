"""MnemeSaver beyond the suite: order, large values, odd names, pruning, and the same as InMemorySaver in graphs."""

from __future__ import annotations

import asyncio
import operator
import random
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, interrupt
from langgraph_support import free_port
from typing_extensions import TypedDict

import mneme
from mneme.errors import DeadlineExceededError, UnavailableError
from mneme.langgraph import MnemeSaver
from mneme.langgraph._records import order_of
from mneme.testing import Server


@pytest.fixture
def saver(server: Server, namespace: str) -> Iterator[MnemeSaver]:
    with MnemeSaver(server.address, namespace=namespace) as made:
        yield made


@pytest.fixture
def stored(server: Server, namespace: str) -> Iterator[mneme.Mneme]:
    """The namespace of the checkpoints."""
    with mneme.connect(server.address, namespace=f"{namespace}.checkpoints") as made:
        yield made


def _config(thread_id: Any, checkpoint_id: str | None = None, namespace: str = "") -> Any:
    configurable = {"thread_id": thread_id, "checkpoint_ns": namespace}
    return {"configurable": {**configurable, **({"checkpoint_id": checkpoint_id} if checkpoint_id else {})}}


def _put(saver: MnemeSaver, config: Any, id: str | None = None, **values: Any) -> Any:
    checkpoint = empty_checkpoint()
    versions: Any = {channel: saver.get_next_version(None, None) for channel in values}
    checkpoint["id"] = id or checkpoint["id"]
    checkpoint["channel_values"], checkpoint["channel_versions"] = values, versions
    return saver.put(config, checkpoint, {"source": "loop", "step": 0}, versions)


def _id(config: Any) -> str:
    found: str = config["configurable"]["checkpoint_id"]
    return found


class TestOrder:
    def test_the_order_of_ids_is_kept(self) -> None:
        seed = 20261127
        chosen = random.Random(seed)
        alphabet = "019abfAFgz-/:é🙂 "
        ids = ["".join(chosen.choices(alphabet, k=chosen.randint(0, 14))) for _ in range(3_000)]
        ids += [str(uuid6(clock_seq=n)) for n in range(500)] + [f"{id[:7]}-{id[8:]}" for id in ids[:500]]
        ordered = sorted(ids)
        numbers = [order_of(id) for id in ordered]
        assert numbers == sorted(numbers), f"seed {seed}"
        assert max(numbers) < 2**53
        assert order_of("1ef4f797-8335-6428") < order_of("1ef4f797-8345-6428") < order_of("1ef4f798-8335-6428")

    def test_the_newest_is_the_one_with_the_greatest_id(self, saver: MnemeSaver) -> None:
        seed = 29
        ids = ["b", "a", "c", "1ef4f797-8335-6428-8001-8a1503f9b875", "1ef4f797-8335-6428-8001-8a1503f9b876", "Z", "zz"]
        random.Random(seed).shuffle(ids)
        for place, id in enumerate(ids):
            _put(saver, _config("t"), id, x=id)
            found = saver.get_tuple(_config("t"))
            assert found is not None and found.checkpoint["id"] == max(ids[: place + 1]), f"seed {seed}"
        listed = [each.checkpoint["id"] for each in saver.list(_config("t"))]
        assert listed == sorted(ids, reverse=True)
        before = [each.checkpoint["id"] for each in saver.list(_config("t"), before=_config("t", "b"), limit=2)]
        assert before == [id for id in sorted(ids, reverse=True) if id < "b"][:2]

    def test_lists_are_read_in_groups(self, saver: MnemeSaver) -> None:
        ids = [_id(_put(saver, _config("t"), x=n)) for n in range(45)]
        listed = list(saver.list(_config("t")))
        assert [each.checkpoint["id"] for each in listed] == ids[::-1]
        assert [each.checkpoint["channel_values"]["x"] for each in listed] == list(range(45))[::-1]

        async def first(count: int) -> list[str]:
            return [each.checkpoint["id"] async for each in saver.alist(None, limit=count)]

        assert asyncio.run(first(21)) == ids[::-1][:21]


class TestValues:
    def test_large_values_are_whole(self, saver: MnemeSaver, stored: mneme.Mneme) -> None:
        seed = 7
        large = random.Random(seed).randbytes(5_300_000)
        config = _put(saver, _config("t"), large=large, other=[large[:900_000]] * 4, small=1)
        saver.put_writes(config, [("a", large), ("b", 2)], "task")
        found = saver.get_tuple(_config("t"))
        assert found is not None and found.pending_writes is not None
        assert found.checkpoint["channel_values"] == {"large": large, "other": [large[:900_000]] * 4, "small": 1}
        assert found.pending_writes == [("task", "a", large), ("task", "b", 2)]
        saver.copy_thread("t", "copy")
        copied = saver.get_tuple(_config("copy"))
        assert copied is not None and copied.checkpoint == found.checkpoint
        assert copied.pending_writes == found.pending_writes
        saver.delete_thread("t")
        assert saver.get_tuple(_config("t")) is None
        saver.delete_thread("copy")
        assert stored.count().count == 0

    def test_the_first_write_counts_and_special_ones_are_replaced(self, saver: MnemeSaver) -> None:
        config = _put(saver, _config("t"))
        saver.put_writes(config, [("a", 1), (INTERRUPT, "first")], "task", "~b")
        saver.put_writes(config, [("a", 2), (INTERRUPT, "second"), ("c", 3)], "task", "~b")
        saver.put_writes(config, [("a", 4), (ERROR, "bad")], "earlier", "~a")
        found = saver.get_tuple(config)
        assert found is not None
        assert found.pending_writes == [
            ("earlier", ERROR, "bad"),
            ("earlier", "a", 4),
            ("task", INTERRUPT, "second"),
            ("task", "a", 1),
            ("task", "c", 3),
        ]

    def test_any_number_of_writes_is_stored_together(self, saver: MnemeSaver, stored: mneme.Mneme) -> None:
        config = _put(saver, _config("t"))
        writes: list[tuple[str, Any]] = [("a", n) for n in range(2_500)]
        large = [("b", "x" * 900_000)] * 5
        before = stored.count(filter='type = "langgraph_write"').count
        saver.put_writes(config, [*writes, *large], "task")
        saver.put_writes(config, [*writes, *large], "task")
        assert stored.count(filter='type = "langgraph_write"').count == before + 1
        saver.put_writes(config, [("a", "late"), *writes], "task")  # Another set of places adds those that are new.
        found = saver.get_tuple(config)
        assert found is not None and found.pending_writes is not None
        assert [write[1:] for write in found.pending_writes] == [*writes, *large]

    @pytest.mark.parametrize("thread_id", ["", " ", ":x", "#x", "a/b", "ü" * 200, "line\nbreak", "x\x00y", 7, "🧵"])
    def test_threads_may_have_any_name(self, saver: MnemeSaver, stored: mneme.Mneme, thread_id: Any) -> None:
        _put(saver, _config("other"), x=0)
        config = _put(saver, _config(thread_id, namespace="n|ä:\n"), x=1)
        assert config["configurable"]["thread_id"] == thread_id
        saver.put_writes(config, [("a", 1)], "task\n")
        found = saver.get_tuple(_config(thread_id, namespace="n|ä:\n"))
        assert found is not None and found.checkpoint["channel_values"] == {"x": 1}
        assert found.config["configurable"]["thread_id"] == thread_id
        assert saver.get_tuple(_config(thread_id)) is None
        assert len(list(saver.list(None))) == 2
        saver.delete_thread(thread_id)
        assert len(list(saver.list(None))) == 1 and stored.count().count == 2

    def test_memories_of_others_in_the_namespace_are_left_alone(self, saver: MnemeSaver, stored: mneme.Mneme) -> None:
        stored.store({"type": "checkpoint", "text": "of another program", "scope": {"session": "=t"}})
        config = _put(saver, _config("t"), x=1)
        assert [each.config for each in saver.list(None)] == [config]
        saver.prune(["t"])
        saver.delete_thread("t")
        assert [memory.text for memory in stored.list()] == ["of another program"]

    def test_checkpoints_are_not_memories_of_the_namespace(
        self, server: Server, saver: MnemeSaver, namespace: str
    ) -> None:
        with mneme.connect(server.address, namespace=namespace) as client:
            client.store({"text": "a walrus"})
            _put(saver, _config("walrus"), walrus="walrus")
            assert [hit.memory.text for hit in client.recall("walrus").hits] == ["a walrus"]
            assert client.count().count == 1


class TestBadInput:
    def test_configs_without_an_id_are_refused(self, saver: MnemeSaver) -> None:
        with pytest.raises(ValueError, match=r"configurable\.thread_id is missing"):
            saver.get_tuple({"configurable": {}})
        with pytest.raises(ValueError, match=r"configurable\.thread_id is missing"):
            _put(saver, {"configurable": {"checkpoint_ns": ""}})
        with pytest.raises(ValueError, match=r"configurable\.checkpoint_id is missing"):
            saver.put_writes(_config("t"), [("a", 1)], "task")
        for id in ("x" * 1_025, "a\nb"):
            with pytest.raises(ValueError, match="checkpoint_id: must be 1 to 1024 bytes of printable characters"):
                _put(saver, _config("t"), id)
        with pytest.raises(ValueError, match="strategy: must be keep_latest or delete"):
            saver.prune(["t"], strategy="all")
        with pytest.raises(ValueError, match="namespace: must have at most 51 characters"):
            MnemeSaver(namespace="n" * 52)
        assert list(saver.list(None)) == []

    def test_nothing_is_there_before_the_first_checkpoint(self, saver: MnemeSaver) -> None:
        assert saver.get_tuple(_config("t")) is None and saver.get_tuple(_config("t", "1")) is None
        assert list(saver.list(None)) == []
        saver.delete_thread("t")
        saver.delete_for_runs(["r"])
        saver.copy_thread("t", "u")
        saver.prune(["t"])

    def test_a_server_that_is_away_is_said_in_time(self) -> None:
        with MnemeSaver(f"127.0.0.1:{free_port()}", timeout_ms=300) as saver:
            with pytest.raises((UnavailableError, DeadlineExceededError)):
                _put(saver, _config("t"), x=1)
            with pytest.raises((UnavailableError, DeadlineExceededError)):
                asyncio.run(saver.aget_tuple(_config("t")))


class _State(TypedDict):
    total: Annotated[int, operator.add]
    path: Annotated[list[str], operator.add]


def _appended(state: list[str], writes: list[list[str]]) -> list[str]:
    return [*state, *(each for write in writes for each in write)]


class _DeltaState(TypedDict):
    total: Annotated[int, operator.add]
    path: Annotated[list[str], DeltaChannel(_appended, snapshot_frequency=3)]


def _graph(saver: BaseCheckpointSaver[Any], schema: Any = _State) -> CompiledStateGraph[Any, Any, Any, Any]:
    def node(name: str) -> Any:
        def run(state: Any) -> dict[str, Any]:
            return {"total": len(state["path"]), "path": [name]}

        return run

    def ask(state: Any) -> dict[str, Any]:
        return {"path": [interrupt("go on?")], "total": 0}

    builder = StateGraph(schema)
    for name in ("left", "right", "join"):
        builder.add_node(name, node(name))
    builder.add_node("ask", ask)
    builder.add_edge(START, "left").add_edge(START, "right")
    builder.add_edge(["left", "right"], "ask").add_edge("ask", "join")
    return builder.compile(checkpointer=saver)


def _outline(graph: CompiledStateGraph[Any, Any, Any, Any], config: Any) -> list[Any]:
    """The history of a thread, without ids and times."""
    return [
        (
            state.values,
            state.next,
            dict(state.metadata or {}),
            [task.name for task in state.tasks],
            state.interrupts != (),
        )
        for state in graph.get_state_history(config)
    ]


class TestGraphs:
    @pytest.mark.parametrize("schema", [_State, _DeltaState])
    def test_histories_are_those_of_the_saver_in_memory(self, saver: MnemeSaver, schema: Any) -> None:
        outlines = []
        for each in (saver, InMemorySaver()):
            graph = _graph(each, schema)
            config: Any = {"configurable": {"thread_id": "t"}}
            for turn in range(3):
                graph.invoke({"total": turn, "path": [f"turn {turn}"]}, config)
                graph.invoke(Command(resume=f"yes {turn}"), config)
            middle = [state for state in graph.get_state_history(config) if state.next == ("ask",)][1]
            graph.invoke(Command(resume="another way"), middle.config)
            graph.update_state(config, {"path": ["edited"], "total": 100}, as_node="join")
            outlines.append(_outline(graph, config))
        assert outlines[0] == outlines[1]
        assert len(outlines[0]) > 15

    @pytest.mark.parametrize("schema", [_State, _DeltaState])
    def test_pruning_keeps_the_state(self, saver: MnemeSaver, stored: mneme.Mneme, schema: Any) -> None:
        graph = _graph(saver, schema)
        config: Any = {"configurable": {"thread_id": "t"}}
        for turn in range(3):
            graph.invoke({"total": 0, "path": [f"turn {turn}"]}, config)
            graph.invoke(Command(resume="yes"), config)
        values, before = graph.get_state(config).values, stored.count().count
        saver.prune(["t", "nowhere"])
        assert graph.get_state(config).values == values
        assert stored.count().count < before
        if schema is _State:
            assert len(list(saver.list(config))) == 1
            assert stored.count(filter='type = "langgraph_blob"').count <= len(values) + 6
        graph.invoke({"total": 0, "path": ["after"]}, config)
        graph.invoke(Command(resume="yes"), config)
        assert graph.get_state(config).values["path"][: len(values["path"])] == values["path"]

    def test_a_copied_thread_goes_its_own_way(self, saver: MnemeSaver) -> None:
        graph = _graph(saver)
        first: Any = {"configurable": {"thread_id": "first"}}
        second: Any = {"configurable": {"thread_id": "second"}}
        graph.invoke({"total": 0, "path": []}, first)
        saver.copy_thread("first", "second")
        assert graph.invoke(Command(resume="of the copy"), second)["path"][-2:] == ["of the copy", "join"]
        assert graph.get_state(first).next == ("ask",)
        assert graph.invoke(Command(resume="of the first"), first)["path"][-2:] == ["of the first", "join"]

    def test_a_run_is_erased_with_its_values(self, saver: MnemeSaver, stored: mneme.Mneme) -> None:
        graph = _graph(saver)
        for thread_id in ("t", "u"):
            graph.invoke(
                {"total": 0, "path": []}, {"configurable": {"thread_id": thread_id}, "metadata": {"run_id": "r1"}}
            )
        kept: Any = {"configurable": {"thread_id": "t"}, "metadata": {"run_id": "r2"}}
        graph.invoke(Command(resume="yes"), kept)
        values = graph.get_state(kept).values
        saver.delete_for_runs(["r1", "never"])
        assert graph.get_state(kept).values == values
        assert {each.metadata["run_id"] for each in saver.list(None)} == {"r2"}
        assert stored.count(filter=mneme.where.session.equals(":u")).count == 0
