"""Requests from dicts and dataclasses: each key fills the field of the message that has its name.

A key `x_ms` fills the duration `x`; words stand for enums (`long_term` for `TIER_LONG_TERM`). What does not fit is
refused with an `InvalidArgumentError` that names the field, before anything is sent.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from ._known import unknown
from ._names import memory_name, text
from ._read import EPOCH, codes_of, is_repeated
from .content import Content, json_text
from .errors import invalid
from .memory import Memory, NewMemory
from .v1 import filter_pb2, memory_pb2

Setter = Callable[[Any, Any, str], None]

_INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**53) + 1, 2**53 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**53 - 1),
}
#: Fields that the client fills in by itself.
_OF_THE_CLIENT = {"parent", "request_id", "min_revision"}
_FLOATS = {FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT}


def fill(message: Message, values: object, at: str = "", skipped: Iterable[str] = ()) -> None:
    """Fills the message from a dict or dataclass; None means absent."""
    setters = _setters(message.DESCRIPTOR)
    for key, value in items_of(values, at):
        if value is None or key in skipped:
            continue
        setter = setters.get(key)
        path = _under(at, key)
        if setter is None:
            raise unknown(at, key, _listed(message.DESCRIPTOR))
        setter(message, value, path)


def _listed(descriptor: Descriptor) -> list[str]:
    """Names that a caller may use, most useful first."""
    if descriptor.full_name == "mneme.v1.Memory":
        return ["text", *(field.name for field in dataclasses.fields(NewMemory) if field.name != "text")]
    return [name for name in _setters(descriptor) if name not in _OF_THE_CLIENT]


def items_of(values: object, at: str) -> Iterable[tuple[str, Any]]:
    """Keys and values of a dict or dataclass."""
    # Nearly all are a dict, and isinstance is much faster for it than for Mapping.
    if isinstance(values, (dict, Mapping)):
        return values.items()
    if dataclasses.is_dataclass(values):
        cls: Any = type(values)
        return [(name, getattr(values, name)) for name in _field_names(cls)]
    raise invalid(at, f"must be a dict or a dataclass, got {type(values).__name__}")


@cache
def _field_names(cls: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cls))


@cache
def _setters(descriptor: Descriptor) -> dict[str, Setter]:
    setters: dict[str, Setter] = {}
    for field in descriptor.fields:
        if field.message_type is not None and field.message_type.full_name == "google.protobuf.Duration":
            setters[f"{field.name}_ms"] = _setter(field)
        elif field.name != "filter_text":
            setters[field.name] = _setter(field)
    return setters


def _setter(field: FieldDescriptor) -> Setter:
    name, kind = field.name, field.message_type
    if kind is not None and kind.GetOptions().map_entry:
        return lambda message, value, at: _fill_map(getattr(message, name), value, at)
    if kind is not None:
        put = _KNOWN.get(kind.full_name, fill)
        if kind.full_name == "mneme.v1.Filter":
            return set_filter
        if is_repeated(field):
            return lambda message, value, at: _fill_repeated(getattr(message, name), value, at, put)
        return lambda message, value, at: put(getattr(message, name), value, at)
    check = _check(field)
    if is_repeated(field):
        return lambda message, value, at: getattr(message, name).extend(
            [check(each, f"{at}[{place}]") for place, each in enumerate(sequence(value, at))]
        )
    return lambda message, value, at: setattr(message, name, check(value, at))


def _check(field: FieldDescriptor) -> Callable[[Any, str], Any]:
    """The check of a value for this field; returns the value in the message's form."""
    if field.enum_type is not None:
        codes = codes_of(field.enum_type)
        return lambda value, at: code(codes, value, at)
    if field.cpp_type in _FLOATS:
        return number
    if field.cpp_type in _INTEGERS:
        low, high = _INTEGERS[field.cpp_type]
        return lambda value, at: _integer(value, at, low, high)
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return _boolean
    return text if field.type == FieldDescriptor.TYPE_STRING else _bytes


