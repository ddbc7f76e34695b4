"""Standing queries, and recalls streamed by tier."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Any

from typing_extensions import Unpack

from ._attempt import Attempt
from ._connection import Connection
from ._face import Calls, stream
from ._known import split
from ._read import codes_of, read, read_all, word_of
from ._recall_calls import RecallArguments
from ._recall_messages import hits_of, recall_request, recalled
from ._resuming import resuming
from ._watch import heartbeat_ms_of, note_loss
from .errors import MnemeError, OutOfRangeError
from .memory import Tier
from .options import StreamOptions
from .recall import (
    Degradation,
    Merged,
    RecallHit,
    RecallQuery,
    RecallStreamEvent,
    StandingAnswer,
    TierHits,
)
from .v1 import memory_pb2
from .v1 import recall_service_pb2 as pb

_LEAVE = codes_of(pb.RecallEventKind.DESCRIPTOR)["leave"]


class SubscribeArguments(RecallQuery, StreamOptions, total=False):
    """Keys of `RecallQuery` (but `touch` and `focus`) and of `StreamOptions`."""


class SubscribeCalls(Calls):
    """Recalls that go on."""

    @stream
    async def subscribe(
        self, query: str | RecallQuery | None = None, /, **arguments: Unpack[SubscribeArguments]
    ) -> AsyncGenerator[StandingAnswer, None]:
        """Recalls, and yields the changes of the answer indefinitely: the whole answer first, then each change. A
        broken stream is reopened, and changes in between are included. Leaving the loop ends it."""
        options, more = split(arguments, StreamOptions.__annotations__.keys())
        request = pb.SubscribeRecallRequest(query=recall_request(query, more, self._namespace))
        connection = self._connection
        runs = _SubscribeRuns(connection, request, options)
        async with aclosing(resuming(connection, runs, options)) as answers:
            async for answer in answers:
                yield answer

    @stream
    async def recall_stream(
        self, query: str | RecallQuery | None = None, /, **arguments: Unpack[RecallArguments]
    ) -> AsyncGenerator[RecallStreamEvent, None]:
        """Recalls, yielding the hits of each tier, and finally all of them in one order."""
        options, more = split(arguments)
        connection = self._connection
        request = pb.RecallStreamRequest(query=recall_request(query, more, self._namespace))
        request.query.min_revision = connection.min_revision(options)
        told: dict[Tier, tuple[RecallHit, ...]] = {}
        limit = connection.options.recall_timeout_ms
        messages = connection.messages(request, pb.RecallStreamResponse, options, timeout_ms=limit)
        async with aclosing(messages):
            async for message in messages:
                part = message.WhichOneof("part")
                if part == "hits":
                    tier = _tier(message.hits.tier)
                    before = told.get(tier, ()) if message.hits.continued else ()
                    told[tier] = before + hits_of(message.hits.hits)
                    yield TierHits(tier, told[tier])
                elif part == "merged":
                    connection.seen_revision.note(message.merged.revision)
                    yield Merged(recalled(message.merged, _in_order(message.merged, told.values())))


class _SubscribeRuns:
    is_endless = True

    def __init__(self, connection: Connection, request: pb.SubscribeRecallRequest, options: StreamOptions) -> None:
        self._connection = connection
        self._request = request
        self._options = options
        self._state: dict[str, pb.RecallEvent] = {}
        #: Events of a change whose last fragment has not come yet.
        self._gathered: list[pb.RecallEvent] = []
        self._degraded: tuple[Degradation, ...] = ()

    async def open(self, attempt: Attempt) -> AsyncGenerator[StandingAnswer, None]:
        self._gathered = []
        request, connection = self._request, self._connection
        request.query.min_revision = connection.min_revision()
        messages = connection.messages(request, pb.SubscribeRecallResponse, self._options, attempt)
        async with aclosing(messages):
            async for message in messages:
                answer = self._answer_of(message, attempt)
                request.resume_token = message.resume_token
                if answer is not None:
                    yield answer

    def recover(self, error: MnemeError) -> bool:
        """The revision of the token is lost; a stream without it begins with the whole answer as well."""
        is_lost = isinstance(error, OutOfRangeError) and error.reason in ("REVISION_COMPACTED", "REVISION_AHEAD")
        if not is_lost or not self._request.resume_token:
            return False
        note_loss(self._connection, error)
        self._request.resume_token = ""
        return True

    def _answer_of(self, message: pb.SubscribeRecallResponse, attempt: Attempt) -> StandingAnswer | None:
        event = message.WhichOneof("event")
        if event == "created":
            attempt.expect_every(heartbeat_ms_of(message.created))
        if event == "progress":
            return self._standing(message.revision, set(), (), self._state, is_progress=True)
        if event != "batch":
            return None
        self._gathered += message.batch.events
        if message.batch.fragment:
            return None
        events, self._gathered = self._gathered, []
        self._degraded = read_all(Degradation, message.batch.degraded)
        return self._changed(message.batch.snapshot, events, message.revision)

    def _changed(self, is_snapshot: bool, events: list[pb.RecallEvent], revision: int) -> StandingAnswer:
        before, after = self._state, {} if is_snapshot else dict(self._state)
        touched = []
        for event in events:
            if event.kind == _LEAVE:
                after.pop(event.name, None)
            else:
                after[event.name] = event
            touched.append(event.name)
        self._state = after
        left = tuple(name.split("/", 3)[-1] for name in before if name not in after)
        changed = {name for name in touched if not is_snapshot or _differs(before.get(name), after.get(name))}
        return self._standing(revision, changed, left, before)

    def _standing(
        self,
        revision: int,
        changed: set[str],
        left: tuple[str, ...],
        before: dict[str, pb.RecallEvent],
        is_progress: bool = False,
    ) -> StandingAnswer:
        in_order = sorted(self._state.values(), key=lambda event: event.place)
        hits = [(event.name, read(RecallHit, event.hit)) for event in in_order if event.HasField("hit")]
        return StandingAnswer(
            hits=tuple(hit for _, hit in hits),
            entered=tuple(hit for name, hit in hits if name in changed and name not in before),
            updated=tuple(hit for name, hit in hits if name in changed and name in before),
            left_ids=left,
            revision=self._connection.seen_revision.note(revision),
            is_progress=is_progress,
            degraded=self._degraded,
        )


def _differs(before: pb.RecallEvent | None, after: pb.RecallEvent | None) -> bool:
    """Differences between a repeated answer and the known one."""
    if before is None or after is None or not before.HasField("hit") or not after.HasField("hit"):
        return before is not after
    one, other = before.hit, after.hit
    return (before.place, one.score, one.memory.version) != (after.place, other.score, other.memory.version)


def _tier(code: int) -> Tier:
    tier: Tier = word_of(memory_pb2.Tier.DESCRIPTOR, code, "short_term")
    return tier


def _in_order(merged: pb.RecallMerged, told: Iterable[tuple[RecallHit, ...]]) -> tuple[RecallHit, ...]:
    by_name: dict[str, RecallHit] = {hit.memory.name: hit for hits in told for hit in hits}

    def placed(each: Any) -> RecallHit:
        hit = by_name[each.name]
        return dataclasses.replace(hit, score=each.score, memory=dataclasses.replace(hit.memory, tier=_tier(each.tier)))

    return tuple(placed(each) for each in merged.order if each.name in by_name)
