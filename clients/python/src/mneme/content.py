"""The content, in its own format."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Union

from ._names import text
from .errors import invalid

Json = Union[None, bool, int, float, str, list[Any], tuple[Any, ...], dict[str, Any]]
"""A value that JSON can carry: None, bool, int, float, str, and lists and dicts (with str keys) of them."""


@dataclass(frozen=True)
class Content:
    """Bytes and their media type. The server returns them bit for bit."""

    media_type: str
    """Such as `image/png`. Up to 255 characters."""
    data: bytes
    """The bytes; up to the limit `content_max_bytes` of the server."""

    @classmethod
    def from_json(cls, value: Json) -> Content:
        """A value as `application/json`. `InvalidArgumentError` for values that JSON cannot represent, such as NaN."""
        return cls("application/json", json_text(value, "content").encode())

    @classmethod
    def from_text(cls, value: str) -> Content:
        """A text as `text/plain`."""
        return cls("text/plain", text(value, "content").encode())

    def text(self) -> str:
        """The bytes as UTF-8 text; `UnicodeDecodeError` when they are not."""
        return self.data.decode()

    def json(self) -> Any:
        """The bytes as a JSON value; `ValueError` when they are not JSON."""
        return json.loads(self.data)


def json_text(value: object, field: str) -> str:
    """The value as JSON; refuses values that JSON cannot represent, naming the field."""
    try:
        written = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        written.encode()
    except RecursionError:
        raise invalid(field, "is nested too deeply, or holds itself") from None
    except UnicodeEncodeError:
        raise invalid(field, "must hold whole Unicode characters, got half of a surrogate pair") from None
    except (TypeError, ValueError) as error:
        raise invalid(field, f"JSON cannot carry it: {error}") from None
    return written
