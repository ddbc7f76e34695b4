"""The calls of ConsolidationService."""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import Unpack

from ._face import Calls, call
from ._names import memory_name
from ._read import read
from ._write import fill
from .consolidation import ConsolidateResult, UndoConsolidationResult
from .memory import Scope
from .options import WriteOptions
from .v1 import consolidation_service_pb2 as pb


class ConsolidationCalls(Calls):
    """Fewer memories of many: notes that say the same are merged, finished conversations get an episode."""

    @call
    async def run(
        self,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        dry_run: bool = False,
        idle_ms: float | None = None,
        max_steps: int | None = None,
        **options: Unpack[WriteOptions],
    ) -> ConsolidateResult:
        """Consolidates the memories of the namespace, or with `dry_run` says what that would make. Deletes nothing.

        `scope`: owner of the memories, parts that are absent match any, default the whole namespace; `idle_ms`: a
        conversation is finished when it had no message for this long, more than 0 and at most 365 days, default 24
        hours; `max_steps`: maximum number of memories that the call makes, 1 to 1,000, default 200.

        ```python
        client.consolidation.run(dry_run=True)
        ```
        """
        request = pb.ConsolidateRequest()
        fill(request, {"scope": scope, "dry_run": dry_run, "idle_time_ms": idle_ms, "max_steps": max_steps})
        return read(ConsolidateResult, await self._ask(request, pb.ConsolidateResponse, options))

    @call
    async def undo(self, report_id: str, **options: Unpack[WriteOptions]) -> UndoConsolidationResult:
        """Takes back what the consolidation of a report made. `report_id`: id or resource name of the report."""
        request = pb.UndoConsolidationRequest(report=memory_name(self._namespace, report_id))
        return read(UndoConsolidationResult, await self._ask(request, pb.UndoConsolidationResponse, options))
