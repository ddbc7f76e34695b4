"""Working memory and the lives of sessions against a real server."""

from __future__ import annotations

import asyncio
import math
import threading
import uuid

import pytest

import mneme
import mneme.aio
from mneme import Content, Scope
from mneme.testing import Server


def test_values_of_every_kind(client: mneme.Mneme) -> None:
    session = client.session("run/1")
    assert session.session == "run/1"
    values: tuple[mneme.Json, ...] = ({"steps": [1, 2.5, None]}, "text", 7, True, None, [])
    for value in values:
        session.set("plan", value)
        entry = session.get("plan")
        assert entry is not None
        assert entry.value.json() == value
    session.set("image", Content("image/png", b"\x00\xff"))
    found = session.batch_get(["image", "nothing", "plan"])
    assert ([entry.key for entry in found.entries], found.missing) == (["image", "plan"], ("nothing",))
    assert found.entries[0].value.data == b"\x00\xff"
    assert session.get("nothing") is None
    assert (session.has("plan"), session.delete("plan"), session.delete("plan")) == (True, True, False)
    with pytest.raises(mneme.InvalidArgumentError) as caught:
        session.set("plan", math.nan)
    assert caught.value.violations[0].field == "value"


def test_conditions_and_transactions(client: mneme.Mneme) -> None:
    session = client.session("run")
    first = session.set("a", 1, expiry={"ttl_ms": 60_000})
    assert first.expire_time is not None
    second = session.set("a", 2, if_version=first.version, expiry="never")
    assert second.expire_time is None
    with pytest.raises(mneme.AbortedError):
        session.set("a", 3, if_version=first.version)
    keys = session.transact(
        [
            {"set": "b", "value": None},
            {"touch": "a", "expiry": {"ttl_ms": 60_000}},
            {"check": "nothing", "if_version": 0},
        ]
    )
    assert [key.key if key else None for key in keys] == ["b", "a", None]
    assert [key.key for key in session.list_keys("*")] == ["a", "b"]
    assert [entry.value.json() for entry in session.get_all(pattern="b")] == [None]
    for wrong in ({"set": "a", "remove": "b"}, {"remove": "a", "value": 1}, {"touch": "a", "expiry": "soon"}):
        with pytest.raises(mneme.InvalidArgumentError, match=r"^operations\[0\]"):
            session.transact([wrong])
    assert session.clear().key_count == 2


def test_task_state_and_scratchpad(client: mneme.Mneme) -> None:
    session = client.session("run")
    assert session.get_task_state() is None
    task = session.set_task_state(description="plan a tour", total_steps=4)
    assert (task.status, task.current_step, task.total_steps) == ("pending", 0, 4)
    task = session.update_task_progress(status="in_progress", current_step=2)
    assert (task.description, task.status, task.current_step) == ("plan a tour", "in_progress", 2)
    with pytest.raises(mneme.AbortedError):
        session.update_task_progress(current_step=3, if_version=task.version + 1)
    with pytest.raises(mneme.InvalidArgumentError, match="status: must be one of pending"):
        session.set_task_state(status="running")  # type: ignore[arg-type]
    assert session.append_scratchpad(["one", Content.from_json({"two": 2})]).first_sequence == 1
    assert session.append_scratchpad("three").first_sequence == 3
    assert [note.content.data for note in session.list_scratchpad(order="newest")] == [b"three", b'{"two":2}', b"one"]
    assert session.clear_scratchpad().note_count == 3


def test_checkpoints(client: mneme.Mneme) -> None:
    session = client.session("run")
    session.set("a", 1)
    made = session.create_checkpoint(checkpoint_id="before", description="d")
    assert (made.id, made.kind, made.key_count) == ("before", "manual", 1)
    session.set("b", 2)
    difference = session.diff_checkpoints("before")
    assert [(key.key, key.difference) for key in difference.keys] == [("b", "added")]
    assert session.restore_checkpoint("before").removed_count == 1
    assert session.fork_checkpoint("before", "copy").key_count == 1
    assert [entry.value.json() for entry in client.session("copy").get_all()] == [1]
    kept = session.keep_checkpoint("before", ttl_ms=60_000)
    assert kept.expire_time is not None
    assert [each.id for each in session.list_checkpoints(kind="manual")] == ["before"]
    session.delete_checkpoint("before")
    with pytest.raises(mneme.NotFoundError) as caught:
        session.get_checkpoint("before")
    assert caught.value.reason == "CHECKPOINT_NOT_FOUND"
    assert session.get_statistics().key_count == 1


