"""A checkpointer of LangGraph in a namespace of Mneme."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from typing_extensions import Self

from .. import client as blocking
from .._adapters import in_thread
from .._known import strict
from ..options import Cancellation
from ._checkpoints import Checkpoints, Listed
from ._records import Record, Thread, Typed, check_checkpoint_id, run_tag, writes_record
from ._remote import Remote

#: Appended to the namespace of the memories: a checkpoint is never a hit of their recall.
SUFFIX = ".checkpoints"
_NAMESPACE_LENGTH = 63

#: Outside of the class, in which `list` is a method.
Tuples = list[CheckpointTuple]


class MnemeSaver(BaseCheckpointSaver[str]):
    """A checkpointer in a namespace of a server of its own, `<namespace>.checkpoints`. It may be used from any thread
    and any event loop.

    ```python
    from mneme.langgraph import MnemeSaver

    with MnemeSaver("127.0.0.1:50051") as saver:
        graph = builder.compile(checkpointer=saver)
        graph.invoke({"messages": ["hello"]}, {"configurable": {"thread_id": "thread-1"}})
    ```

    A checkpoint is stored when `put` returns, with every value that it refers to. A write of a task is stored once,
    however often it is sent.
    """

    @strict
    def __init__(
        self,
        address: str = "127.0.0.1:50051",
        *,
        namespace: str = "default",
        serde: SerializerProtocol | None = None,
        timeout_ms: float = 10_000,
        connect: Mapping[str, Any] | None = None,
        client: blocking.Mneme | None = None,
        random: Callable[[], float] = random.random,
    ) -> None:
        """`address`, `namespace` and `connect` (more arguments of `mneme.connect`) say where the checkpoints are;
        `client` is a client to use in their place, whose namespace counts. Nothing is sent until the first call.

        `timeout_ms`: longest time of each call to the server; `random`: makes versions of channels differ in branches.
        """
        super().__init__(serde=serde)
        own = f"{client.namespace if client else namespace}{SUFFIX}"
        if len(own) > _NAMESPACE_LENGTH:
            raise ValueError(f"namespace: must have at most {_NAMESPACE_LENGTH - len(SUFFIX)} characters, got {own!r}")
        self._remote = Remote(address, own, connect, client, timeout_ms)
        self._checkpoints = Checkpoints(self._remote)
        self._random = random

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Stores a checkpoint."""
        return self._put(config, checkpoint, metadata, new_versions, None)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As `put`."""
        return await in_thread(lambda cancel: self._put(config, checkpoint, metadata, new_versions, cancel))

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Stores writes of a task."""
        self._put_writes(config, writes, task_id, task_path, None)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """As `put_writes`."""
        await in_thread(lambda cancel: self._put_writes(config, writes, task_id, task_path, cancel))

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that the config names, or the newest of its thread."""
        return self._get_tuple(config, None)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As `get_tuple`."""
        return await in_thread(lambda cancel: self._get_tuple(config, cancel))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first, read as they are asked for."""
        for batch in self._list(config, filter, before, limit, None):
            yield from batch

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """As `list`."""
        cancel = Cancellation()
        batches = self._list(config, filter, before, limit, cancel)
        while (batch := await in_thread(lambda _: next(batches, None), cancel)) is not None:
            for each in batch:
                yield each

    def delete_thread(self, thread_id: str) -> None:
        """Erases a thread with all its checkpoints and writes."""
        self._checkpoints.delete_thread(str(thread_id), None)

    async def adelete_thread(self, thread_id: str) -> None:
        """As `delete_thread`."""
        await in_thread(lambda cancel: self._checkpoints.delete_thread(str(thread_id), cancel))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Erases the checkpoints of runs with their writes. Not while one of their threads is running; not for graphs
        with a `DeltaChannel`, whose later checkpoints need the earlier ones."""
        self._checkpoints.delete_for_runs(run_ids, self._versions_of, None)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """As `delete_for_runs`."""
        await in_thread(lambda cancel: self._checkpoints.delete_for_runs(run_ids, self._versions_of, cancel))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copies all checkpoints and writes of a thread to another one."""
        self._checkpoints.copy_thread(str(source_thread_id), str(target_thread_id), None)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """As `copy_thread`."""
        source, target = str(source_thread_id), str(target_thread_id)
        await in_thread(lambda cancel: self._checkpoints.copy_thread(source, target, cancel))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Erases all checkpoints of threads but the newest of each namespace, and those that it needs to rebuild a
        `DeltaChannel`; with the strategy `delete` erases the threads. Not while one of them is running."""
        self._prune(thread_ids, strategy, None)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """As `prune`."""
        await in_thread(lambda cancel: self._prune(thread_ids, strategy, cancel))

    def get_next_version(self, current: str | None, channel: None) -> str:
        """The next version of a channel. Its random part tells the versions of branches of a thread apart."""
        number = current if isinstance(current, int) else int(current.split(".")[0]) if current else 0
        return f"{number + 1:032}.{self._random():016}"

    def close(self) -> None:
        """Closes the connection, unless it belongs to a supplied client."""
        self._remote.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
        cancel: Cancellation | None,
    ) -> RunnableConfig:
        thread, id = _thread_of(config), checkpoint["id"]
        check_checkpoint_id(id)
        values = checkpoint["channel_values"]
        known = get_checkpoint_metadata(config, metadata)
        blobs = [
            Record(
                "langgraph_blob",
                thread,
                [channel, version],
                {},
                [self.serde.dumps_typed(values[channel]) if channel in values else ("empty", b"")],
            )
            for channel, version in new_versions.items()
        ]
        rest = {key: value for key, value in checkpoint.items() if key != "channel_values"}
        bodies = [self.serde.dumps_typed(rest), self.serde.dumps_typed(known)]
        run_id = known.get("run_id")
        tags = [] if run_id is None else [run_tag(str(run_id))]
        row = Record("langgraph_checkpoint", thread, [id], {"parent": get_checkpoint_id(config)}, bodies, tags)
        self._checkpoints.write([*blobs, row], "replace", cancel)
        return _config(thread, id, config)

    def _put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str,
        cancel: Cancellation | None,
    ) -> None:
        thread, id = _thread_of(config), get_checkpoint_id(config)
        if id is None:
            raise ValueError("config: configurable.checkpoint_id is missing")
        check_checkpoint_id(id)
        ordinary: dict[int, tuple[str, Typed]] = {}
        special: list[Record] = []
        for place, (channel, value) in enumerate(writes):
            number, body = WRITES_IDX_MAP.get(channel, place), self.serde.dumps_typed(value)
            if number >= 0:
                ordinary[number] = (channel, body)
            else:
                special.append(writes_record(thread, id, task_id, task_path, {number: (channel, body)}))
        # A task with some of its writes would count as done: they are one record. Of several writes of one place the
        # first counts; errors, interrupts and the like are replaced by later ones.
        if ordinary:
            record = writes_record(thread, id, task_id, task_path, ordinary)
            self._checkpoints.write([record], "keep", cancel)
        self._checkpoints.write(special, "replace", cancel)

    def _get_tuple(self, config: RunnableConfig, cancel: Cancellation | None) -> CheckpointTuple | None:
        thread, id = _thread_of(config), get_checkpoint_id(config)
        row = self._checkpoints.get(thread, id, cancel) if id else self._checkpoints.latest(thread, cancel)
        if row is None:
            return None
        found = self._tuples([row], cancel, config)[0]
        return found._replace(config=config) if id else found

    def _list(
        self,
        config: RunnableConfig | None,
        filter: dict[str, Any] | None,
        before: RunnableConfig | None,
        limit: int | None,
        cancel: Cancellation | None,
    ) -> Iterator[Tuples]:
        configurable = config["configurable"] if config else {}
        if config is not None:
            _thread_of(config)
        rows = self._checkpoints.rows(
            thread_id=str(configurable["thread_id"]) if configurable else None,
            namespace=configurable.get("checkpoint_ns"),
            checkpoint_id=configurable.get("checkpoint_id"),
            before=get_checkpoint_id(before) if before else None,
            cancel=cancel,
        )
        if filter:
            rows = (row for row in rows if self._has_metadata(row, filter))
        for batch in self._checkpoints.batches(rows, limit):
            yield self._tuples(batch, cancel, config)

    def _has_metadata(self, row: Record, filter: dict[str, Any]) -> bool:
        metadata = self.serde.loads_typed(row.bodies[1])
        return all(value == metadata.get(key) for key, value in filter.items())

    def _tuples(self, rows: Sequence[Record], cancel: Cancellation | None, config: RunnableConfig | None) -> Tuples:
        checkpoints = [self.serde.loads_typed(row.bodies[0]) for row in rows]
        listed = self._checkpoints.load(rows, [each["channel_versions"] for each in checkpoints], cancel)
        return [
            self._tuple(row, checkpoint, each, config)
            for row, checkpoint, each in zip(rows, checkpoints, listed, strict=True)
        ]

    def _tuple(self, row: Record, checkpoint: Any, listed: Listed, config: RunnableConfig | None) -> CheckpointTuple:
        values = {channel: self.serde.loads_typed(blob) for channel, blob in listed.blobs.items() if blob[0] != "empty"}
        parent = row.header["parent"]
        return CheckpointTuple(
            config=_config(row.thread, row.key[0], config),
            checkpoint=cast(Checkpoint, {**checkpoint, "channel_values": values}),
            metadata=self.serde.loads_typed(row.bodies[1]),
            parent_config=_config(row.thread, parent, config) if parent else None,
            pending_writes=[
                (write.task_id, write.channel, self.serde.loads_typed(write.value)) for write in listed.writes
            ],
        )

    def _prune(self, thread_ids: Sequence[str], strategy: str, cancel: Cancellation | None) -> None:
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"strategy: must be keep_latest or delete, got {strategy!r}")
        for thread_id in thread_ids:
            if strategy == "delete":
                self._checkpoints.delete_thread(str(thread_id), cancel)
            else:
                self._checkpoints.keep_latest(str(thread_id), self._versions_of, self._deltas_of, cancel)

    def _versions_of(self, row: Record) -> ChannelVersions:
        versions: ChannelVersions = self.serde.loads_typed(row.bodies[0])["channel_versions"]
        return versions

    def _deltas_of(self, row: Record) -> set[str]:
        """Channels that are rebuilt from earlier checkpoints."""
        return set(self.serde.loads_typed(row.bodies[1]).get("counters_since_delta_snapshot") or ())


def _thread_of(config: RunnableConfig) -> Thread:
    configurable = config.get("configurable") or {}
    if configurable.get("thread_id") is None:
        raise ValueError("config: configurable.thread_id is missing")
    return Thread(str(configurable["thread_id"]), configurable.get("checkpoint_ns") or "")


def _config(thread: Thread, checkpoint_id: str, config: RunnableConfig | None) -> RunnableConfig:
    thread_id = config["configurable"]["thread_id"] if config else thread.id
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": thread.namespace, "checkpoint_id": checkpoint_id}}
