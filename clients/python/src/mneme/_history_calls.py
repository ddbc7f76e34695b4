"""The calls of MemoryService that look at states over time, and at tiers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import Unpack

from ._face import Calls, call
from ._names import id_in, memory_name
from ._read import read, read_all, time_of, word_of
from ._write import fill, sequence
from .filters import FilterLike
from .memory import MemoryView, Scope, Tier
from .options import CallOptions, ReadOptions, WriteOptions
from .results import (
    AttributeChange,
    AttributeHistory,
    ClearTierResult,
    MemorySequence,
    MoveResult,
    StateAtStep,
)
from .v1 import admin_service_pb2
from .v1 import memory_service_pb2 as pb

_KINDS = pb.AttributeChangeKind.DESCRIPTOR


class HistoryCalls(Calls):
    """States over time."""

    @call
    async def get_attribute_history(
        self,
        path: str,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        type: str | None = None,
        filter: FilterLike | None = None,
        start_step: int | None = None,
        end_step: int | None = None,
        limit: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> AttributeHistory:
        """When the value at a path of JSON content appeared, changed and disappeared, by step.

        `scope`: the scope of the states, parts that are set must be equal (default: all); `type` of the memories that
        are states (default `state`); `limit`: most changes, 1 to 10,000 (default 1,000).
        """
        request = pb.GetAttributeHistoryRequest()
        query = {"path": path, "scope": scope, "type": type, "filter": filter}
        fill(request, {**query, "start_step": start_step, "end_step": end_step, "limit": limit})
        answer = await self._ask(request, pb.GetAttributeHistoryResponse, options)
        return AttributeHistory(tuple(map(_change, answer.changes)), answer.truncated, answer.revision)

    @call
    async def get_states_at_steps(
        self,
        steps: Iterable[int],
        *,
        scope: Scope | Mapping[str, str] | None = None,
        type: str | None = None,
        filter: FilterLike | None = None,
        carry_forward: bool = False,
        view: MemoryView = "basic",
        **options: Unpack[ReadOptions],
    ) -> tuple[StateAtStep, ...]:
        """The state at each step; with `carry_forward` the nearest preceding one for a step without its own."""
        request = pb.GetStatesAtStepsRequest()
        query = {"steps": steps, "scope": scope, "type": type, "filter": filter}
        fill(request, {**query, "carry_forward": carry_forward, "view": view})
        answer = await self._ask(request, pb.GetStatesAtStepsResponse, options)
        return read_all(StateAtStep, answer.states)

    @call
    async def get_sequence(
        self,
        id: str,
        *,
        before_count: int | None = None,
        after_count: int | None = None,
        time_window_ms: float | None = None,
        same_type: bool = False,
        same_scope: bool = False,
        filter: FilterLike | None = None,
        view: MemoryView = "basic",
        **options: Unpack[ReadOptions],
    ) -> MemorySequence:
        """The events before and after a memory.

        `before_count` and `after_count`: most memories on either side (default 2, and 1,000 with a window);
        `time_window_ms`: only events at most this long before or after it.
        """
        request = pb.GetMemorySequenceRequest(name=memory_name(self._namespace, id))
        query = {"before_count": before_count, "after_count": after_count, "time_window_ms": time_window_ms}
        fill(request, {**query, "same_type": same_type, "same_scope": same_scope, "filter": filter, "view": view})
        return read(MemorySequence, await self._ask(request, pb.GetMemorySequenceResponse, options))


class TierCalls(Calls):
    """Moves between tiers that a caller asks for."""

    @call
    async def demote(
        self, ids: Iterable[str], *, to_tier: Tier | None = None, **options: Unpack[CallOptions]
    ) -> MoveResult:
        """Moves up to 1,000 memories one tier down, or to `to_tier`. `NotFoundError`, and nothing moved, when one does
        not exist."""
        request = pb.DemoteMemoriesRequest(names=[memory_name(self._namespace, id) for id in sequence(ids, "ids")])
        fill(request, {"to_tier": to_tier})
        return read(MoveResult, await self._ask(request, pb.DemoteMemoriesResponse, options))

    @call
    async def promote(
        self, ids: Iterable[str], *, to_tier: Tier | None = None, **options: Unpack[CallOptions]
    ) -> MoveResult:
        """Moves up to 1,000 memories one tier up, or to `to_tier`."""
        request = pb.PromoteMemoriesRequest(names=[memory_name(self._namespace, id) for id in sequence(ids, "ids")])
        fill(request, {"to_tier": to_tier})
        return read(MoveResult, await self._ask(request, pb.PromoteMemoriesResponse, options))

    @call
    async def clear_tier(
        self,
        tier: Tier,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        all: bool = False,
        dry_run: bool = False,
        **options: Unpack[WriteOptions],
    ) -> ClearTierResult:
        """Erases the memories of one tier: those of a scope, or with `all` all of them; with `dry_run` only counts."""
        request = admin_service_pb2.ClearTierRequest()
        fill(request, {"tier": tier, "scope": scope, "all": all, "dry_run": dry_run})
        return read(ClearTierResult, await self._ask(request, admin_service_pb2.ClearTierResponse, options))


def _change(message: pb.AttributeChange) -> AttributeChange:
    return AttributeChange(
        id=id_in(message.name),
        step=message.step,
        event_time=time_of(message.event_time),
        kind=word_of(_KINDS, message.kind, "changed"),
        previous_value=_value(message, "previous_json"),
        new_value=_value(message, "new_json"),
    )


def _value(message: pb.AttributeChange, field: str) -> Any:
    return json.loads(getattr(message, field)) if getattr(message, field) else None