def test_a_session_lives(client: mneme.Mneme) -> None:
    lives = client.lifecycle
    scope = Scope(project="p", agent="ada")
    spawned = lives.spawn(session_id="tour", scope=scope, initial_values={"seen": []}, default_ttl_ms="never")
    assert (spawned.session.id, spawned.session.state, spawned.value_count) == ("tour", "active", 1)
    paused = lives.pause("tour", description="night", metadata={"why": "late"})
    assert (paused.session.state, paused.session.frozen, paused.checkpoint.kind) == ("paused", True, "lifecycle")
    with pytest.raises(mneme.FailedPreconditionError):
        client.session("tour").set("seen", ["a"])
    resumed = lives.resume("tour", if_version=paused.session.version)
    assert (resumed.restored_count, resumed.checkpoint.id) == (1, paused.checkpoint.id)
    assert [each.id for each in lives.list_checkpoints("tour")] == [paused.checkpoint.id]
    ended = lives.terminate("tour", lessons=["closed on Mondays"], actions=["went there", {"description": "saw it"}])
    assert ended.episode_id is not None
    assert client.get(ended.episode_id).type == "episode"
    assert [each.id for each in lives.list(states=["terminated"])] == ["tour"]
    assert lives.get("tour").outcome == "success"
    assert lives.delete("tour").cleared_count == 0
    with pytest.raises(mneme.NotFoundError):
        lives.get("tour")


def test_events_are_told_and_acknowledged(client: mneme.Mneme) -> None:
    client.lifecycle.spawn(session_id="a")
    with client.lifecycle.watch_events(start="oldest", consumer="c") as events:
        event = next(events)
    assert (event.transition, event.session.id) == ("spawn", "a")
    client.lifecycle.acknowledge_events("c", event)
    client.lifecycle.spawn(session_id="b")
    with client.lifecycle.watch_events(consumer="c", transitions=["spawn"]) as events:
        assert next(events).session.id == "b"


def test_what_happens_in_a_session_is_watched(client: mneme.Mneme) -> None:
    session = client.session("run")
    first = session.set("a", 1)
    with session.watch(after_revision=0, include_values=True, pattern="a*") as events:
        event = next(events)
        assert (event.kind, event.key, event.entry and event.entry.version) == ("set", "a", first.version)
        session.delete("a")
        assert next(events).kind == "deleted"


def test_hooks_are_asked(client: mneme.Mneme) -> None:
    asked = []

    def decide(event: mneme.LifecycleEvent) -> mneme.HookAnswer:
        asked.append((event.transition, event.phase))
        if event.transition == "pause":
            return {"veto": "not now"}
        if event.transition == "delete":
            raise ValueError("no idea")
        return {"metadata": {"checked": "yes"}}

    with client.lifecycle.serve_hook("guard", ["before"], decide, required=True) as hook:
        spawned = client.lifecycle.spawn(session_id="run")
        assert [(report.hook, report.result) for report in spawned.hook_reports] == [("guard", "ok")]
        assert spawned.session.metadata == {"checked": "yes"}
        with pytest.raises(mneme.FailedPreconditionError, match="not now") as caught:
            client.lifecycle.pause("run")
        assert caught.value.reason == "HOOK_VETOED"
        with pytest.raises(mneme.MnemeError, match="no idea"):
            client.lifecycle.delete("run", force=True)
        hook.stop()
        hook.wait()
    assert asked == [("spawn", "before"), ("pause", "before"), ("delete", "before")]
    with pytest.raises(mneme.InvalidArgumentError):
        client.lifecycle.serve_hook("guard", [], decide)


