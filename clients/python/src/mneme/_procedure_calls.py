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
from .reflection import Reflection
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

    @call
    async def reflect(
        self,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        start_time: datetime | None = None,
        end_time: datetime | None = None,
        task: str | None = None,
        min_support: int | None = None,
        min_confidence: float | None = None,
        max_episodes: int | None = None,
        limit: int | None = None,
        max_citations: int | None = None,
        phrase: bool = False,
        **options: Unpack[CallOptions],
    ) -> Reflection:
        """Patterns of recorded episodes: what goes with success, what fails, what is unusual and what changes.

        Reads only, and asks a model only with `phrase`, which has the model of the server word the insights. `scope`:
        owner of the episodes; `start_time` to `end_time`: default the last 30 days, at most 366; `task`: only episodes
        whose task has all of these words; `min_support`: minimum number of episodes that a result stands on, 2 to
        1,000, default 3; `min_confidence`: 0.5 to 0.999, default 0.95; `max_episodes`: 1 to 20,000, default 5,000;
        `limit` of results of each list: 1 to 100, default 20; `max_citations` of a result: 1 to 50, default 10.
        """
        request = pb.ReflectRequest()
        fill(request, {"scope": scope, "start_time": start_time, "end_time": end_time, "task": task})
        fill(request, {"min_support": min_support, "min_confidence": min_confidence, "max_episodes": max_episodes})
        fill(request, {"limit": limit, "max_citations": max_citations, "phrase": phrase})
        return read(Reflection, await self._ask(request, pb.ReflectResponse, options))


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
