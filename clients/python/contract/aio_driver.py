"""The driver of the contract test for the asyncio client: maps lines to calls, see test/contract/README.md."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import AsyncIterator
from typing import Any

from common import arguments_of, connect_options, function_of, outcome, result, rpc_of, rpc_result, say
from values import argument_of, extraction_of, job_item

import mneme
import mneme.aio

_END = object()


class Reading:
    """A stream that is read."""

    def __init__(self, items: Any) -> None:
        self.items = items

    async def next(self, count: int) -> dict[str, Any]:
        taken: list[Any] = []
        async for item in self.items:
            taken.append(item)
            if len(taken) == count:
                return {"items": taken, "ended": False}
        return {"items": taken, "ended": True}

    async def end(self) -> Any:
        await self.items.aclose()


class Consuming(Reading):
    """Deliveries, acknowledged by their revisions."""

    def __init__(self, items: Any) -> None:
        super().__init__(items)
        self.deliveries: dict[int, mneme.Delivery] = {}

    async def next(self, count: int) -> dict[str, Any]:
        found = await super().next(count)
        self.deliveries.update({each.revision: each for each in found["items"]})
        return found

    def send(self, item: dict[str, Any]) -> None:
        self.deliveries[item["acknowledge"]].acknowledge()


class Sending:
    """A stream that memories are sent to."""

    def __init__(self) -> None:
        self.memories: asyncio.Queue[Any] = asyncio.Queue()

    def send(self, item: dict[str, Any]) -> None:
        self.memories.put_nowait(argument_of(item))

    async def given(self) -> AsyncIterator[Any]:
        while (memory := await self.memories.get()) is not _END:
            yield memory


class Ingesting(Sending):
    """An ingest."""

    def __init__(self, client: mneme.aio.Mneme, arguments: dict[str, Any]) -> None:
        super().__init__()
        self.refused: list[Any] = []
        self.receipts: list[Any] = []
        self.last: Any = None
        self.reading = Reading(client.ingest(self.given(), **arguments))

    async def next(self, count: int) -> dict[str, Any]:
        found = await self.reading.next(count)
        for each in found["items"]:
            self.refused += each.refused
            self.receipts += each.receipts
            self.last = each
        return found

    async def end(self) -> Any:
        self.memories.put_nowait(_END)
        while not (await self.next(1))["ended"]:
            pass
        last = {} if self.last is None else dict(vars(self.last))
        return {**last, "refused": self.refused, "receipts": self.receipts}


class Importing(Sending):
    """An import, which begins at once."""

    def __init__(self, client: mneme.aio.Mneme, arguments: dict[str, Any]) -> None:
        super().__init__()
        self.refused: list[Any] = []
        self.skips = arguments.pop("skip_refused", False)
        if self.skips:
            arguments["on_refused"] = self.note
        self.importing = asyncio.ensure_future(client.import_memories(self.given(), **arguments))

    def note(self, refused: mneme.RefusedMemory) -> None:
        self.refused.append({"id": refused.memory.get("id"), "error": refused.error})

    async def end(self) -> Any:
        self.memories.put_nowait(_END)
        imported = vars(await self.importing)
        return {**imported, **({"refused": self.refused} if self.skips else {})}


class Hooking:
    """A hook whose questions are answered by lines."""

    def __init__(self) -> None:
        self.questions: asyncio.Queue[Any] = asyncio.Queue()
        self.replies: dict[str, asyncio.Future[Any]] = {}
        self.hook: Any = None

    async def ask(self, event: mneme.LifecycleEvent) -> Any:
        self.replies[event.id] = asyncio.get_running_loop().create_future()
        self.questions.put_nowait(event)
        reply = await self.replies[event.id]
        if "failure" in reply:
            raise RuntimeError(reply["failure"])
        return {"veto": reply["veto"]} if "veto" in reply else {"metadata": reply.get("proceed", {})}

    async def next(self, count: int) -> dict[str, Any]:
        taken: list[Any] = []
        while len(taken) < count:
            item = await self.questions.get()
            if item is _END:
                return {"items": taken, "ended": True}
            taken.append(item)
        return {"items": taken, "ended": False}

    def send(self, item: dict[str, Any]) -> None:
        self.replies[item["event"]].set_result(item)

    async def end(self) -> None:
        self.hook.stop()
        await self.hook.wait()
        self.questions.put_nowait(_END)


class Extracting:
    """Jobs of extraction that are answered by lines."""

    def __init__(self) -> None:
        self.jobs: asyncio.Queue[Any] = asyncio.Queue()
        self.answers: dict[str, asyncio.Future[Any]] = {}
        self.served: Any = None

    async def extract(self, job: mneme.ExtractionJob) -> Any:
        self.answers[job.id] = asyncio.get_running_loop().create_future()
        self.jobs.put_nowait(job_item(job))
        return extraction_of(await self.answers[job.id])

    async def next(self, count: int) -> dict[str, Any]:
        return {"items": [await self.jobs.get() for _ in range(count)], "ended": False}

    def send(self, item: dict[str, Any]) -> None:
        self.answers[item["job"]].set_result(item)

    async def end(self) -> None:
        self.served.stop()
        await self.served.wait()


clients: dict[str, mneme.aio.Mneme] = {}
streams: dict[str, Any] = {}
tasks: dict[int, asyncio.Task[Any]] = {}


async def open_stream(request: dict[str, Any]) -> Any:
    client, arguments, method = clients[request["client"]], arguments_of(request), request["method"]
    match method:
        case "ingest":
            return Ingesting(client, arguments)
        case "import_memories":
            return Importing(client, arguments)
        case "lifecycle.serve_hook":
            hooking = Hooking()
            hooking.hook = await client.lifecycle.serve_hook(handler=hooking.ask, **arguments)
            return hooking
        case "conversations.serve_extractor":
            extracting = Extracting()
            extracting.served = await client.conversations.serve_extractor(extracting.extract, **arguments)
            return extracting
    items = function_of(client, method, arguments)(**arguments)
    return (Consuming if method == "subscriptions.consume" else Reading)(items)


async def call(request: dict[str, Any]) -> Any:
    arguments = arguments_of(request)
    found = function_of(clients[request["client"]], request["method"], arguments)(**arguments)
    return [each async for each in found] if hasattr(found, "__aiter__") else await found


async def answer(request: dict[str, Any]) -> Any:
    stream: Any = streams.get(request.get("stream", ""))
    match request["op"]:
        case "call":
            return await call(request)
        case "rpc":
            message, response = rpc_of(request)
            return rpc_result(await clients[request["client"]].raw.call(message, response))
        case "next":
            return await stream.next(request.get("count", 1))
        case "end":
            return await stream.end()
        case "close":
            return await clients[request["client"]].close()
        case "open":
            streams[request["stream"]] = await open_stream(request)
            return None
    raise ValueError(f"no operation {request['op']}")


def tell(id: int, task: asyncio.Task[Any]) -> None:
    """Reports the end of a task; needed for a task that was cancelled before it began."""
    del tasks[id]
    try:
        say(result(id, task.result()))
    except asyncio.CancelledError:
        say(outcome(id, mneme.CancelledError("the task was cancelled")))
    except Exception as error:
        say(outcome(id, error))


def take_at_once(request: dict[str, Any]) -> bool:
    """Immediate operations are executed in the order of the lines."""
    match request["op"]:
        case "connect":
            options = connect_options(request.get("options", {}))
            clients[request["client"]] = mneme.aio.connect(request["address"], **options)
        case "send":
            streams[request["stream"]].send(request["item"])
        case "cancel":
            if request["call"] in tasks:
                tasks[request["call"]].cancel()
        case _:
            return False
    return True


def heard(request: dict[str, Any]) -> None:
    try:
        if take_at_once(request):
            say({"id": request["id"], "result": {}})
            return
    except Exception as error:
        say(outcome(request["id"], error))
        return
    task = tasks[request["id"]] = asyncio.ensure_future(answer(request))
    task.add_done_callback(lambda task: tell(request["id"], task))


async def main() -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def listen() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(heard, json.loads(line))
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=listen, daemon=True).start()
    await ended.wait()
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
