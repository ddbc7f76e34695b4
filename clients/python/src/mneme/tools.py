"""Tools for the function calling of a model, served from the definitions that all clients share.

```python
import mneme
from mneme.tools import agent_tools

with mneme.connect("127.0.0.1:50051", namespace="ada") as client:
    tools = {tool.name: tool for tool in agent_tools(client)}
    tools["recall"].run({"text": "Who plays the cello?"})
```
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import resources
from typing import Any, Generic, TypeVar, Union, overload

from . import aio
from ._names import memory_name, namespace_name
from ._tool_arguments import JsonSchema, check_arguments, read_arguments
from .client import Mneme
from .errors import MnemeError, NotFoundError, invalid
from .memory import Memory
from .v1 import knowledge_service_pb2 as pb

__all__ = ["AgentTool", "ToolResult", "agent_tools", "call_agent_tool"]

ToolResult = dict[str, Any]
"""Result of a tool, as JSON."""
R = TypeVar("R")
_Steps = Generator[Any, Any, ToolResult]
_Arguments = Union[Mapping[str, Any], str, None]

_DEFINITIONS: dict[str, dict[str, Any]] = {
    each["name"]: each for each in json.loads(resources.files("mneme").joinpath("agent-tools.json").read_text("utf-8"))
}
#: Relevance from which on a procedure is taken to fit; see `docs/guides/nothing-relevant.md`.
_RELEVANT_MIN = 0.07
_LIMIT_DEFAULT = 10
_PROCEDURES_DEFAULT = 5
_INSIGHTS_DEFAULT = 10
#: Success rate of a procedure without outcomes.
_UNKNOWN_RATE = 0.5
_TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?")


@dataclass(frozen=True)
class AgentTool(Generic[R]):
    """A tool for the function calling of a model."""

    name: str
    description: str
    read_only: bool
    """True when a call changes nothing."""
    input_schema: JsonSchema
    """JSON Schema of the arguments."""
    run: Callable[[_Arguments], R]
    """Runs the tool with a mapping, or its JSON text, as models send it; None: nothing is set. Of a client for
    asyncio, gives what is to be awaited. `InvalidArgumentError` names what is wrong with the arguments, for the model
    to correct."""


@overload
def agent_tools(client: Mneme, names: Sequence[str] | None = None) -> list[AgentTool[ToolResult]]: ...
@overload
def agent_tools(client: aio.Mneme, names: Sequence[str] | None = None) -> list[AgentTool[Awaitable[ToolResult]]]: ...
def agent_tools(client: Mneme | aio.Mneme, names: Sequence[str] | None = None) -> Any:
    """Tools with which a model stores and finds memories of the namespace of a client: all of them, or those named."""
    return [_tool(client, name) for name in (_HANDLERS if names is None else names)]


def _tool(client: Any, name: str) -> AgentTool[Any]:
    definition = _definition(name)

    def run(arguments: _Arguments) -> Any:
        return call_agent_tool(client, name, arguments)

    return AgentTool(name, definition["description"], definition["read_only"], definition["input_schema"], run)


@overload
def call_agent_tool(client: Mneme, name: str, arguments: _Arguments) -> ToolResult: ...
@overload
def call_agent_tool(client: aio.Mneme, name: str, arguments: _Arguments) -> Awaitable[ToolResult]: ...
def call_agent_tool(client: Mneme | aio.Mneme, name: str, arguments: _Arguments) -> Any:
    """Runs the tool of this name, as `AgentTool.run` does."""
    definition = _definition(name)
    read = read_arguments(definition["input_schema"], arguments, definition.get("aliases", {}))
    check_arguments(definition["input_schema"], read, "arguments")
    steps = _HANDLERS[name](client, read)
    return _awaiting(steps) if isinstance(client, aio.Mneme) else _blocking(steps)


def _definition(name: str) -> dict[str, Any]:
    if name not in _HANDLERS:
        raise invalid("name", f"must be one of {', '.join(_HANDLERS)}, got {name!r}")
    return _DEFINITIONS[name]


def _blocking(steps: _Steps) -> ToolResult:
    try:
        call = next(steps)
        while True:
            try:
                answer = call()
            except MnemeError as error:
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as done:
        result: ToolResult = done.value
        return result


async def _awaiting(steps: _Steps) -> ToolResult:
    try:
        call = next(steps)
        while True:
            try:
                answer = await call()
            except MnemeError as error:
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as done:
        result: ToolResult = done.value
        return result


# Each handler yields its calls of the client, which are made by whichever of the two loops above fits the client.


def _remember(client: Any, arguments: Mapping[str, Any]) -> _Steps:
    memories = arguments.get("memories")
    if (memories is None) == ("text" not in arguments):
        raise invalid("arguments.text", "expected a text, or memories for several at once, and not both")
    drafts = [_memory(each) for each in ([arguments] if memories is None else memories)]
    receipts = yield lambda: client.batch_store(drafts)
    return {"memories": [{"id": each.id, "version": each.version} for each in receipts]}


def _recall(client: Any, arguments: Mapping[str, Any]) -> _Steps:
    text = arguments.get("text")
    if text is None and "filter_text" not in arguments:
        raise invalid("arguments.text", "expected a text, or a filter_text")
    query = {
        "text": text,
        "filter": arguments.get("filter_text"),
        "limit": arguments.get("limit", _LIMIT_DEFAULT),
        "min_relevance": arguments.get("min_relevance"),
        "as_of": _time("as_of", arguments["as_of"]) if "as_of" in arguments else None,
    }
    memories = yield from _found(client, query)
    return {"memories": memories, "nothing_relevant": not memories}


def _forget(client: Any, arguments: Mapping[str, Any]) -> _Steps:
    ids = arguments.get("ids")
    if (ids is None) == ("filter_text" not in arguments):
        raise invalid("arguments.ids", "expected ids or a filter_text, and not both")
    filter = arguments["filter_text"] if ids is None else f"id IN ({', '.join(json.dumps(each) for each in ids)})"
    dry_run = arguments.get("dry_run", True)
    forgotten = yield lambda: client.forget(filter=filter, dry_run=dry_run)
    return {"dry_run": dry_run, "forgotten_count": forgotten.forgotten_count, "ids": list(forgotten.ids)}


def _search_procedures(client: Any, arguments: Mapping[str, Any]) -> _Steps:
    situation, limit = arguments["situation"], arguments.get("limit", _PROCEDURES_DEFAULT)
    request = pb.FindProceduresRequest(parent=namespace_name(client.namespace), situation=situation, limit=limit)
    try:
        answer = yield lambda: client.raw.call(request, pb.FindProceduresResponse)
    except NotFoundError:  # The first memory creates a namespace: before that it is empty.
        return {"procedures": []}
    procedures = [_procedure(each) for each in answer.procedures if each.relevance >= _RELEVANT_MIN]
    query = {"text": situation, "filter": 'type = "procedure"', "limit": limit}
    memories = yield from _found(client, query)
    known = {each["id"] for each in procedures}
    others = [
        {
            **{name: each[name] for name in ("id", "text", "relevance")},
            "success_rate": _UNKNOWN_RATE,
            "score": each["relevance"] * _UNKNOWN_RATE,
        }
        for each in memories
        if each["id"] not in known
    ]
    return {"procedures": sorted([*procedures, *others], key=lambda each: each["score"], reverse=True)[:limit]}


def _procedure(found: pb.FoundProcedure) -> dict[str, Any]:
    procedure = found.procedure
    when = [f"When: {procedure.situation}"] if procedure.situation else []
    steps = [f"{number}. {step}" for number, step in enumerate(procedure.steps, 1)]
    return {
        "id": procedure.name.rsplit("/", 1)[-1],
        "text": "\n".join([procedure.title, *when, *steps]),
        "relevance": found.relevance,
        "score": found.score,
        "success_rate": procedure.success_rate,
        "success_count": procedure.success_count,
        "failure_count": procedure.failure_count,
        "partial_count": procedure.partial_count,
        "notes": list(procedure.notes),
    }


def _record_outcome(client: Any, arguments: Mapping[str, Any]) -> _Steps:
    request = pb.RecordOutcomeRequest(
        name=memory_name(client.namespace, arguments["procedure_id"]),
        outcome=pb.TaskOutcome.Value(f"TASK_OUTCOME_{arguments['outcome'].upper()}"),
        note=arguments.get("note", ""),
    )
    answer = yield lambda: client.raw.call(request, pb.RecordOutcomeResponse)
    found = answer.procedure
    return {
        "id": arguments["procedure_id"],
        "success_rate": found.success_rate,
        "success_count": found.success_count,
        "failure_count": found.failure_count,
        "partial_count": found.partial_count,
    }


def _reflect(client: Any, arguments: Mapping[str, Any]) -> _Steps:
    request = pb.ReflectRequest(
        parent=namespace_name(client.namespace),
        task=arguments.get("task", ""),
        limit=arguments.get("limit", _INSIGHTS_DEFAULT),
    )
    if "since" in arguments:
        request.start_time.FromDatetime(_time("since", arguments["since"]))
    if "until" in arguments:
        request.end_time.FromDatetime(_time("until", arguments["until"]))
    try:
        answer = yield lambda: client.raw.call(request, pb.ReflectResponse)
    except NotFoundError:  # The first memory creates a namespace: before that it is empty.
        answer = pb.ReflectResponse()
    return {
        "episode_count": answer.counts.episodes,
        "success_count": answer.counts.successes,
        "failure_count": answer.counts.failures,
        "partial_count": answer.counts.partials,
        "insights": [
            {
                "kind": _INSIGHT_KINDS.get(each.kind, "other"),
                "text": each.text,
                "confidence": each.confidence,
                "support_count": each.support_count,
                "episode_ids": [name.rsplit("/", 1)[-1] for name in each.episodes],
            }
            for each in answer.insights
        ],
    }


_INSIGHT_KINDS = {
    number: name.removeprefix("INSIGHT_KIND_").lower() for name, number in pb.InsightKind.items() if number > 0
}


def _get_memory_stats(client: Any, arguments: Mapping[str, Any]) -> _Steps:
    try:
        statistics = yield lambda: client.namespaces.get_statistics()
    except NotFoundError:  # The first memory creates a namespace: before that it is empty.
        return {"memory_count": 0, "content_bytes": 0, "types": [], "tiers": []}
    return {
        "memory_count": statistics.memory_count,
        "content_bytes": statistics.content_bytes,
        "types": [{"type": each.type, "memory_count": each.memory_count} for each in statistics.types],
        "tiers": [{"tier": each.tier, "memory_count": each.memory_count} for each in statistics.tiers],
    }


_HANDLERS: dict[str, Callable[[Any, Mapping[str, Any]], _Steps]] = {
    "remember": _remember,
    "recall": _recall,
    "forget": _forget,
    "search_procedures": _search_procedures,
    "record_outcome": _record_outcome,
    "reflect": _reflect,
    "get_memory_stats": _get_memory_stats,
}


def _found(client: Any, query: Mapping[str, Any]) -> Generator[Any, Any, list[dict[str, Any]]]:
    given = {name: value for name, value in query.items() if value is not None}
    try:
        answer = yield lambda: client.recall(given)
    except NotFoundError:
        return []
    return [
        {
            **_answer(hit.memory),
            **({"text": hit.passage.text.strip()} if hit.passage else {}),
            "relevance": hit.relevance,
        }
        for hit in answer.hits
    ]


def _answer(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "text": memory.text,
        "type": memory.type,
        "tags": list(memory.tags),
        "importance": memory.importance,
        **({"speaker": memory.source.speaker} if memory.source.speaker else {}),
        **({"session": memory.scope.session} if memory.scope.session else {}),
        "event_time": memory.event_time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "version": memory.version,
    }


def _memory(given: Mapping[str, Any]) -> dict[str, Any]:
    draft = {name: given[name] for name in ("text", "type", "tags", "importance") if name in given}
    if "speaker" in given:
        draft["source"] = {"speaker": given["speaker"]}
    if "session" in given:
        draft["scope"] = {"session": given["session"]}
    for name in ("event_time", "valid_from", "valid_until", "expire_time"):
        if name in given:
            draft[name] = _time(name, given[name])
    expiry, now = draft.get("expire_time"), datetime.now(timezone.utc)
    # A memory that has expired is stored and never found, which an answer of success would hide.
    if expiry is not None and expiry <= now:
        raise invalid("arguments.expire_time", f"expected a time in the future; it is {now:%Y-%m-%dT%H:%M:%SZ} now")
    return draft


def _time(name: str, text: str) -> datetime:
    problem = "expected a time such as 2026-11-21T09:00:00Z, or a day such as 2026-11-21"
    if not _TIME.fullmatch(text):
        raise invalid(f"arguments.{name}", problem)
    try:
        time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise invalid(f"arguments.{name}", problem) from None
    return time if time.tzinfo else time.replace(tzinfo=timezone.utc)
