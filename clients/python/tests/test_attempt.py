"""Silence and waits of streams, by a clock of the test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mneme import Cancellation, CancelledError, InternalError, MnemeError, ResourceExhaustedError, UnavailableError
from mneme._attempt import Attempt, Backoff, is_broken
from mneme._face import run


class Clock:
    """An `Io` of which only time is used."""

    def __init__(self) -> None:
        self.time = 0.0
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.slept: list[float] = []
        self.chance = 0.5

    def now(self) -> float:
        return self.time

    def random(self) -> float:
        return self.chance

    def later(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        timer = (self.time + seconds, callback)
        self.timers.append(timer)
        return lambda: self.timers.remove(timer) if timer in self.timers else None

    async def sleep(self, seconds: float, cancel: Cancellation | None) -> None:
        self.slept.append(seconds)

    def advance(self, seconds: float) -> None:
        until = self.time + seconds
        while due := sorted((each for each in self.timers if each[0] <= until), key=lambda each: each[0]):
            self.timers.remove(due[0])
            self.time = due[0][0]
            due[0][1]()
        self.time = until


class Wire:
    """Notes what was asked of it."""

    is_cancelled = False
    has_other_channel = False

    def cancel(self) -> None:
        self.is_cancelled = True

    def replace_channel(self) -> None:
        self.has_other_channel = True


def attempt_of(clock: Any, cancel: Cancellation | None = None) -> tuple[Attempt, Any]:
    wire: Any = Wire()
    attempt = Attempt(clock, cancel)
    attempt.attach(wire)
    return attempt, wire


def test_a_stream_is_given_up_after_three_heartbeats_of_silence() -> None:
    clock = Clock()
    attempt, wire = attempt_of(clock)
    attempt.heard()
    attempt.expect_every(1_000)
    clock.advance(2.5)
    attempt.heard()
    clock.advance(2.9)
    assert not wire.is_cancelled
    assert not wire.has_other_channel
    clock.advance(0.2)
    assert wire.is_cancelled
    assert wire.has_other_channel
    cause = attempt.cause_of(CancelledError("cut"))
    assert isinstance(cause, UnavailableError)
    assert str(cause) == "received nothing for 3000 ms"


def test_a_reader_who_is_away_misses_nothing() -> None:
    clock = Clock()
    attempt, wire = attempt_of(clock)
    attempt.heard()
    attempt.pause()
    clock.advance(1_000)
    assert not wire.is_cancelled
    attempt.heard()
    clock.advance(44)
    assert not wire.is_cancelled
    clock.advance(2)
    assert wire.is_cancelled


def test_a_stream_that_ended_is_not_looked_after() -> None:
    clock = Clock()
    cancel = Cancellation()
    attempt, wire = attempt_of(clock, cancel)
    attempt.stop()
    cancel.cancel()
    clock.advance(1_000)
    assert not wire.is_cancelled
    attempt, wire = attempt_of(clock, cancel)
    assert wire.is_cancelled
    assert not wire.has_other_channel
    error = CancelledError("mine")
    assert attempt.cause_of(error) is error


def test_waits_double_up_to_ten_seconds_and_begin_again() -> None:
    clock: Any = Clock()
    backoff = Backoff(clock)
    for _ in range(9):
        run(backoff.wait(None, None))
    assert clock.slept == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    backoff.reset()
    run(backoff.wait(UnavailableError("not now", retry_delay_ms=2_000), None))
    assert clock.slept[-1] == 2.05


@pytest.mark.parametrize(
    ("error", "broken"),
    [
        (UnavailableError("x", reason="DRAINING"), True),
        (InternalError("RST_STREAM"), True),
        (CancelledError("by a proxy"), True),
        (InternalError("x", reason="INTERNAL"), False),
        (ResourceExhaustedError("x", reason="SLOW_CONSUMER"), True),
        (ResourceExhaustedError("x", reason="TOO_MANY_STREAMS"), False),
        (ResourceExhaustedError("x", reason="TOO_MANY_STREAMS", retry_delay_ms=5), True),
    ],
)
def test_which_errors_another_stream_may_not_have(error: MnemeError, broken: bool) -> None:
    cancel = Cancellation()
    assert is_broken(error, cancel) is broken
    cancel.cancel()
    assert is_broken(error, cancel) is False
