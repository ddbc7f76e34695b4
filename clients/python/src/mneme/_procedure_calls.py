"""The calls of KnowledgeService that are about episodes and procedures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from typing_extensions import Unpack

from ._face import Calls, call
from ._names import memory_name
from ._read import read, read_all
from ._write import fill
from .memory import Scope
from .options import CallOptions, WriteOptions
from .procedures import FoundProcedure, NewProcedure, Procedure, RecordedEpisode, RecordProcedureResult, TaskOutcome
from .v1 import knowledge_service_pb2 as pb


class EpisodeCalls(Calls):
    """Episodes: how tasks went."""

    @call
    async def record(
        self,
        task: str,
        outcome: TaskOutcome,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        lessons: Iterable[str] = (),
        actions: Iterable[str] = (),
        duration_ms: float | None = None,
        tokens_used: int | None = None,
        importance: float | None = None,
        event_time: datetime | None = None,
        **options: Unpack[WriteOptions],
    ) -> RecordedEpisode:
        """Stores how a task went, as a memory of type `episode`.

        `lessons`, `actions`: what was learned and done, at most 64 each; `importance`, 0 to 1: default from outcome,
        lessons and duration; `event_time`: when it ended, default now.
        """
        request = pb.RecordEpisodeRequest()
        fill(request, {"task": task, "outcome": outcome, "scope": scope, "lessons": lessons, "actions": actions})
        fill(request, {"duration_ms": duration_ms, "tokens_used": tokens_used, "importance": importance})
        fill(request, {"event_time": event_time})
        return read(RecordedEpisode, await self._ask(request, pb.RecordEpisodeResponse, options))


class ProcedureCalls(Calls):
    """Procedures: how something is done. A procedure is named by the id or the resource name of its memory."""

    @call
    async def record(
        self, procedure: NewProcedure | Mapping[str, Any], **options: Unpack[WriteOptions]
    ) -> RecordProcedureResult:
        """Stores a procedure; one that has the same title in the same scope is merged with it."""
        request = pb.RecordProcedureRequest()
        fill(request, {"procedure": procedure})
        return read(RecordProcedureResult, await self._ask(request, pb.RecordProcedureResponse, options))

    @call
    async def find(
        self,
        situation: str,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> tuple[FoundProcedure, ...]:
        """Procedures that fit a situation, the best first: relevance times success rate. `limit`: 1 to 50, default
        5."""
        request = pb.FindProceduresRequest()
        fill(request, {"situation": situation, "scope": scope, "limit": limit})
        answer = await self._ask(request, pb.FindProceduresResponse, options)
        return read_all(FoundProcedure, answer.procedures)

    @call
    async def record_outcome(
        self, id: str, outcome: TaskOutcome, *, note: str | None = None, **options: Unpack[WriteOptions]
    ) -> Procedure:
        """Counts how a procedure went. `note`: what is worth knowing about it."""
        request = pb.RecordOutcomeRequest(name=memory_name(self._namespace, id))
        fill(request, {"outcome": outcome, "note": note})
        return read(Procedure, (await self._ask(request, pb.RecordOutcomeResponse, options)).procedure)
