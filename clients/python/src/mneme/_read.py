"""Answers as dataclasses: each field is read from the field of the message that has its name.

A field `x_ms` is read from the duration `x`; enums become words (`TIER_LONG_TERM` is `long_term`); what is absent is
None where the field allows None. `source`, `id_of`, `namespace_of` and `unspecified` say otherwise for single fields.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from array import array
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from functools import cache, lru_cache
from sys import byteorder
from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from ._names import id_in, namespace_in, session_id_in
from .errors import InternalError

T = TypeVar("T")
Getter = Callable[[Any], Any]
_NOTHING: dict[str, Any] = {}
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def source(name: str) -> dict[str, Any]:
    """The field has another name in the message."""
    return {"source": name}


def id_of(name: str) -> dict[str, Any]:
    """The field holds the id (or ids) in the resource name (or names) in that field of the message."""
    return {"source": name, "convert": id_in}


def session_id_of(name: str) -> dict[str, Any]:
    """The field holds the id of a session in that resource name."""
    return {"source": name, "convert": session_id_in}


def namespace_of(name: str) -> dict[str, Any]:
    """The field holds the id of the namespace in that field of the message."""
    return {"source": name, "convert": namespace_in}


def unspecified(value: object) -> dict[str, Any]:
    """The field's value where it is absent in the message."""
    return {"unspecified": value}


def more() -> dict[str, Any]:
    """The field is not in the message: `read` is told."""
    return {"more": True}


def read(cls: type[T], message: Message, **more_fields: Any) -> T:
    """The message as a dataclass."""
    dataclass: Any = cls
    found: T = _reader(dataclass, message.DESCRIPTOR)(message, more_fields)
    return found


def read_all(cls: type[T], messages: Any) -> tuple[T, ...]:
    """Each of the messages as a dataclass."""
    return tuple(read(cls, message) for message in messages)


_SHOWN_LENGTH = 80
_SHOWN_ITEMS = 5


class Brief:
    """A dataclass whose text fits a screen: without what is absent, with the beginnings of long texts and lists."""

    def __repr__(self) -> str:
        fields: Any = dataclasses.fields(self)  # type: ignore[arg-type]
        shown = ((field, getattr(self, field.name)) for field in fields if field.repr)
        parts = [f"{field.name}={_brief(value)}" for field, value in shown if value not in (None, "", ())]
        return f"{type(self).__name__}({', '.join(parts)})"


def _brief(value: Any) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN_LENGTH else f"{value[:_SHOWN_LENGTH]}…")
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (bytes, array)):
        return f"<{len(value)} {'bytes' if isinstance(value, bytes) else 'numbers'}>"
    if isinstance(value, tuple):
        more = [f"… {len(value) - _SHOWN_ITEMS} more"] if len(value) > _SHOWN_ITEMS else []
        return f"({', '.join([*map(_brief, value[:_SHOWN_ITEMS]), *more])})"
    return repr(value)


def time_of(message: Any) -> datetime:
    """A timestamp as a time in UTC, to the microsecond."""
    try:
        return _time(message.seconds, message.nanos)
    except OverflowError:
        raise InternalError("the answer has no valid time") from None


