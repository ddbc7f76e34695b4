"""The client for asyncio: the same calls as `mneme.Mneme`, to be awaited.

```python
import asyncio
import mneme.aio

async def main() -> None:
    async with mneme.aio.connect("127.0.0.1:50051") as client:
        await client.store({"text": "I have played the cello since I was nine."})
        async for change in client.watch():
            print(change.kind, change.id)

asyncio.run(main())
```

A client belongs to the event loop of its first call. Cancelling a task cancels the call that it waits for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Literal

from typing_extensions import Self, Unpack

from ._agent_calls import AgentCalls
from ._asyncio import AsyncioIo
from ._channel import connect_options
from ._connection import CLOSE_TIMEOUT_MS, Connection
from ._consolidation_calls import ConsolidationCalls
from ._consume import SubscriptionCalls
from ._context_calls import ContextCalls
from ._conversation_calls import ConversationCalls
from ._extractor import ExtractorCalls, ExtractorRuns, ExtractorSettings
from ._face import Awaiting
from ._fact_calls import FactCalls
from ._history_calls import HistoryCalls, TierCalls
from ._hooks import HookCalls, HookHandler, HookRegistration
from ._ingest import IngestCalls
from ._known import split, strict
from ._memory_calls import MemoryCalls
from ._namespace_calls import AdminCalls, NamespaceCalls, ScopeCalls
from ._procedure_calls import EpisodeCalls, ProcedureCalls
from ._raw import RawCalls
from ._recall_calls import RecallCalls
from ._served import ServedRuns
from ._session_streams import WatchedLifecycleCalls, WatchedWorkingMemoryCalls
from ._subscribe import SubscribeCalls
from ._transfer import TransferCalls
from ._watch import WatchCalls
from .extraction import ExtractionHandler
from .options import CallerScope, StreamOptions, TlsOptions
from .sessions import LifecyclePhase

__all__ = [
    "Admin",
    "Agents",
    "Consolidation",
    "Conversations",
    "Episodes",
    "Facts",
    "Hook",
    "Lifecycle",
    "Mneme",
    "Namespaces",
    "Procedures",
    "Raw",
    "Scopes",
    "ServedExtractor",
    "Subscriptions",
    "WorkingMemory",
    "connect",
]


class Namespaces(NamespaceCalls, Awaiting):
    """Namespaces, named by id or resource name; where one is left out it is the client's own."""


class Admin(AdminCalls, Awaiting):
    """Running a server."""


class Agents(AgentCalls, Awaiting):
    """Branches, compares and restores all memories of an agent."""


class Scopes(ScopeCalls, Awaiting):
    """Policies of scopes."""


class Subscriptions(SubscriptionCalls, Awaiting):
    """Durable subscriptions: change feeds that remember how far they have been read."""


class ExtractorArguments(ExtractorSettings, StreamOptions, total=False):
    """Keys of `ExtractorSettings` and `StreamOptions`."""


class Served:
    """A handler that the server asks over a stream."""

    def __init__(self, runs: ServedRuns) -> None:
        self._runs = runs

    def stop(self) -> None:
        """Ends serving: the server asks no more."""
        self._runs.stop()

    async def wait(self) -> None:
        """Waits until serving is stopped. Raises the error that ended it."""
        await self._runs.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.stop()


class ServedExtractor(Served):
    """A client that serves the extractor of a namespace. Jobs in hand when it stops are given to other clients."""

    _runs: ExtractorRuns

    @property
    def extractor(self) -> str:
        """Extractor in use by the namespace: jobs come only while it is `client`."""
        return self._runs.extractor


class Conversations(ConversationCalls, ExtractorCalls, Awaiting):
    """Conversations, and the extraction of memories from them. A conversation is named by its id or its full resource
    name."""

    @strict
    async def serve_extractor(
        self, handler: ExtractionHandler, **arguments: Unpack[ExtractorArguments]
    ) -> ServedExtractor:
        """Extracts for the server: the handler gets messages as jobs, and what it returns is stored. Returns when the
        server gives jobs. Several clients of a namespace share its jobs.

        The handler returns `{"claims": […], "notes": […]}`, None where there is nothing, or `{"failure": "why"}`,
        which counts as an attempt; after an exception the job comes again. A stream that breaks is opened again.

        ```python
        served = await client.conversations.serve_extractor(my_extractor)
        ```
        """
        options, settings = split(arguments, StreamOptions.__annotations__.keys())
        return ServedExtractor(await self._served(handler, settings, options))


class Facts(FactCalls, Awaiting):
    """Facts: what is known of subjects, over time. A fact is named by the id or the resource name of its memory."""


class Episodes(EpisodeCalls, Awaiting):
    """Episodes: how tasks went."""


class Procedures(ProcedureCalls, Awaiting):
    """Procedures: how something is done. A procedure is named by the id or the resource name of its memory."""


class Consolidation(ConsolidationCalls, Awaiting):
    """Fewer memories of many: notes that say the same are merged, finished conversations get an episode."""


