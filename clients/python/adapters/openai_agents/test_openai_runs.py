"""Runs of real agents of the SDK with a scripted model."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool, set_tracing_disabled
from agents.memory import SessionSettings
from scripted_model import ScriptedModel, Turn

import mneme
from mneme.errors import MnemeError
from mneme.openai_agents import MnemeSession
from mneme.testing import Server, start_server

set_tracing_disabled(True)


@function_tool
def weather(city: str) -> str:
    """Weather of a city."""
    return f"sunny in {city}"


def _agent(*turns: Turn) -> Agent[Any]:
    return Agent(name="Assistant", model=ScriptedModel(*turns), tools=[weather])


def _seen(agent: Agent[Any]) -> list[Any]:
    assert isinstance(agent.model, ScriptedModel)
    return agent.model.seen


@pytest.fixture
def client(server: Server, namespace: str) -> Iterator[mneme.Mneme]:
    with mneme.connect(server.address, namespace=namespace) as connected:
        yield connected


SCRIPT: list[Turn] = [{"tool": "weather", "input": {"city": "Bern"}}, "It is sunny.", "You asked about Bern."]


def test_a_run_sees_what_the_session_of_sqlite_shows(client: mneme.Mneme) -> None:
    ours, theirs = MnemeSession("s1", client=client), SQLiteSession("s1")
    seen = []
    for session in (ours, theirs):
        agent = _agent(*SCRIPT)
        assert Runner.run_sync(agent, "How is the weather in Bern?", session=session).final_output == "It is sunny."
        assert Runner.run_sync(agent, "Which city?", session=session).final_output == "You asked about Bern."
        seen.append(_seen(agent))
    assert seen[0] == seen[1]
    assert len(seen[0][2]) == 5
    assert asyncio.run(ours.get_items()) == asyncio.run(theirs.get_items())


def test_a_run_takes_the_limit_of_its_session(client: mneme.Mneme) -> None:
    session = MnemeSession("s1", client=client, session_settings={"limit": 2})
    agent = _agent("one", "two", "three")
    for question in ("1?", "2?", "3?"):
        Runner.run_sync(agent, question, session=session)
    assert [len(each) for each in _seen(agent)] == [1, 3, 3]
    Runner.run_sync(agent, "4?", session=session, run_config=RunConfig(session_settings=SessionSettings(limit=4)))
    assert len(_seen(agent)[-1]) == 5


def test_two_runs_of_one_session_at_once_lose_nothing(client: mneme.Mneme) -> None:
    session = MnemeSession("s1", client=client)

    async def both() -> None:
        await asyncio.gather(*(Runner.run(_agent(f"answer {n}"), f"question {n}", session=session) for n in range(8)))
        items: list[Any] = list(await session.get_items())
        questions = sorted(item["content"] for item in items if item.get("role") == "user")
        answers = sorted(item["content"][0]["text"] for item in items if item.get("role") == "assistant")
        assert questions == [f"question {n}" for n in range(8)]
        assert answers == [f"answer {n}" for n in range(8)]

    asyncio.run(both())


def test_a_run_that_fails_leaves_its_session_as_that_of_sqlite(client: mneme.Mneme) -> None:
    ours, theirs = MnemeSession("s1", client=client), SQLiteSession("s1")
    for session in (ours, theirs):
        agent = _agent("hello", RuntimeError("the model is away"), "again")
        Runner.run_sync(agent, "1?", session=session)
        with pytest.raises(RuntimeError, match="the model is away"):
            Runner.run_sync(agent, "2?", session=session)
        Runner.run_sync(agent, "3?", session=session)
    assert asyncio.run(ours.get_items()) == asyncio.run(theirs.get_items())


def test_messages_of_a_run_are_remembered(client: mneme.Mneme) -> None:
    session = MnemeSession("s1", client=client, scope=lambda wrapper: {"agent": wrapper.context if wrapper else ""})
    Runner.run_sync(_agent("Noted."), "I moved to Bern in May.", session=session, context="caroline")
    assert client.conversations.flush("s1", timeout_ms=20_000).complete
    hits = client.recall("Which city does the user live in?", limit=5).hits
    assert {"fact", "message"} <= {hit.memory.type for hit in hits}
    assert {hit.memory.scope.agent for hit in hits} == {"caroline"}


def test_a_session_goes_on_after_the_server_was_killed(namespace: str, tmp_path: Path) -> None:
    server = start_server("--embedder", "none", data=tmp_path)
    session = MnemeSession("s1", address=server.address, namespace=namespace)
    agent = _agent("one", "two", "three", "four")
    try:
        for question in ("1?", "2?", "3?"):
            Runner.run_sync(agent, question, session=session)
            server.process.kill()
            server.process.wait()
            server = start_server("--embedder", "none", data=tmp_path, listen=server.address)
        assert Runner.run_sync(agent, "4?", session=session).final_output == "four"
        assert [len(each) for each in _seen(agent)] == [1, 3, 5, 7]
    finally:
        asyncio.run(session.close())
        server.stop()
    away = MnemeSession("s1", address=server.address, timeout_ms=200)
    with pytest.raises(MnemeError):
        Runner.run_sync(agent, "5?", session=away)
    assert len(_seen(agent)) == 4
    asyncio.run(away.close())


def test_the_example_runs(server: Server) -> None:
    example = Path(__file__).with_name("example.py")
    printed = subprocess.run([sys.executable, example, server.address], capture_output=True, text=True, timeout=120)
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.splitlines()[:2] == [
        "I moved to Bern in May. -> Noted: you moved to Bern.",
        "Where do I live? -> You live in Bern.",
    ]
    assert "Bern" in printed.stdout.splitlines()[2]