@lru_cache(1024)  # Most memories hold one time more than once.
def _time(seconds: int, nanos: int) -> datetime:
    return EPOCH + timedelta(0, seconds, nanos // 1000)


def ms_of(message: Any) -> float:
    """A duration in milliseconds."""
    ms: float = message.seconds * 1000 + message.nanos / 1e6
    return ms


def word_of(enum: EnumDescriptor, number: int, unspecified: Any = None) -> Any:
    """A code as a word; `other` is a kind that this version of the client does not know."""
    return unspecified if number == 0 else _words(enum).get(number, "other")


@cache
def _words(enum: EnumDescriptor) -> dict[int, str]:
    return {number: word for word, number in codes_of(enum).items()}


@cache
def codes_of(enum: EnumDescriptor) -> dict[str, int]:
    """The codes of an enum by their words: names in lower case, without what they all begin with."""
    prefix = len(enum.values_by_number[0].name) - len("UNSPECIFIED")
    return {value.name[prefix:].lower(): value.number for value in enum.values if value.number != 0}


@cache
def _reader(cls: type, descriptor: Descriptor) -> Callable[[Any, dict[str, Any]], Any]:
    """A function that reads such messages: compiled, because answers may hold thousands of them."""
    known: dict[str, Any] = {"cls": cls, "new": object.__new__, "put": object.__setattr__}
    hints = typing.get_type_hints(cls)
    parts = []
    for number, field in enumerate(dataclasses.fields(cls)):
        if "more" in field.metadata:
            if field.default is not dataclasses.MISSING:
                known[f"default{number}"] = field.default
                parts.append(f"{field.name!r}: default{number}")
            continue
        name = field.metadata.get("source", field.name)
        found = descriptor.fields_by_name.get(name) or descriptor.fields_by_name.get(name.removesuffix("_ms"))
        if found is None:
            raise TypeError(f"{descriptor.full_name} has no field for {cls.__name__}.{field.name}")
        known[f"absent{number}"] = field.metadata.get("unspecified")
        known[f"convert{number}"] = field.metadata.get("convert") or _converter(
            found, hints[field.name], field.metadata
        )
        known[f"empty{number}"] = _empty(found, hints[field.name])
        parts.append(f"{field.name!r}: {_expression(found, hints[field.name], field.metadata, number, known)}")
    # The dataclass is frozen: its own way to set a field costs as much as reading it.
    body = f"made = new(cls)\n    put(made, '__dict__', {{{', '.join(parts)}, **more}})\n    return made"
    exec(f"def reader(message, more):\n    {body}", known)
    reader: Callable[[Any, dict[str, Any]], Any] = known["reader"]
    return reader


def _expression(
    field: FieldDescriptor, hint: Any, metadata: Mapping[str, Any], number: int, known: Mapping[str, Any]
) -> str:
    """Python code that reads a field."""
    value, optional = f"message.{field.name}", type(None) in typing.get_args(hint)
    convert = known[f"convert{number}"]
    converted = value if convert is None else f"convert{number}({value})"
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return f"dict({value})"
    if is_repeated(field):
        return f"tuple({value})" if convert is None else f"tuple(map(convert{number}, {value}))"
    if field.has_presence and (optional or "unspecified" in metadata):
        return f"{converted} if message.HasField({field.name!r}) else absent{number}"
    if known[f"empty{number}"] is not None:
        return f"{converted} if message.HasField({field.name!r}) else empty{number}"
    if optional and not field.has_presence:
        return f"{converted} if {value} else None"
    return converted


def is_repeated(field: FieldDescriptor) -> bool:
    """Whether a field holds a list. protobuf 7 has no labels any more, protobuf 5 nothing else."""
    found = getattr(field, "is_repeated", None)
    return bool(found) if found is not None else field.label == FieldDescriptor.LABEL_REPEATED


def _converter(field: FieldDescriptor, hint: Any, metadata: Mapping[str, Any]) -> Getter | None:
    """The converter from the message's value to the dataclass's; None where they are equal."""
    if field.enum_type is not None:
        words = {0: metadata.get("unspecified"), **_words(field.enum_type)}
        return lambda number: words.get(number, "other")
    if field.message_type is None or field.message_type.GetOptions().map_entry:
        return None
    known = _KNOWN.get(field.message_type.full_name)
    if known is not None:
        return known
    reader = _reader(_dataclass_in(hint), field.message_type)
    return lambda message: reader(message, _NOTHING)


def _empty(field: FieldDescriptor, hint: Any) -> Any:
    """What stands for a part that is absent, the same for all: None where it could be changed or is no dataclass."""
    if not field.has_presence or field.message_type is None or field.message_type.full_name in _KNOWN:
        return None
    empty = _reader(_dataclass_in(hint), field.message_type)(GetMessageClass(field.message_type)(), _NOTHING)
    try:
        hash(empty)
    except TypeError:  # It holds a dict.
        return None
    return empty


def _dataclass_in(hint: Any) -> Any:
    """The dataclass in `X`, `X | None` and `tuple[X, ...]`."""
    if dataclasses.is_dataclass(hint):
        return hint
    for each in typing.get_args(hint):
        if each not in (Ellipsis, types.NoneType) and (found := _dataclass_in(each)):
            return found
    return None


def _content(message: Any) -> Any:
    from .content import Content

    body = getattr(message, message.WhichOneof("body") or "data")
    return Content(message.media_type, body if isinstance(body, bytes) else body.encode())


def _embedding(message: Any) -> Any:
    data = message.data_f32le
    if len(data) % 4 != 0:
        raise InternalError("the answer has no valid vector: its length is no multiple of 4 bytes")
    values = array("f", data)
    if byteorder == "big":
        values.byteswap()
    return _embedding_class()(values, message.model)


@cache
def _embedding_class() -> Any:
    from .memory import Embedding  # That module needs this one.

    return Embedding


_KNOWN: dict[str, Getter] = {
    "google.protobuf.Timestamp": time_of,
    "google.protobuf.Duration": ms_of,
    "mneme.v1.Content": _content,
    "mneme.v1.Embedding": _embedding,
}
