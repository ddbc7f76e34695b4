"""The session service by itself, beside the one of ADK in memory."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.adk.errors._stale_session_error import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events import Event, EventActions
from google.adk.sessions import BaseSessionService, InMemorySessionService, Session
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai import types

import mneme
from mneme.errors import InvalidArgumentError, MnemeError
from mneme.google_adk import MnemeSessionService
from mneme.google_adk._events import place as place_of
from mneme.testing import Server, start_server

NAMES: dict[str, Any] = {"app_name": "my app", "user_id": "caroline"}


def event_of(place: int, text: str = "hello", delta: dict[str, Any] | None = None, author: str = "user") -> Event:
    return Event(
        id=f"e{place}",
        invocation_id=f"i{place}",
        author=author,
        timestamp=1_790_000_000.25 + place,
        content=types.Content(role="user", parts=[types.Part(text=text)]),
        actions=EventActions(state_delta=delta or {}),
    )


@pytest.fixture
def service(server: Server, namespace: str) -> Iterator[MnemeSessionService]:
    with mneme.connect(server.address, namespace=namespace) as client:
        yield MnemeSessionService(client=client)


def _dump(session: Session | None) -> Any:
    if session is None:
        return None
    dumped = session.model_dump(exclude={"last_update_time"}, exclude_none=True)
    return {**dumped, "events": [each.model_dump(mode="json", exclude_none=True) for each in session.events]}


async def _step(service: BaseSessionService, step: tuple[Any, ...]) -> Any:
    action, names, *rest = step
    try:
        if action == "create":
            return _dump(await service.create_session(**names, state=rest[0]))
        if action == "get":
            return _dump(await service.get_session(**names, config=rest[0]))
        if action == "list":
            user = names["user_id"] if rest[0] else None
            listed = await service.list_sessions(app_name=names["app_name"], user_id=user)
            return sorted(str(_dump(each)) for each in listed.sessions)
        if action == "delete":
            return await service.delete_session(**names)
        if action == "user":
            return await service.get_user_state(app_name=names["app_name"], user_id=names["user_id"])
        session = await service.get_session(**names)
        if session is None:
            return "no session"
        for event in rest[0]:
            await service.append_event(session, event.model_copy(deep=True))
        return _dump(session)
    except AlreadyExistsError:
        return "exists"


def _steps(random_: random.Random) -> Iterator[tuple[Any, ...]]:
    for place in range(50):
        names = {
            "app_name": random_.choice(["my app", "a/b"]),
            "user_id": random_.choice(["caroline", "ü" * 100]),
            "session_id": random_.choice(["s1", "s2", "s/3" * 50]),
        }
        values = [1, "x", None, [1, {"a": 1.5}], True]
        keys = ["k", "app:k", "user:k", "temp:k", "odd key/ü"]
        delta = {key: random_.choice(values) for key in random_.sample(keys, random_.randrange(4))}
        action = random_.choice(["create", "create", "append", "append", "append", "get", "list", "delete", "user"])
        if action == "create":
            yield action, names, delta
        elif action == "get":
            after = 1_790_000_000.25 + random_.randrange(50) if random_.random() < 0.5 else None
            recent = random_.choice([None, 0, 1, 3])
            yield action, names, GetSessionConfig(num_recent_events=recent, after_timestamp=after)
        elif action == "append":
            yield action, names, [event_of(place + part / 10, delta=delta) for part in range(2)]  # type: ignore[arg-type]
        elif action == "list":
            yield action, names, random_.random() < 0.5
        else:
            yield action, names


@pytest.mark.parametrize("seed", range(6))
def test_answers_as_the_service_in_memory(service: MnemeSessionService, seed: int) -> None:
    async def check() -> None:
        theirs = InMemorySessionService()
        for step in _steps(random.Random(seed)):
            assert await _step(service, step) == await _step(theirs, step), step

    asyncio.run(check())


def test_keeps_events_exactly(service: MnemeSessionService) -> None:
    async def check() -> None:
        session = await service.create_session(**NAMES)
        parts = [
            types.Part(text="thinking", thought=True, thought_signature=b"\x00\xff"),
            types.Part(text="Grüezi 👋\0"),
            types.Part(function_call=types.FunctionCall(id="c1", name="look", args={"at": "Bern", "n": 1.5})),
            types.Part(function_response=types.FunctionResponse(id="c1", name="look", response={"sky": "sunny"})),
            types.Part(inline_data=types.Blob(mime_type="image/png", data=bytes(range(256)))),
        ]
        event = Event(author="assistant", content=types.Content(role="model", parts=parts), branch="a.b")
        await service.append_event(session, event)
        found = await service.get_session(**NAMES, session_id=session.id)
        assert found is not None
        assert found.events == [event]
        assert found.last_update_time == event.timestamp
        message = list(service.client.conversations.list(f"adk-sessions/my%20app/caroline/{session.id}"))[1]
        assert (message.role, message.name, message.text) == ("assistant", "assistant", "Grüezi 👋")
        assert message.blocks[1].tool_call == mneme.ToolCall("c1", "look", '{"at": "Bern", "n": 1.5}')

    asyncio.run(check())


def test_a_stale_session_is_refused_and_changes_nothing(service: MnemeSessionService) -> None:
    async def check() -> None:
        first = await service.create_session(**NAMES, session_id="s1")
        second = await service.get_session(**NAMES, session_id="s1")
        assert second is not None
        await service.append_event(first, event_of(1, delta={"k": 1, "user:k": 1}))
        with pytest.raises(StaleSessionError):
            await service.append_event(second, event_of(2, delta={"k": 2, "user:k": 2}))
        assert second.events == []
        again = await service.get_session(**NAMES, session_id="s1")
        assert again is not None
        assert (len(again.events), again.state) == (1, {"k": 1, "user:k": 1})
        await service.append_event(again, event_of(3))
        unmarked = Session(**NAMES, id="s1", last_update_time=again.last_update_time - 1)
        with pytest.raises(StaleSessionError):
            await service.append_event(unmarked, event_of(4))
        with pytest.raises(SessionNotFoundError):
            await service.append_event(Session(**NAMES, id="nowhere"), event_of(5))

    asyncio.run(check())


def test_of_writers_at_the_same_time_one_goes_on(service: MnemeSessionService) -> None:
    async def check() -> None:
        await service.create_session(**NAMES, session_id="s1")
        copies = [await service.get_session(**NAMES, session_id="s1") for _ in range(8)]
        appends = [service.append_event(copy, event_of(place)) for place, copy in enumerate(copies) if copy]
        outcomes = await asyncio.gather(*appends, return_exceptions=True)
        assert sorted(type(each).__name__ for each in outcomes) == ["Event"] + ["StaleSessionError"] * 7
        session = await service.get_session(**NAMES, session_id="s1")
        assert session is not None
        assert len(session.events) == 1
        made = [service.append_event(session, event_of(10 + place)) for place in range(8)]
        await asyncio.gather(*made)
        again = await service.get_session(**NAMES, session_id="s1")
        assert again is not None
        assert [each.id for each in again.events] == [each.id for each in session.events]
        assert len(again.events) == 9

    asyncio.run(check())


def test_the_last_event_may_be_sent_again(service: MnemeSessionService) -> None:
    async def check() -> None:
        session = await service.create_session(**NAMES, session_id="s1")
        copy = await service.get_session(**NAMES, session_id="s1")
        assert copy is not None
        event = event_of(1, delta={"app:k": 1})
        await service.append_event(session, event)
        await service.append_event(session, event)
        await service.append_event(copy, event)
        assert [len(each.events) for each in (session, copy)] == [1, 1]
        partial = event_of(2)
        partial.partial = True
        await service.append_event(session, partial)
        found = await service.get_session(**NAMES, session_id="s1")
        assert found is not None
        assert len(found.events) == 1

    asyncio.run(check())


def test_a_cancelled_append_ends_before_its_task(service: MnemeSessionService) -> None:
    async def check() -> None:
        session = await service.create_session(**NAMES, session_id="s1")
        for place in range(10):
            task = asyncio.create_task(service.append_event(session, event_of(place)))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            found = await service.get_session(**NAMES, session_id="s1")
            assert found is not None
            assert len(found.events) == len(session.events) == place + 1

    asyncio.run(check())


def test_refuses_what_it_cannot_store(service: MnemeSessionService) -> None:
    async def check() -> None:
        session = await service.create_session(**NAMES, session_id="s1")
        with pytest.raises(InvalidArgumentError, match="at most 700,000"):
            await service.append_event(session, event_of(1, text="x" * 700_001))
        found = await service.get_session(**NAMES, session_id="s1")
        assert found is not None
        assert found.events == session.events == []

    asyncio.run(check())


def test_a_session_goes_on_after_the_server_was_killed(namespace: str, tmp_path: Path) -> None:
    server = start_server("--embedder", "none", data=tmp_path)
    service = MnemeSessionService(server.address, namespace=namespace)

    async def create() -> Session:
        session = await service.create_session(**NAMES, session_id="s1", state={"k": 0})
        await service.append_event(session, event_of(1, delta={"k": 1, "app:k": 2}))
        return session

    try:
        session = asyncio.run(create())
        server.process.kill()
        server.process.wait()
        service._timeout_ms = 300
        with pytest.raises(MnemeError):
            asyncio.run(service.append_event(session, event_of(2)))
        server = start_server("--embedder", "none", data=tmp_path, listen=server.address)
        service._timeout_ms = 10_000
        asyncio.run(service.append_event(session, event_of(2, delta={"k": 3})))
        found = asyncio.run(service.get_session(**NAMES, session_id="s1"))
        assert found is not None
        assert ([each.id for each in found.events], found.state) == (["e1", "e2"], {"k": 3, "app:k": 2})
    finally:
        asyncio.run(service.close())
        server.stop()


def test_a_session_whose_creation_failed_can_be_created_again(service: MnemeSessionService) -> None:
    async def check() -> None:
        for key in ("user:photo", "app:photo"):
            with pytest.raises(InvalidArgumentError):
                await service.create_session(**NAMES, session_id="s1", state={key: "x" * 1_100_000})
            assert await service.get_session(**NAMES, session_id="s1") is None
        session = await service.create_session(**NAMES, session_id="s1", state={"user:photo": "small", "k": 1})
        assert session.state == {"user:photo": "small", "k": 1}
        with pytest.raises(AlreadyExistsError):
            await service.create_session(**NAMES, session_id="s1", state={"user:photo": "other"})
        assert await service.get_user_state(**NAMES) == {"photo": "small"}

    asyncio.run(check())


def test_shared_state_does_not_expire_where_keys_of_the_server_do(namespace: str) -> None:
    with start_server("--embedder", "none", "--working-memory-ttl-ms", "3600000") as server:
        service = MnemeSessionService(server.address, namespace=namespace)
        asyncio.run(service.create_session(**NAMES, state={"user:name": "Caroline"}))
        entries = list(service.client.session(place_of("adk-sessions", *NAMES.values())).get_all())
        assert [(each.key, each.expire_time) for each in entries] == [("state.name", None)]
        asyncio.run(service.close())
