"""A session of the OpenAI Agents SDK in a conversation of Mneme."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, Union

from agents.items import TResponseInputItem
from agents.memory import SessionSettings
from agents.run_context import RunContextWrapper

from .. import client as blocking
from .._adapters import REQUEST_BYTES, batches, guarded, stored, writing
from .._known import strict
from .._names import conversation_name
from ..memory import Scope
from ._items import item_of, message_of

_ITEMS_PER_CALL = 1_000

ScopeLike = Union[Scope, Mapping[str, str], None]
ScopeOf = Callable[[Union["RunContextWrapper[Any]", None]], ScopeLike]


class MnemeSession:
    """A `Session` for `Runner.run(…, session=…)`. It may be used from any thread and event loop, by several runs and
    processes at once: items of one call stay together and in order.
    """

    session_id: str
    """Id of the session, and of the conversation that it is."""
    session_settings: SessionSettings | None

    @strict
    def __init__(
        self,
        session_id: str,
        *,
        address: str = "127.0.0.1:50051",
        namespace: str = "default",
        connect: Mapping[str, Any] | None = None,
        client: blocking.Mneme | None = None,
        scope: ScopeLike | ScopeOf = None,
        session_settings: SessionSettings | Mapping[str, Any] | None = None,
        end_of_invocation: bool = False,
        timeout_ms: float = 10_000,
    ) -> None:
        """`address`, `namespace` and `connect` (more arguments of `mneme.connect`) say where the session is; `client`
        is a client to use in their place. Nothing is sent until the first call.

        `scope`: project, agent type and agent that own the messages, or a function of the run's context that returns
        them; `session_settings`: `limit` is the number of newest items that `get_items` returns by default;
        `end_of_invocation`: memories are extracted right after each `add_items`; `timeout_ms`: longest time of a call.
        """
        conversation_name(namespace, session_id)
        self.session_id = session_id
        settings = {} if session_settings is None else session_settings
        self.session_settings = SessionSettings(**settings) if isinstance(settings, Mapping) else settings
        self._scope = scope
        self._end_of_invocation = end_of_invocation
        self._timeout_ms = timeout_ms
        self._owns_client = client is None
        self.client = guarded(client or blocking.connect(address, namespace=namespace, **(connect or {})))
        """The client of the server, for example to recall what was said in all sessions."""

    async def get_items(
        self, limit: int | None = None, *, wrapper: RunContextWrapper[Any] | None = None
    ) -> list[TResponseInputItem]:
        """The newest `limit` items, oldest first; all of them without a limit or with a negative one."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        if limit == 0:
            return []
        most = limit if limit is not None and limit > 0 else None
        return await asyncio.to_thread(lambda: stored(lambda: self._newest(most), []))

    async def add_items(
        self, items: list[TResponseInputItem], *, wrapper: RunContextWrapper[Any] | None = None
    ) -> None:
        """Appends items, and returns when they are durable. Up to 1,000 items with 1.5 MB are stored all or not at all;
        larger lists are stored in parts of that size."""
        messages = [message_of(item, f"items[{place}]") for place, item in enumerate(items)]
        scope = self._scope(wrapper) if callable(self._scope) else self._scope
        if messages:
            await writing(lambda: self._append(messages, scope))

    async def pop_item(self, *, wrapper: RunContextWrapper[Any] | None = None) -> TResponseInputItem | None:
        """Removes the newest item and returns it; None when there is none."""

        def pop() -> TResponseInputItem:
            return item_of(self.client.conversations.pop(self.session_id, timeout_ms=self._timeout_ms))

        return await writing(lambda: stored(pop, None))

    async def clear_session(self, *, wrapper: RunContextWrapper[Any] | None = None) -> None:
        """Removes all items."""

        def clear() -> object:
            return self.client.conversations.clear(self.session_id, timeout_ms=self._timeout_ms)

        await writing(lambda: stored(clear, None))

    async def close(self) -> None:
        """Closes the connection, unless it belongs to a supplied client."""
        if self._owns_client:
            await asyncio.to_thread(self.client.close)

    def _newest(self, most: int | None) -> list[TResponseInputItem]:
        size = _ITEMS_PER_CALL if most is None else min(most, _ITEMS_PER_CALL)
        messages = self.client.conversations.list(
            self.session_id, descending=True, page_size=size, timeout_ms=self._timeout_ms
        )
        with messages:
            items = [item_of(message) for message in islice(messages, most)]
        items.reverse()
        return items

    def _append(self, messages: Sequence[dict[str, Any]], scope: ScopeLike) -> None:
        for part in batches(messages, _exact_bytes, REQUEST_BYTES):
            self.client.conversations.append(
                self.session_id,
                part,
                scope=scope,
                end_of_invocation=self._end_of_invocation,
                timeout_ms=self._timeout_ms,
            )


def _exact_bytes(message: Mapping[str, Any]) -> int:
    """Bytes of the exact item, which is the last block: the readable ones together are no larger."""
    return len(message["blocks"][-1]["data"].data)