def code(codes: Mapping[str, int], word: object, at: str) -> int:
    """The code of a word."""
    found = codes.get(word) if isinstance(word, str) else None
    if found is None:
        raise invalid(at, f"must be one of {', '.join(codes)}, got {word!r}")
    return found


def number(value: Any, at: str) -> float:
    """A finite number."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise invalid(at, f"must be a number, got {type(value).__name__}")
    found = float(value)
    if not math.isfinite(found):
        raise invalid(at, f"must be a finite number, got {found}")
    return found


def _integer(value: Any, at: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise invalid(at, f"must be a whole number, got {type(value).__name__}")
    found = int(value)
    if not low <= found <= high:
        raise invalid(at, f"must be between {low} and {high}, got {found}")
    return found


def _boolean(value: Any, at: str) -> bool:
    if not isinstance(value, bool):
        raise invalid(at, f"must be True or False, got {type(value).__name__}")
    return value


def _bytes(value: Any, at: str) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise invalid(at, f"must be bytes, got {type(value).__name__}")
    return bytes(value)


def sequence(value: Any, at: str) -> Any:
    """A list; a string is not one."""
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise invalid(at, f"must be a list, got {type(value).__name__}")
    return value


def set_time(message: Any, value: Any, at: str) -> None:
    """A time with its zone, to the microsecond."""
    if not isinstance(value, datetime):
        raise invalid(at, f"must be a datetime, got {type(value).__name__}")
    if value.utcoffset() is None:
        raise invalid(at, f"must have a time zone, such as datetime.timezone.utc, got {value.isoformat()}")
    since = value - EPOCH
    message.seconds = since.days * 86_400 + since.seconds
    message.nanos = since.microseconds * 1000


def zone_of(time: object) -> str:
    """The zone of a time, an IANA name or an offset; empty for UTC and for what is no time with a zone."""
    if not isinstance(time, datetime):
        return ""
    key = getattr(time.tzinfo, "key", None)
    if isinstance(key, str):
        return "" if key == "UTC" else key
    return time.isoformat()[-6:] if time.utcoffset() else ""


def set_ms(message: Any, value: Any, at: str) -> None:
    """A duration given in milliseconds."""
    ms = number(value, at)
    seconds = math.trunc(ms / 1000)
    message.seconds = seconds
    message.nanos = round((ms - seconds * 1000) * 1e6)
    message.SetInParent()


def set_content(message: Any, value: object, at: str) -> None:
    """A `Content`, or a plain value as JSON."""
    if not isinstance(value, Content):
        message.media_type = "application/json"
        message.json = json_text(value, at)
        return
    message.media_type = text(value.media_type, f"{at}.media_type")
    kind = message.media_type.split(";")[0].strip().lower()
    data = _bytes(value.data, f"{at}.data")
    if kind == "application/json" or kind.startswith("text/"):
        try:
            setattr(message, "text" if kind.startswith("text/") else "json", data.decode())
            return
        except UnicodeDecodeError:
            pass  # Bytes that are not text are sent as bytes; the server refuses them.
    message.data = data


def set_embedding(message: Any, value: Any, at: str) -> None:
    """A vector and its model; numpy arrays go without a copy of each number."""
    given = dict(items_of(value, at))
    for key in given:
        if key not in ("values", "model"):
            raise unknown(at, key, ("values", "model"))
    if "values" not in given:
        raise invalid(f"{at}.values", "must be given")
    data, dimension = vector_bytes(given["values"], f"{at}.values")
    message.data_f32le = data
    message.dimension = dimension
    message.model = text(given.get("model", ""), f"{at}.model")


def vector_bytes(values: Any, at: str) -> tuple[bytes, int]:
    """The numbers of a vector as the wire carries them (32-bit floats, little-endian), and how many they are."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and isinstance(values, numpy.ndarray):
        if values.ndim != 1 or values.dtype.kind not in "fiu":
            raise invalid(
                at, f"must be an array of numbers with one dimension, got {values.dtype} of shape {values.shape}"
            )
        exact = values
        if values.dtype.str != "<f4":
            with numpy.errstate(over="ignore"):
                exact = values.astype("<f4")
        if not numpy.isfinite(exact).all():
            raise invalid(at, "must be finite numbers within the range of 32-bit floats")
        return exact.tobytes(), exact.size
    try:
        found = array("f", sequence(values, at))
    except (TypeError, OverflowError) as error:
        raise invalid(at, f"must be numbers: {error}") from None
    if not all(map(math.isfinite, found)):
        raise invalid(at, "must be finite numbers within the range of 32-bit floats")
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes(), len(found)


