"""Serving the extractor `client` of a namespace."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any, TypedDict

from . import extraction as types
from ._attempt import Attempt
from ._connection import Connection
from ._face import Calls
from ._names import namespace_name
from ._read import read
from ._served import ServedRuns, sendable
from ._write import fill
from .options import Cancellation, StreamOptions
from .v1 import conversation_service_pb2 as pb

_HEARTBEAT_MS = 15_000


class ExtractorSettings(TypedDict, total=False):
    """How a client serves extraction."""

    name: str
    """Name in errors and in the origin of notes, such as that of the model. Default: none."""
    max_jobs: int
    """Jobs at once, 1 to 64. Default 4."""
    on_rejected: types.OnRejected
    """Receives the reason why the server refused an answer."""


class ExtractorRuns(ServedRuns):
    """Runs of an extractor that is served again when its stream breaks."""

    def __init__(
        self,
        connection: Connection,
        start: pb.ExtractorStart,
        handler: types.ExtractionHandler,
        on_rejected: types.OnRejected | None,
    ) -> None:
        super().__init__(connection)
        self._start = start
        self._handler = handler
        self._on_rejected = on_rejected
        self.extractor = ""

    async def open(self, attempt: Attempt) -> AsyncGenerator[None, None]:
        connection = self._connection
        wire = await connection.open(pb.ServeExtractorRequest, {})
        attempt.attach(wire)
        in_hand: dict[str, types.ExtractionJob] = {}
        try:
            await wire.write(pb.ServeExtractorRequest(start=self._start))
            asked, answered = pb.ServeExtractorRequest, pb.ServeExtractorResponse
            while (message := await connection.read(wire, asked, answered, self._cancel)) is not None:
                attempt.heard()
                if message.HasField("started"):
                    self.extractor = message.started.extractor
                    self._confirm()
                elif message.HasField("job"):
                    job = read(types.ExtractionJob, message.job, cancel=Cancellation())
                    in_hand[job.id] = job
                    # Jobs are answered as their answers are there: a slow one holds up none of the others.
                    connection.io.spawn(self._answer(job, wire))
                    yield None
                elif message.HasField("closed"):
                    self._close(message.closed, in_hand)
                elif message.HasField("heartbeat"):
                    # Proxies see that both sides are there.
                    await wire.write(pb.ServeExtractorRequest())
        finally:
            for job in in_hand.values():
                job.cancel.cancel()
            wire.cancel()

    def _close(self, closed: pb.ExtractionJobClosed, in_hand: dict[str, types.ExtractionJob]) -> None:
        job = in_hand.pop(closed.job_id, None)
        if job is None:
            return
        if closed.HasField("withdrawn"):
            job.cancel.cancel()
        elif closed.HasField("rejected") and self._on_rejected is not None:
            self._on_rejected(job, closed.rejected)

    async def _answer(self, job: types.ExtractionJob, wire: Any) -> None:
        answer = pb.ExtractionAnswer(job_id=job.id)
        try:
            outcome = await self._connection.io.result_of(self._handler(job))
        except Exception as error:  # Reported: the job comes again.
            answer.failure.message = sendable(error)
            answer.failure.retryable = True
        else:
            _fill_answer(answer, outcome)
        if not job.cancel.cancelled:
            await wire.write(pb.ServeExtractorRequest(answer=answer))


def _fill_answer(answer: pb.ExtractionAnswer, outcome: types.ExtractionAnswer) -> None:
    try:
        if outcome is not None and "failure" in outcome:
            fill(answer.failure, {"message": outcome["failure"]}, "failure")
            return
        answer.extracted.SetInParent()
        fill(answer.extracted, outcome or {}, "answer")
    except Exception as error:  # Reported: the answer of the handler is none.
        answer.failure.message = sendable(error)


class ExtractorCalls(Calls):
    """Serves the extractor `client` of a namespace."""

    async def _served(
        self, handler: types.ExtractionHandler, settings: Mapping[str, Any], options: StreamOptions
    ) -> ExtractorRuns:
        start = pb.ExtractorStart(parent=namespace_name(self._namespace))
        values = {key: value for key, value in settings.items() if key != "on_rejected"}
        fill(start, {"heartbeat_interval_ms": _HEARTBEAT_MS, **values})
        runs = ExtractorRuns(self._connection, start, handler, settings.get("on_rejected"))
        await runs.start(options)
        return runs
