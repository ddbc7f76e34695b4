"""Watching the changes of memories."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Literal

from typing_extensions import Unpack

from ._attempt import HEARTBEAT_MS, Attempt
from ._connection import Connection
from ._face import Calls, stream
from ._names import namespace_name
from ._read import ms_of, read, read_all
from ._resuming import resuming
from ._write import fill, items_of
from .changes import CaughtUp, Listed, Relisting, WatchedChange, WatchEvent
from .errors import MnemeError, OutOfRangeError, UnavailableError
from .filters import Filter, FilterLike, TextField, all_of, where
from .memory import Memory, MemoryView, Scope
from .options import StreamOptions
from .v1 import change_pb2, memory_service_pb2
from .v1 import recall_service_pb2 as pb

_LIST_PAGE_SIZE = 200


class WatchCalls(Calls):
    """Changes of memories as they come."""

    @stream
    async def watch(
        self,
        *,
        filter: FilterLike | None = None,
        scope: Scope | Mapping[str, str] | None = None,
        start_revision: int = 0,
        resume_token: str = "",
        view: MemoryView = "basic",
        include_touched: bool = False,
        include_moved: bool = False,
        progress: bool = False,
        on_compacted: Literal["list", "fail"] = "list",
        **options: Unpack[StreamOptions],
    ) -> AsyncGenerator[WatchEvent, None]:
        """Every change of the namespace, in order of revision and each once, for ever: a broken stream is reopened and
        continues. Leaving the loop ends it.

        `filter`: selects memories; deletions and expiries are yielded whatever the filter. It begins with
        `start_revision`, or behind an earlier event of the same query by its `resume_token`; default: with the first
        change after the call. `include_touched` includes reads with `touch`, `include_moved` moves between tiers that
        bring a memory neither into the filter nor out of it. `progress` yields `caught_up` as well, whenever everything
        up to a revision has been yielded; default: only changes. `on_compacted`: handling of changes that are no longer
        retained: `list` lists all memories and continues from there, `fail` raises `OutOfRangeError`.
        """
        request = pb.WatchMemoriesRequest(parent=namespace_name(self._namespace))
        query = {"filter": filter, "scope": scope, "view": view}
        begun = {"start_revision": start_revision, "resume_token": resume_token}
        fill(request, {**query, **begun, "include_touched": include_touched, "include_moved": include_moved})
        listed = memory_service_pb2.ListMemoriesRequest(parent=request.parent, page_size=_LIST_PAGE_SIZE)
        fill(listed, {"filter": _in_scope(filter, scope), "view": view, "order": "create_time_asc"})
        runs = _WatchRuns(self._connection, request, listed, on_compacted == "fail", progress, options)
        async with aclosing(resuming(self._connection, runs, options)) as events:
            async for event in events:
                yield event


class _WatchRuns:
    is_endless = True

    def __init__(
        self,
        connection: Connection,
        request: pb.WatchMemoriesRequest,
        listed: memory_service_pb2.ListMemoriesRequest,
        fails: bool,
        progress: bool,
        options: StreamOptions,
    ) -> None:
        self._connection = connection
        self._request = request
        self._listed = listed
        self._fails = fails
        self._progress = progress
        self._options = options
        self._must_list = False
        #: Revision of the last event told, and the log that it is of.
        self._told_revision = 0
        self._log = ""
        #: The changes already yielded of a partly yielded message.
        self._begun: set[str] = set()
        self._retold: set[str] = set()

    async def open(self, attempt: Attempt) -> AsyncGenerator[WatchEvent, None]:
        if self._must_list:
            async with aclosing(self._list(attempt)) as listed:
                async for each in listed:
                    yield each
        if self._request.resume_token:
            self._request.start_revision = 0
        async with aclosing(self._messages(self._request, attempt)) as messages:
            async for message in messages:
                for event in self._events_of(message, attempt):
                    yield event

    def recover(self, error: MnemeError) -> bool:
        """List, then watch from the revision of the list."""
        if not (isinstance(error, OutOfRangeError) and error.reason == "REVISION_COMPACTED"):
            return False
        note_loss(self._connection, error)
        if self._fails or self._must_list:
            return False
        self._must_list = True
        return True

    def _messages(
        self, request: pb.WatchMemoriesRequest, attempt: Attempt
    ) -> AsyncGenerator[pb.WatchMemoriesResponse, None]:
        return self._connection.messages(request, pb.WatchMemoriesResponse, self._options, attempt)

    def _events_of(self, message: pb.WatchMemoriesResponse, attempt: Attempt) -> Any:
        event = message.WhichOneof("event")
        if event == "created":
            attempt.expect_every(heartbeat_ms_of(message.created))
            self._note_log(message.created.log)
        elif event == "batch":
            last = len(message.batch.changes) - 1
            for place, change in enumerate(message.batch.changes):
                state = _state_of(change)
                # Resuming within a message repeats its beginning.
                is_told = change.revision <= self._told_revision or state in self._retold
                if place == last:
                    self._request.resume_token = message.resume_token
                    self._begun.clear()
                else:
                    self._begun.add(state)
                if not is_told:
                    self._told_revision = self._connection.seen_revision.note(change.revision)
                    yield read(WatchedChange, change, resume_token=self._request.resume_token)
        self._request.resume_token = message.resume_token
        if event == "progress":
            revision = self._connection.seen_revision.note(message.revision)
            if self._progress:
                yield CaughtUp(revision=revision, resume_token=message.resume_token)

    def _note_log(self, log: str) -> None:
        # Another server numbers the same changes differently.
        is_elsewhere = self._log != log
        if is_elsewhere:
            self._told_revision = 0
        self._retold = set(self._begun) if is_elsewhere else set()
        self._begun.clear()
        self._log = log

    async def _list(self, attempt: Attempt) -> AsyncGenerator[WatchEvent, None]:
        # The list may come from another server, whose revisions are unrelated; a token is valid on every server. So it
        # is requested first, and changes between the two are yielded after the list as well.
        token = await self._token_of_now(attempt)
        connection, listed = self._connection, self._listed
        listed.page_token, listed.min_revision = "", connection.min_revision()
        cancel = self._options.get("cancel")
        is_first = True
        while True:
            answer = await connection.unary(
                listed,
                memory_service_pb2.ListMemoriesResponse,
                {"cancel": cancel} if cancel else {},
                min_revision=listed.min_revision,
            )
            attempt.heard()
            if is_first:
                yield Relisting(revision=answer.revision)
            is_first = False
            for memory in read_all(Memory, answer.memories):
                yield Listed(id=memory.id, memory=memory, revision=answer.revision)
            if not answer.next_page_token:
                break
            listed.page_token = answer.next_page_token
        self._must_list = False
        self._request.resume_token = token

    async def _token_of_now(self, attempt: Attempt) -> str:
        now = pb.WatchMemoriesRequest()
        now.CopyFrom(self._request)
        now.resume_token, now.start_revision = "", 0
        async with aclosing(self._messages(now, attempt)) as messages:
            async for message in messages:
                if message.WhichOneof("event") == "created":
                    self._log = message.created.log
                    self._told_revision = message.revision
                    self._begun.clear()
                    return message.resume_token
        raise UnavailableError("the stream ended before its time")


def heartbeat_ms_of(message: Any) -> float:
    """The server's heartbeat interval on a stream, by its first message."""
    return ms_of(message.heartbeat_interval) if message.HasField("heartbeat_interval") else HEARTBEAT_MS


def note_loss(connection: Connection, error: MnemeError) -> None:
    """The log may have been restored to an older state, as when a data folder is replaced by a copy: reads must not
    wait for lost revisions."""
    newest = error.metadata.get("newest_revision")
    if newest is not None:
        connection.seen_revision.went_back(int(newest))


def _in_scope(filter: FilterLike | None, scope: object) -> FilterLike | None:
    """The filter with the parts of a scope."""
    given = {} if scope is None else {name: value for name, value in items_of(scope, "scope") if value is not None}
    if isinstance(filter, str):
        conditions = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in given.items()]
        return " AND ".join([f"({filter})", *conditions]) if conditions else filter
    fields: dict[str, TextField[str]] = {
        "project": where.project,
        "agent_type": where.agent_type,
        "agent": where.agent,
        "session": where.session,
    }
    parts: list[Filter] = [] if filter is None else [filter]
    parts += [fields[name].equals(value) for name, value in given.items() if name in fields]
    if not parts:
        return None
    return all_of(*parts) if len(parts) > 1 else parts[0]


def _state_of(change: change_pb2.Change) -> str:
    """Identifies a change on every server."""
    version = change.memory.version if change.HasField("memory") else ""
    return f"{change.kind} {change.name} {version}"
