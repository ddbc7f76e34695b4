"""The memory service, and runs of real agents of ADK with a scripted model."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.memory import BaseMemoryService, InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.runners import Runner
from google.adk.sessions import BaseSessionService, InMemorySessionService, Session
from google.adk.tools.load_memory_tool import LoadMemoryTool
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai import types
from scripted_llm import ScriptedLlm, Turn

import mneme
from mneme.errors import AlreadyExistsError, MnemeError
from mneme.filters import where
from mneme.google_adk import MnemeMemoryService, MnemeSessionService
from mneme.testing import Server, start_server

USER: dict[str, Any] = {"app_name": "my app", "user_id": "caroline"}
WORDS = ["museum", "bakery", "harbour", "violin", "glacier", "lantern"]


def event_of(id: str, text: str, author: str = "user") -> Event:
    content = types.Content(role="user" if author == "user" else "model", parts=[types.Part(text=text)])
    return Event(id=id, author=author, content=content, timestamp=1_790_000_000.0)


def texts_of(entries: list[MemoryEntry]) -> list[str]:
    return [part.text or "" for entry in entries for part in entry.content.parts or []]


@pytest.fixture
def client(server: Server, namespace: str) -> Iterator[mneme.Mneme]:
    with mneme.connect(server.address, namespace=namespace) as connected:
        yield connected


@pytest.mark.parametrize("seed", range(4))
def test_finds_and_deletes_what_the_service_in_memory_does(client: mneme.Mneme, seed: int) -> None:
    random_ = random.Random(seed)

    async def check() -> None:
        # The service in memory finds every text with the word, however little it says.
        ours, theirs = MnemeMemoryService(client=client, limit=1_000, min_relevance=0), InMemoryMemoryService()
        services: list[BaseMemoryService] = [ours, theirs]
        sessions = {id: Session(**USER, id=id) for id in ("s1", "s2")}
        for place in range(25):
            session = sessions[random_.choice(["s1", "s2"])]
            action = random_.choice(["session", "session", "events", "delete"])
            word = random_.choice(WORDS)
            if action == "session":
                session.events += [event_of(f"{session.id}.{place}.{n}", f"{word} {place} {n}") for n in range(2)]
                for service in services:
                    await service.add_session_to_memory(session)
            elif action == "events":
                delta = [*session.events[:2], event_of(f"{session.id}.{place}", f"{word} {place}")]
                session.events += delta[-1:]
                for service in services:
                    await service.add_events_to_memory(**USER, events=delta, session_id=session.id)
            else:
                found = await theirs.search_memory(**USER, query=word)
                if found.memories:
                    text = texts_of(found.memories)[0]
                    for service in services:
                        same = await service.search_memory(**USER, query=text)
                        id = next(each.id for each in same.memories if texts_of([each]) == [text])
                        await service.delete_memory(**USER, memory_id=id)
            for each in WORDS:
                expected = {text for text in _all_of(theirs) if text.startswith(each)}
                entries = (await ours.search_memory(**USER, query=each)).memories
                messages = [entry for entry in entries if entry.custom_metadata["type"] == "message"]
                assert expected == {text for text in texts_of(messages) if text.startswith(each)}
                assert len(texts_of(messages)) == len(set(texts_of(messages)))

    asyncio.run(check())


def _all_of(service: InMemoryMemoryService) -> list[str]:
    stored = service._session_events.get(("my app", "caroline"), {})
    return [
        event.content.parts[0].text or ""
        for events in stored.values()
        for event in events
        if event.content and event.content.parts
    ]


def test_keeps_apps_and_users_and_sessions_apart(client: mneme.Mneme) -> None:
    async def check() -> None:
        memory, sessions = MnemeMemoryService(client=client), MnemeSessionService(client=client)
        session = await sessions.create_session(**USER)
        await sessions.append_event(session, event_of("e1", "the museum is closed"))
        assert (await memory.search_memory(**USER, query="museum")).memories == []
        await memory.add_session_to_memory(session)
        for other in ({**USER, "user_id": "melanie"}, {**USER, "app_name": "other"}):
            assert (await memory.search_memory(**other, query="museum")).memories == []
            found = (await memory.search_memory(**USER, query="museum")).memories
            await memory.delete_memory(**other, memory_id=found[0].id)
            await memory.delete_memories(**other)
        assert texts_of((await memory.search_memory(**USER, query="museum")).memories) == ["the museum is closed"]
        await memory.delete_memories(**USER)
        assert (await memory.search_memory(**USER, query="museum")).memories == []
        kept = await sessions.get_session(**USER, session_id=session.id)
        assert kept is not None
        assert len(kept.events) == 1

    asyncio.run(check())


def test_entries_say_who_said_it_and_when(client: mneme.Mneme) -> None:
    async def check() -> None:
        memory = MnemeMemoryService(client=client)
        events = [event_of("e1", "I moved to Bern in May."), event_of("e2", "Noted.", "assistant")]
        await memory.add_events_to_memory(**USER, events=[*events, Event(id="e3", author="user")])
        await asyncio.to_thread(client.conversations.flush, timeout_ms=20_000)
        entries = (await memory.search_memory(**USER, query="Which city does the user live in?")).memories
        message = next(each for each in entries if each.custom_metadata["type"] == "message" and "Bern" in str(each))
        assert (message.author, message.content.role) == ("user", "user")
        assert (message.timestamp or "").startswith("2026-")
        assert any(each.custom_metadata["type"] == "fact" for each in entries)
        assert (await memory.search_memory(**USER, query=" ")).memories == []
        await memory.delete_memory(**USER, memory_id="nothing")
        await memory.delete_memory(**USER)

    asyncio.run(check())


def test_stores_entries_once_by_their_id(client: mneme.Mneme) -> None:
    async def check() -> None:
        memory = MnemeMemoryService(client=client)
        content = types.Content(parts=[types.Part(text="Caroline plays the violin.")])
        entry = MemoryEntry(id="m1", content=content, author="crm", custom_metadata={"source": "crm"})
        for _ in range(3):
            await memory.add_memory(**USER, memories=[entry], custom_metadata={"batch": 7})
        found = (await memory.search_memory(**USER, query="violin")).memories
        assert [(each.id, each.author) for each in found] == [("m1", "crm")]
        assert {"source": "crm", "batch": 7}.items() <= found[0].custom_metadata.items()
        await memory.delete_memory(**USER, memory_id="m1")
        assert (await memory.search_memory(**USER, query="violin")).memories == []

    asyncio.run(check())


def test_adding_one_session_at_the_same_time_stores_no_event_twice(client: mneme.Mneme) -> None:
    async def check() -> None:
        memory = MnemeMemoryService(client=client, limit=100)
        session = Session(**USER, id="s1", events=[event_of(f"e{n}", f"museum {n}") for n in range(10)])
        await asyncio.gather(*(memory.add_session_to_memory(session) for _ in range(5)))
        found = (await memory.search_memory(**USER, query="museum")).memories
        assert sorted(texts_of(found)) == sorted(f"museum {n}" for n in range(10))

    asyncio.run(check())


async def _run(runner: Runner, session_id: str, text: str) -> list[str]:
    message = types.Content(role="user", parts=[types.Part(text=text)])
    said = []
    async for event in runner.run_async(user_id="caroline", session_id=session_id, new_message=message):
        if event.is_final_response() and event.content and event.content.parts:
            said.append(event.content.parts[0].text or "")
    return said


def weather(city: str) -> dict[str, str]:
    """Weather of a city."""
    return {"sky": f"sunny in {city}"}


def _runner(sessions: BaseSessionService, *turns: Turn, memory: BaseMemoryService | None = None) -> Runner:
    tools: list[Any] = [weather, *([LoadMemoryTool(), PreloadMemoryTool()] if memory else [])]
    agent = LlmAgent(name="assistant", model=ScriptedLlm(turns=list(turns)), tools=tools, output_key="last")
    return Runner(app_name="my app", agent=agent, session_service=sessions, memory_service=memory)


def _seen(runner: Runner) -> list[Any]:
    agent = runner.agent
    assert isinstance(agent, LlmAgent)
    assert isinstance(agent.model, ScriptedLlm)
    return agent.model.seen


def _without_ids(contents: Any) -> str:
    return str(
        [
            [{k: v for k, v in part.items() if k == "text"} or sorted(part) for part in each["parts"]]
            for each, *_ in [(content,) for content in contents]
        ]
    )


def test_a_run_sees_what_the_service_in_memory_shows(client: mneme.Mneme) -> None:
    async def check() -> None:
        seen, states = [], []
        for sessions in (MnemeSessionService(client=client), InMemorySessionService()):
            await sessions.create_session(**USER, session_id="s1", state={"user:name": "Caroline"})
            script: list[Turn] = [
                {"tool": "weather", "input": {"city": "Bern"}},
                "It is sunny.",
                "You asked about Bern.",
            ]
            runner = _runner(sessions, *script)
            assert await _run(runner, "s1", "How is the weather in Bern?") == ["It is sunny."]
            assert await _run(runner, "s1", "Which city?") == ["You asked about Bern."]
            seen.append([_without_ids(contents) for contents, _ in _seen(runner)])
            session = await sessions.get_session(**USER, session_id="s1")
            assert session is not None
            states.append((session.state, [event.author for event in session.events]))
        assert seen[0] == seen[1]
        assert states[0] == states[1]
        assert states[0][0] == {"last": "You asked about Bern.", "user:name": "Caroline"}

    asyncio.run(check())


def test_a_new_session_is_given_what_an_earlier_one_said(client: mneme.Mneme) -> None:
    async def check() -> None:
        sessions, memory = MnemeSessionService(client=client), MnemeMemoryService(client=client)
        script: list[Turn] = ["Noted.", {"tool": "load_memory", "input": {"query": "home city"}}, "You live in Bern."]
        runner = _runner(sessions, *script, memory=memory)
        first = await sessions.create_session(**USER)
        await _run(runner, first.id, "I moved to Bern in May.")
        kept = await sessions.get_session(**USER, session_id=first.id)
        assert kept is not None
        await memory.add_session_to_memory(kept)
        second = await sessions.create_session(**USER)
        assert await _run(runner, second.id, "Which city did I move to?") == ["You live in Bern."]
        assert "I moved to Bern in May." in str(_seen(runner)[1])

    asyncio.run(check())


def test_runs_go_on_after_the_server_was_killed_and_fail_while_it_is_away(namespace: str, tmp_path: Path) -> None:
    server = start_server("--embedder", "none", data=tmp_path)
    sessions = MnemeSessionService(server.address, namespace=namespace)
    memory = MnemeMemoryService(server.address, namespace=namespace)
    runner = _runner(sessions, "one", "two", "three")
    try:
        asyncio.run(sessions.create_session(**USER, session_id="s1"))
        for question in ("1?", "2?"):
            asyncio.run(_run(runner, "s1", question))
            server.process.kill()
            server.process.wait()
            server = start_server("--embedder", "none", data=tmp_path, listen=server.address)
        assert asyncio.run(_run(runner, "s1", "3?")) == ["three"]
        assert [len(contents) for contents, _ in _seen(runner)] == [1, 3, 5]
        server.stop()
        sessions._timeout_ms = memory._timeout_ms = 200
        with pytest.raises(MnemeError):
            asyncio.run(_run(runner, "s1", "4?"))
        with pytest.raises(MnemeError):
            asyncio.run(memory.search_memory(**USER, query="museum"))
        assert len(_seen(runner)) == 3
    finally:
        asyncio.run(sessions.close())
        asyncio.run(memory.close())
        server.process.kill()


def test_the_example_runs(server: Server) -> None:
    example = Path(__file__).with_name("example.py")
    printed = subprocess.run([sys.executable, example, server.address], capture_output=True, text=True, timeout=120)
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.splitlines() == [
        "I moved to Bern in May. -> Noted: you moved to Bern.",
        "Where do I live? -> You live in Bern.",
        "remembered: I moved to Bern in May.",
    ]


def test_events_and_entries_of_more_than_one_request_are_stored(client: mneme.Mneme) -> None:
    answer = types.FunctionResponse(id="c1", name="weather", response={"text": "x" * 5_000})
    content = types.Content(role="user", parts=[types.Part(function_response=answer)] * 16)
    events = [Event(id=f"e{place}", author="assistant", content=content) for place in range(80)]
    large = types.Content(parts=[types.Part(text="violin " + "x" * 900_000)])

    async def check() -> None:
        memory = MnemeMemoryService(client=client)
        await memory.add_events_to_memory(**USER, events=events, session_id="s1")
        assert client.count(filter=where.type.equals("message")).count == 80
        await memory.add_memory(**USER, memories=[MemoryEntry(id=f"m{place}", content=large) for place in range(6)])
        assert client.count(filter=where.type.equals("fact") & where.id.starts_with("m")).count == 6

    asyncio.run(check())


def test_an_id_of_another_user_is_refused_and_not_passed_over(client: mneme.Mneme) -> None:
    async def check() -> None:
        memory = MnemeMemoryService(client=client)
        entry = MemoryEntry(id="m1", content=types.Content(parts=[types.Part(text="Caroline plays the violin.")]))
        await memory.add_memory(**USER, memories=[entry])
        with pytest.raises(AlreadyExistsError, match="m1"):
            await memory.add_memory(**{**USER, "user_id": "melanie"}, memories=[entry])

    asyncio.run(check())