def test_asyncio_does_the_same(server: Server, namespace: str) -> None:
    async def decide(event: mneme.LifecycleEvent) -> mneme.HookAnswer:
        await asyncio.sleep(0)
        return {"veto": "no"} if event.transition == "pause" else None

    async def main() -> None:
        async with mneme.aio.connect(server.address, namespace=namespace) as client:
            session = client.session("run")
            await session.set("a", 1)
            entry = await session.get("a")
            assert entry is not None
            assert entry.value.json() == 1
            assert [key.key async for key in session.list_keys()] == ["a"]
            async with await client.lifecycle.serve_hook("guard", ["before"], decide):
                await client.lifecycle.spawn(session_id="s")
                with pytest.raises(mneme.FailedPreconditionError):
                    await client.lifecycle.pause("s")
            async for event in session.watch(after_revision=0):
                assert event.kind == "set"
                break

    asyncio.run(main())


def test_agents_scopes_and_namespaces(client: mneme.Mneme) -> None:
    scope = Scope(project="p", agent="ada")
    client.store({"id": "m1", "text": "one", "scope": scope})
    snapshot = client.agents.create_snapshot(scope, snapshot_id="s1", description="d")
    assert (snapshot.id, snapshot.scope) == ("s1", scope)
    client.store({"id": "m2", "text": "two", "scope": scope})
    assert client.agents.diff_snapshots("s1").added_ids == ("m2",)
    forked = client.agents.fork_snapshot("s1", {"project": "p", "agent": "eve"})
    assert forked.copied_count == 1
    assert client.agents.diff_snapshots("s1", {"scope": scope}).added_count == 1
    assert client.agents.restore_snapshot("s1").erased_count == 1
    assert [each.id for each in client.agents.list_snapshots()] == ["s1"]
    client.agents.delete_snapshot("s1")
    client.scopes.set_policy(scope, read_only=True)
    assert [(each.scope, each.read_only) for each in client.scopes.list_policies()] == [(scope, True)]
    with pytest.raises(mneme.FailedPreconditionError, match="read-only"):
        client.store({"text": "three", "scope": scope})
    client.scopes.set_policy(scope)
    made = client.namespaces.create(f"n-{uuid.uuid4()}", settings={"short_term.memory_limit": 100})
    changed = client.namespaces.update(made.id, description="d", settings={"short_term.memory_limit": None})
    assert (changed.description, changed.settings) == ("d", {})
    assert made.id in [each.id for each in client.namespaces.list()]
    assert client.namespaces.delete(made.id).forgotten_count == 0
    assert client.namespaces.get_statistics().memory_count == 2
    assert client.namespaces.get_agent_statistics("ada").memory_count == 1
    assert [each.memory_count for each in client.namespaces.list_scopes()] == [1, 1]


def test_the_server_tells_of_itself(client: mneme.Mneme) -> None:
    client.store({"text": "t"})
    info = client.admin.get_server_info()
    assert info.embedder.kind == "static"
    assert info.streams.heartbeat_interval_ms == 15_000
    assert client.admin.get_server_statistics().memory_count >= 1
    assert client.admin.get_reembed_progress().failure == ""
    config = client.admin.update_config({"short_term.ttl": "2h"})
    assert config["short_term.ttl"] == "2h"
    assert "short_term.ttl" not in client.admin.update_config({"short_term.ttl": None})
    assert isinstance(list(client.admin.maintain_tiers(dry_run=True)), list)
    assert client.admin.clear_recall_cache().cleared_count >= 0
    with pytest.raises(mneme.InvalidArgumentError, match="agent: must not be empty"):
        client.admin.get_agent_statistics("")


def test_reading_stops_when_it_is_cancelled(client: mneme.Mneme) -> None:
    client.session("run").set("a", 1)
    cancel = mneme.Cancellation()
    threading.Timer(0.2, cancel.cancel).start()
    with pytest.raises(mneme.CancelledError):
        list(client.session("run").watch(cancel=cancel))
