"""Calls over one stream."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from google.protobuf.message import Message

from ._attempt import Attempt, Backoff, is_broken
from ._connection import Connection
from ._io import Future, Sender, Signal
from ._rpc import Rpc, rpc_of
from ._status import error_of_status, family_of
from ._write import set_ms
from .errors import CancelledError, DeadlineExceededError, MnemeError, UnavailableError
from .options import CallOptions, Cancellation
from .v1 import pipeline_service_pb2 as pb

A = TypeVar("A", bound=Message)
_OPERATIONS_PER_MESSAGE = 64
#: As often as a separate call.
_ATTEMPTS_MAX = 4


class _Asked:
    """A call that has no answer yet."""

    def __init__(self, operation: pb.PipelineOperation, future: Future[Message], field: str) -> None:
        self.operation = operation
        self.future = future
        self.field = field
        self.attempts = 0
        #: Where it was asked last; None while it waits to be asked again.
        self.stream: _PipelineStream | None = None


class PipelineCaller:
    """Makes calls over one stream. It is opened for the first of them, and again when it breaks while some are without
    an answer: those are asked again, which is safe because every mutation carries a request id."""

    def __init__(self, connection: Connection, cancel: Cancellation | None) -> None:
        self.connection = connection
        self._cancel = cancel
        self._lock = threading.RLock()
        self._asked: dict[int, _Asked] = {}
        self._answered = Signal(connection.io)
        self._backoff = Backoff(connection.io)
        self._stream: _PipelineStream | None = None
        self._last_id = 0
        self._is_closed = False

    async def unary(
        self,
        request: Message,
        answer: type[A],
        options: CallOptions,
        namespace: str = "",
        min_revision: int | None = None,
    ) -> A:
        connection, rpc = self.connection, rpc_of(request)
        field = _field_of(rpc)
        self._assert_open(options.get("cancel"))
        if field is None:  # The server takes it as a call of its own only.
            return await connection.unary(request, answer, options, namespace, min_revision)
        timeout = connection.prepare(rpc, request, options, namespace, min_revision)
        asked = self._new(field, request, timeout)
        cancels = [each for each in (options.get("cancel"), self._cancel) if each is not None]
        forgets = [each._subscribe(lambda: self._fail(asked, _cancelled(rpc))) for each in cancels]
        try:
            self._ask(asked)
            found: Any = await connection.io.wait(asked.future, timeout)
        except TimeoutError:
            self._take_back(asked)
            raise DeadlineExceededError("the answer did not come in time", family=family_of(rpc.path)) from None
        except MnemeError as error:
            error.family = family_of(rpc.path)
            raise
        finally:
            for forget in forgets:
                forget()
            self._drop(asked)
        if rpc.has_revision:
            connection.seen_revision.note(found.revision)
        assert isinstance(found, answer)
        return found

    async def close(self) -> None:
        """Refuses more, waits until all that was asked is answered, and ends the stream."""
        self._is_closed = True
        await self._answered.wait_for(lambda: not self._asked)
        with self._lock:
            if self._stream is not None:
                self._stream.end()

    def _new(self, field: str, request: Message, timeout: float | None) -> _Asked:
        with self._lock:
            self._last_id += 1
            operation = pb.PipelineOperation(correlation_id=self._last_id)
        getattr(operation, field).CopyFrom(request)
        if timeout is not None:
            set_ms(operation.timeout, timeout * 1000, "timeout_ms")
        return _Asked(operation, self.connection.io.future(), field)

    def _assert_open(self, cancel: Cancellation | None) -> None:
        self.connection.assert_usable(cancel)
        self.connection.assert_usable(self._cancel)
        if self._is_closed:
            raise CancelledError("the pipeline is closed")

    def _ask(self, asked: _Asked) -> None:
        with self._lock:
            asked.attempts += 1
            self._asked[asked.operation.correlation_id] = asked
            if self._stream is None:
                self._stream = _PipelineStream(self.connection, self._cancel, self._on_result, self._on_end)
            asked.stream = self._stream
            asked.stream.ask(asked.operation)

    def _take_back(self, asked: _Asked) -> None:
        number = asked.operation.correlation_id
        if asked.stream is not None:
            asked.stream.ask(pb.PipelineOperation(correlation_id=number, cancel=pb.PipelineCancel()))

    def _drop(self, asked: _Asked) -> None:
        with self._lock:
            self._asked.pop(asked.operation.correlation_id, None)
        self._answered.notify()

    def _fail(self, asked: _Asked, error: MnemeError) -> None:
        with self._lock:
            if not asked.future.done():
                self._take_back(asked)
        self.connection.io.call(lambda: _settle(asked.future, error=error))

    def _on_result(self, result: pb.PipelineResult) -> None:
        with self._lock:
            asked = self._asked.get(result.correlation_id)
        if asked is None:
            return
        self._backoff.reset()
        if result.WhichOneof("result") != "error":
            _settle(asked.future, getattr(result, asked.field))
            return
        error = error_of_status(result.error)
        may_repeat = isinstance(error, UnavailableError) and asked.attempts < _ATTEMPTS_MAX
        if may_repeat and self.connection.reopens:
            asked.stream = None
            self.connection.io.spawn(self._repeat(asked, error))
        else:
            _settle(asked.future, error=error)

    async def _repeat(self, asked: _Asked, error: MnemeError) -> None:
        await Backoff(self.connection.io).wait(error, self._cancel)
        if asked.operation.correlation_id in self._asked:
            self._ask(asked)

    async def _on_end(self, stream: _PipelineStream, error: MnemeError) -> None:
        """What has no answer is asked again over another stream, unless the pipeline ended for good."""
        with self._lock:
            if self._stream is stream:
                self._stream = None
            unanswered = [asked for asked in self._asked.values() if asked.stream is stream]
            for asked in unanswered:
                asked.stream = None
        may_go_on = self.connection.reopens and is_broken(error, self._cancel)
        if unanswered and may_go_on:
            await self._backoff.wait(error, self._cancel)
        for asked in unanswered:
            if asked.operation.correlation_id not in self._asked:
                continue
            if may_go_on and asked.attempts < _ATTEMPTS_MAX:
                self._ask(asked)
            else:
                _settle(asked.future, error=error)


class _PipelineStream:
    """One stream of a pipeline: what is asked while a message is being sent goes out in the next one."""

    def __init__(
        self,
        connection: Connection,
        cancel: Cancellation | None,
        on_result: Callable[[pb.PipelineResult], None],
        on_end: Any,
    ) -> None:
        self._connection = connection
        self._cancel = cancel
        self._on_result = on_result
        self._on_end = on_end
        self._outgoing: list[pb.PipelineOperation] = []
        self._is_ending = False
        self._is_over = False
        self._signal = Signal(connection.io)
        connection.io.spawn(self._run())

    def ask(self, operation: pb.PipelineOperation) -> None:
        """Sends it as soon as the stream takes it."""
        with self._signal.lock:
            self._outgoing.append(operation)
        self._signal.notify()

    def end(self) -> None:
        """Lets what was asked be answered, then ends."""
        with self._signal.lock:
            self._is_ending = True
        self._signal.notify()

    async def _run(self) -> None:
        connection, attempt = self._connection, Attempt(self._connection.io, self._cancel)
        failure: MnemeError = UnavailableError("the pipeline ended")
        sender = None
        try:
            wire = await connection.open(pb.PipelineRequest, {"cancel": self._cancel} if self._cancel else {})
            attempt.attach(wire)
            sender = Sender(connection.io, wire, pb.PipelineRequest(), connection.options.heartbeat_ms)
            connection.io.spawn(self._send(sender))
            cancel = self._cancel
            try:
                while (
                    message := await connection.read(wire, pb.PipelineRequest, pb.PipelineResponse, cancel)
                ) is not None:
                    attempt.heard()
                    for result in message.results:
                        self._on_result(result)
            finally:
                wire.cancel()
        except MnemeError as error:
            failure = attempt.cause_of(error)
        finally:
            attempt.stop()
            if sender is not None:
                sender.stop()
            with self._signal.lock:
                self._is_over = True
            self._signal.notify()
        await self._on_end(self, failure)

    async def _send(self, sender: Sender) -> None:
        while True:
            await self._signal.wait_for(lambda: bool(self._outgoing) or self._is_ending or self._is_over)
            with self._signal.lock:
                some, self._outgoing = (
                    self._outgoing[:_OPERATIONS_PER_MESSAGE],
                    self._outgoing[_OPERATIONS_PER_MESSAGE:],
                )
            if self._is_over:
                return
            if not some:
                sender.end()
                return
            await sender.send(pb.PipelineRequest(operations=some))


def _settle(future: Any, result: Message | None = None, error: MnemeError | None = None) -> None:
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)


def _cancelled(rpc: Rpc) -> CancelledError:
    return CancelledError("cancelled by the caller", family=family_of(rpc.path))


def _field_of(rpc: Rpc) -> str | None:
    """`BatchStoreMemories` is `batch_store_memories` in PipelineOperation; None for what has no operation."""
    field = "".join(f"_{each.lower()}" if each.isupper() else each for each in rpc.name).lstrip("_")
    return field if field in pb.PipelineOperation.DESCRIPTOR.fields_by_name else None
