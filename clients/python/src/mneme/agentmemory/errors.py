"""Exceptions of the Agent Memory API, by the purpose of the call that failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from ..errors import MnemeError

Recoverability = Literal["recoverable", "potentially_recoverable", "fatal"]
"""`recoverable`: another input, or a read before the next try, may succeed. `potentially_recoverable`: the same call
may succeed later, or with another configuration. `fatal`: data is damaged, or a program has a defect."""

_RECOVERABLE = {
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
}
_FATAL = {"INTERNAL", "DATA_LOSS", "UNKNOWN", "UNIMPLEMENTED"}


class MemoryAPIException(Exception):  # noqa: N818 (the name of the library that it replaces)
    """A failed call of the Agent Memory API."""

    reason: str
    """Cause, such as `MEMORY_NOT_FOUND`: a reason of `docs/api/errors.md`, or the name of a gRPC status where the
    server gave none. `FIELD_INVALID` for an argument that was refused before anything was sent."""
    context: Mapping[str, Any]
    """Circumstances of the failure: `operation`, and where they are known `agent_id`, `step_number`, `memory_id`,
    `field` and `code` (gRPC status)."""
    recoverability: Recoverability
    """Whether a repetition may succeed."""

    def __init__(
        self,
        message: str = "",
        *,
        reason: str = "UNKNOWN",
        context: Mapping[str, Any] | None = None,
        recoverability: Recoverability = "fatal",
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.context = dict(context or {})
        self.recoverability = recoverability

    @property
    def recoverable(self) -> bool:
        """False for a failure that no repetition repairs."""
        return self.recoverability != "fatal"


class MemoryStoreException(MemoryAPIException):
    """A memory was not stored."""


class MemoryRetrievalException(MemoryAPIException):
    """A retrieval failed."""


class MemoryMaintenanceException(MemoryAPIException):
    """A maintenance operation failed."""


class MemoryConfigException(MemoryAPIException):
    """A configuration is invalid, or has no equivalent."""


class MemoryConfigValueError(MemoryConfigException, ValueError):
    """An option is out of its range."""


def refused(kind: type[MemoryAPIException], field: str, problem: str, **context: Any) -> MemoryAPIException:
    """The exception for an argument that is refused before anything is sent."""
    known = {key: value for key, value in context.items() if value is not None}
    return kind(
        f"{field}: {problem}",
        reason="FIELD_INVALID",
        context={**known, "field": field},
        recoverability="recoverable",
    )


def recoverability_of(error: MnemeError) -> Recoverability:
    """Whether a repetition of the call may succeed."""
    if error.code in _RECOVERABLE:
        return "recoverable"
    return "fatal" if error.code in _FATAL else "potentially_recoverable"


@contextmanager
def failing_as(kind: type[MemoryAPIException], operation: str, **context: Any) -> Iterator[None]:
    """Raises errors of the client as exceptions of this kind."""
    try:
        yield
    except MnemeError as error:
        known = {key: value for key, value in context.items() if value is not None}
        fields = {"field": error.violations[0].field} if error.violations else {}
        raise kind(
            f"{operation}: {error.message}",
            reason=error.reason or ("FIELD_INVALID" if error.violations else error.code),
            context={"operation": operation, **known, **error.metadata, **fields, "code": error.code},
            recoverability=recoverability_of(error),
        ) from error
