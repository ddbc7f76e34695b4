"""gRPC statuses as errors of this package."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import resources
from typing import Any, TypedDict

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from . import errors
from ._channel import version
from ._reach import Reach, cause_of
from ._retries import code_of_call, text_of_call
from .errors import Family, MnemeError, Violation

DETAILS_KEY = "grpc-status-details-bin"

#: By the number of the gRPC status.
_CLASSES: dict[int, type[MnemeError]] = {
    number: cls
    for number, cls in enumerate(
        (
            errors.CancelledError,
            errors.UnknownError,
            errors.InvalidArgumentError,
            errors.DeadlineExceededError,
            errors.NotFoundError,
            errors.AlreadyExistsError,
            errors.PermissionDeniedError,
            errors.ResourceExhaustedError,
            errors.FailedPreconditionError,
            errors.AbortedError,
            errors.OutOfRangeError,
            errors.UnimplementedError,
            errors.InternalError,
            errors.UnavailableError,
            errors.DataLossError,
            errors.UnauthenticatedError,
        ),
        start=1,
    )
}
#: Fields of requests, and how callers of this client name them.
_WRITTEN = {
    r"^(?:query\.)?parent$": "namespace",
    r"^(?:query\.)?filter_text$": "filter",
    r"^requests(\[\d+\])\.memory(?:\.|_(?=id$))": r"memories\1.",
}
_OF_ONE_MEMORY = {"StoreMemory", "SupersedeMemory", "UpdateMemory"}

_FAMILIES: dict[str, Family] = json.loads(resources.files("mneme").joinpath("error-families.json").read_text("utf-8"))


class _Details(TypedDict, total=False):
    reason: str
    metadata: dict[str, str]
    violations: tuple[Violation, ...]
    retry_delay_ms: float


def family_of(path: str) -> Family:
    """The family of the RPC with this path, such as `/mneme.v1.MemoryService/StoreMemory`."""
    return _FAMILIES.get(path.lstrip("/"), "base")


def error_of_status(status: status_pb2.Status, family: Family = "base") -> MnemeError:
    """The typed error for a status that came inside a message."""
    cls = _CLASSES.get(status.code, errors.UnknownError)
    return cls(status.message or "no status", family=family, **_details(status))


def error_of_call(error: grpc.RpcError, path: str, reach: Reach, is_connected: Callable[[], bool]) -> MnemeError:
    """The typed error of a call that failed: says also whether there was a connection at all."""
    code, text = code_of_call(error), text_of_call(error)
    family = family_of(path)
    details = _details_of_call(error)
    cls = _CLASSES.get(code.value[0], errors.UnknownError)
    if "reason" not in details and not is_connected():
        if cls is errors.DeadlineExceededError:
            text = reach.why("in time")
        elif cls is errors.UnavailableError and (cause := cause_of(text)):
            text = reach.why("", cause)
    elif cls is errors.DeadlineExceededError and "reason" not in details:
        text = f"no answer from {reach.address} in time"
    if cls is errors.UnimplementedError:
        address = reach.address
        server = f"{address} (version {told})" if (told := details.get("metadata", {}).get("version")) else address
        client = f"this client (version {version()})"
        text = f"{text}: the server at {server} has no {path[1:]}; it may be older than {client}"
    return as_written(cls(text, family=family, **details), path)


def as_written(error: MnemeError, path: str) -> MnemeError:
    """The error with fields as the caller of this client names them: the namespace is no `parent` here, and a memory
    to be stored no `memory`."""
    method = path.rpartition("/")[2]
    renamed = [Violation(_as_written(each.field, method), each.description) for each in error.violations]
    message = error.message
    for before, after in zip(error.violations, renamed, strict=True):
        message = message.replace(f"{before.field}: ", f"{after.field}: ", 1)
    error.message, error.violations, error.args = message, tuple(renamed), (message,)
    return error


def _as_written(field: str, method: str) -> str:
    for pattern, written in _WRITTEN.items():
        field = re.sub(pattern, written, field)
    if method in _OF_ONE_MEMORY:
        field = re.sub(r"^memory(?:\.|_(?=id$))", "", field)
    return field


def _details_of_call(error: grpc.RpcError) -> _Details:
    metadata: Any = error.trailing_metadata() if hasattr(error, "trailing_metadata") else None
    for key, value in metadata or ():
        if key == DETAILS_KEY:
            try:
                return _details(status_pb2.Status.FromString(value))
            except DecodeError:
                return {}  # Details damaged on the way must not hide the status itself.
    return {}


def _details(status: status_pb2.Status) -> _Details:
    details: _Details = {}
    for each in status.details:
        if each.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
            info = error_details_pb2.ErrorInfo.FromString(each.value)
            details["reason"] = info.reason
            details["metadata"] = dict(info.metadata)
        elif each.Is(error_details_pb2.BadRequest.DESCRIPTOR):
            request = error_details_pb2.BadRequest.FromString(each.value)
            details["violations"] = tuple(Violation(one.field, one.description) for one in request.field_violations)
        elif each.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
            delay = error_details_pb2.RetryInfo.FromString(each.value).retry_delay
            details["retry_delay_ms"] = delay.seconds * 1000 + delay.nanos / 1e6
    return details
