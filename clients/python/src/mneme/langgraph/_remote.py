"""The server as the adapters of LangGraph use it: reads and writes of many memories, from threads and from tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import client as blocking
from .._adapters import batches, guarded, recalled
from ..errors import AlreadyExistsError, DataLossError, MnemeError
from ..filters import Filter, where
from ..memory import Memory
from ..options import Cancellation
from ..recall import RecallHit
from ..results import ConflictPolicy

#: Memories of the largest size that fit into one answer of at most 16 MiB.
_READ_AT_ONCE = 7
_BATCH_COUNT = 1_000
#: Limits of one write: the server takes requests of at most 4 MiB.
_BATCH_BYTES = 3 * 1024 * 1024
_MEMORY_OVERHEAD_BYTES = 4 * 1024


class Remote:
    """A namespace of a server. A namespace that does not exist yet has no memories."""

    def __init__(
        self,
        address: str,
        namespace: str,
        connect: Mapping[str, Any] | None,
        client: blocking.Mneme | None,
        timeout_ms: float,
    ) -> None:
        if not timeout_ms > 0:
            raise ValueError(f"timeout_ms: must be greater than 0, got {timeout_ms}")
        self._owns_client = client is None
        own = guarded(client or blocking.connect(address, **(connect or {})))
        self.client = own.with_namespace(namespace)
        self._timeout_ms = timeout_ms

    def options(self, cancel: Cancellation | None) -> dict[str, Any]:
        """Options of each call."""
        return (
            {"timeout_ms": self._timeout_ms} if cancel is None else {"timeout_ms": self._timeout_ms, "cancel": cancel}
        )

    def read(self, ids: Sequence[str], cancel: Cancellation | None) -> dict[str, Memory]:
        """Memories by their ids; ids without a memory are left out."""
        if len(ids) > _READ_AT_ONCE:
            parts = [ids[start : start + _BATCH_COUNT] for start in range(0, len(ids), _BATCH_COUNT)]
            return {found.id: found for part in parts for found in self.list(where.id.is_in(part), cancel)}
        if not ids:
            return {}
        try:
            answer = self.client.batch_get(ids, **self.options(cancel))
        except MnemeError as error:
            if error.reason == "NAMESPACE_NOT_FOUND":
                return {}
            raise
        if answer.damaged_ids:
            raise DataLossError(f"damaged memories: {', '.join(answer.damaged_ids)}", family="retrieval")
        return {found.id: found for found in answer.memories}

    def list(self, condition: Filter, cancel: Cancellation | None, **query: Any) -> Iterator[Memory]:
        """Memories that the condition admits, page by page."""
        try:
            with self.client.list(filter=condition, **{"page_size": 1_000, **query}, **self.options(cancel)) as found:
                yield from found
        except MnemeError as error:
            if error.reason != "NAMESPACE_NOT_FOUND":
                raise

    def recall(self, cancel: Cancellation | None, **query: Any) -> tuple[RecallHit, ...]:
        """Hits of a recall with texts and contents, best first."""
        try:
            answer = recalled(self.client, {**query, **self.options(cancel)}, lambda ids: self.read(ids, cancel))
        except MnemeError as error:
            if error.reason == "NAMESPACE_NOT_FOUND":
                return ()
            raise
        if answer.damaged_ids:
            raise DataLossError(f"damaged memories: {', '.join(answer.damaged_ids)}", family="retrieval")
        return answer.hits

    def write(
        self, memories: Sequence[Mapping[str, Any]], conflict_policy: ConflictPolicy, cancel: Cancellation | None
    ) -> None:
        """Stores memories in their order: when one is stored, all before it are. A memory whose id exists is replaced
        or kept. Up to 1,000 new memories of 3 MiB are stored atomically."""
        for batch in batches(memories, _bytes_of, _BATCH_BYTES):
            try:
                self.client.batch_store(batch, **self.options(cancel))
            except AlreadyExistsError:
                self.client.import_memories(batch, conflict_policy=conflict_policy, **self.options(cancel))

    def forget(self, condition: Filter, cancel: Cancellation | None) -> None:
        """Erases the memories that the condition admits."""
        try:
            self.client.forget(filter=condition, **self.options(cancel))
        except MnemeError as error:
            if error.reason != "NAMESPACE_NOT_FOUND":
                raise

    def forget_ids(self, ids: Sequence[str], cancel: Cancellation | None) -> None:
        """Erases memories by their ids, in their order. A missing one is left out."""
        for start in range(0, len(ids), _BATCH_COUNT):
            self.forget(where.id.is_in(ids[start : start + _BATCH_COUNT]), cancel)

    def close(self) -> None:
        """Closes the connection, unless it belongs to a supplied client."""
        if self._owns_client:
            self.client.close()


def _bytes_of(memory: Mapping[str, Any]) -> int:
    text = memory.get("text") or ""
    return len(memory["content"].data) + len(text.encode()) + _MEMORY_OVERHEAD_BYTES
