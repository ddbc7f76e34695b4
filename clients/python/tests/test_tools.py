"""Tools for function calling against a real server, blocking and with asyncio."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import mneme
import mneme.aio
from mneme.testing import Server
from mneme.tools import agent_tools, call_agent_tool
from mneme.v1 import knowledge_service_pb2 as pb


def test_tools_have_descriptions_and_schemas(client: mneme.Mneme) -> None:
    tools = agent_tools(client)
    assert [(tool.name, tool.read_only) for tool in tools] == [
        ("remember", False),
        ("recall", True),
        ("forget", False),
        ("search_procedures", True),
        ("record_outcome", False),
        ("reflect", True),
        ("get_memory_stats", True),
    ]
    assert all(len(tool.description) > 20 and tool.input_schema["type"] == "object" for tool in tools)
    assert [tool.name for tool in agent_tools(client, ["recall"])] == ["recall"]


def test_tools_store_find_count_and_erase(client: mneme.Mneme) -> None:
    tools = {tool.name: tool.run for tool in agent_tools(client)}
    assert tools["recall"]({"text": "Who plays?"}) == {"memories": [], "nothing_relevant": True}
    assert tools["get_memory_stats"]({})["memory_count"] == 0
    memories = [
        {"text": "Ada plays the cello.", "speaker": "Ada", "tags": ["music"], "event_time": "2026-11-01"},
        {"text": "To tune a cello, start with the A string.", "type": "procedure"},
    ]
    first, _ = tools["remember"]({"memories": memories})["memories"]
    (found,) = tools["recall"]({"text": "Who plays the cello?", "limit": 1})["memories"]
    assert (found["id"], found["speaker"], found["event_time"]) == (first["id"], "Ada", "2026-11-01T00:00:00.000Z")
    (procedure,) = tools["search_procedures"]({"situation": "How do I tune a cello?"})["procedures"]
    assert procedure["text"] == "To tune a cello, start with the A string."
    assert tools["get_memory_stats"]({})["memory_count"] == 2
    assert tools["forget"]({"ids": [first["id"]]})["forgotten_count"] == 1
    assert tools["forget"]({"ids": [first["id"]], "dry_run": False})["ids"] == [first["id"]]
    assert tools["recall"]({"filter_text": "tags:music"}) == {"memories": [], "nothing_relevant": True}


def test_outcomes_of_procedures_are_recorded(client: mneme.Mneme) -> None:
    request = pb.RecordProcedureRequest(parent=f"namespaces/{client.namespace}")
    request.procedure.MergeFrom(pb.Procedure(title="Tune a cello", situation="out of tune", steps=["Turn the pegs."]))
    recorded = client.raw.call(request, pb.RecordProcedureResponse).procedure
    id = recorded.name.rsplit("/", 1)[1]
    result = call_agent_tool(
        client, "record_outcome", {"procedure_id": id, "outcome": "failure", "note": "a peg broke"}
    )
    assert (result["id"], result["failure_count"], result["success_count"]) == (id, 1, 0)


def test_the_procedure_that_succeeds_is_found_first(client: mneme.Mneme) -> None:
    situation = "the search index of the shop is stale"
    ids = {}
    for title, outcome in (("rebuild the index", "failure"), ("restart the index", "success")):
        request = pb.RecordProcedureRequest(parent=f"namespaces/{client.namespace}")
        request.procedure.MergeFrom(pb.Procedure(title=title, situation=situation, steps=["Do it."]))
        recorded = client.raw.call(request, pb.RecordProcedureResponse).procedure
        ids[title] = recorded.name.rsplit("/", 1)[1]
        call_agent_tool(client, "record_outcome", {"procedure_id": ids[title], "outcome": outcome})
    client.store({"type": "procedure", "text": "When the search index is stale, wait a minute."})
    found = call_agent_tool(client, "search_procedures", {"situation": situation})["procedures"]
    assert len(found) == 3
    assert found[0]["id"] == ids["restart the index"]
    assert found[0]["text"] == f"restart the index\nWhen: {situation}\n1. Do it."
    assert (found[0]["success_count"], found[0]["failure_count"]) == (1, 0)
    assert len(call_agent_tool(client, "search_procedures", {"situation": situation, "limit": 1})["procedures"]) == 1


def test_reflection_on_episodes(client: mneme.Mneme) -> None:
    nothing = call_agent_tool(client, "reflect", {})
    assert (nothing["episode_count"], nothing["insights"]) == (0, [])
    for number in range(12):
        tested = number % 3 != 0
        request = pb.RecordEpisodeRequest(
            parent=f"namespaces/{client.namespace}",
            task="deploy the shop",
            outcome=pb.TASK_OUTCOME_SUCCESS if tested else pb.TASK_OUTCOME_FAILURE,
            actions=["ran the tests", "pushed"] if tested else ["pushed"],
        )
        client.raw.call(request, pb.RecordEpisodeResponse)
    answer = call_agent_tool(client, "reflect", {"task": "deploy", "since": "2026-01-01", "limit": 2})
    assert (answer["episode_count"], answer["success_count"], answer["failure_count"]) == (12, 8, 4)
    assert [each["kind"] for each in answer["insights"]] == ["recommendation", "learning"]
    assert "“ran the tests”" in answer["insights"][0]["text"]
    assert answer["insights"][0]["episode_ids"]


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("remember", {}, "arguments.text"),
        ("remember", {"text": "a", "memories": [{"text": "b"}]}, "arguments.text"),
        ("remember", {"text": ""}, "arguments.text"),
        ("remember", {"text": "a", "importance": 2}, "arguments.importance"),
        ("remember", {"text": "a", "tags": [1]}, "arguments.tags[0]"),
        ("remember", {"text": "a", "event_time": "soon"}, "arguments.event_time"),
        ("remember", {"text": "a", "expire_time": "2020-11-01"}, "arguments.expire_time"),
        ("remember", {"memories": [{"text": "a", "colour": "red"}]}, "arguments.memories[0].colour"),
        ("recall", {"text": "a", "limit": 1.5}, "arguments.limit"),
        ("recall", {"text": "a", "namespace": "other"}, "arguments.namespace"),
        ("forget", {"ids": []}, "arguments.ids"),
        ("search_procedures", {}, "arguments.situation"),
        ("record_outcome", {"procedure_id": "p", "outcome": "good"}, "arguments.outcome"),
        ("reflect", {"limit": 51}, "arguments.limit"),
        ("reflect", {"since": "soon"}, "arguments.since"),
        ("reboot", {}, "name"),
    ],
)
def test_arguments_are_checked(client: mneme.Mneme, name: str, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(mneme.InvalidArgumentError) as caught:
        call_agent_tool(client, name, arguments)
    assert caught.value.violations[0].field == field


def test_the_same_with_asyncio(server: Server, namespace: str) -> None:
    async def run() -> None:
        async with mneme.aio.connect(server.address, namespace=namespace) as client:
            tools = {tool.name: tool.run for tool in agent_tools(client)}
            assert (await tools["recall"]({"text": "Who plays?"}))["nothing_relevant"]
            await tools["remember"]({"text": "Ada plays the cello."})
            assert len((await tools["recall"]({"text": "Who plays the cello?"}))["memories"]) == 1

    asyncio.run(run())


def test_m1_arguments_may_be_null_empty_or_texts(client: mneme.Mneme) -> None:
    tools = {tool.name: tool.run for tool in agent_tools(client)}
    tools["remember"]('{"text": "Paul owns a sailing boat.", "tags": null, "importance": "0.5", "session": ""}')
    tools["remember"]({"memories": ["Rye is in the left bin.", {"text": "Barley is in the right bin.", "tags": None}]})
    (found,) = tools["recall"]({"query": "Who owns a boat?", "text": None, "limit": "1", "as_of": ""})["memories"]
    assert found["text"] == "Paul owns a sailing boat."
    assert tools["get_memory_stats"](None)["memory_count"] == 3
    assert tools["forget"]({"ids": None, "filter_text": "text:boat", "dry_run": "true"})["forgotten_count"] == 1
    with pytest.raises(mneme.InvalidArgumentError, match=r"arguments.limit: must be integer"):
        tools["recall"]({"text": "x", "limit": "many"})
    with pytest.raises(mneme.InvalidArgumentError, match=r"arguments.query: is not an argument"):
        tools["recall"]({"text": "x", "query": "y"})
