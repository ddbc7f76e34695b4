"""The driver of the contract test for the blocking client: maps lines to calls, see test/contract/README.md."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Iterator
from typing import Any

from common import arguments_of, connect_options, function_of, outcome, result, rpc_of, rpc_result, say
from values import argument_of, extraction_of, job_item

import mneme

_END = object()


class Reading:
    """A stream that is read."""

    def __init__(self, items: Any, cancel: mneme.Cancellation) -> None:
        self.items = items
        self.cancel = cancel

    def next(self, count: int) -> dict[str, Any]:
        taken: list[Any] = []
        for item in self.items:
            taken.append(item)
            if len(taken) == count:
                return {"items": taken, "ended": False}
        return {"items": taken, "ended": True}

    def end(self) -> Any:
        self.items.close()


class Consuming(Reading):
    """Deliveries, acknowledged by their revisions."""

    def __init__(self, items: Any, cancel: mneme.Cancellation) -> None:
        super().__init__(items, cancel)
        self.deliveries: dict[int, mneme.Delivery] = {}

    def next(self, count: int) -> dict[str, Any]:
        found = super().next(count)
        self.deliveries.update({each.revision: each for each in found["items"]})
        return found

    def send(self, item: dict[str, Any]) -> None:
        self.deliveries[item["acknowledge"]].acknowledge()


class Sending:
    """A stream that memories are sent to."""

    def __init__(self) -> None:
        self.memories: queue.Queue[Any] = queue.Queue()

    def send(self, item: dict[str, Any]) -> None:
        self.memories.put(argument_of(item))

    def given(self) -> Iterator[Any]:
        while (memory := self.memories.get()) is not _END:
            yield memory


class Ingesting(Sending):
    """An ingest."""

    def __init__(self, client: mneme.Mneme, arguments: dict[str, Any], cancel: mneme.Cancellation) -> None:
        super().__init__()
        self.refused: list[Any] = []
        self.receipts: list[Any] = []
        self.last: Any = None
        self.reading = Reading(client.ingest(self.given(), cancel=cancel, **arguments), cancel)

    def next(self, count: int) -> dict[str, Any]:
        found = self.reading.next(count)
        for each in found["items"]:
            self.refused += each.refused
            self.receipts += each.receipts
            self.last = each
        return found

    def end(self) -> Any:
        self.memories.put(_END)
        while not self.next(1)["ended"]:
            pass
        last = {} if self.last is None else dict(vars(self.last))
        return {**last, "refused": self.refused, "receipts": self.receipts}


class Importing(Sending):
    """An import, which begins at once."""

    def __init__(self, client: mneme.Mneme, arguments: dict[str, Any], cancel: mneme.Cancellation) -> None:
        super().__init__()
        self.refused: list[Any] = []
        self.skips = arguments.pop("skip_refused", False)
        if self.skips:
            arguments["on_refused"] = self.note
        self.outcome: queue.Queue[Any] = queue.Queue()
        threading.Thread(target=self.work, args=(client, arguments, cancel), daemon=True).start()

    def note(self, refused: mneme.RefusedMemory) -> None:
        self.refused.append({"id": refused.memory.get("id"), "error": refused.error})

    def work(self, client: mneme.Mneme, arguments: dict[str, Any], cancel: mneme.Cancellation) -> None:
        try:
            self.outcome.put(client.import_memories(self.given(), cancel=cancel, **arguments))
        except Exception as error:
            self.outcome.put(error)

    def end(self) -> Any:
        self.memories.put(_END)
        found = self.outcome.get()
        if isinstance(found, Exception):
            raise found
        imported = vars(found)
        return {**imported, **({"refused": self.refused} if self.skips else {})}


class Hooking:
    """A hook whose questions are answered by lines."""

    def __init__(self, client: mneme.Mneme, arguments: dict[str, Any], cancel: mneme.Cancellation) -> None:
        self.questions: queue.Queue[Any] = queue.Queue()
        self.replies: dict[str, queue.Queue[Any]] = {}
        self.hook = client.lifecycle.serve_hook(handler=self.ask, cancel=cancel, **arguments)

    def ask(self, event: mneme.LifecycleEvent) -> Any:
        self.replies[event.id] = queue.Queue()
        self.questions.put(event)
        reply = self.replies[event.id].get()
        if "failure" in reply:
            raise RuntimeError(reply["failure"])
        return {"veto": reply["veto"]} if "veto" in reply else {"metadata": reply.get("proceed", {})}

    def next(self, count: int) -> dict[str, Any]:
        taken: list[Any] = []
        while len(taken) < count:
            item = self.questions.get()
            if item is _END:
                return {"items": taken, "ended": True}
            taken.append(item)
        return {"items": taken, "ended": False}

    def send(self, item: dict[str, Any]) -> None:
        self.replies[item["event"]].put(item)

    def end(self) -> None:
        self.hook.stop()
        self.hook.wait()
        self.questions.put(_END)


class Extracting:
    """Jobs of extraction that are answered by lines."""

    def __init__(self, client: mneme.Mneme, arguments: dict[str, Any], cancel: mneme.Cancellation) -> None:
        self.jobs: queue.Queue[Any] = queue.Queue()
        self.answers: dict[str, queue.Queue[Any]] = {}
        self.served = client.conversations.serve_extractor(self.extract, cancel=cancel, **arguments)

    def extract(self, job: mneme.ExtractionJob) -> Any:
        self.answers[job.id] = queue.Queue()
        self.jobs.put(job_item(job))
        return extraction_of(self.answers[job.id].get())

    def next(self, count: int) -> dict[str, Any]:
        return {"items": [self.jobs.get() for _ in range(count)], "ended": False}

    def send(self, item: dict[str, Any]) -> None:
        self.answers[item["job"]].put(item)

    def end(self) -> None:
        self.served.stop()
        self.served.wait()


clients: dict[str, mneme.Mneme] = {}
streams: dict[str, Any] = {}
cancels: dict[int, mneme.Cancellation] = {}


def open_stream(request: dict[str, Any], cancel: mneme.Cancellation) -> Any:
    client, arguments, method = clients[request["client"]], arguments_of(request), request["method"]
    match method:
        case "ingest":
            return Ingesting(client, arguments, cancel)
        case "import_memories":
            return Importing(client, arguments, cancel)
        case "lifecycle.serve_hook":
            return Hooking(client, arguments, cancel)
        case "conversations.serve_extractor":
            return Extracting(client, arguments, cancel)
    items = function_of(client, method, arguments)(cancel=cancel, **arguments)
    return (Consuming if method == "subscriptions.consume" else Reading)(items, cancel)


def call(request: dict[str, Any], cancel: mneme.Cancellation) -> Any:
    arguments = arguments_of(request)
    found = function_of(clients[request["client"]], request["method"], arguments)(cancel=cancel, **arguments)
    return list(found) if isinstance(found, mneme.Stream) else found


def answer(request: dict[str, Any]) -> Any:
    stream: Any = streams.get(request.get("stream", ""))
    match request["op"]:
        case "call":
            return call(request, cancels.setdefault(request["id"], mneme.Cancellation()))
        case "rpc":
            message, response = rpc_of(request)
            cancel = cancels.setdefault(request["id"], mneme.Cancellation())
            return rpc_result(clients[request["client"]].raw.call(message, response, cancel=cancel))
        case "next":
            cancels[request["id"]] = getattr(stream, "cancel", mneme.Cancellation())
            return stream.next(request.get("count", 1))
        case "end":
            return stream.end()
        case "close":
            return clients[request["client"]].close()
        case "open":
            streams[request["stream"]] = open_stream(request, mneme.Cancellation())
            return None
    raise ValueError(f"no operation {request['op']}")


def take(request: dict[str, Any]) -> None:
    id = request["id"]
    try:
        say(result(id, answer(request)))
    except Exception as error:
        say(outcome(id, error))
    finally:
        cancels.pop(id, None)


def take_at_once(request: dict[str, Any]) -> bool:
    """Immediate operations are executed in the order of the lines."""
    match request["op"]:
        case "connect":
            options = connect_options(request.get("options", {}))
            clients[request["client"]] = mneme.connect(request["address"], **options)
        case "send":
            streams[request["stream"]].send(request["item"])
        case "cancel":
            cancels.setdefault(request["call"], mneme.Cancellation()).cancel()
        case _:
            return False
    return True


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if take_at_once(request):
                say({"id": request["id"], "result": {}})
                continue
        except Exception as error:
            say(outcome(request["id"], error))
            continue
        threading.Thread(target=take, args=(request,), daemon=True).start()
    os._exit(0)


if __name__ == "__main__":
    main()
