"""Changes of sessions, and session lifecycles."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from typing import Generic, Literal, TypeVar

from google.protobuf.message import Message
from typing_extensions import Unpack

from . import sessions as types
from ._attempt import Attempt
from ._connection import Connection
from ._face import call, stream
from ._lifecycle_calls import LifecycleCalls
from ._names import namespace_name
from ._read import read, read_all
from ._resuming import resuming
from ._working_calls import WorkingMemoryCalls
from ._write import fill
from .errors import MnemeError, invalid
from .memory import Scope
from .options import CallOptions, StreamOptions
from .v1 import lifecycle_service_pb2 as lifecycle
from .v1 import working_memory_service_pb2 as working

A = TypeVar("A", bound=Message)


class WatchedWorkingMemoryCalls(WorkingMemoryCalls):
    """Working memory of a session. The session is made by its first write. Plain values are stored as JSON."""

    @stream
    async def watch(
        self,
        *,
        after_revision: int | None = None,
        pattern: str | None = None,
        include_values: bool = False,
        **options: Unpack[StreamOptions],
    ) -> AsyncGenerator[types.SessionEvent, None]:
        """Changes of the session, in order, each at least once, until the reader stops. After an interruption it
        reconnects and continues. `OutOfRangeError` when changes are no longer retained: read everything again. It
        begins after `after_revision`; default: from now on. `pattern`: which keys."""
        request = working.WatchSessionRequest(session=self._session)
        fill(request, {"after_revision": after_revision, "pattern": pattern, "include_values": include_values})
        runs = RequestRuns(self._connection, request, working.WatchSessionResponse, options)
        async with aclosing(resuming(self._connection, runs, options)) as messages:
            async for message in messages:
                for event in read_all(types.SessionEvent, message.events.events):
                    yield event
                request.after_revision = message.revision


class WatchedLifecycleCalls(LifecycleCalls):
    """The lives of sessions. A session is named by its id or its full resource name."""

    @stream
    async def watch_events(
        self,
        *,
        start: Literal["oldest"] | Mapping[str, str] | None = None,
        consumer: str | None = None,
        scope: Scope | Mapping[str, str] | None = None,
        transitions: Iterable[types.LifecycleTransition] = (),
        **options: Unpack[StreamOptions],
    ) -> AsyncGenerator[types.LifecycleEvent, None]:
        """Events in order, each at least once, until the reader stops. A connection that breaks is made again and goes
        on after the last event.

        `start`: `"oldest"`, or `{"resume_token": …}` of an earlier event; default: after the last acknowledgement of
        `consumer`; without one, with the next event. What a `consumer` acknowledges is remembered by the server.
        """
        request = lifecycle.WatchLifecycleEventsRequest(parent=namespace_name(self._namespace))
        if start == "oldest":
            request.from_oldest = True
        elif isinstance(start, Mapping) and set(start) == {"resume_token"}:
            fill(request, start)
        elif start is not None:
            raise invalid("start", f'must be "oldest" or {{"resume_token": …}}, got {start!r}')
        fill(request, {"consumer": consumer, "scope": scope, "transitions": transitions})
        runs = RequestRuns(self._connection, request, lifecycle.WatchLifecycleEventsResponse, options)
        async with aclosing(resuming(self._connection, runs, options)) as messages:
            async for message in messages:
                if message.HasField("event"):
                    yield read(types.LifecycleEvent, message.event, resume_token=message.resume_token)
                request.resume_token = message.resume_token

    @call
    async def acknowledge_events(
        self, consumer: str, event: types.LifecycleEvent | str, **options: Unpack[CallOptions]
    ) -> None:
        """Notes that a consumer is done with an event (or a resume token) and all before it."""
        request = lifecycle.AcknowledgeLifecycleEventsRequest()
        token = event if isinstance(event, str) else event.resume_token or ""
        fill(request, {"consumer": consumer, "resume_token": token})
        await self._ask(request, lifecycle.AcknowledgeLifecycleEventsResponse, options)


class RequestRuns(Generic[A]):
    """Repeats the same request; the reader of the messages advances its start."""

    is_endless = True

    def __init__(self, connection: Connection, request: Message, answer: type[A], options: StreamOptions) -> None:
        self._connection = connection
        self._request = request
        self._answer = answer
        self._options = options

    def open(self, attempt: Attempt) -> AsyncGenerator[A, None]:
        return self._connection.messages(self._request, self._answer, self._options, attempt)

    def recover(self, error: MnemeError) -> bool:
        return False
