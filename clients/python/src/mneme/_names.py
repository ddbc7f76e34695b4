"""Resource names and ids."""

from __future__ import annotations

import os
import re
import time
from typing import Any

from .errors import InvalidArgumentError, MnemeError, invalid


def namespace_name(namespace: str) -> str:
    """Resource name of a namespace, from its id or its name."""
    text(namespace, "namespace")
    return namespace if namespace.startswith("namespaces/") else f"namespaces/{namespace}"


def memory_name(namespace: str, id_or_name: str) -> str:
    """Resource name of a memory, from its id in a namespace or its full name."""
    text(id_or_name, "id")
    return id_or_name if "/" in id_or_name else f"{namespace_name(namespace)}/memories/{id_or_name}"


def session_name(namespace: str, id_or_name: str) -> str:
    """Resource name of a session; its id may hold slashes."""
    text(id_or_name, "session")
    return id_or_name if id_or_name.startswith("namespaces/") else f"{namespace_name(namespace)}/sessions/{id_or_name}"


def conversation_name(namespace: str, id_or_name: str) -> str:
    """Resource name of a conversation; its id may hold slashes."""
    text(id_or_name, "conversation")
    if id_or_name.startswith("namespaces/"):
        return id_or_name
    return f"{namespace_name(namespace)}/conversations/{id_or_name}"


def conversation_id(id_or_name: str) -> str:
    """Id of a conversation, from its id or its full name."""
    text(id_or_name, "conversation")
    return id_or_name.partition("/conversations/")[2] if id_or_name.startswith("namespaces/") else id_or_name


def id_in(name: str) -> str:
    """The id in the name of a memory, empty where it has none."""
    parts = name.split("/", 3)
    return parts[3] if len(parts) == 4 else ""


def session_id_in(name: str) -> str:
    """The id in the name of a session."""
    return name.partition("/sessions/")[2]


def namespace_in(name: str) -> str:
    """The id of the namespace in a name."""
    parts = name.split("/", 2)
    return parts[1] if len(parts) > 1 else ""


_NAMED = ("parent", "name", "session", "conversation", "report")
_NAMESPACE_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
_NAMESPACE = re.compile(r"namespaces/([a-z0-9][a-z0-9._-]{0,62})(?:/|\Z)")


def namespace_of(request: Any) -> str:
    """The id of the namespace that a request is about, by the first resource name in it; empty where there is none."""
    for field in _NAMED:
        name = getattr(request, field, "")
        if name and isinstance(name, str):
            break
    else:
        memory = getattr(request, "memory", None)
        name = getattr(memory, "name", "")
    found = _NAMESPACE.match(name)
    return found[1] if found else ""


def refused(error: MnemeError, request: Any) -> MnemeError:
    """The error of a server that refused a request: where the namespace has no valid name, that is what it says, with
    a name that is valid."""
    name = next((name for field in _NAMED if isinstance(name := getattr(request, field, ""), str) and name), "")
    id = name.removeprefix("namespaces/").partition("/")[0]
    if not isinstance(error, InvalidArgumentError) or not name.startswith("namespaces/") or _NAMESPACE_ID.fullmatch(id):
        return error
    proposed = re.sub(r"[^a-z0-9._-]+", "-", id.lower()).strip("-._")[:63]
    would = f"; {proposed!r} would do" if proposed else ""
    return invalid(
        "namespace",
        "must be 1 to 63 of a-z, 0-9, `.`, `_` and `-`, and begin with a letter or digit, "
        f"got {id!r}{would} (for ids of users: docs/identity.md#namespaces-for-users)",
    )


def new_uuid_v7() -> str:
    """A new id that sorts by the time at which it was made (RFC 9562)."""
    bits = bytearray(int(time.time() * 1000).to_bytes(6, "big") + os.urandom(10))
    bits[6] = 0x70 | (bits[6] & 0x0F)
    bits[8] = 0x80 | (bits[8] & 0x3F)
    text = bits.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def text(value: Any, at: str) -> str:
    """A string that UTF-8 can carry, one without half of a surrogate pair."""
    if not isinstance(value, str):
        raise invalid(at, f"must be a string, got {type(value).__name__}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            half = f"half of a surrogate pair at position {error.start}"
            raise invalid(at, f"must be whole Unicode characters, got {half}") from None
    return value
