"""Values of the contract test as those of the client, and back."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
from array import array
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

import numpy
from google.protobuf import json_format

import mneme

_TIMES = re.compile(r"(as_of|as_of_recorded|valid_from|valid_until|time|now)|.*_time")
#: Fields whose own keys are the caller's.
_OPEN_KEYS = {"metadata", "settings", "parameters", "limits", "open"}

#: Invalid vectors.
_OTHER_VECTORS: dict[str, Any] = {
    "text": "0.5,1",
    "number": 1,
    "texts": ["0.5", "1"],
    "rows": numpy.array([[0.5, 1.0]], dtype=numpy.float32),
}


def argument_of(value: Any, name: str = "") -> Any:
    """Arguments of the protocol in the form of the client."""
    if isinstance(value, list):
        return [argument_of(each, name) for each in value]
    if isinstance(value, str):
        return _time(value) if _TIMES.fullmatch(name) else value
    if not isinstance(value, dict):
        return value
    if next(iter(value), "").startswith("$"):
        return _special(value)
    if name == "filter":
        return _filter(value)
    if name in ("content", "value", "notes", "data"):
        return _content(value)
    if name == "initial_values":
        return {key: _content(each) for key, each in value.items()}
    if name in _OPEN_KEYS:
        return value
    return {key: argument_of(each, key) for key, each in value.items()}


def _special(value: dict[str, Any]) -> Any:
    match next(iter(value)):
        case "$nan":
            return float("nan")
        case "$inf":
            return float("inf")
        case "$float32":
            return numpy.array(value["$float32"], dtype=numpy.float32)
        case "$bytes":
            return base64.b64decode(value["$bytes"])
        case "$repeat":
            return value["$repeat"] * value["count"]
        case "$time":
            return _time(value["$time"])
        case "$naive_time":
            return datetime.fromisoformat(value["$naive_time"])
        case "$unserializable":
            return print
        case "$deep":
            deep: list[Any] = []
            for _ in range(value["$deep"] - 1):
                deep = [deep]
            return deep
        case "$other":
            return _OTHER_VECTORS[value["$other"]]
        case "$cycle":
            cycle: dict[str, Any] = {}
            cycle["self"] = cycle
            return cycle
        case "$sequence":
            text = json.dumps(value["$sequence"])
            return [argument_of(json.loads(text.replace("#", str(number)))) for number in range(value["count"])]
    raise ValueError(f"unknown value {value}")


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _content(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if "$repeat" in value:
        return _special(value)
    if "json" in value:
        return _plain(value["json"])
    data = argument_of(value["text"]).encode() if "text" in value else _special(value["data"])
    return mneme.Content(value.get("media_type", "text/plain"), data)


def _plain(value: Any) -> Any:
    """A value of the language for JSON: its keys are left as they are."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if next(iter(value), "").startswith("$"):
        return _special(value)
    return {key: _plain(each) for key, each in value.items()}


def _filter(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if "all" in value:
        return mneme.all_of(*map(_filter, value["all"]))
    if "any" in value:
        return mneme.any_of(*map(_filter, value["any"]))
    if "not" in value:
        return mneme.negate(_filter(value["not"]))
    if "within" in value:
        return mneme.within(**argument_of(value["within"]))
    target = mneme.path(value["path"]) if "path" in value else getattr(mneme.where, value["field"])
    compare = getattr(target, "is_in" if value["op"] == "in" else value["op"])
    arguments = [_plain(value["value"])] if "value" in value else []
    return compare(*arguments, **({"ignore_case": True} if value.get("ignore_case") else {}))


def job_item(job: mneme.ExtractionJob) -> dict[str, Any]:
    """A job in the form of the protocol; its messages have their texts as one."""
    names = ("id", "conversation", "scope", "attempt", "last_error", "deadline", "model")
    texts = {"messages": job.messages, "earlier": job.earlier}
    messages = {key: [{**vars(each), "text": each.text} for each in found] for key, found in texts.items()}
    return {**{name: getattr(job, name) for name in names}, **messages}


def extraction_of(item: dict[str, Any]) -> dict[str, Any]:
    """The answer of a handler from an item of the protocol."""
    answer = argument_of({key: value for key, value in item.items() if key != "job"})
    if "error" in answer:
        raise RuntimeError(answer["error"])
    notes = answer.pop("noted", None)
    return {**answer, "notes": notes} if notes else dict(answer)


def result_of(value: Any, name: str = "") -> Any:
    """Results of the client in the form of the protocol."""
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, mneme.Content):
        return _content_result(value)
    if isinstance(value, mneme.MnemeError):
        return error_result(value)
    if isinstance(value, mneme.Filter):
        return json_format.MessageToDict(value._message)
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, (list, tuple, array)):
        return [result_of(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if not isinstance(value, Mapping) or name in _OPEN_KEYS or name in ("previous_value", "new_value"):
        return value
    return {key: result_of(each, key) for key, each in value.items() if each is not None and not callable(each)}


def _content_result(content: mneme.Content) -> dict[str, Any]:
    if content.media_type == "application/json":
        return {"media_type": content.media_type, "json": content.json()}
    if content.media_type.startswith("text/"):
        return {"media_type": content.media_type, "text": content.text()}
    return {"media_type": content.media_type, "data": result_of(content.data)}


def error_result(error: mneme.MnemeError) -> dict[str, Any]:
    """An error in the form of the protocol."""
    result = {
        "code": error.code,
        "reason": error.reason,
        "metadata": dict(error.metadata),
        "violations": [{"field": each.field, "description": each.description} for each in error.violations],
        "retryable": error.retryable,
        "retry_delay_ms": error.retry_delay_ms,
        "family": error.family,
        "message": error.message,
    }
    return {key: value for key, value in result.items() if value is not None}
