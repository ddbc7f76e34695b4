"""Which calls are repeated and when, by a clock of the test."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from mneme import Cancellation
from mneme._face import run
from mneme._retries import Retries

_STORE = "/mneme.v1.MemoryService/StoreMemory"
_RECALL = "/mneme.v1.RecallService/Recall"


class Clock:
    """An `Io` of which only time is used; it passes only by waits."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def random(self) -> float:
        return 0.5

    async def sleep(self, seconds: float, cancel: Cancellation | None) -> None:
        self.slept.append(round(seconds, 6))
        self.time += seconds


class Failure(grpc.RpcError):
    """The end of an attempt."""

    def __init__(self, code: grpc.StatusCode, pushback: str | None = None) -> None:
        super().__init__()
        self._code = code
        self._pushback = pushback

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return ""

    def trailing_metadata(self) -> Any:
        return () if self._pushback is None else (("grpc-retry-pushback-ms", self._pushback),)


_UNAVAILABLE = Failure(grpc.StatusCode.UNAVAILABLE)


def attempts_of(
    retries: Retries, path: str, error: Failure, ends_at: float | None = None, cancel: Cancellation | None = None
) -> int:
    """Number of attempts of a call that fails so each time."""
    attempts = 1
    while run(retries.wait(path, attempts, error, ends_at, cancel)):
        attempts += 1
    return attempts


def retries_of(clock: Any) -> Retries:
    return Retries(clock, lambda: True)


def test_attempts_and_waits_are_those_of_the_method() -> None:
    clock = Clock()
    retries = retries_of(clock)
    assert attempts_of(retries, _STORE, _UNAVAILABLE) == 4
    assert attempts_of(retries, _RECALL, _UNAVAILABLE) == 3
    assert attempts_of(retries, _STORE, Failure(grpc.StatusCode.INTERNAL)) == 1
    assert clock.slept == [0.025, 0.05, 0.1, 0.01, 0.02]


@pytest.mark.parametrize(("pushback", "attempts"), [("700", 4), ("-1", 1), ("x", 1)])
def test_the_wait_that_the_server_asks_for(pushback: str, attempts: int) -> None:
    clock = Clock()
    assert attempts_of(retries_of(clock), _STORE, Failure(grpc.StatusCode.UNAVAILABLE, pushback)) == attempts
    assert clock.slept == [0.7] * (attempts - 1)


def test_no_attempt_begins_after_the_deadline() -> None:
    assert attempts_of(retries_of(Clock()), _STORE, _UNAVAILABLE, ends_at=0.07) == 2


def test_none_begins_when_the_client_was_closed_or_the_call_cancelled_meanwhile() -> None:
    clock: Any = Clock()
    asked = [True, False]
    assert attempts_of(Retries(clock, lambda: asked.pop(0)), _STORE, _UNAVAILABLE) == 1
    cancel = Cancellation()
    cancel.cancel()
    assert attempts_of(retries_of(clock), _STORE, _UNAVAILABLE, cancel=cancel) == 1


def test_a_connection_whose_calls_mostly_fail_repeats_none_until_calls_succeed() -> None:
    retries = retries_of(Clock())
    # 50 of 100 tokens: the 50th failure that might be followed by an attempt is not.
    assert sum(attempts_of(retries, _STORE, _UNAVAILABLE) for _ in range(20)) == 20 + 49
    assert attempts_of(retries, _STORE, _UNAVAILABLE) == 1
    for _ in range(1000):
        retries.succeeded()
    assert attempts_of(retries, _STORE, _UNAVAILABLE) == 4
