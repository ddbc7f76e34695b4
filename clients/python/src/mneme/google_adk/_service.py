"""What both services of ADK have in common: their client."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from .. import client as blocking
from .._adapters import guarded, stored
from .._known import strict
from ..conversations import ConversationMessage


class Service:
    """A service with a client of its own, or one that was supplied."""

    @strict
    def __init__(
        self,
        address: str = "127.0.0.1:50051",
        *,
        namespace: str = "default",
        connect: Mapping[str, Any] | None = None,
        client: blocking.Mneme | None = None,
        timeout_ms: float = 10_000,
    ) -> None:
        """`address`, `namespace` and `connect` (more arguments of `mneme.connect`) say where things are stored;
        `client` is a client to use in their place. Nothing is sent until the first call. `timeout_ms`: longest time of
        a call."""
        self._owns_client = client is None
        self._timeout_ms = timeout_ms
        self.client = guarded(client or blocking.connect(address, namespace=namespace, **(connect or {})))
        """The client of the server."""

    async def close(self) -> None:
        """Closes the connection, unless it belongs to a supplied client."""
        if self._owns_client:
            await asyncio.to_thread(self.client.close)

    def _messages(self, conversation: str) -> list[ConversationMessage]:
        return stored(lambda: self._listed(conversation, page_size=1_000), [])

    def _newest(self, conversation: str) -> ConversationMessage | None:
        def newest() -> ConversationMessage | None:
            messages = self.client.conversations.list(
                conversation, descending=True, page_size=1, timeout_ms=self._timeout_ms
            )
            with messages:
                return next(iter(messages), None)

        return stored(newest, None)

    def _listed(self, conversation: str, page_size: int) -> list[ConversationMessage]:
        with self.client.conversations.list(conversation, page_size=page_size, timeout_ms=self._timeout_ms) as messages:
            return list(messages)
