"""The calls of AgentService."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from typing import Any

from typing_extensions import Unpack

from ._face import Calls, call, stream
from ._paging import items_of_pages
from ._read import read, read_all
from ._write import fill, items_of
from .errors import invalid
from .memory import Scope
from .options import CallOptions, WriteOptions
from .scopes import AgentForked, AgentRestored, AgentSnapshot, AgentSnapshotDiff
from .v1 import agent_service_pb2 as pb


class AgentCalls(Calls):
    """Branches, compares and restores all memories of an agent."""

    @call
    async def create_snapshot(
        self,
        scope: Scope | Mapping[str, str],
        *,
        snapshot_id: str | None = None,
        description: str | None = None,
        **options: Unpack[WriteOptions],
    ) -> AgentSnapshot:
        """Takes a snapshot of an agent's memories. The scope names the agent; project and agent type may be left
        unsaid."""
        request = pb.CreateAgentSnapshotRequest()
        fill(request, {"scope": scope, "snapshot_id": snapshot_id, "description": description})
        return read(AgentSnapshot, (await self._ask(request, pb.CreateAgentSnapshotResponse, options)).snapshot)

    @stream
    async def list_snapshots(self, **options: Unpack[CallOptions]) -> AsyncGenerator[AgentSnapshot, None]:
        """All snapshots of the namespace, in the order of their ids."""

        async def page_of(token: str) -> tuple[Iterable[AgentSnapshot], str]:
            request = pb.ListAgentSnapshotsRequest(page_token=token)
            answer = await self._ask(request, pb.ListAgentSnapshotsResponse, options)
            return read_all(AgentSnapshot, answer.snapshots), answer.next_page_token

        async with aclosing(items_of_pages(page_of)) as snapshots:
            async for snapshot in snapshots:
                yield snapshot

    @call
    async def delete_snapshot(self, id: str, **options: Unpack[WriteOptions]) -> None:
        """Deletes a snapshot; the memories stay."""
        request = pb.DeleteAgentSnapshotRequest()
        fill(request, {"snapshot_id": id})
        await self._ask(request, pb.DeleteAgentSnapshotResponse, options)

    @call
    async def diff_snapshots(
        self, id: str, to: Mapping[str, Any] | None = None, **options: Unpack[CallOptions]
    ) -> AgentSnapshotDiff:
        """What has changed from a snapshot to another one (`{"snapshot_id": …}`), to an agent such as a branch
        (`{"scope": …}`), or (by default) to now."""
        request = pb.DiffAgentSnapshotsRequest()
        given = {} if to is None else {key: value for key, value in items_of(to, "to") if value is not None}
        if len(given) > 1 or not given.keys() <= {"snapshot_id", "scope"}:
            raise invalid("to", f"must have snapshot_id or scope, got {', '.join(given)}")
        fill(request, {"snapshot_id": id, "to_snapshot_id": given.get("snapshot_id"), "to_scope": given.get("scope")})
        return read(AgentSnapshotDiff, await self._ask(request, pb.DiffAgentSnapshotsResponse, options))

    @call
    async def restore_snapshot(self, id: str, **options: Unpack[WriteOptions]) -> AgentRestored:
        """Restores the agent's memories to the snapshot, all of them or none."""
        request = pb.RestoreAgentSnapshotRequest()
        fill(request, {"snapshot_id": id})
        return read(AgentRestored, await self._ask(request, pb.RestoreAgentSnapshotResponse, options))

    @call
    async def fork_snapshot(
        self, id: str, to: Scope | Mapping[str, str], **options: Unpack[WriteOptions]
    ) -> AgentForked:
        """Copies the memories of a snapshot to another agent, all of them or none."""
        request = pb.ForkAgentSnapshotRequest()
        fill(request, {"snapshot_id": id, "to_scope": to})
        return read(AgentForked, await self._ask(request, pb.ForkAgentSnapshotResponse, options))
