"""The agent of the test of all languages at once, see test/polyglot/README.md.

It stores one memory after the other, each until it is acknowledged, and tells the id of each.
"""

from __future__ import annotations

import json
import sys
import threading
import uuid

import mneme
from mneme import NewMemory

TIMEOUT_MS = 60_000


def main(address: str) -> None:
    with mneme.connect(address, namespace="polyglot", timeout_ms=TIMEOUT_MS, wait_for_ready=True) as client:
        tell(ready=True)
        sys.stdin.readline()
        is_over = threading.Event()
        threading.Thread(target=await_the_end, args=[is_over], daemon=True).start()
        number = 0
        while not is_over.is_set():
            number += 1
            memory = NewMemory(text=f"In step {number} the agent turned left.", tags=["watched"])
            tell(number=number, stored=store(client, memory))


def await_the_end(is_over: threading.Event) -> None:
    sys.stdin.read()
    is_over.set()


def store(client: mneme.Mneme, memory: NewMemory) -> str:
    """Under one request id, so that it is there once however often the answer is lost."""
    request_id = str(uuid.uuid4())
    while True:
        try:
            return client.store(memory, request_id=request_id).id
        except mneme.MnemeError as error:
            if not error.retryable:
                raise
            tell(failed=f"{error.code}: {error.message}")


def tell(**what: object) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
