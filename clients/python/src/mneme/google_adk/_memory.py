"""Long-term memory of ADK in Mneme."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

from google.adk.events import Event
from google.adk.memory import BaseMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai import types

from .. import client as blocking
from .._adapters import (
    REQUEST_BYTES,
    batches,
    cut,
    is_asked_again,
    message_bytes,
    query_text,
    stored,
    writing,
)
from .._documents import HITS
from .._known import strict
from .._quoting import xml_attribute, xml_text
from ..content import Content
from ..errors import AlreadyExistsError
from ..filters import Filter, where
from ..memory import Memory
from ..recall import RecallHit, RecallQuery
from ._events import message_of, owner, place, stored_of, text_of
from ._service import Service

_KIND = "adk-memory"
_CONFLICTS = 8
#: Further hits, in place of questions of former turns.
_ASKED_AGAIN = 5
#: Trust that an entry does not mention.
_TRUSTED = ("user", "explicit")
#: The tools of ADK begin an entry with a line `Time: …`: an unescaped one in a text would open another entry.
_OPENS_ENTRY = re.compile(r"^((?:[>*_#|-]|[^\S\n])*time[\s*_]*)([:\uff1a])", re.IGNORECASE | re.MULTILINE)
#: Authors that the tools of ADK, with the colon behind them, would turn into a role of the program or into `Time:`.
_IMITATES = re.compile(r"[\W_]*(?:system|developer|tool|function|instructions?|time)[\W_]*", re.IGNORECASE)


class MnemeMemoryService(Service, BaseMemoryService):
    """Memory for `Runner(memory_service=…)`. It may be used from any thread, event loop and process.

    Events become messages, which `search_memory` recalls by their meaning, and from which the server extracts
    facts that it recalls too. An event is stored once for each session, however often it is added; one that
    `delete_memory` has deleted stays deleted.
    """

    @strict
    def __init__(
        self,
        address: str = "127.0.0.1:50051",
        *,
        namespace: str = "default",
        connect: Mapping[str, Any] | None = None,
        client: blocking.Mneme | None = None,
        timeout_ms: float = 10_000,
        limit: int = 10,
        min_relevance: float | None = None,
    ) -> None:
        """As `MnemeSessionService`; `limit`: most results of a search; `min_relevance`: least relevance of a result, 0
        for all, by default the setting of the namespace (0.07)."""
        super().__init__(address, namespace=namespace, connect=connect, client=client, timeout_ms=timeout_ms)
        self._limit = limit
        self._min_relevance = min_relevance

    async def add_session_to_memory(self, session: Session) -> None:
        """Stores the events of a session that are not stored yet."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Stores events that are not stored yet and have a content. `custom_metadata` has no keys that are used."""
        kept = [event for event in events if event.content and event.content.parts]
        if kept:
            await writing(lambda: self._add(app_name, user_id, session_id or "", kept))

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Stores entries with their metadata, all or none of them up to 1,000 with 1.5 MB. An entry with the id of a
        memory of the user is not stored again; `AlreadyExistsError` for the id of another memory of the namespace."""
        made = [self._new(app_name, user_id, entry, custom_metadata or {}) for entry in memories]

        def store() -> None:
            new = [each for each in made if "id" not in each or not self._has(each["id"], each["scope"])]
            for part in batches(new, _bytes_of, REQUEST_BYTES):
                self.client.batch_store(part, timeout_ms=self._timeout_ms)

        await writing(store)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Memories of a user that answer the query, best first. The tools of ADK write them into the prompt unchanged:
        texts and authors are escaped as in a context of the server, and trust below that of a user is shown."""
        text = query_text(query)
        if not text:
            return SearchMemoryResponse()
        scope = owner(_KIND, app_name, user_id)

        def recall() -> list[RecallHit]:
            query: RecallQuery = {"text": text, "limit": min(self._limit + _ASKED_AGAIN, HITS), "scope": scope}
            if self._min_relevance is not None:
                query["min_relevance"] = self._min_relevance
            found = self.client.recall(query, timeout_ms=self._timeout_ms)
            return [hit for hit in found.hits if not is_asked_again(hit.memory, text)][: self._limit]

        hits = await asyncio.to_thread(lambda: stored(recall, []))
        return SearchMemoryResponse(memories=[_entry(hit, shown) for hit in hits if (shown := _shown(hit))])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Deletes a memory by the id of its entry. Without an effect when the user has no such memory."""
        if memory_id:
            await writing(lambda: self._delete(app_name, user_id, memory_id))

    async def delete_memories(self, *, app_name: str, user_id: str) -> None:
        """Deletes all memories of a user."""

        def forget() -> object:
            return self.client.forget(filter=_of(owner(_KIND, app_name, user_id)), timeout_ms=self._timeout_ms)

        await writing(lambda: stored(forget, None))

    def _add(self, app_name: str, user_id: str, session_id: str, events: Sequence[Event]) -> None:
        conversation = place(_KIND, app_name, user_id, session_id)
        scope = owner(_KIND, app_name, user_id)
        for attempt in range(_CONFLICTS):
            messages = self._messages(conversation)
            deleted = self._deleted(app_name, user_id)
            known = {stored_of(message).get("id") for message in messages} | deleted.keys()
            new: dict[str, Event] = {}
            for event in events:
                if event.id not in known:
                    new.setdefault(event.id, event)
            if not new:
                return
            # The number of a deleted event would make its memory that of another event.
            used = [step for found, step in deleted.values() if found == conversation]
            used += [message.sequence for message in messages[-1:]]
            try:
                self._send(conversation, scope, list(new.values()), max(used, default=-1) + 1)
                return
            except AlreadyExistsError:
                if attempt == _CONFLICTS - 1:  # Another writer adds to this session all the time.
                    raise

    def _send(self, conversation: str, scope: Mapping[str, str], events: Sequence[Event], sequence: int) -> None:
        messages = (message_of(event, {"id": event.id}, sequence + place) for place, event in enumerate(events))
        last = sequence + len(events) - 1
        for part in batches(messages, message_bytes, REQUEST_BYTES):
            is_last = part[-1]["sequence"] == last
            self.client.conversations.append(
                conversation, part, scope=scope, end_of_invocation=is_last, timeout_ms=self._timeout_ms
            )

    def _new(
        self, app_name: str, user_id: str, entry: MemoryEntry, custom_metadata: Mapping[str, object]
    ) -> dict[str, Any]:
        made: dict[str, Any] = {
            "text": text_of(entry.content),
            "type": "fact",
            "scope": owner(_KIND, app_name, user_id),
        }
        metadata = {**custom_metadata, **entry.custom_metadata}
        if metadata:
            made["content"] = Content.from_json(metadata)
        if entry.author:
            made["source"] = {"speaker": cut(entry.author, 128)}
        if entry.id:
            made["id"] = entry.id
        return made

    def _has(self, id: str, scope: Mapping[str, str]) -> bool:
        memory = stored(lambda: self.client.get(id, timeout_ms=self._timeout_ms), None)
        return memory is not None and _is_of(memory, scope)

    def _delete(self, app_name: str, user_id: str, id: str) -> None:
        memory = stored(lambda: self.client.get(id, timeout_ms=self._timeout_ms), None)
        if memory is None or not _is_of(memory, owner(_KIND, app_name, user_id)):
            return
        if memory.type == "message" and memory.scope.session and memory.step is not None:
            messages = self.client.conversations.list(
                memory.scope.session, from_sequence=memory.step, page_size=1, timeout_ms=self._timeout_ms
            )
            with messages:
                message = next(iter(messages), None)
            event_id = stored_of(message).get("id") if message and message.sequence == memory.step else None
            if isinstance(event_id, str):  # Noted first: a repetition after a failure deletes the memory.
                notes = self.client.session(place(_KIND, app_name, user_id))
                deleted = [memory.scope.session, memory.step]
                notes.set(event_id, deleted, expiry="never", timeout_ms=self._timeout_ms)
        self.client.delete(id, allow_missing=True, timeout_ms=self._timeout_ms)

    def _deleted(self, app_name: str, user_id: str) -> dict[str, tuple[str, int]]:
        """Ids of events that were deleted, with their conversation and number."""
        notes = self.client.session(place(_KIND, app_name, user_id))
        return stored(lambda: {each.key: each.value.json() for each in notes.get_all(timeout_ms=self._timeout_ms)}, {})


def _bytes_of(memory: Mapping[str, Any]) -> int:
    content = memory.get("content")
    return len(memory["text"].encode()) + (len(content.data) if content else 0) + 1_000


def _of(scope: Mapping[str, str]) -> Filter:
    return (
        where.project.equals(scope["project"])
        & where.agent_type.equals(scope["agent_type"])
        & where.agent.equals(scope["agent"])
    )


def _is_of(memory: Memory, scope: Mapping[str, str]) -> bool:
    return all(getattr(memory.scope, part) == name for part, name in scope.items())


def _shown(hit: RecallHit) -> str:
    """The text for a prompt. No text can forge the mark of its trust, as each `<` of a text is escaped."""
    text = xml_text(hit.passage.text if hit.passage else hit.memory.text)
    text = _OPENS_ENTRY.sub(lambda found: f"{found[1]}&#{ord(found[2])};", text)
    return text if not text or hit.trust in _TRUSTED else f"<trust: {hit.trust}> {text}"


def _author(speaker: str) -> str:
    """The author for a prompt, in quotation marks where it imitates a role. Those of a speaker's own are escaped."""
    author = xml_attribute(speaker)
    return f'"{author}"' if _IMITATES.fullmatch(author) else author


def _entry(hit: RecallHit, text: str) -> MemoryEntry:
    memory = hit.memory
    speaker = memory.source.speaker or ""
    role = "user" if speaker in ("", "user") else "model"
    metadata: dict[str, Any] = {"type": memory.type, "relevance": hit.relevance, "trust": hit.trust}
    if memory.type != "message" and isinstance(memory.content, Content):
        given = memory.content.json() if memory.content.media_type == "application/json" else None
        metadata = {**(given if isinstance(given, dict) else {}), **metadata}
    return MemoryEntry(
        id=memory.id,
        content=types.Content(role=role, parts=[types.Part(text=text)]),
        author=_author(speaker) or None,
        timestamp=memory.event_time.isoformat(),
        custom_metadata=metadata,
    )
