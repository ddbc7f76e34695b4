"""Every code example of the document of the Agent Memory API runs, in its order, read from where the document is.

Only imports change, and what an example leaves open: the dots of a vector, and names that it does not define.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import pytest
from agentmemory_support import SHARED, needs_shared, shared

import mneme
from mneme.agentmemory import AgentMemoryAPI, set_default_api
from mneme.testing import Server

DOCUMENT = "reference/agent-memory-api-document.md"
_STATEMENTS = (ast.Import, ast.ImportFrom, ast.Assign, ast.FunctionDef, ast.ClassDef, ast.Try)
_LINES_MAX = 60


def _is_code(text: str) -> bool:
    """True for statements of a program; a word of prose is a name, which is none."""
    try:
        statements = ast.parse(text).body
    except SyntaxError:
        return False
    return bool(statements) and all(
        isinstance(each, _STATEMENTS) or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Call))
        for each in statements
    )


def examples() -> list[str]:
    """The longest pieces of the document that are programs."""
    lines = shared(DOCUMENT).read_text("utf-8").splitlines() if SHARED is not None else []
    found: list[str] = []
    at = 0
    while at < len(lines):
        ends = range(min(len(lines), at + _LINES_MAX), at, -1)
        pieces = ((end, "\n".join(lines[at:end])) for end in ends) if lines[at].strip() else iter(())
        match = next(((end, piece) for end, piece in pieces if _is_code(piece)), None)
        if match is not None:
            at = match[0]
            found.append(match[1].strip())
        else:
            at += 1
    return found


@pytest.fixture
def program(vector_server: Server, namespace: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Names for the examples; each server that they use by default is that of the test."""
    monkeypatch.setenv("MNEME_SERVER", vector_server.address)
    monkeypatch.setenv("MNEME_NAMESPACE", namespace)
    set_default_api(None)

    class ExistingAgentClass:
        def act(self, observation: Any) -> str:
            return f"seen {observation}"

    with mneme.connect(vector_server.address, namespace=namespace) as client:
        client.store({"text": "a vector of this server"})
        vector = list(next(iter(client.list(view="full"))).embedding.values)  # type: ignore[union-attr]
    names: dict[str, Any] = {"ExistingAgentClass": ExistingAgentClass, "results": ["found"], "vector": vector}
    yield names
    set_default_api(None)
    for value in names.values():
        if isinstance(value, AgentMemoryAPI):
            value.close()


def adapted(example: str) -> str:
    """The example with the imports of Mneme, and with a vector in place of dots."""
    return example.replace("from memory.", "from mneme.agentmemory.").replace("[0.1, 0.2, 0.3, ...]", "list(vector)")


@needs_shared
def test_the_document_has_its_examples() -> None:
    found = examples()
    assert len(found) == 16
    words = ("store_agent_interaction(", "@install_memory_hooks", "@cacheable(ttl=60)", "RedisSTMConfig(", "except ")
    for word in words:
        assert any(word in example for example in found), word


@needs_shared
def test_every_example_runs_and_finds_what_it_stored(
    program: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    for place, example in enumerate(examples()):
        exec(compile(adapted(example), f"example {place + 1}", "exec"), program)
    api: AgentMemoryAPI = program["memory_api"]

    stats = program["stats"]
    assert stats["memory_type_distribution"] == {"state": 2, "interaction": 1, "action": 1}
    assert "Total memories: 4" in capsys.readouterr().out
    assert [entry["step_number"] for entry in program["recent_states"]] == [1234, 1234]
    assert program["similar_states"] and program["similar_memories"] and program["memories"]
    assert len(program["similar_states_again"]) == 4
    (trade,) = program["trading_memories"]
    assert trade["contents"]["items_given"] == {"wood": 2} and trade["step_number"] == 1236
    assert program["result"] is not None and program["result1"] == program["result2"] == ["found"]
    assert api.retrieve_by_time_range("agent-123", 42, 42)[0]["contents"]["health"] == 0.8
    assert api.client.namespaces.get().settings["short_term.ttl"] == "3600000ms"

    agent = program["MyAgent"](agent_id="agent-789")
    agent.process, agent.some_internal_state = lambda observation: {"action_type": "go", "reward": 1}, "calm"
    assert agent.act({"user_input": "go"}) == {"action_type": "go", "reward": 1}
    from mneme.agentmemory import flush_memory_hooks

    assert all(report.complete for report in flush_memory_hooks())
    (state, *_) = api.retrieve_recent_states("agent-789", memory_type="state")
    assert state["contents"]["extra_data"] == {"custom_field": "calm"}
    (act,) = api.retrieve_recent_states("agent-456", memory_type="action")
    assert act["contents"]["observation"] == {"user_input": "What's the weather today?"}
