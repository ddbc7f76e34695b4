"""Hooks: programs that are asked before and after transitions of sessions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from typing import Any, TypedDict, Union

from . import sessions as types
from ._attempt import Attempt
from ._connection import Connection
from ._face import Calls
from ._names import namespace_name
from ._read import read
from ._served import ServedRuns, sendable
from ._write import fill
from .memory import Scope
from .options import StreamOptions
from .v1 import lifecycle_service_pb2 as pb

HookAnswer = Union[Mapping[str, Any], None]
"""None (or `{"metadata": {…}}`, which adds notes) lets the transition take place, `{"veto": "why"}` refuses it."""

HookHandler = Callable[[types.LifecycleEvent], Any]
"""Answers a hook's question with a `HookAnswer`; for asyncio it may be a coroutine function. An exception is reported
as the hook's failure."""


class HookRegistration(TypedDict, total=False):
    """The transitions that a hook is called for."""

    transitions: Iterable[types.LifecycleTransition]
    """Default: all."""
    scope: Scope | Mapping[str, str]
    timeout_ms: float
    """Longest wait for an answer, in milliseconds, up to 10,000. Default 1,000."""
    priority: int
    """Hooks of a higher one are asked first, -1,000 to 1,000. Default 0."""
    required: bool
    """Refuses the transition when the hook fails or does not answer in time."""


class HookRuns(ServedRuns):
    """Runs of a hook that is served again when its stream breaks."""

    def __init__(self, connection: Connection, registration: pb.RegisterHook, handler: HookHandler) -> None:
        super().__init__(connection)
        self._registration = registration
        self._handler = handler

    async def open(self, attempt: Attempt) -> AsyncGenerator[None, None]:
        connection = self._connection
        wire = await connection.open(pb.ServeHookRequest, {})
        attempt.attach(wire)
        try:
            await wire.write(pb.ServeHookRequest(registration=self._registration))
            asked, answered = pb.ServeHookRequest, pb.ServeHookResponse
            while (message := await connection.read(wire, asked, answered, self._cancel)) is not None:
                attempt.heard()
                if message.HasField("registered"):
                    self._confirm()
                elif message.HasField("call"):
                    # Questions are answered as their answers are there: a slow one holds up none of the others.
                    connection.io.spawn(self._answer(message.call, wire))
                    yield None
        finally:
            wire.cancel()

    async def _answer(self, question: pb.HookCall, wire: Any) -> None:
        reply = pb.HookReply(id=question.id)
        try:
            event = read(types.LifecycleEvent, question.event, resume_token=None)
            answer = await self._connection.io.result_of(self._handler(event)) or {}
            if "veto" in answer:
                fill(reply, {"veto": answer["veto"]}, "answer")
            else:
                reply.proceed.SetInParent()
                fill(reply.proceed, answer, "answer")
        except Exception as error:  # Reported as the hook's failure.
            reply.failure = sendable(error)
        await wire.write(pb.ServeHookRequest(reply=reply))


class HookCalls(Calls):
    """Hooks of a namespace."""

    async def _started(
        self,
        hook: str,
        phases: Iterable[types.LifecyclePhase],
        handler: HookHandler,
        registration: Mapping[str, Any],
        options: StreamOptions,
    ) -> HookRuns:
        message = pb.RegisterHook(parent=namespace_name(self._namespace))
        fill(message, {"hook": hook, "phases": phases, **registration})
        runs = HookRuns(self._connection, message, handler)
        await runs.start(options)
        return runs
