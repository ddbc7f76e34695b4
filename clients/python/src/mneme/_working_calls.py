"""The calls of WorkingMemoryService, of one session."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from typing import Any, Literal, TypedDict

from typing_extensions import Unpack

from . import sessions as types
from ._connection import Connection
from ._face import Calls, call, stream
from ._names import session_name
from ._paging import items_of_pages
from ._read import read, read_all
from ._write import fill, items_of, sequence, set_content, set_ms
from .content import Content
from .errors import invalid
from .options import CallOptions, WriteOptions
from .v1 import working_memory_service_pb2 as pb


class TaskProgress(TypedDict, total=False):
    """How far a task is."""

    description: str
    status: types.TaskStatus
    detail: str
    """Details of the status."""
    current_step: int
    total_steps: int
    """0: not known."""
    progress_percent: float
    """0 to 100; other values are clamped."""


class UpdateTaskArguments(TaskProgress, WriteOptions, total=False):
    """Keys of `TaskProgress` and `WriteOptions`."""

    if_version: int


class SetTaskArguments(UpdateTaskArguments, total=False):
    """Keys of `TaskProgress` and `WriteOptions`, and the name of the task."""

    task_id: str


class WorkingMemoryCalls(Calls):
    """Working memory of a session. The session is made by its first write. Plain values are stored as JSON."""

    def __init__(self, connection: Connection, namespace: str, session: str) -> None:
        super().__init__(connection, namespace)
        self._id = session
        self._session = session_name(namespace, session)

    @property
    def session(self) -> str:
        """Id of the session."""
        return self._id

    @call
    async def set(
        self,
        key: str,
        value: Content | Any,
        *,
        expiry: types.KeyExpiry | None = None,
        if_version: int | None = None,
        session_default_ttl_ms: float | Literal["never"] | None = None,
        **options: Unpack[WriteOptions],
    ) -> types.WorkingKey:
        """Sets a value: a `Content`, or a plain value that is stored as JSON.

        `if_version` must be the version of the key (0: the key must not be there), or it fails with `AbortedError`.
        `session_default_ttl_ms`: time to live that keys of the session have from now on which are set without an
        expiry, this one included; `"never"`: they stay.
        """
        request = pb.SetValueRequest(session=self._session)
        fill(request, {"key": key, "if_version": if_version})
        set_content(request.value, value, "value")
        _set_expiry(request, expiry)
        if session_default_ttl_ms == "never":
            request.no_session_default_ttl = True
        elif session_default_ttl_ms is not None:
            set_ms(request.session_default_ttl, session_default_ttl_ms, "session_default_ttl_ms")
        return read(types.WorkingKey, (await self._ask(request, pb.SetValueResponse, options)).entry)

    @call
    async def get(self, key: str, **options: Unpack[CallOptions]) -> types.WorkingEntry | None:
        """None when the key is not there or has expired; JSON `null` is a value."""
        request = pb.GetValueRequest(session=self._session)
        fill(request, {"key": key})
        answer = await self._ask(request, pb.GetValueResponse, options)
        return read(types.WorkingEntry, answer.entry) if answer.HasField("entry") else None

    @call
    async def batch_get(self, keys: Iterable[str], **options: Unpack[CallOptions]) -> types.BatchGetValues:
        """The keys that are there, of one moment, in the order asked for."""
        request = pb.BatchGetValuesRequest(session=self._session)
        fill(request, {"keys": keys})
        return read(types.BatchGetValues, await self._ask(request, pb.BatchGetValuesResponse, options))

    @call
    async def has(self, key: str, **options: Unpack[CallOptions]) -> bool:
        """Whether the key is there."""
        request = pb.HasValueRequest(session=self._session)
        fill(request, {"key": key})
        return (await self._ask(request, pb.HasValueResponse, options)).exists

    @call
    async def delete(self, key: str, *, if_version: int | None = None, **options: Unpack[WriteOptions]) -> bool:
        """False when the key was not there."""
        request = pb.DeleteValueRequest(session=self._session)
        fill(request, {"key": key, "if_version": if_version})
        return (await self._ask(request, pb.DeleteValueResponse, options)).deleted

    @stream
    async def list_keys(
        self, pattern: str | None = None, **options: Unpack[CallOptions]
    ) -> AsyncGenerator[types.WorkingKey, None]:
        """Keys that match the pattern, such as `user:*`, ordered by code point."""

        async def page_of(token: str) -> tuple[Iterable[types.WorkingKey], str]:
            request = pb.ListKeysRequest(session=self._session, page_token=token)
            fill(request, {"pattern": pattern})
            answer = await self._ask(request, pb.ListKeysResponse, options)
            return read_all(types.WorkingKey, answer.entries), answer.next_page_token

        async with aclosing(items_of_pages(page_of)) as keys:
            async for key in keys:
                yield key

    @stream
    async def get_all(
        self, *, pattern: str | None = None, checkpoint_id: str | None = None, **options: Unpack[CallOptions]
    ) -> AsyncGenerator[types.WorkingEntry, None]:
        """Keys with their values; of a checkpoint where one is named."""

        async def page_of(token: str) -> tuple[Iterable[types.WorkingEntry], str]:
            request = pb.GetAllValuesRequest(session=self._session, page_token=token)
            fill(request, {"pattern": pattern, "checkpoint_id": checkpoint_id})
            answer = await self._ask(request, pb.GetAllValuesResponse, options)
            return read_all(types.WorkingEntry, answer.entries), answer.next_page_token

        async with aclosing(items_of_pages(page_of)) as entries:
            async for entry in entries:
                yield entry

    @call
    async def clear(
        self,
        *,
        keep_values: bool = False,
        clear_task_state: bool = False,
        clear_scratchpad: bool = False,
        **options: Unpack[WriteOptions],
    ) -> types.ClearedWorkingMemory:
        """Deletes the keys (not with `keep_values`) and, where asked, task state and scratchpad; checkpoints stay."""
        request = pb.ClearWorkingMemoryRequest(session=self._session)
        what = {"clear_task_state": clear_task_state, "clear_scratchpad": clear_scratchpad}
        fill(request, {"keep_values": keep_values, **what})
        return read(types.ClearedWorkingMemory, await self._ask(request, pb.ClearWorkingMemoryResponse, options))

    @call
    async def transact(
        self, operations: Iterable[Mapping[str, Any]], **options: Unpack[WriteOptions]
    ) -> tuple[types.WorkingKey | None, ...]:
        """All of the operations, or none; each key once. In the order of the operations, the keys set or touched.

        An operation is `{"set": key, "value": …, "expiry": …, "if_version": …}`, `{"remove": key, "if_version": …}`,
        `{"touch": key, "expiry": …, "if_version": …}` or `{"check": key, "if_version": …}`.
        """
        request = pb.TransactValuesRequest(session=self._session)
        for place, operation in enumerate(sequence(operations, "operations")):
            _set_operation(request.operations.add(), operation, f"operations[{place}]")
        answer = await self._ask(request, pb.TransactValuesResponse, options)
        return tuple(read(types.WorkingKey, each.entry) if each.HasField("entry") else None for each in answer.results)

    @call
    async def set_task_state(self, **task: Unpack[SetTaskArguments]) -> types.TaskState:
        """Sets the task of the session; absent fields get their default. `AbortedError` when `if_version` is not its
        version (0: there must be none)."""
        options, given = _split(task)
        request = pb.SetTaskStateRequest(session=self._session)
        fill(request, {"if_version": given.pop("if_version", None)})
        request.task.SetInParent()
        fill(request.task, {"status": "pending", **given})
        return read(types.TaskState, (await self._ask(request, pb.SetTaskStateResponse, options)).task)

    @call
    async def get_task_state(self, **options: Unpack[CallOptions]) -> types.TaskState | None:
        """None when there is no task."""
        answer = await self._ask(pb.GetTaskStateRequest(session=self._session), pb.GetTaskStateResponse, options)
        return read(types.TaskState, answer.task) if answer.HasField("task") else None

    @call
    async def update_task_progress(self, **progress: Unpack[UpdateTaskArguments]) -> types.TaskState:
        """Changes the fields that are set. `NotFoundError` when there is no task."""
        options, given = _split(progress)
        request = pb.UpdateTaskProgressRequest(session=self._session)
        fill(request, given)
        return read(types.TaskState, (await self._ask(request, pb.UpdateTaskProgressResponse, options)).task)

    @call
    async def append_scratchpad(
        self, notes: str | Content | Iterable[str | Content], **options: Unpack[WriteOptions]
    ) -> types.ScratchpadAppended:
        """Appends to the scratchpad; strings are stored as plain text."""
        request = pb.AppendScratchpadRequest(session=self._session)
        all_notes = [notes] if isinstance(notes, (str, Content)) else sequence(notes, "notes")
        for place, note in enumerate(all_notes):
            if not isinstance(note, (str, Content)):
                raise invalid(f"notes[{place}]", f"must be a string or a Content, got {type(note).__name__}")
            content = Content.from_text(note) if isinstance(note, str) else note
            set_content(request.notes.add(), content, f"notes[{place}]")
        return read(types.ScratchpadAppended, await self._ask(request, pb.AppendScratchpadResponse, options))

    @stream
    async def list_scratchpad(
        self, *, order: Literal["oldest", "newest"] = "oldest", **options: Unpack[CallOptions]
    ) -> AsyncGenerator[types.ScratchpadNote, None]:
        """The notes, the oldest or the newest first."""

        async def page_of(token: str) -> tuple[Iterable[types.ScratchpadNote], str]:
            request = pb.ListScratchpadRequest(session=self._session, page_token=token)
            fill(request, {"order": f"{order}_first"})
            answer = await self._ask(request, pb.ListScratchpadResponse, options)
            return read_all(types.ScratchpadNote, answer.notes), answer.next_page_token

        async with aclosing(items_of_pages(page_of)) as notes:
            async for note in notes:
                yield note

    @call
    async def clear_scratchpad(self, **options: Unpack[WriteOptions]) -> types.ScratchpadCleared:
        """Deletes all notes."""
        request = pb.ClearScratchpadRequest(session=self._session)
        return read(types.ScratchpadCleared, await self._ask(request, pb.ClearScratchpadResponse, options))

    @call
    async def create_checkpoint(
        self,
        *,
        checkpoint_id: str | None = None,
        description: str | None = None,
        ttl_ms: float | None = None,
        **options: Unpack[WriteOptions],
    ) -> types.Checkpoint:
        """Keeps the contents of the session, for `ttl_ms` milliseconds. `AlreadyExistsError` when the id exists."""
        request = pb.CreateCheckpointRequest(session=self._session)
        fill(request, {"checkpoint_id": checkpoint_id, "description": description, "ttl_ms": ttl_ms})
        return read(types.Checkpoint, (await self._ask(request, pb.CreateCheckpointResponse, options)).checkpoint)

    @call
    async def restore_checkpoint(
        self, id: str, *, mode: Literal["replace", "merge"] = "replace", **options: Unpack[WriteOptions]
    ) -> types.RestoreCheckpointResult:
        """Restores the contents of a checkpoint atomically; with `merge`, other keys stay."""
        request = pb.RestoreCheckpointRequest(session=self._session)
        fill(request, {"checkpoint_id": id, "mode": mode})
        return read(types.RestoreCheckpointResult, await self._ask(request, pb.RestoreCheckpointResponse, options))

    @stream
    async def list_checkpoints(
        self, *, kind: Literal["manual", "lifecycle"] | None = None, **options: Unpack[CallOptions]
    ) -> AsyncGenerator[types.Checkpoint, None]:
        """Newest first; optionally of one `kind`: requested ones, or those of pauses."""

        async def page_of(token: str) -> tuple[Iterable[types.Checkpoint], str]:
            request = pb.ListCheckpointsRequest(session=self._session, page_token=token)
            fill(request, {"kind": kind})
            answer = await self._ask(request, pb.ListCheckpointsResponse, options)
            return read_all(types.Checkpoint, answer.checkpoints), answer.next_page_token

        async with aclosing(items_of_pages(page_of)) as checkpoints:
            async for checkpoint in checkpoints:
                yield checkpoint

    @call
    async def get_checkpoint(self, id: str, **options: Unpack[CallOptions]) -> types.Checkpoint:
        """Reads the properties of a checkpoint, without its values."""
        request = pb.GetCheckpointRequest(session=self._session)
        fill(request, {"checkpoint_id": id})
        return read(types.Checkpoint, (await self._ask(request, pb.GetCheckpointResponse, options)).checkpoint)

    @call
    async def keep_checkpoint(
        self, id: str, *, ttl_ms: float | None = None, **options: Unpack[WriteOptions]
    ) -> types.Checkpoint:
        """Sets how long a checkpoint is kept from now on, in milliseconds; without `ttl_ms`, until it is deleted."""
        request = pb.KeepCheckpointRequest(session=self._session)
        fill(request, {"checkpoint_id": id, "ttl_ms": ttl_ms})
        return read(types.Checkpoint, (await self._ask(request, pb.KeepCheckpointResponse, options)).checkpoint)

    @call
    async def delete_checkpoint(self, id: str, **options: Unpack[WriteOptions]) -> None:
        """Deletes a checkpoint; the contents of the session stays."""
        request = pb.DeleteCheckpointRequest(session=self._session)
        fill(request, {"checkpoint_id": id})
        await self._ask(request, pb.DeleteCheckpointResponse, options)

    @call
    async def fork_checkpoint(
        self, id: str, target: str, **options: Unpack[WriteOptions]
    ) -> types.ForkCheckpointResult:
        """Creates a session with the contents of a checkpoint. `AlreadyExistsError` when it exists."""
        request = pb.ForkCheckpointRequest(session=self._session, target_session=session_name(self._namespace, target))
        fill(request, {"checkpoint_id": id})
        return read(types.ForkCheckpointResult, await self._ask(request, pb.ForkCheckpointResponse, options))

    @call
    async def diff_checkpoints(
        self,
        from_checkpoint_id: str,
        *,
        to_checkpoint_id: str | None = None,
        to_session: str | None = None,
        **options: Unpack[CallOptions],
    ) -> types.CheckpointDiff:
        """Compares a checkpoint with another one, of this session or of `to_session`, or with the current contents of
        the session."""
        request = pb.DiffCheckpointsRequest(session=self._session)
        fill(request, {"checkpoint_id": from_checkpoint_id, "to_checkpoint_id": to_checkpoint_id})
        if to_session is not None:
            request.to_session = session_name(self._namespace, to_session)
        return read(types.CheckpointDiff, await self._ask(request, pb.DiffCheckpointsResponse, options))

    @call
    async def get_statistics(self, **options: Unpack[CallOptions]) -> types.WorkingMemoryStatistics:
        """Totals of the session. `NotFoundError` when it is not there."""
        request = pb.GetWorkingMemoryStatisticsRequest(session=self._session)
        answer = await self._ask(request, pb.GetWorkingMemoryStatisticsResponse, options)
        return read(types.WorkingMemoryStatistics, answer)


def _split(arguments: Mapping[str, Any]) -> tuple[WriteOptions, dict[str, Any]]:
    """Options of the call, and the rest."""
    names = CallOptions.__annotations__.keys() | WriteOptions.__annotations__.keys()
    options: Any = {key: value for key, value in arguments.items() if key in names}
    return options, {key: value for key, value in arguments.items() if key not in names}


def _set_expiry(message: Any, expiry: object, at: str = "expiry") -> None:
    if expiry is None:
        return
    if expiry in ("never", "keep"):
        setattr(message.expiry, str(expiry), True)
    elif isinstance(expiry, Mapping) and set(expiry) == {"ttl_ms"}:
        set_ms(message.expiry.ttl, expiry["ttl_ms"], f"{at}.ttl_ms")
    else:
        raise invalid(at, f'must be {{"ttl_ms": …}}, "never" or "keep", got {expiry!r}')


def _set_operation(message: pb.ValueOperation, operation: object, at: str) -> None:
    given = dict(items_of(operation, at))
    kinds = [kind for kind in ("set", "remove", "touch", "check") if kind in given]
    if len(kinds) != 1:
        raise invalid(at, f"must have one of set, remove, touch and check, got {', '.join(given)}")
    kind = kinds[0]
    target: Any = getattr(message, kind)
    expiry, has_value, value = given.pop("expiry", None), "value" in given, given.pop("value", None)
    fill(target, {"key": given.pop(kind), **given}, at)
    if kind == "set":
        set_content(target.value, value, f"{at}.value")
    elif has_value:
        raise invalid(f"{at}.value", "is known beside set only")
    if kind in ("set", "touch"):
        _set_expiry(target, expiry, f"{at}.expiry")
    elif expiry is not None:
        raise invalid(f"{at}.expiry", "is known beside set and touch only")
    target.SetInParent()
