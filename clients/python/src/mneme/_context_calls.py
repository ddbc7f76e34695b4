"""The call of ContextService."""

from __future__ import annotations

from typing import Any

from typing_extensions import Unpack

from ._face import Calls, call
from ._known import split
from ._messages import text_of
from ._names import namespace_name
from ._read import read
from ._write import fill, items_of, sequence, zone_of
from .context import Context, ContextQuery
from .errors import invalid
from .options import ReadOptions
from .v1 import context_service_pb2 as pb


class ContextArguments(ContextQuery, ReadOptions, total=False):
    """Keys of `ContextQuery` and `ReadOptions`."""


class ContextCalls(Calls):
    """Contexts of model calls."""

    @call
    async def build_context(
        self, query: str | ContextQuery | None = None, /, **arguments: Unpack[ContextArguments]
    ) -> Context:
        """Text for the context window of a model: the working memory of a session and the memories that answer a query,
        quoted as data within a budget of tokens. A part that fails or is late is named in `degraded`.

        ```python
        client.build_context("Where is the brass key?", token_budget=500).text
        ```
        """
        options, more = split(arguments)
        request = _request(query, more, self._namespace)
        return read(Context, await self._ask(request, pb.BuildContextResponse, options))


def _messages(messages: Any) -> list[dict[str, str]]:
    """Role and text of each message; one without a text says nothing to a search."""
    found = [text_of(message, f"messages[{place}]") for place, message in enumerate(sequence(messages, "messages"))]
    return [{"role": role, "text": text} for role, text in found if text]


def _request(query: object, more: dict[str, Any], namespace: str) -> pb.BuildContextRequest:
    given: dict[str, Any] = {}
    if isinstance(query, str):
        given["query"] = query
    elif query is not None:
        given.update(items_of(query, "query"))
    given.update(more)
    if given.get("messages") is not None:
        given["messages"] = _messages(given["messages"])
    window = {name: given.pop(name) for name in ("model_tokens", "share") if name in given}
    limits = given.pop("kind_limits", None) or {}
    request = pb.BuildContextRequest(parent=namespace_name(namespace))
    fill(request, given)
    request.time_zone = request.time_zone or zone_of(given.get("reference_time"))
    for kind, limit in items_of(limits, "kind_limits"):
        each = request.kind_limits.add()
        fill(each, {"kind": kind}, "kind_limits")
        fill(each, limit, f"kind_limits.{kind}")
    if window.get("model_tokens") is not None and given.get("token_budget") is None:
        fill(request.window, window)
    elif window.get("share") is not None and given.get("token_budget") is None:
        raise invalid("share", "must be given with model_tokens")
    return request
