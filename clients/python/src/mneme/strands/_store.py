"""A memory store of Strands in a namespace of Mneme."""

from __future__ import annotations

import asyncio
import copy
import json
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from strands.memory import AddMessagesContext, ExtractionConfig, MemoryEntry, MemoryStore, SearchOptions
from strands.types.content import Message
from typing_extensions import Required, TypedDict

from .. import client as blocking
from .._adapters import guarded, is_asked_again
from .._documents import HITS
from .._known import strict
from ..content import Content
from ..context import Context, ContextQuery
from ..conversations import FlushResult
from ..errors import AlreadyExistsError, MnemeError
from ..filters import FilterLike
from ..memory import Scope
from ..recall import RecallHit
from ._messages import conversation_message

T = TypeVar("T")

#: Limit of a query, in bytes: the server searches no more of it.
_QUERY_BYTES = 8_192
_MESSAGES_PER_CALL = 1_000
_DEFAULT_RESULTS = 3
_CONFLICTS = 3
#: Further hits, in place of questions of former turns.
_ASKED_AGAIN = 5


class MnemeStoreConfig(TypedDict, total=False):
    """Arguments of `MnemeMemoryStore`."""

    name: Required[str]
    description: str
    max_search_results: int
    writable: bool
    extraction: ExtractionConfig | bool
    address: str
    namespace: str
    connect: Mapping[str, Any]
    client: blocking.Mneme
    scope: Scope | Mapping[str, str]
    filter: FilterLike
    min_relevance: float
    conversation: str
    type: str
    search_timeout_ms: float
    write_timeout_ms: float
    check_server: bool


