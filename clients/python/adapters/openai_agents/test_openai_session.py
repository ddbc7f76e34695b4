"""The session by itself: items exact and in order, and the same answers as the SDK's own session of SQLite."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from agents import RunContextWrapper, SQLiteSession
from agents.memory import Session, SessionSettings
from agents.memory.session import _session_accepts_wrapper

import mneme
from mneme.errors import InvalidArgumentError, MnemeError
from mneme.openai_agents import MnemeSession
from mneme.testing import Server, start_server

MESSAGE: Any = {"role": "user", "content": "I moved to Bern in May."}
EVERY_KIND: list[Any] = [
    MESSAGE,
    {"role": "developer", "content": "Be short."},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Grüezi 👋\u0000\ud800"}]},
    {"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "low"}]},
    {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "ok", "annotations": []}, {"type": "refusal", "refusal": "no"}],
    },
    {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "x" * 1000},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"at": "Bern"}', "id": "f1"},
    {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
    {"type": "function_call", "call_id": "c3", "name": "look", "arguments": "{not JSON \u0000"},
    {"type": "function_call", "call_id": "c4", "name": "look", "arguments": '{"a": NaN}'},
    {"type": "function_call", "call_id": "c5", "name": "look", "arguments": '{"a": "' + "ü" * 20_000 + '"}'},
    {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "a"}]},
    {"type": "web_search_call", "id": "w1", "status": "completed", "action": {"type": "search", "query": "q"}},
    {"type": "computer_call_output", "call_id": "c" * 300, "output": {"type": "computer_screenshot"}},
    {"type": "item_reference", "id": "m1"},
    {"type": "compaction", "encrypted_content": "y"},
    {"role": "user", "content": ""},
    {"z": 1.5, "a": [None, True, 10**20], "content": 7, "role": 7, "type": None},
    {},
]


@pytest.fixture
def session(server: Server, namespace: str) -> Iterator[MnemeSession]:
    with mneme.connect(server.address, namespace=namespace) as client:
        yield MnemeSession("s1", client=client)


def test_is_a_session_of_the_sdk_that_takes_its_context(session: MnemeSession) -> None:
    taken: Session = session
    assert isinstance(taken, Session)
    assert _session_accepts_wrapper(session)


async def _all(session: MnemeSession) -> None:
    assert await session.get_items() == []
    assert await session.pop_item() is None
    await session.clear_session()
    await session.add_items([])
    await session.add_items(EVERY_KIND)
    items = await session.get_items()
    assert items == EVERY_KIND
    assert [list(item) for item in items] == [list(item) for item in EVERY_KIND]
    assert await session.get_items(limit=3) == EVERY_KIND[-3:]


def test_keeps_every_kind_of_item_exactly(session: MnemeSession) -> None:
    asyncio.run(_all(session))


def test_lists_pages_and_requests_beyond_their_limits(session: MnemeSession) -> None:
    many: list[Any] = [{"role": "user", "content": f"message {place}"} for place in range(2_345)]
    large: list[Any] = [{"role": "user", "content": f"{place}" * 600_000} for place in range(9)]

    async def check() -> None:
        await session.add_items(many)
        await session.add_items(large)
        assert await session.get_items() == many + large
        assert await session.get_items(limit=1_500) == (many + large)[-1_500:]

    asyncio.run(check())


async def _same_steps(ours: Any, theirs: Any, random_: random.Random) -> None:
    for step in range(60):
        action = random_.choice(["add", "add", "add", "pop", "get", "limit", "clear" if step % 7 == 0 else "get"])
        if action == "add":
            items: list[Any] = [random_.choice(EVERY_KIND) for _ in range(random_.randrange(4))]
            await ours.add_items(items)
            await theirs.add_items(items)
        elif action == "pop":
            assert await ours.pop_item() == await theirs.pop_item()
        elif action == "clear":
            await ours.clear_session()
            await theirs.clear_session()
        else:
            limit = random_.randrange(-1, 6) if action == "limit" else None
            assert await ours.get_items(limit) == await theirs.get_items(limit), (step, limit)


@pytest.mark.parametrize("seed", range(6))
def test_answers_as_the_session_of_sqlite(session: MnemeSession, seed: int) -> None:
    settings = SessionSettings(limit=[None, 4][seed % 2])
    session.session_settings = settings
    theirs = SQLiteSession("s1", session_settings=settings)
    asyncio.run(_same_steps(session, theirs, random.Random(seed)))


def test_keeps_the_items_of_each_call_together(session: MnemeSession) -> None:
    async def add(writer: int) -> None:
        for turn in range(10):
            await session.add_items([{"role": "user", "content": f"{writer}.{turn}.{place}"} for place in range(3)])

    async def check() -> None:
        await asyncio.gather(*map(add, range(6)))
        said = [str(item["content"]) for item in await session.get_items()]  # type: ignore[typeddict-item]
        assert len(said) == 180
        for start in range(0, 180, 3):
            assert {each.rpartition(".")[0] for each in said[start : start + 3]} == {said[start].rpartition(".")[0]}
            assert [each[-1] for each in said[start : start + 3]] == ["0", "1", "2"]
        for writer in range(6):
            turns = [each for each in said if each.startswith(f"{writer}.")]
            assert turns == sorted(turns)
        popped = await asyncio.gather(*(session.pop_item() for _ in range(30)))
        assert len({str(item) for item in popped}) == 30

    asyncio.run(check())


def test_ends_a_write_before_its_cancelled_task(session: MnemeSession) -> None:
    async def check() -> None:
        for _ in range(20):
            task = asyncio.create_task(session.add_items([MESSAGE]))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await session.get_items() == [MESSAGE]
            await session.clear_session()

    asyncio.run(check())


def test_works_in_several_event_loops(session: MnemeSession) -> None:
    for _ in range(3):
        asyncio.run(session.add_items([MESSAGE]))
    assert asyncio.run(session.get_items()) == [MESSAGE] * 3


def test_stores_readable_messages_of_their_owner(session: MnemeSession) -> None:
    session._scope = lambda wrapper: {"agent": wrapper.context} if wrapper else None
    asyncio.run(session.add_items(EVERY_KIND, wrapper=RunContextWrapper("caroline")))
    messages = list(session.client.conversations.list("s1"))
    assert [(each.role, each.text) for each in messages[:3]] == [
        ("user", "I moved to Bern in May."),
        ("system", "Be short."),
        ("user", "Grüezi 👋?"),
    ]
    assert messages[4].text == "ok\n\nno"
    assert messages[6].blocks[0].tool_call == mneme.ToolCall("c1", "look", '{"at": "Bern"}')
    assert messages[7].role == "tool"
    assert messages[7].blocks[0].tool_result == mneme.ToolResult("c1", "sunny")
    hit = session.client.recall("Bern in May", limit=1).hits[0]
    assert (hit.memory.text, hit.memory.scope.agent) == ("I moved to Bern in May.", "caroline")


def test_reads_messages_of_other_programs(session: MnemeSession) -> None:
    session.client.conversations.append(
        "s1",
        [
            {"role": "user", "text": "hello"},
            {"role": "tool", "blocks": [{"tool_result": {"call_id": "c", "text": "sunny"}}]},
        ],
    )
    expected = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "sunny"}]
    assert asyncio.run(session.get_items()) == expected


def test_refuses_bad_input_and_stores_nothing(session: MnemeSession) -> None:
    bad: list[tuple[Any, str]] = [
        ("text", "must be a dict"),
        ({"content": object()}, "JSON cannot carry it"),
        ({"content": "x" * 700_001}, "at most 700,000"),
    ]
    for item, problem in bad:
        with pytest.raises(InvalidArgumentError, match=problem) as caught:
            asyncio.run(session.add_items([MESSAGE, item]))
        assert caught.value.violations[0].field == "items[1]"
    assert asyncio.run(session.get_items()) == []
    for id in ("", 7):
        with pytest.raises(MnemeError):
            asyncio.run(MnemeSession(id, client=session.client).get_items())  # type: ignore[arg-type]


def test_fails_while_the_server_is_away_and_goes_on_after_kill(namespace: str, tmp_path: Any) -> None:
    server = start_server("--embedder", "none", data=tmp_path)
    session = MnemeSession(f"s-{uuid.uuid4()}", address=server.address, namespace=namespace, timeout_ms=60_000)
    try:
        asyncio.run(session.add_items([MESSAGE]))
        session._timeout_ms = 500
        server.process.kill()
        server.process.wait()
        for call in (session.get_items, session.pop_item, session.clear_session):
            with pytest.raises(MnemeError):
                asyncio.run(call())
        with pytest.raises(MnemeError):
            asyncio.run(session.add_items([MESSAGE]))
        server = start_server("--embedder", "none", data=tmp_path, listen=server.address)
        session._timeout_ms = 60_000
        asyncio.run(session.add_items(EVERY_KIND))
        assert asyncio.run(session.get_items()) == [MESSAGE, *EVERY_KIND]
    finally:
        asyncio.run(session.close())
        server.stop()
