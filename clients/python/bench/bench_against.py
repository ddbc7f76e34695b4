"""One Python caller of several stores, for `make bench BENCH=against`.

usage: bench_against.py FOLDER, which has the data; jobs are lines of JSON on standard input, answers on its output.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NotRequired, TypedDict

from against_data import BATCH, LIMIT, Data, Session, System
from against_grpc import GrpcSystem
from against_postgres import PostgresSystem
from against_sqlite import SqliteSystem

THREADS = 32
FOUND_QUERIES = 100
RETRY_S = 0.002
GIVE_UP_S = 60


class Job(TypedDict):
    """A line of what is asked, see test/bench/load/against-program.ts."""

    work: str
    system: str
    address: NotRequired[str]
    filter: NotRequired[str]
    in_flight: NotRequired[int]
    duration_ms: NotRequired[int]


class Caller:
    """A system with its sessions, which stay open between jobs, and the place of the next memory to add."""

    def __init__(self, system: System, data: Data) -> None:
        self.system = system
        self._sessions: list[Session] = []
        self._next = data.count
        self._lock = threading.Lock()

    def sessions(self, count: int) -> list[Session]:
        while len(self._sessions) < count:
            self._sessions.append(self.system.session())
        return self._sessions[:count]

    def places(self, count: int) -> int:
        """The first of `count` places of memories that no job has added."""
        with self._lock:
            first = self._next
            self._next += count
        return first


class Driver:
    def __init__(self, folder: Path) -> None:
        self._data = Data(folder)
        self._callers: dict[str, Caller] = {}
        self._threads = ThreadPoolExecutor(THREADS)

    def do(self, job: Job) -> dict[str, float]:
        if job["work"] == "open":
            self._callers[job["system"]] = Caller(self._serving(job), self._data)
            return {}
        caller = self._callers[job["system"]]
        match job["work"]:
            case "fill":
                return self._fill(caller)
            case "found":
                return self._found(caller, job["filter"])
            case "first":
                self._serving(job).session().get(0)
                return {}
            case _:
                return self._repeat(caller, job)

    def _system_of(self, job: Job) -> System:
        match job["system"]:
            case "pgvector":
                return PostgresSystem(job["address"], self._data)
            case "sqlite":
                return SqliteSystem(job["address"], self._data)
            case _:
                return GrpcSystem(job["address"], self._data)

    def _fill(self, caller: Caller) -> dict[str, float]:
        started = time.perf_counter()
        caller.system.prepare()
        [session] = caller.sessions(1)
        for first in range(0, self._data.count, BATCH):
            session.add_batch(first)
        stored = time.perf_counter()
        caller.system.finish()
        return {"stored_ms": (stored - started) * 1000, "finished_ms": (time.perf_counter() - stored) * 1000}

    def _found(self, caller: Caller, filter: str) -> dict[str, float]:
        """Share of the nearest memories that queries find."""
        [session] = caller.sessions(1)
        due = found = 0
        for at in range(min(FOUND_QUERIES, len(self._data.queries))):
            narrowing = self._data.narrowing(filter, at)
            nearest = self._data.nearest(at, narrowing)
            due += len(nearest)
            found += len(set(nearest) & set(session.query(at, narrowing, by_vector_alone=True)[:LIMIT]))
        return {"share": found / due}

    def _serving(self, job: Job) -> System:
        """Waits for a server that is starting."""
        system = self._system_of(job)
        until = time.perf_counter() + GIVE_UP_S
        while not system.is_serving():
            if time.perf_counter() > until:
                raise TimeoutError(f"{job['system']} does not serve after {GIVE_UP_S} s")
            time.sleep(RETRY_S)
        return system

    def _repeat(self, caller: Caller, job: Job) -> dict[str, float]:
        """Keeps so many calls in flight until the time is over."""
        sessions = caller.sessions(job["in_flight"])
        duration_s = job["duration_ms"] / 1000
        started = time.perf_counter()
        if len(sessions) == 1:
            took = _calls(self._call_of(caller, sessions[0], job, 0), started + duration_s)
        else:
            calls = [self._call_of(caller, session, job, i) for i, session in enumerate(sessions)]
            pending = [self._threads.submit(_calls, call, started + duration_s) for call in calls]
            took = [each for done in pending for each in done.result()]
        elapsed_s = time.perf_counter() - started
        took.sort()
        return {
            "calls": len(took),
            "elapsed_ms": elapsed_s * 1000,
            "p50_us": took[len(took) // 2] / 1000,
            "p99_us": took[int(len(took) * 0.99)] / 1000,
        }

    def _call_of(self, caller: Caller, session: Session, job: Job, worker: int) -> Callable[[int], object]:
        """A function that makes call `number` of a worker; workers begin at different places of the data."""
        data, kind = self._data, job.get("filter", "")
        offset = worker * len(data.queries) // THREADS
        match job["work"]:
            case "add":
                return lambda _: session.add(caller.places(1))
            case "batch":
                return lambda _: session.add_batch(caller.places(BATCH))
            case "query":

                def query(number: int) -> object:
                    at = (offset + number) % len(data.queries)
                    return session.query(at, data.narrowing(kind, at))

                return query
            case "get":
                return lambda number: session.get((worker * 7919 + number * 13) % data.count)
        raise ValueError(f"there is no work {job['work']}")


def _calls(call: Callable[[int], object], until: float) -> list[int]:
    """Nanoseconds of each call; at least one is made."""
    took: list[int] = []
    while True:
        began = time.perf_counter_ns()
        call(len(took))
        took.append(time.perf_counter_ns() - began)
        if time.perf_counter() >= until:
            return took


def main() -> None:
    driver = Driver(Path(sys.argv[1]))
    for line in sys.stdin:
        print(json.dumps(driver.do(json.loads(line))), flush=True)


main()