class MnemeMemoryStore(MemoryStore):
    """A memory store in a namespace of a server. It may be used from any thread and any event loop.

    `search` recalls; `add` stores one memory; `add_messages` appends to a conversation, from which the server extracts
    memories by itself. What the server reports of an entry is in its metadata under keys that begin with `_`:
    `_id`, `_relevance` (0 to 1, comparable between stores), `_score`, `_type`, `_time`, `_trust` and `_speaker`.
    """

    @strict
    def __init__(
        self,
        name: str,
        *,
        description: str | None = None,
        max_search_results: int | None = None,
        writable: bool = False,
        extraction: ExtractionConfig | bool = False,
        address: str = "127.0.0.1:50051",
        namespace: str = "default",
        connect: Mapping[str, Any] | None = None,
        client: blocking.Mneme | None = None,
        scope: Scope | Mapping[str, str] | None = None,
        filter: FilterLike | None = None,
        min_relevance: float | None = None,
        conversation: str | None = None,
        type: str = "fact",
        search_timeout_ms: float = 1_000,
        write_timeout_ms: float = 10_000,
        check_server: bool = False,
    ) -> None:
        """`address`, `namespace` and `connect` (more arguments of `mneme.connect`) say where the memories are; `client`
        is a client to use in their place. Nothing is sent until the first call.

        `scope`: owner of what is written, and whose memories are found, with its ancestors; `filter`: which memories
        are found; `min_relevance`: their lowest relevance, by default the setting of the namespace (0.07);
        `conversation`: id of the conversation of the messages (default: a new one for each agent); `type`: type of the
        memories of `add`; `search_timeout_ms`, `write_timeout_ms`: longest time of a search and of a write;
        `check_server` makes an agent fail at its construction when the server does not answer.
        """
        self.name = name
        self.description = description
        self.max_search_results = max_search_results
        self.writable = writable
        self.extraction = extraction
        self._scope = scope
        self._filter = filter
        self._min_relevance = min_relevance
        self._fixed_conversation = conversation
        self._type = type
        self._search_timeout_ms = search_timeout_ms
        self._write_timeout_ms = write_timeout_ms
        self._check_server = check_server
        self._owns_client = client is None
        self._client = guarded(client or blocking.connect(address, namespace=namespace, **(connect or {})))
        self._begin_run()

    def _begin_run(self) -> None:
        self.run_id = str(uuid.uuid4())
        self.conversation = self._fixed_conversation or self.run_id
        #: Sequence number in the conversation of the run's message 0; None until it is known.
        self._base: int | None = None if self._fixed_conversation else 0
        #: Whether messages were sent since the last flush that was complete.
        self.has_unextracted = False
        #: What could not be saved, and why; None after a success.
        self.unsaved: str | None = None
        self._writing = threading.Lock()

    def new_run(self) -> MnemeMemoryStore:
        """The same store for the messages of another agent, whose sequence numbers begin at 0 again."""
        other = copy.copy(self)
        other._begin_run()
        return other

    async def initialize(self) -> None:
        """Fails when the server does not answer and `check_server` is set."""
        if self._check_server:
            await self._call(lambda: self._client.admin.get_server_info(timeout_ms=self._write_timeout_ms))

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Memories that answer the query, best first."""
        text = query.encode(errors="replace")[:_QUERY_BYTES].decode(errors="ignore").strip()
        if not text:
            return []
        limit = (options or {}).get("max_search_results") or self.max_search_results or _DEFAULT_RESULTS
        cue: dict[str, Any] = {
            "text": text,
            "limit": min(limit + _ASKED_AGAIN, HITS),
            "scope": self._scope,
            "filter": self._filter,
        }
        cue["min_relevance"] = self._min_relevance
        timeout_ms = self._search_timeout_ms
        found = await self._call(lambda: self._client.recall(timeout_ms=timeout_ms, **cue))
        hits = [hit for hit in found.hits if not is_asked_again(hit.memory, text)]
        return [entry for hit in hits if (entry := _entry(hit)).content][:limit]

    async def build_context(self, query: ContextQuery) -> Context:
        """Text of what is remembered for a model, as `Mneme.build_context`, within `search_timeout_ms`."""
        given: ContextQuery = query
        if self._min_relevance is not None:
            given = {"min_relevance": self._min_relevance, **given}
        if self._scope is not None:
            given = {"scope": self._scope, **given}
        return await self._call(lambda: self._client.build_context(given, timeout_ms=self._search_timeout_ms))

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> str:
        """Stores a memory and returns its id. The same content and metadata have one effect in a run."""
        told = {key: value for key, value in (metadata or {}).items() if not key.startswith("_")}
        memory: dict[str, Any] = {"text": content, "type": self._type, "scope": self._scope}
        if told:
            memory["content"] = told
        key = json.dumps([content, told], sort_keys=True, default=str)
        request_id = str(uuid.uuid5(uuid.UUID(self.run_id), key))
        timeout_ms = self._write_timeout_ms
        with self._noting("a memory"):
            receipt = await self._call(lambda: self._client.store(memory, request_id=request_id, timeout_ms=timeout_ms))
        return receipt.id

    async def add_messages(self, messages: list[Message], context: AddMessagesContext | None = None) -> None:
        """Appends messages to the conversation of the run and has the server extract from them. Messages with sequence
        numbers are stored once, however often they are sent."""
        numbers = context.sequence_numbers if context is not None else None
        with self._noting(f"{len(messages)} messages"):
            await self._call(lambda: self._append(messages, numbers))

    @contextmanager
    def _noting(self, what: str) -> Iterator[None]:
        try:
            yield
            self.unsaved = None
        except Exception as error:
            self.unsaved = f"{what} not saved: {error}"
            raise

    async def flush(self, timeout_ms: float) -> FlushResult:
        """Waits until the server has extracted the messages of the run, or the time has passed."""
        found = await self._call(lambda: self._client.conversations.flush(self.conversation, timeout_ms=timeout_ms))
        self.has_unextracted = not found.complete
        return found

    async def close(self) -> None:
        """Closes the connection, unless it belongs to a supplied client."""
        if self._owns_client:
            await self._call(self._client.close)

    async def _call(self, call: Callable[[], T]) -> T:
        """Calls of the blocking client suit every event loop; those of the other client belong to one."""
        return await asyncio.to_thread(call)

    def _append(self, messages: list[Message], numbers: list[int] | None) -> None:
        made = [(place, conversation_message(message)) for place, message in enumerate(messages)]
        kept = [(place, message) for place, message in made if message is not None]
        with self._writing:  # Two batches of one conversation are numbered one after the other.
            for start in range(0, len(kept), _MESSAGES_PER_CALL):
                part = kept[start : start + _MESSAGES_PER_CALL]
                if numbers is None:
                    self._send([message for _, message in part])
                else:
                    self._send_numbered([(numbers[place], message) for place, message in part])

    def _send(self, messages: list[dict[str, Any]]) -> None:
        scope = _without_session(self._scope)
        options: dict[str, Any] = {"scope": scope, "end_of_invocation": True, "timeout_ms": self._write_timeout_ms}
        self._client.conversations.append(self.conversation, messages, **options)
        self.has_unextracted = True

    def _send_numbered(self, messages: list[tuple[int, dict[str, Any]]]) -> None:
        """Another writer of the conversation may have taken the numbers: then they begin after its messages."""
        for attempt in range(_CONFLICTS):
            if self._base is None:
                self._base = self._end() - messages[0][0]
            try:
                # The numbers stay when the answer is lost: the messages may be stored.
                self._send([{**message, "sequence": self._base + number} for number, message in messages])
                return
            except AlreadyExistsError:
                if self._fixed_conversation is None or attempt == _CONFLICTS - 1:
                    raise
                self._base = None

    def _end(self) -> int:
        """Sequence number after the last message of the conversation."""
        try:
            newest = self._client.conversations.list(
                self.conversation, descending=True, page_size=1, timeout_ms=self._write_timeout_ms
            )
            with newest:
                return next((message.sequence + 1 for message in newest), 0)
        except MnemeError as error:
            if error.reason in ("NAMESPACE_NOT_FOUND", "CONVERSATION_NOT_FOUND"):
                return 0
            raise


def _entry(hit: RecallHit) -> MemoryEntry:
    memory = hit.memory
    metadata: dict[str, Any] = {}
    if isinstance(memory.content, Content) and memory.content.media_type == "application/json":
        told = memory.content.json()
        if isinstance(told, dict):
            metadata.update(told)
    metadata.update(
        _id=memory.id,
        _relevance=hit.relevance,
        _score=hit.score,
        _type=memory.type,
        _time=memory.event_time.isoformat(),
        _trust=hit.trust,
    )
    metadata.pop("_speaker", None)  # A content cannot name a speaker of its memory.
    if memory.source.speaker:
        metadata["_speaker"] = memory.source.speaker
    return MemoryEntry(content=hit.passage.text if hit.passage else memory.text, metadata=metadata)


def _without_session(scope: Scope | Mapping[str, str] | None) -> Any:
    """The conversation takes the place of the session."""
    if scope is None:
        return None
    given = scope if isinstance(scope, Mapping) else vars(scope)
    return {key: value for key, value in given.items() if key != "session"}
