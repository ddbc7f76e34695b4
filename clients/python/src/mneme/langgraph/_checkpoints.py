"""Records of checkpoints on the server: reading, writing and erasing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, NamedTuple

from ..filters import Filter, all_of, where
from ..memory import Memory
from ..options import Cancellation
from ..results import ConflictPolicy
from ._records import (
    OF_BLOB,
    OF_CHECKPOINT,
    Record,
    Thread,
    Typed,
    Write,
    of_thread,
    order_of,
    part_ids,
    record_id,
    record_of,
    run_tag,
    writes_of,
)
from ._remote import Remote

Versions = Mapping[str, Any]

#: Checkpoints that are read together with what belongs to them.
_TOGETHER = 20
#: Records of a copy in memory at a time.
_COPIED_TOGETHER = 50
#: A filter has at most 1,000 values.
_FORGOTTEN_TOGETHER = 900
_ROWS = where.type.equals("langgraph_checkpoint")
_WRITES = where.type.equals("langgraph_write")
_BLOBS = where.type.equals("langgraph_blob")


class Listed(NamedTuple):
    """What belongs to a checkpoint."""

    blobs: dict[str, Typed]
    """Values by their channels."""
    writes: list[Write]


class Checkpoints:
    """The records of a namespace."""

    def __init__(self, remote: Remote) -> None:
        self._remote = remote

    def write(self, records: Iterable[Record], conflict_policy: ConflictPolicy, cancel: Cancellation | None) -> None:
        """Stores records in their order: when one is stored, all before it are."""
        memories = [memory for record in records for memory in record.memories()]
        self._remote.write(memories, conflict_policy, cancel)

    def get(self, thread: Thread, checkpoint_id: str, cancel: Cancellation | None) -> Record | None:
        """The record of a checkpoint."""
        found = self._remote.read([record_id("langgraph_checkpoint", thread, [checkpoint_id])], cancel)
        return next(iter(self._records(found.values(), cancel)), None)

    def latest(self, thread: Thread, cancel: Cancellation | None) -> Record | None:
        """The record of the checkpoint with the greatest id."""
        return next(self.rows(thread_id=thread.id, namespace=thread.namespace, cancel=cancel, page_size=32), None)

    def rows(
        self,
        *,
        thread_id: str | None = None,
        namespace: str | None = None,
        checkpoint_id: str | None = None,
        before: str | None = None,
        cancel: Cancellation | None,
        page_size: int = 200,
    ) -> Iterator[Record]:
        """Records of checkpoints, those with the greatest ids first."""
        conditions: list[Filter] = [_ROWS]
        if thread_id is not None:
            conditions.append(of_thread(thread_id, namespace))
        if checkpoint_id is not None:
            conditions.append(where.source_uri.equals(checkpoint_id))
        if before is not None:
            conditions.append(where.step.less_or_equal(order_of(before)))
        found = self._remote.list(all_of(*conditions), cancel, order="step_desc", page_size=page_size)
        for _, alike in groupby(found, lambda memory: memory.step):
            for memory in sorted(alike, key=lambda memory: memory.source.uri or "", reverse=True):
                if before is None or (memory.source.uri or "") < before:
                    yield from self._records([memory], cancel)

    def batches(self, rows: Iterator[Record], limit: int | None) -> Iterator[list[Record]]:
        """The rows in groups that are read together, `limit` of them at most."""
        left = limit
        while left is None or left > 0:
            batch = list(islice(rows, _TOGETHER if left is None else min(left, _TOGETHER)))
            if not batch:
                return
            yield batch
            left = None if left is None else left - len(batch)

    def load(self, rows: Sequence[Record], versions: Sequence[Versions], cancel: Cancellation | None) -> list[Listed]:
        """What belongs to each of the checkpoints."""
        wanted = [
            {channel: record_id("langgraph_blob", row.thread, [channel, version]) for channel, version in each.items()}
            for row, each in zip(rows, versions, strict=True)
        ]
        ids = list(dict.fromkeys(id for each in wanted for id in each.values()))
        blobs = {
            record.id: record.bodies[0] for record in self._records(self._remote.read(ids, cancel).values(), cancel)
        }
        writes = self._writes_of(rows, cancel)
        return [
            Listed(
                {channel: blobs[id] for channel, id in each.items() if id in blobs},
                writes_of(writes.get((row.thread, row.key[0]), [])),
            )
            for row, each in zip(rows, wanted, strict=True)
        ]

    def delete_thread(self, thread_id: str, cancel: Cancellation | None) -> None:
        """Erases everything of a thread."""
        self._remote.forget(of_thread(thread_id), cancel)

    def delete_for_runs(
        self, run_ids: Sequence[str], versions_of: Callable[[Record], Versions], cancel: Cancellation | None
    ) -> None:
        """Erases the checkpoints of runs, and values that no other checkpoint refers to."""
        if not run_ids:
            return
        tags = [run_tag(str(run_id)) for run_id in run_ids]
        rows = self._records(self._remote.list(_ROWS & where.tag.is_in(tags), cancel), cancel)
        self._delete(rows, cancel)
        for thread_id in dict.fromkeys(row.thread.id for row in rows):
            self._forget_unused_blobs(thread_id, versions_of, cancel)

    def copy_thread(self, source_id: str, target_id: str, cancel: Cancellation | None) -> None:
        """Copies a thread: the values first, the checkpoints last."""
        for kind in (_BLOBS, _WRITES, _ROWS):
            found = self._remote.list(of_thread(source_id) & kind, cancel, order="create_time_asc")
            while some := self._records(list(islice(found, _COPIED_TOGETHER)), cancel):
                for record in some:
                    record.thread = record.thread._replace(id=target_id)
                self.write(some, "replace", cancel)

    def keep_latest(
        self,
        thread_id: str,
        versions_of: Callable[[Record], Versions],
        deltas_of: Callable[[Record], set[str]],
        cancel: Cancellation | None,
    ) -> None:
        """Erases the checkpoints of a thread but the newest of each namespace and those that it is rebuilt from."""
        rows = list(self.rows(thread_id=thread_id, cancel=cancel))
        by_id = {(row.thread, row.key[0]): row for row in rows}
        kept: set[str] = set()
        for newest in {row.thread: row for row in reversed(rows)}.values():
            row: Record | None = newest
            needed = deltas_of(newest)
            while row is not None:
                kept.add(row.id)
                versions = {channel: version for channel, version in versions_of(row).items() if channel in needed}
                values = self.load([row], [versions], cancel)[0].blobs
                needed -= {channel for channel, blob in values.items() if blob[0] != "empty"}
                row = by_id.get((row.thread, row.header["parent"])) if needed else None
        self._delete([row for row in rows if row.id not in kept], cancel)
        self._forget_unused_blobs(thread_id, versions_of, cancel)

    def _forget_unused_blobs(
        self, thread_id: str, versions_of: Callable[[Record], Versions], cancel: Cancellation | None
    ) -> None:
        """Erases values of a thread that no checkpoint refers to. A value that is newer than the newest checkpoint may
        be of a checkpoint that is being stored, and stays."""
        blobs = list(self._remote.list(of_thread(thread_id) & _BLOBS, cancel, view="metadata"))
        rows = list(self.rows(thread_id=thread_id, cancel=cancel))
        newest = max((row.create_time for row in rows if row.create_time is not None), default=None)
        used = {
            record_id("langgraph_blob", row.thread, [channel, version])
            for row in rows
            for channel, version in versions_of(row).items()
        }
        unused = [blob.id for blob in blobs if blob.id not in used and (newest is None or blob.create_time <= newest)]
        for start in range(0, len(unused), _FORGOTTEN_TOGETHER):
            some = where.source_uri.is_in(unused[start : start + _FORGOTTEN_TOGETHER])
            self._remote.forget(where.type.is_in(OF_BLOB) & some, cancel)

    def _delete(self, rows: Iterable[Record], cancel: Cancellation | None) -> None:
        by_thread: dict[Thread, list[str]] = {}
        for row in rows:
            by_thread.setdefault(row.thread, []).append(row.key[0])
        for thread, ids in by_thread.items():
            of_these = of_thread(*thread) & where.type.is_in(OF_CHECKPOINT)
            for start in range(0, len(ids), _FORGOTTEN_TOGETHER):
                some = where.source_uri.is_in(ids[start : start + _FORGOTTEN_TOGETHER])
                self._remote.forget(of_these & some, cancel)

    def _writes_of(self, rows: Sequence[Record], cancel: Cancellation | None) -> dict[tuple[Thread, str], list[Record]]:
        writes: dict[tuple[Thread, str], list[Record]] = {}
        for thread, own in _by_thread(rows).items():
            condition = _WRITES & of_thread(*thread) & where.source_uri.is_in([row.key[0] for row in own])
            steps = where.step.is_in([float(order) for order in {order_of(row.key[0]) for row in own}])
            for record in self._records(list(self._remote.list(condition & steps, cancel)), cancel):
                writes.setdefault((thread, record.key[0]), []).append(record)
        return writes

    def _records(self, memories: Iterable[Memory], cancel: Cancellation | None) -> list[Record]:
        found = list(memories)
        ids = [id for memory in found for id in part_ids(memory)]
        parts = self._remote.read(ids, cancel)
        return [record_of(memory, parts) for memory in found]


def _by_thread(rows: Iterable[Record]) -> dict[Thread, list[Record]]:
    threads: dict[Thread, list[Record]] = {}
    for row in rows:
        threads.setdefault(row.thread, []).append(row)
    return threads
