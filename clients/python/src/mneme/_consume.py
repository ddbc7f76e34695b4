"""Durable subscriptions and their deliveries."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Literal

from typing_extensions import Unpack

from ._attempt import Attempt
from ._connection import Connection
from ._face import Calls, call, stream
from ._io import Sender, Signal, Wire
from ._names import namespace_name, text
from ._read import read
from ._resuming import resuming
from ._watch import heartbeat_ms_of
from ._write import fill
from .changes import Delivery, Subscription, WebhookSecret, WebhookSettings
from .errors import MnemeError, OutOfRangeError
from .filters import Filter, FilterLike
from .memory import MemoryView, Scope
from .options import CallOptions, StreamOptions, WriteOptions
from .v1 import change_pb2
from .v1 import subscription_service_pb2 as pb

_REVISIONS_MAX = 10_000


class SubscriptionCalls(Calls):
    """Durable subscriptions: change feeds that remember how far they have been read."""

    @call
    async def create(
        self,
        id: str,
        *,
        mode: Literal["broadcast", "work_queue"] | None = None,
        filter: FilterLike | None = None,
        scope: Scope | Mapping[str, str] | None = None,
        include_moved: bool = False,
        ack_deadline_ms: float | None = None,
        consumer_ttl_ms: float | None = None,
        webhook: WebhookSettings | Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Subscription:
        """Makes a subscription that begins with the next change.

        `mode`: default `broadcast`; `filter`: selects memories, deletions and expiries are delivered whatever the
        filter; `include_moved` includes moves between tiers that bring a memory neither into the filter nor out of it;
        `ack_deadline_ms`: in a work queue the time after which an unacknowledged change goes to another consumer
        (default 30 s); `consumer_ttl_ms`: time after which a consumer that was not seen is forgotten (default 7 days);
        `webhook`: URL to which the server itself delivers, in a broadcast.
        """
        request = pb.CreateSubscriptionRequest()
        fill(request, {"subscription_id": id})
        request.subscription.SetInParent()
        terms = {"ack_deadline_ms": ack_deadline_ms, "consumer_ttl_ms": consumer_ttl_ms, "include_moved": include_moved}
        fill(request.subscription, {"mode": mode, "filter": filter, "scope": scope, "webhook": webhook, **terms})
        return _subscription((await self._ask(request, pb.CreateSubscriptionResponse, options)).subscription)

    @call
    async def get(self, id: str, **options: Unpack[CallOptions]) -> Subscription:
        """Reads a subscription with its cursors."""
        request = pb.GetSubscriptionRequest(name=self._name(id))
        return _subscription((await self._ask(request, pb.GetSubscriptionResponse, options)).subscription)

    @call
    async def list(self, **options: Unpack[CallOptions]) -> tuple[Subscription, ...]:
        """All subscriptions of the namespace by id."""
        answer = await self._ask(pb.ListSubscriptionsRequest(), pb.ListSubscriptionsResponse, options)
        return tuple(map(_subscription, answer.subscriptions))

    @call
    async def delete(self, id: str, **options: Unpack[WriteOptions]) -> None:
        """Deletes a subscription; its consumers end."""
        await self._ask(pb.DeleteSubscriptionRequest(name=self._name(id)), pb.DeleteSubscriptionResponse, options)

    @call
    async def rotate_webhook_secret(
        self,
        id: str,
        *,
        secret: str | None = None,
        overlap_ms: float | None = None,
        **options: Unpack[WriteOptions],
    ) -> WebhookSecret:
        """Replaces the secret of the webhook.

        `secret`: default: the server makes one; `overlap_ms`: time for which the former secret stays valid (default 24
        hours).
        """
        request = pb.RotateWebhookSecretRequest(name=self._name(id))
        fill(request, {"secret": secret, "overlap_ms": overlap_ms})
        return read(WebhookSecret, await self._ask(request, pb.RotateWebhookSecretResponse, options))

    @call
    async def resume_webhook(self, id: str, *, url: str | None = None, **options: Unpack[WriteOptions]) -> Subscription:
        """Delivers to the webhook again at once, also where it is parked; to another URL where one is set."""
        request = pb.ResumeWebhookRequest(name=self._name(id))
        fill(request, {"url": url})
        return _subscription((await self._ask(request, pb.ResumeWebhookResponse, options)).subscription)

    @stream
    async def consume(
        self,
        id: str,
        consumer: str,
        *,
        max_outstanding: int | None = None,
        view: MemoryView = "basic",
        start_revision: int | None = None,
        on_compacted: Literal["fail", "skip"] = "fail",
        **options: Unpack[StreamOptions],
    ) -> AsyncGenerator[Delivery, None]:
        """Changes for one consumer, each at least once, indefinitely: a broken stream is reopened after the last
        acknowledgement. Leaving the loop ends it once the server has received the acknowledgements; a `Cancellation`
        ends it at once.

        `max_outstanding`: most changes that are delivered and not acknowledged (default 1,000); `start_revision` moves
        the consumer: it is the next one to be delivered. `on_compacted`: handling of undelivered changes that are no
        longer retained: `fail` raises `OutOfRangeError`, `skip` continues with the oldest retained one.
        """
        start = pb.ConsumeStart(name=self._name(id))
        how = {"max_outstanding": max_outstanding, "view": view, "start_revision": start_revision}
        fill(start, {"consumer": consumer, **how})
        runs = _ConsumeRuns(self._connection, start, on_compacted == "skip", options)
        async with aclosing(resuming(self._connection, runs, options)) as deliveries:
            async for delivery in deliveries:
                yield delivery

    def _name(self, id: str) -> str:
        return f"{namespace_name(self._namespace)}/subscriptions/{text(id, 'id')}"


class _ConsumeRuns:
    is_endless = True

    def __init__(self, connection: Connection, start: pb.ConsumeStart, skips: bool, options: StreamOptions) -> None:
        self._connection = connection
        self._start = start
        self._skips = skips
        self._options = options
        self._log = ""
        self._lock = threading.Lock()
        #: What is done and may be delivered again all the same, because the server has not said that it knows: instants
        #: by revision, because a log that went back to an older state gives a revision to another change.
        self._done: dict[int, tuple[int, int]] = {}
        self._run: _Acknowledger | None = None

    async def open(self, attempt: Attempt) -> AsyncGenerator[Delivery, None]:
        connection = self._connection
        wire = await connection.open(pb.ConsumeSubscriptionRequest, self._options)
        attempt.attach(wire)
        run = self._run = _Acknowledger(connection, wire)
        is_over = False
        try:
            await run.sender.send(pb.ConsumeSubscriptionRequest(start=self._start))
            cancel = self._options.get("cancel")
            asked, answered = pb.ConsumeSubscriptionRequest, pb.ConsumeSubscriptionResponse
            while (message := await connection.read(wire, asked, answered, cancel)) is not None:
                attempt.heard()
                self._note(message, attempt)
                for change in message.batch.changes:
                    if self._done.get(change.revision) == _instant(change):
                        run.acknowledge(change.revision)
                    else:
                        yield self._delivery_of(change, run)
            is_over = True
        except MnemeError:
            is_over = True
            raise
        finally:
            if not is_over:
                await self._leave(run, wire)
            run.stop()
            wire.cancel()

    def recover(self, error: MnemeError) -> bool:
        if not (isinstance(error, OutOfRangeError) and error.reason == "REVISION_COMPACTED" and self._skips):
            return False
        oldest = int(error.metadata.get("compact_revision", 0)) + 1
        # The log may have been compacted further in the meantime; a refusal of its oldest revision must not loop
        # forever.
        if self._start.HasField("start_revision") and oldest <= self._start.start_revision:
            return False
        self._start.start_revision = oldest
        return True

    def _note(self, message: pb.ConsumeSubscriptionResponse, attempt: Attempt) -> None:
        with self._lock:
            if message.WhichOneof("event") == "created":
                attempt.expect_every(heartbeat_ms_of(message.created))
                # Another server numbers the same changes differently; a consumer that was moved back gets them again.
                if message.created.log != self._log or self._start.HasField("start_revision"):
                    self._done.clear()
                self._log = message.created.log
                self._start.ClearField("start_revision")
            for revision in [each for each in self._done if each <= message.acknowledged_revision]:
                del self._done[revision]

    def _delivery_of(self, change: change_pb2.Change, run: _Acknowledger) -> Delivery:
        log, revision, instant = self._log, change.revision, _instant(change)

        def acknowledge() -> None:
            with self._lock:
                if log != self._log:
                    return
                self._done[revision] = instant
                # A change of an earlier stream is acknowledged when it is delivered again.
                is_current = run is self._run
            if is_current:
                run.acknowledge(revision)

        return read(Delivery, change, _acknowledge=acknowledge)

    async def _leave(self, run: _Acknowledger, wire: Wire) -> None:
        """Lets the server receive the acknowledgements and end the stream itself, within the timeout of a call."""
        connection = self._connection
        stop_timer = connection.io.later(min(connection.options.timeout_ms / 1000, 60.0), wire.cancel)
        try:
            await run.finish()
            asked, answered = pb.ConsumeSubscriptionRequest, pb.ConsumeSubscriptionResponse
            while await connection.read(wire, asked, answered, None) is not None:
                pass
        except MnemeError:
            pass  # Unconfirmed changes are delivered again.
        finally:
            stop_timer()


class _Acknowledger:
    """Sends what is acknowledged, all of one moment in one message."""

    def __init__(self, connection: Connection, wire: Wire) -> None:
        self.sender = Sender(connection.io, wire, _acknowledgement([]), connection.options.heartbeat_ms)
        self._outgoing: list[int] = []
        self._is_stopped = False
        self._signal = Signal(connection.io)
        self._io = connection.io
        self._working: Any = None

    def acknowledge(self, revision: int) -> None:
        with self._signal.lock:
            self._outgoing.append(revision)
            if self._working is None:
                self._working = self._io.spawn(self._work())
        self._signal.notify()

    async def finish(self) -> None:
        """Sends the remaining messages, then half-closes."""
        self.stop()
        if self._working is not None:
            await self._io.wait(self._working)
        self.sender.end()

    def stop(self) -> None:
        with self._signal.lock:
            self._is_stopped = True
        self._signal.notify()
        self.sender.stop_heartbeats()

    async def _work(self) -> None:
        while True:
            await self._signal.wait_for(lambda: bool(self._outgoing) or self._is_stopped)
            with self._signal.lock:
                some, self._outgoing = self._outgoing[:_REVISIONS_MAX], self._outgoing[_REVISIONS_MAX:]
            if not some:
                return
            await self.sender.send(_acknowledgement(some))


def _acknowledgement(revisions: list[int]) -> pb.ConsumeSubscriptionRequest:
    return pb.ConsumeSubscriptionRequest(acknowledge=pb.ConsumeAcknowledge(revisions=revisions))


def _instant(change: change_pb2.Change) -> tuple[int, int]:
    return change.time.seconds, change.time.nanos


def _subscription(message: pb.Subscription) -> Subscription:
    made = Filter(message.filter) if message.HasField("filter") else None
    return read(Subscription, message, filter=message.filter_text or made)
