"""The callers in Python of make demo-mesh: writers, recallers and subscribers. test/demo/mesh/README.md says
what they print."""

from __future__ import annotations

import json
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import mneme
from mneme import NewMemory, RecallQuery, where

TIMEOUT_MS = 60_000
UPDATED_EVERY = 5
DELETED_EVERY = 7

# As in test/demo/mesh/signals.ts.
SIGNAL = "signal"
SIGNAL_EVERY = 3
SUBSCRIPTION = "signals"
STANDING: RecallQuery = {"filter": where.tag.equals(SIGNAL), "limit": 50}


class Stored(NamedTuple):
    id: str
    text: str
    word: str
    """No other memory has it."""


class Callers:
    def __init__(self, address: str, folder: str, name: str, pause_s: float, namespaces: list[str]) -> None:
        self._address = address
        self._folder = Path(folder)
        self._name = name
        self._pause_s = pause_s
        self._namespaces = namespaces
        self._latest: dict[str, Stored] = {}
        self._caught_up: set[str] = set()
        self._opened: list[mneme.Mneme] = []
        self.rests = threading.Event()
        self.over = mneme.Cancellation()
        self.renew()

    def renew(self) -> None:
        """Opens a client with the certificates that are in the folder now."""
        ca, cert, key = ((self._folder / each).read_bytes() for each in ("ca.pem", "client.pem", "client.key"))
        tls = mneme.TlsOptions(ca=ca, cert=cert, key=key)
        self._client = mneme.connect(
            self._address, timeout_ms=TIMEOUT_MS, recall_timeout_ms=TIMEOUT_MS, wait_for_ready=True, tls=tls
        )
        self._opened.append(self._client)

    def close(self) -> None:
        for each in self._opened:
            each.close()

    def work(self) -> None:
        threads = [
            threading.Thread(target=each, args=[namespace])
            for namespace in self._namespaces
            for each in (self._write, self._recall)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tell(rested=True)

    def watch(self, namespace: str) -> None:
        """Goes on by its resume token, also with another client where certificates are renewed."""
        token = ""
        try:
            while True:
                client = self._client
                with client.with_namespace(namespace).watch(
                    resume_token=token, progress=True, cancel=self.over, on_broken=tell_broken
                ) as events:
                    for event in events:
                        token = getattr(event, "resume_token", token)
                        if event.kind == "caught_up":
                            self._catch_up(namespace)
                            if client is not self._client:
                                break
                        elif event.kind == "relisting":
                            tell(wrong=f"the watch of {namespace} has missed changes")
                        elif event.id:
                            tell(saw=event.kind, namespace=namespace, id=event.id)
        except mneme.CancelledError:
            pass

    def consume(self, namespace: str) -> None:
        """Goes on at its cursor, which the server keeps, also with another client where certificates are renewed."""
        try:
            while True:
                client = self._client
                with client.with_namespace(namespace).subscriptions.consume(
                    SUBSCRIPTION, self._name, cancel=self.over, on_broken=tell_broken
                ) as deliveries:
                    for delivery in deliveries:
                        tell(delivered=delivery.kind, namespace=namespace, id=delivery.id)
                        delivery.acknowledge()
                        if client is not self._client:
                            break
        except mneme.CancelledError:
            pass

    def subscribe(self, namespace: str) -> None:
        """Reports how each answer differs from the one before it, which may be of another client."""
        before: dict[str, str] = {}
        try:
            while True:
                client = self._client
                with client.with_namespace(namespace).subscribe(
                    STANDING, cancel=self.over, on_broken=tell_broken
                ) as answers:
                    for answer in answers:
                        after = {hit.memory.id: hit.memory.text for hit in answer.hits}
                        tell_differences(namespace, before, after)
                        before = after
                        if client is not self._client:
                            break
        except mneme.CancelledError:
            pass

    def _catch_up(self, namespace: str) -> None:
        self._caught_up.add(namespace)
        if len(self._caught_up) == len(self._namespaces):
            tell(ready=True)

    def _write(self, namespace: str) -> None:
        number = 0
        while not self.rests.is_set():
            number += 1
            self._write_one(namespace, number)
            time.sleep(self._pause_s)

    def _write_one(self, namespace: str, number: int) -> None:
        id, word = f"{self._name}-{number}", f"{self._name}{number}"
        text = f"{word} lies at anchor."
        tags = (SIGNAL,) if number % SIGNAL_EVERY == 0 else ()
        memory = NewMemory(id=id, text=text, tags=tags)
        self._acknowledged("stored", namespace, id, text, lambda calls, key: calls.store(memory, request_id=key), tags)
        self._acknowledged(
            "set", namespace, self._name, id, lambda calls, key: self._session(calls).set("last", id, request_id=key)
        )
        if number % UPDATED_EVERY == 0:
            text = f"{word} sails on."
            changes = {"text": text}
            self._acknowledged(
                "updated", namespace, id, text, lambda calls, key: calls.update(id, changes, request_id=key)
            )
        if number % DELETED_EVERY == 0:
            self._acknowledged("deleted", namespace, id, "", lambda calls, key: calls.delete(id, request_id=key))
        else:
            self._latest[namespace] = Stored(id, text, word)

    def _session(self, calls: mneme.Mneme) -> mneme.WorkingMemory:
        return calls.session(self._name)

    def _acknowledged(
        self,
        wrote: str,
        namespace: str,
        id: str,
        text: str,
        work: Callable[[mneme.Mneme, str], object],
        tags: tuple[str, ...] = (),
    ) -> None:
        """Repeats a write with its request id until it is acknowledged."""
        key = str(uuid.uuid4())
        while not attempt(wrote, lambda: work(self._client.with_namespace(namespace), key)):
            time.sleep(self._pause_s)
        tell(wrote=wrote, namespace=namespace, id=id, text=text, tags=tags)

    def _recall(self, namespace: str) -> None:
        while not self.rests.is_set():
            wanted = self._latest.get(namespace)
            if wanted is not None:
                self._recall_one(self._client.with_namespace(namespace), wanted)
            time.sleep(self._pause_s)

    def _recall_one(self, calls: mneme.Mneme, wanted: Stored) -> None:
        attempt("recalled", lambda: recall(calls, wanted))
        attempt("read", lambda: read(calls, wanted))


def recall(calls: mneme.Mneme, wanted: Stored) -> None:
    hits = calls.recall(wanted.word, limit=1).hits
    found = hits[0].memory.text if hits else None
    if found != wanted.text:
        tell(wrong=f"recall of {wanted.word}: {found}")


def read(calls: mneme.Mneme, wanted: Stored) -> None:
    found = calls.get(wanted.id).text
    if found != wanted.text:
        tell(wrong=f"{wanted.id}: {found}")


def attempt(call: str, work: Callable[[], object]) -> bool:
    began = now_ms()
    try:
        work()
    except Exception as error:  # an error of another kind is a violation by the client
        known = error if isinstance(error, mneme.MnemeError) else None
        tell(
            failed=call,
            beganMs=began,
            endedMs=now_ms(),
            code=known.code if known else "none",
            reason=(known.reason or "") if known else "none",
            message=known.message if known else repr(error),
            retryable=known is not None and known.retryable,
        )
        return False
    tell(done=call, beganMs=began, endedMs=now_ms())
    return True


def tell_differences(namespace: str, before: dict[str, str], after: dict[str, str]) -> None:
    for id, text in after.items():
        if before.get(id) != text:
            tell(answered="has", namespace=namespace, id=id, text=text)
    for id in before.keys() - after.keys():
        tell(answered="lacks", namespace=namespace, id=id)


def tell_broken(error: mneme.MnemeError) -> None:
    tell(broken=f"{error.code} {error.reason or error.message}")


def now_ms() -> float:
    return time.time() * 1000


_output = threading.Lock()


def tell(**message: object) -> None:
    with _output:
        print(json.dumps(message), flush=True)


def main(address: str, folder: str, name: str, pause_ms: str, *namespaces: str) -> None:
    callers = Callers(address, folder, name, float(pause_ms) / 1000, list(namespaces))
    following = [
        threading.Thread(target=each, args=[namespace])
        for namespace in namespaces
        for each in (callers.watch, callers.consume, callers.subscribe)
    ]
    for thread in following:
        thread.start()
    for command in sys.stdin:
        if command == "begin\n":
            threading.Thread(target=callers.work).start()
        elif command == "renew\n":
            callers.renew()
        elif command == "rest\n":
            callers.rests.set()
    callers.over.cancel()
    for thread in following:
        thread.join()
    callers.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