def set_filter(message: Any, value: Any, at: str = "filter") -> None:
    """A condition made with `where`, or as text, into the fields that a request has for both."""
    made = getattr(value, "_message", None)
    if isinstance(made, filter_pb2.Filter):
        message.filter.CopyFrom(made)
    elif isinstance(value, str):
        message.filter_text = text(value, at)
    else:
        raise invalid(at, f"must be a Filter or a string, got {type(value).__name__}")


def _fill_map(target: Any, value: Any, at: str) -> None:
    if not isinstance(value, Mapping):
        raise invalid(at, f"must be a dict, got {type(value).__name__}")
    for key, each in value.items():
        target[text(key, at)] = text(each, f"{at}.{key}")


def _fill_repeated(target: Any, values: Any, at: str, put: Setter) -> None:
    for place, value in enumerate(sequence(values, at)):
        put(target.add(), value, f"{at}[{place}]")


_KNOWN: dict[str, Setter] = {
    "google.protobuf.Timestamp": set_time,
    "google.protobuf.Duration": set_ms,
    "mneme.v1.Content": set_content,
    "mneme.v1.Embedding": set_embedding,
}

#: Keys that only the server sets, ignored in a memory to be stored.
TOLD_BY_SERVER = frozenset(("name", "namespace", "id", "tier", "checksum", "version"))


def memory_message(memory: object, namespace: str, at: str = "memory", with_name: bool = False) -> memory_pb2.Memory:
    """The message of a memory to be stored."""
    message = memory_pb2.Memory()
    fill_memory(message, memory, namespace, at, with_name)
    return message


def fill_memory(message: memory_pb2.Memory, memory: object, namespace: str, at: str, with_name: bool = False) -> None:
    """Fills the message of a memory to be stored; with its name where that is not told beside it."""
    is_plain = isinstance(memory, dict) and TOLD_BY_SERVER.isdisjoint(memory)
    if not with_name and not is_plain and not isinstance(memory, Memory):
        for key, value in items_of(memory, at or "memory"):
            if key in TOLD_BY_SERVER and value is not None and key != "id":
                raise invalid(_under(at, key), "is the server's to say, it cannot be given")
    fill(message, memory, at, TOLD_BY_SERVER)
    if message.superseded_by:
        message.superseded_by = memory_name(namespace, message.superseded_by)
    if with_name and (found := id_of_memory(memory, at)):
        message.name = memory_name(namespace, found)


#: Short forms of arguments: the part of a memory that each is in.
_PARTS = {"speaker": "source", "session": "scope"}


def memory_with(memory: object, more: Mapping[str, Any], at: str = "") -> object:
    """A text or a memory, with more of its properties."""
    if isinstance(memory, str):
        given: dict[str, Any] = {"text": memory}
    elif not more and not (isinstance(memory, Mapping) and _PARTS.keys() & memory.keys()):
        return memory
    else:
        given = {key: value for key, value in items_of(memory, at or "memory") if value is not None}
    given.update((key, value) for key, value in more.items() if value is not None)
    for name, part in _PARTS.items():
        if (value := given.pop(name, None)) is not None:
            whole = dict(items_of(given.get(part) or {}, _under(at, part)))
            if whole.get(name) not in (None, value):
                raise invalid(_under(at, name), f"must not differ from {part}.{name}, got {value!r}")
            given[part] = {**whole, name: value}
    return given


def id_of_memory(memory: object, at: str = "") -> str:
    """The id that a memory is given; empty for none."""
    found = memory.get("id") if isinstance(memory, Mapping) else getattr(memory, "id", None)
    return "" if found is None else text(found, _under(at, "id"))


def _under(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key
