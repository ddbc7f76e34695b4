"""Recall queries as messages, and hits of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._names import memory_name, namespace_name
from ._read import read, read_all
from ._write import fill, fill_memory, items_of, number, zone_of
from .content import json_text
from .recall import RecallHit, RecallResult
from .v1 import recall_service_pb2 as pb


def recall_request(query: object, more: Mapping[str, Any], namespace: str) -> pb.RecallRequest:
    """The request of a query given as a text or a dict, and of more of its keys."""
    given = {"view": "basic"}
    if isinstance(query, str):
        given["text"] = query
    elif query is not None:
        given.update(items_of(query, "query"))
    given.update(more)
    request = pb.RecallRequest(parent=namespace_name(namespace))
    for key, put in _SPECIAL.items():
        value = given.pop(key, None)
        if value is not None:
            put(request, value, namespace)
    fill(request, given)
    request.time_zone = request.time_zone or zone_of(given.get("reference_time"))
    return request


def recalled(answer: pb.RecallResponse | pb.RecallMerged, hits: tuple[RecallHit, ...]) -> RecallResult:
    """The answer with its hits."""
    return read(RecallResult, answer, hits=hits)


def hits_of(messages: Any) -> tuple[RecallHit, ...]:
    """Hits of messages."""
    return read_all(RecallHit, messages)


def _set_example(request: pb.RecallRequest, value: object, namespace: str) -> None:
    fill_memory(request.example, value, namespace, "example", with_name=True)


def _set_similar_to(request: pb.RecallRequest, value: Any, namespace: str) -> None:
    request.similar_to = memory_name(namespace, value)


def _set_near_place(request: pb.RecallRequest, value: object, _: str) -> None:
    given = dict(items_of(value, "near_place"))
    unit = "scale_m" if "geo" in given else "scale"
    scale = given.pop(unit, None)
    fill(request.near_place, given, "near_place")
    if scale is not None:
        request.near_place.scale = number(scale, f"near_place.{unit}")
    request.near_place.SetInParent()


def _set_preset(request: pb.RecallRequest, value: object, _: str) -> None:
    given = dict(items_of(value, "preset"))
    parameters = given.pop("parameters", None)
    fill(request.preset, given, "preset")
    if parameters is not None:
        request.preset.parameters = json_text(parameters, "preset.parameters")


_SPECIAL = {
    "example": _set_example,
    "similar_to": _set_similar_to,
    "near_place": _set_near_place,
    "preset": _set_preset,
}