class WorkingMemory(WatchedWorkingMemoryCalls, Awaiting):
    """Working memory of a session. The session is made by its first write. Plain values are stored as JSON."""


class Raw(RawCalls, Awaiting):
    """RPCs by their messages, with the guarantees of the client."""


class HookArguments(HookRegistration, StreamOptions, total=False):
    """Keys of `HookRegistration` and `StreamOptions`."""


class Hook(Served):
    """A hook that the server asks."""


class Lifecycle(WatchedLifecycleCalls, HookCalls, Awaiting):
    """The lives of sessions. A session is named by its id or its full resource name."""

    @strict
    async def serve_hook(
        self,
        hook: str,
        phases: Iterable[LifecyclePhase],
        handler: HookHandler,
        **arguments: Unpack[HookArguments],
    ) -> Hook:
        """Registers a hook, and answers its questions with the handler. Returns when the server asks it.

        `hook` names it in reports. The handler's answer: None lets the transition take place, `{"metadata": {…}}` adds
        notes, `{"veto": "why"}` refuses it; an exception is reported as the hook's failure. The hook is offered again
        when its connection breaks.
        """
        options, more = split(arguments, StreamOptions.__annotations__.keys())
        started = self._started(hook, phases, handler, more, options)
        return Hook(await started)


class Mneme(
    MemoryCalls,
    HistoryCalls,
    TierCalls,
    RecallCalls,
    ContextCalls,
    SubscribeCalls,
    WatchCalls,
    IngestCalls,
    TransferCalls,
    Awaiting,
):
    """The calls of one namespace of a server, for asyncio."""

    namespaces: Namespaces
    """Namespaces of the server."""
    admin: Admin
    """Running the server."""
    lifecycle: Lifecycle
    """The lives of sessions."""
    agents: Agents
    """The memories of an agent: branching, comparing, restoring."""
    scopes: Scopes
    """Policies of scopes."""
    subscriptions: Subscriptions
    """Durable subscriptions."""
    conversations: Conversations
    """Conversations, and the extraction of memories from them."""
    facts: Facts
    """What is known of subjects, over time."""
    episodes: Episodes
    """How tasks went."""
    procedures: Procedures
    """How something is done."""
    consolidation: Consolidation
    """Fewer memories of many, with a report and undo."""
    raw: Raw
    """The generated stubs with the guarantees of the client."""

    def __init__(self, connection: Connection, namespace: str) -> None:
        super().__init__(connection, namespace)
        self.namespaces = Namespaces(connection, namespace)
        self.admin = Admin(connection, namespace)
        self.lifecycle = Lifecycle(connection, namespace)
        self.agents = Agents(connection, namespace)
        self.scopes = Scopes(connection, namespace)
        self.subscriptions = Subscriptions(connection, namespace)
        self.conversations = Conversations(connection, namespace)
        self.facts = Facts(connection, namespace)
        self.episodes = Episodes(connection, namespace)
        self.procedures = Procedures(connection, namespace)
        self.consolidation = Consolidation(connection, namespace)
        self.raw = Raw(connection, namespace)

    @property
    def namespace(self) -> str:
        """Namespace that the calls are about."""
        return self._namespace

    @strict
    def session(self, id: str) -> WorkingMemory:
        """Working memory of a session, by its id. Sends nothing until the first call."""
        return WorkingMemory(self._connection, self._namespace, id)

    @strict
    def with_namespace(self, namespace: str) -> Mneme:
        """The same over the same connection, about another namespace."""
        return Mneme(self._connection, namespace)

    @strict
    async def close(self, timeout_ms: float = CLOSE_TIMEOUT_MS) -> None:
        """Closes the connection, for all namespaces. Calls in flight still get their answers and ingests send the
        memories already read, within this time; later calls fail with `CancelledError`."""
        await self._connection.close(timeout_ms)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()


@strict
def connect(
    address: str = "127.0.0.1:50051",
    *,
    namespace: str = "default",
    token: str | None = None,
    call_from: CallerScope | Mapping[str, str] | Literal["*"] | None = None,
    tls: bool | TlsOptions | Mapping[str, Any] = False,
    timeout_ms: float = 10_000,
    recall_timeout_ms: float = 5_000,
    wait_for_ready: bool | None = None,
    read_your_writes: bool = True,
    retry: bool = True,
    heartbeat_ms: float = 15_000,
) -> Mneme:
    """Opens a client for asyncio. As `mneme.connect`, whose options it has."""
    options = connect_options(
        token=token,
        call_from=call_from,
        tls=tls,
        timeout_ms=timeout_ms,
        recall_timeout_ms=recall_timeout_ms,
        wait_for_ready=wait_for_ready,
        read_your_writes=read_your_writes,
        retry=retry,
        heartbeat_ms=heartbeat_ms,
    )
    return Mneme(Connection(AsyncioIo(address, options), address, options), namespace)
