"""Common parts of the blocking and the asyncio driver."""

from __future__ import annotations

import json
import sys
import threading
import traceback
from typing import Any

from google.protobuf import descriptor_pool, json_format
from google.protobuf.message_factory import GetMessageClass
from values import argument_of, error_result, result_of

import mneme
from mneme import v1  # noqa: F401

_RENAMED = {"from": "from_checkpoint_id"}
_writing = threading.Lock()


def say(answer: dict[str, Any]) -> None:
    """Writes one line."""
    line = json.dumps(answer, ensure_ascii=True)
    with _writing:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def outcome(id: int, error: BaseException) -> dict[str, Any]:
    """The answer of a request that failed."""
    if isinstance(error, mneme.MnemeError):
        return {"id": id, "error": error_result(error)}
    return {"id": id, "fault": "".join(traceback.format_exception(error))}


def result(id: int, value: Any) -> dict[str, Any]:
    """The answer of a request."""
    return {"id": id, "result": {} if value is None else result_of(value)}


def connect_options(options: dict[str, Any]) -> dict[str, Any]:
    """Options of `connect`."""
    given = dict(options)
    if isinstance(given.get("tls"), dict):
        given["tls"] = mneme.TlsOptions(**given["tls"])
    if isinstance(given.get("call_from"), dict):
        given["call_from"] = mneme.CallerScope(**given["call_from"])
    return given


def arguments_of(request: dict[str, Any]) -> dict[str, Any]:
    """Arguments of a call or a stream."""
    given: dict[str, Any] = argument_of(request.get("args", {}))
    if request["method"] == "watch":
        given["progress"] = True
    return {_RENAMED.get(name, name): value for name, value in given.items()}


def function_of(target: Any, method: str, arguments: dict[str, Any]) -> Any:
    """The method of a client by its name with its group."""
    group, _, name = method.rpartition(".")
    if group == "session":
        target = target.session(arguments.pop("session"))
    elif group:
        target = getattr(target, group)
    return getattr(target, name)


def rpc_of(request: dict[str, Any]) -> tuple[Any, type[Any]]:
    """The message of a raw call, and the type of its answer."""
    service, _, name = request["rpc"].partition(".")
    pool: Any = descriptor_pool
    method = pool.Default().FindServiceByName(f"mneme.v1.{service}").methods_by_name[name]
    message = json_format.ParseDict(request["request"], GetMessageClass(method.input_type)())
    return message, GetMessageClass(method.output_type)


def rpc_result(message: Any) -> Any:
    """The answer of a raw call as protobuf JSON."""
    return json_format.MessageToDict(message)
