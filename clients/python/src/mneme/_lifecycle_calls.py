"""The calls of LifecycleService that are asked and answered."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from typing import Any, Literal

from typing_extensions import Unpack

from . import sessions as types
from ._face import Calls, call, stream
from ._names import session_name
from ._paging import items_of_pages
from ._read import read, read_all
from ._write import fill, items_of, sequence, set_content, set_ms
from .content import Content
from .memory import Scope
from .options import CallOptions, WriteOptions
from .v1 import lifecycle_service_pb2 as pb
from .v1 import working_memory_service_pb2


class LifecycleCalls(Calls):
    """The lives of sessions. A session is named by its id or its full resource name."""

    @call
    async def spawn(
        self,
        *,
        session_id: str | None = None,
        scope: Scope | Mapping[str, str] | None = None,
        initial_values: Mapping[str, Content | Any] | None = None,
        metadata: Mapping[str, str] | None = None,
        default_ttl_ms: float | Literal["never"] | None = None,
        idle_ttl_ms: float | Literal["never"] | None = None,
        **options: Unpack[WriteOptions],
    ) -> types.SpawnResult:
        """Makes a session that is active, with the values it starts with; plain values are stored as JSON.

        `session_id`: default a new one; `scope`: project, agent type and agent; `default_ttl_ms`: time to live of
        values that are set without an expiry; `idle_ttl_ms`: time without a write after which the session ends; both in
        milliseconds, `"never"` for none, by default the server's.
        """
        request = pb.SpawnSessionRequest()
        fill(request, {"session_id": session_id, "scope": scope, "metadata": metadata})
        for key, value in items_of(initial_values or {}, "initial_values"):
            each = request.initial_values.add()
            fill(each, {"key": key}, "initial_values")
            set_content(each.value, value, f"initial_values.{key}")
        for name, given in (("default_ttl", default_ttl_ms), ("idle_ttl", idle_ttl_ms)):
            if given == "never":
                setattr(request, f"no_{name}", True)
            elif given is not None:
                set_ms(getattr(request, name), given, f"{name}_ms")
        return read(types.SpawnResult, await self._ask(request, pb.SpawnSessionResponse, options))

    @call
    async def pause(
        self,
        session: str,
        *,
        checkpoint_id: str | None = None,
        description: str | None = None,
        checkpoint_ttl_ms: float | None = None,
        pin: bool = False,
        allow_writes: bool = False,
        include_memories: bool = False,
        metadata: Mapping[str, str] | None = None,
        if_version: int | None = None,
        **options: Unpack[WriteOptions],
    ) -> types.PauseResult:
        """Pauses a session, with a checkpoint of its contents.

        `checkpoint_id`: default a new one, an existing checkpoint is never overwritten; `checkpoint_ttl_ms`: how long
        it is kept once the pause has ended, in milliseconds (default 7 days); `pin` keeps it until it is deleted or the
        session ends; `allow_writes` keeps working memory writable during the pause; `include_memories` also takes a
        snapshot of the memories of the session's agent.
        """
        request = pb.PauseSessionRequest(session=session_name(self._namespace, session))
        how = {"pin": pin, "allow_writes": allow_writes, "include_memories": include_memories}
        kept = {"checkpoint_id": checkpoint_id, "description": description, "checkpoint_ttl_ms": checkpoint_ttl_ms}
        fill(request, {**kept, **how, "metadata": metadata, "if_version": if_version})
        return read(types.PauseResult, await self._ask(request, pb.PauseSessionResponse, options))

    @call
    async def resume(
        self,
        session: str,
        *,
        checkpoint_id: str | None = None,
        mode: Literal["replace", "merge"] = "replace",
        restore_memories: bool = False,
        metadata: Mapping[str, str] | None = None,
        if_version: int | None = None,
        **options: Unpack[WriteOptions],
    ) -> types.ResumeResult:
        """Wakes a session with what a checkpoint holds, by default the one that the pause made.

        `replace`: the session has exactly the contents of the checkpoint; `merge`: other keys stay. `restore_memories`
        restores the memories of the session's agent from the snapshot of the pause.
        """
        request = pb.ResumeSessionRequest(session=session_name(self._namespace, session))
        how = {"checkpoint_id": checkpoint_id, "mode": mode, "restore_memories": restore_memories}
        fill(request, {**how, "metadata": metadata, "if_version": if_version})
        return read(types.ResumeResult, await self._ask(request, pb.ResumeSessionResponse, options))

    @call
    async def terminate(
        self,
        session: str,
        *,
        outcome: Literal["success", "failure", "partial"] = "success",
        task_description: str | None = None,
        lessons: Iterable[str] = (),
        actions: Iterable[str | Mapping[str, Any]] = (),
        importance: float | None = None,
        tokens_used: int | None = None,
        redact_keys: Iterable[str] = (),
        skip_episode: bool = False,
        keep_working_memory: bool = False,
        metadata: Mapping[str, str] | None = None,
        if_version: int | None = None,
        **options: Unpack[WriteOptions],
    ) -> types.TerminateResult:
        """Ends a session: its history becomes a memory of type `episode`, and its contents are deleted.

        `task_description`: default the description of the task state; `actions`: texts, or `{"description": …, "time":
        …}`; `importance`, 0 to 1: default from outcome, lessons and length; `redact_keys`: keys whose values are left
        out of the episode, as globs.
        """
        request = pb.TerminateSessionRequest(session=session_name(self._namespace, session))
        done = [{"description": each} if isinstance(each, str) else each for each in sequence(actions, "actions")]
        told = {"task_description": task_description, "lessons": lessons, "actions": done, "importance": importance}
        how = {"redact_keys": redact_keys, "skip_episode": skip_episode, "keep_working_memory": keep_working_memory}
        ended = {"outcome": outcome, "tokens_used": tokens_used, "metadata": metadata, "if_version": if_version}
        fill(request, {**told, **how, **ended})
        answer = await self._ask(request, pb.TerminateSessionResponse, options)
        self._connection.seen_revision.note(answer.memory_revision)
        return read(types.TerminateResult, answer)

    @call
    async def delete(
        self,
        session: str,
        *,
        force: bool = False,
        metadata: Mapping[str, str] | None = None,
        if_version: int | None = None,
        **options: Unpack[WriteOptions],
    ) -> types.DeleteSessionResult:
        """Deletes a session with all its contents and frees its id. An active one only with `force`."""
        request = pb.DeleteSessionRequest(session=session_name(self._namespace, session))
        fill(request, {"force": force, "metadata": metadata, "if_version": if_version})
        return read(types.DeleteSessionResult, await self._ask(request, pb.DeleteSessionResponse, options))

    @call
    async def get(
        self, session: str, *, scope: Scope | Mapping[str, str] | None = None, **options: Unpack[CallOptions]
    ) -> types.Session:
        """Reads a session. With a scope: fails where the session belongs to somebody else."""
        request = pb.GetSessionRequest(session=session_name(self._namespace, session))
        fill(request, {"scope": scope})
        return read(types.Session, (await self._ask(request, pb.GetSessionResponse, options)).session)

    @stream
    async def list(
        self,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        states: Iterable[types.SessionState] = (),
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[types.Session, None]:
        """Sessions in the order of their ids."""
        wanted = tuple(sequence(states, "states"))

        async def page_of(token: str) -> tuple[Iterable[types.Session], str]:
            request = pb.ListSessionsRequest(page_token=token)
            fill(request, {"scope": scope, "states": wanted})
            answer = await self._ask(request, pb.ListSessionsResponse, options)
            return read_all(types.Session, answer.sessions), answer.next_page_token

        async with aclosing(items_of_pages(page_of)) as sessions:
            async for session in sessions:
                yield session

    @stream
    async def list_checkpoints(
        self, session: str, **options: Unpack[CallOptions]
    ) -> AsyncGenerator[types.Checkpoint, None]:
        """Checkpoints that pauses have made, newest first."""
        working = working_memory_service_pb2

        async def page_of(token: str) -> tuple[Iterable[types.Checkpoint], str]:
            request = working.ListCheckpointsRequest(session=session_name(self._namespace, session), page_token=token)
            fill(request, {"kind": "lifecycle"})
            answer = await self._ask(request, working.ListCheckpointsResponse, options)
            return read_all(types.Checkpoint, answer.checkpoints), answer.next_page_token

        async with aclosing(items_of_pages(page_of)) as checkpoints:
            async for checkpoint in checkpoints:
                yield checkpoint
