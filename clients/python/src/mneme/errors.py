"""Errors of calls: one class for each gRPC status, all subclasses of `MnemeError`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Family = Literal["store", "retrieval", "maintenance", "configuration", "base"]
"""Purpose of a call: writing memories, reading them, maintenance, settings, or others."""


@dataclass(frozen=True)
class Violation:
    """One field of a request that was not accepted."""

    field: str
    """Path of the field in the request, such as `memory.text`."""
    description: str
    """The problem and the limit."""


class MnemeError(Exception):
    """A failed call. Its class says how, `reason` is the cause."""

    code: str = "UNKNOWN"
    """Name of the gRPC status, such as `NOT_FOUND`."""
    message: str
    """Description of the failure, in plain English."""
    reason: str | None
    """The cause, from the closed list of `error_reason.proto`, such as `MEMORY_NOT_FOUND`. None when Mneme did not
    answer: no connection, a proxy, or a local timeout."""
    metadata: Mapping[str, str]
    """The same for programs, such as `{"name": "namespaces/default/memories/m1"}`; keys are listed with each reason."""
    violations: Sequence[Violation]
    """For bad input: the fields, what is wrong with them and their limits."""
    retry_delay_ms: float | None
    """How long the server asks to wait before the call is repeated, in milliseconds."""
    family: Family
    """Purpose of the call."""

    def __init__(
        self,
        message: str,
        *,
        reason: str | None = None,
        metadata: Mapping[str, str] | None = None,
        violations: Sequence[Violation] = (),
        retry_delay_ms: float | None = None,
        family: Family = "base",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.metadata = metadata or {}
        self.violations = violations
        self.retry_delay_ms = retry_delay_ms
        self.family = family

    @property
    def retryable(self) -> bool:
        """True when the same call may succeed later without any change. The client's own retries are exhausted."""
        return self.code == "UNAVAILABLE" or (self.code == "RESOURCE_EXHAUSTED" and self.retry_delay_ms is not None)


class CancelledError(MnemeError):
    """The caller cancelled, by a `Cancellation` or by closing the client. A write may have taken effect."""

    code = "CANCELLED"


class UnknownError(MnemeError):
    """An error without a known status."""

    code = "UNKNOWN"


class InvalidArgumentError(MnemeError):
    """A part of the request is missing, malformed or over its limit; `violations` names the fields."""

    code = "INVALID_ARGUMENT"


class DeadlineExceededError(MnemeError):
    """The deadline passed before the answer arrived. A write may have taken effect."""

    code = "DEADLINE_EXCEEDED"


class NotFoundError(MnemeError):
    """The named resource does not exist."""

    code = "NOT_FOUND"


class AlreadyExistsError(MnemeError):
    """The id exists already."""

    code = "ALREADY_EXISTS"


class PermissionDeniedError(MnemeError):
    """A policy of a scope does not allow it."""

    code = "PERMISSION_DENIED"


class ResourceExhaustedError(MnemeError):
    """A queue, the disk, a message or a namespace is full."""

    code = "RESOURCE_EXHAUSTED"


class FailedPreconditionError(MnemeError):
    """The resource is in a state that does not allow the call."""

    code = "FAILED_PRECONDITION"


class AbortedError(MnemeError):
    """The version is outdated: read again, then decide."""

    code = "ABORTED"


class OutOfRangeError(MnemeError):
    """The changes asked for are no longer kept, or are not there yet."""

    code = "OUT_OF_RANGE"


class UnimplementedError(MnemeError):
    """The server does not know the call: its version is another one."""

    code = "UNIMPLEMENTED"


class InternalError(MnemeError):
    """A defect of the server, or an answer that cannot be read."""

    code = "INTERNAL"


class UnavailableError(MnemeError):
    """The server cannot be reached, is shutting down or has too much to do."""

    code = "UNAVAILABLE"


class DataLossError(MnemeError):
    """Bytes of a memory are damaged."""

    code = "DATA_LOSS"


class UnauthenticatedError(MnemeError):
    """The token is missing or wrong."""

    code = "UNAUTHENTICATED"


def invalid(field: str, problem: str) -> InvalidArgumentError:
    """The error for an argument that is refused before anything is sent."""
    text = f"{field}: {problem}" if field else problem
    return InvalidArgumentError(text, violations=(Violation(field, problem),))
