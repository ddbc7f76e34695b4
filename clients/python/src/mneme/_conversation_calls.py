"""The calls of ConversationService."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from typing import Any

from typing_extensions import Unpack

from . import conversations as types
from ._face import Calls, call, stream
from ._messages import message_values
from ._names import conversation_id, conversation_name, id_in, namespace_name
from ._paging import Damage, OnDamaged, items_of_pages
from ._read import read, read_all
from ._resuming import resuming
from ._session_streams import RequestRuns
from ._write import fill, sequence
from .memory import Scope
from .options import CallOptions, ReadOptions, StreamOptions, WriteOptions
from .v1 import conversation_service_pb2 as pb

_PAGE_SIZE = 200


class ConversationCalls(Calls):
    """Conversations, and the extraction of memories from them. A conversation is named by its id or its full resource
    name."""

    @call
    async def append(
        self,
        conversation: str,
        messages: Iterable[types.ConversationMessageLike],
        *,
        scope: Scope | Mapping[str, str] | None = None,
        end_of_invocation: bool = False,
        **options: Unpack[WriteOptions],
    ) -> types.AppendMessagesResult:
        """Appends 1 to 1,000 messages: all of them or none. Returns when they are durable; extraction runs afterwards.

        A message that is stored already under its sequence number is not stored again. `scope`: project, agent type and
        agent that own the messages; `end_of_invocation` starts extraction right after the answer. Messages of OpenAI,
        Anthropic, Vercel and LangChain are taken as they are, as dicts or objects: parts that are no text are kept as
        tool calls, tool results and data blocks, and a message without any part is refused.

        ```python
        client.conversations.append("c1", [{"role": "user", "content": "I moved to Bern in May."}])
        ```
        """
        request = pb.AppendMessagesRequest(conversation=conversation_name(self._namespace, conversation))
        _fill_messages(request.messages, messages)
        fill(request, {"scope": scope, "end_of_invocation": end_of_invocation})
        return read(types.AppendMessagesResult, await self._ask(request, pb.AppendMessagesResponse, options))

    @stream
    async def list(
        self,
        conversation: str,
        *,
        from_sequence: int | None = None,
        descending: bool = False,
        page_size: int = _PAGE_SIZE,
        on_damaged: OnDamaged | None = None,
        **options: Unpack[ReadOptions],
    ) -> AsyncGenerator[types.ConversationMessage, None]:
        """Messages by sequence number, from `from_sequence` on; with `descending` the highest ones first.

        `on_damaged` receives the ids of memories whose messages cannot be read; by default `DataLossError` is raised
        after all other messages.
        """
        name = conversation_name(self._namespace, conversation)
        min_revision = self._connection.min_revision(options)
        damage = Damage(on_damaged, "messages")

        async def page_of(token: str) -> tuple[Iterable[types.ConversationMessage], str]:
            request = pb.ListMessagesRequest(conversation=name, page_token=token)
            fill(request, {"from_sequence": from_sequence, "descending": descending, "page_size": page_size})
            answer = await self._ask(request, pb.ListMessagesResponse, options, min_revision)
            damage.note(map(id_in, answer.damaged))
            return read_all(types.ConversationMessage, answer.messages), answer.next_page_token

        async with aclosing(items_of_pages(page_of, damage)) as messages:
            async for message in messages:
                yield message

    @call
    async def pop(
        self, conversation: str, *, expected_sequence: int | None = None, **options: Unpack[WriteOptions]
    ) -> types.ConversationMessage:
        """Removes the message with the highest sequence number and returns it. `AbortedError` when that is not
        `expected_sequence`."""
        request = pb.PopMessageRequest(conversation=conversation_name(self._namespace, conversation))
        fill(request, {"expected_sequence": expected_sequence})
        return read(types.ConversationMessage, (await self._ask(request, pb.PopMessageResponse, options)).message)

    @call
    async def replace_suffix(
        self,
        conversation: str,
        *,
        first_sequence: int = 0,
        expected_count: int,
        messages: Iterable[types.ConversationMessageLike] = (),
        scope: Scope | Mapping[str, str] | None = None,
        **options: Unpack[WriteOptions],
    ) -> types.ReplaceSuffixResult:
        """Replaces the messages from `first_sequence` on, for example after the user has edited a turn.

        `expected_count`: number of messages that the conversation must have from there on, otherwise `AbortedError`;
        `messages`: those that take their place, without sequence numbers.
        """
        request = pb.ReplaceSuffixRequest(conversation=conversation_name(self._namespace, conversation))
        fill(request, {"first_sequence": first_sequence, "expected_count": expected_count, "scope": scope})
        _fill_messages(request.messages, messages)
        return read(types.ReplaceSuffixResult, await self._ask(request, pb.ReplaceSuffixResponse, options))

    @call
    async def clear(self, conversation: str, **options: Unpack[WriteOptions]) -> types.ClearMessagesResult:
        """Removes all messages. Memories that were extracted from them stay."""
        request = pb.ClearMessagesRequest(conversation=conversation_name(self._namespace, conversation))
        return read(types.ClearMessagesResult, await self._ask(request, pb.ClearMessagesResponse, options))

    @call
    async def flush(self, conversation: str | None = None, **options: Unpack[CallOptions]) -> types.FlushResult:
        """Starts the extraction of everything that was accepted before the call, of one conversation or of all, and
        waits for it until `timeout_ms`. The result names what is still pending or has failed; reaching the deadline is
        no error."""
        request = pb.FlushRequest(conversation=_id_or_all(conversation))
        return read(types.FlushResult, await self._ask(request, pb.FlushResponse, options))

    @call
    async def get_extraction_status(
        self, conversation: str | None = None, **options: Unpack[CallOptions]
    ) -> types.ExtractionStatus:
        """How far extraction has come, of one conversation or of all."""
        request = pb.GetExtractionStatusRequest(conversation=_id_or_all(conversation))
        answer = await self._ask(request, pb.GetExtractionStatusResponse, options)
        return read(types.ExtractionStatus, answer.status)

    @stream
    async def watch_extraction(
        self, conversation: str | None = None, *, interval_ms: float | None = None, **options: Unpack[StreamOptions]
    ) -> AsyncGenerator[types.ExtractionStatus, None]:
        """How far extraction has come, and again after every change, at most once per `interval_ms` (100 to 60,000,
        default 1,000). A connection that breaks is made again."""
        request = pb.WatchExtractionRequest(parent=namespace_name(self._namespace))
        request.conversation = _id_or_all(conversation)
        fill(request, {"interval_ms": interval_ms})
        runs = RequestRuns(self._connection, request, pb.WatchExtractionResponse, options)
        async with aclosing(resuming(self._connection, runs, options)) as messages:
            async for message in messages:
                yield read(types.ExtractionStatus, message.status)

    @call
    async def retry_extraction(
        self, conversation: str | None = None, **options: Unpack[CallOptions]
    ) -> types.RetryExtractionResult:
        """Tries again to extract from conversations whose extraction has failed for good."""
        request = pb.RetryExtractionRequest(conversation=_id_or_all(conversation))
        return read(types.RetryExtractionResult, await self._ask(request, pb.RetryExtractionResponse, options))


def _id_or_all(conversation: str | None) -> str:
    return "" if conversation is None else conversation_id(conversation)


def _fill_messages(target: Any, messages: Any) -> None:
    for place, message in enumerate(sequence(messages, "messages")):
        _fill_message(target.add(), message, f"messages[{place}]")


def _fill_message(target: pb.ConversationMessage, message: object, at: str) -> None:
    fill(target, message_values(message, at), at)
