"""Which unary calls are repeated, and when: the same in the clients of all languages.

gRPC itself repeats no call whose headers have arrived, and a server that is killed may end a call between its message
and its status. So the client makes all attempts: with the same request, within the deadline of the call, by the
policies of `service-config.json`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any

import grpc

from ._io import Io
from .options import Cancellation

_TEXT = resources.files("mneme").joinpath("service-config.json").read_text("utf-8")
_CONFIG: dict[str, Any] = json.loads(_TEXT)
#: gRPC's configuration of streams, as the shared file has it.
STREAMS_CONFIG = _TEXT
#: gRPC's configuration of unary calls: gRPC repeats none of them.
CALLS_CONFIG = json.dumps({"loadBalancingConfig": _CONFIG["loadBalancingConfig"]})
_TOKENS_MAX: float = _CONFIG["retryThrottling"]["maxTokens"]
_TOKEN_RATIO: float = _CONFIG["retryThrottling"]["tokenRatio"]
#: How long a server asks to wait before the next attempt, in milliseconds; any other value asks for none.
_PUSHBACK = "grpc-retry-pushback-ms"
#: How gRPC reports a stream that the peer has reset, and one that has ended without a status.
_BROKEN_BY_PEER = {
    (grpc.StatusCode.INTERNAL, "Received RST_STREAM with error code 2"),
    (grpc.StatusCode.UNKNOWN, "Stream removed"),
}


@dataclass(frozen=True)
class _Policy:
    max_attempts: int
    first_s: float
    longest_s: float
    multiplier: float
    codes: frozenset[str]


def _policy(written: dict[str, Any]) -> _Policy:
    return _Policy(
        max_attempts=written["maxAttempts"],
        first_s=float(written["initialBackoff"].rstrip("s")),
        longest_s=float(written["maxBackoff"].rstrip("s")),
        multiplier=written["backoffMultiplier"],
        codes=frozenset(written["retryableStatusCodes"]),
    )


#: By the path of a method.
_POLICIES = {
    f"/{name['service']}/{name['method']}": policy
    for method in _CONFIG["methodConfig"]
    for policy in (_policy(method["retryPolicy"]),)
    for name in method["name"]
}


class Retries:
    """Decides for the unary calls of one connection. For many threads."""

    def __init__(self, io: Io, may_repeat: Callable[[], bool]) -> None:
        """`may_repeat` is asked after each failure, and again after the wait that follows."""
        self._io = io
        self._may_repeat = may_repeat
        self._lock = threading.Lock()
        #: Falls with every failed attempt: below one half, nothing is repeated.
        self._tokens = _TOKENS_MAX

    def succeeded(self) -> None:
        """An attempt had its answer."""
        if self._tokens < _TOKENS_MAX:
            with self._lock:
                self._tokens = min(self._tokens + _TOKEN_RATIO, _TOKENS_MAX)

    async def wait(
        self, path: str, failures: int, error: grpc.RpcError, ends_at: float | None, cancel: Cancellation | None
    ) -> bool:
        """Waits after so many failed attempts, until the next one is due. False when none may follow."""
        seconds = self._wait_of(path, failures, error) if self._may_repeat() else None
        if seconds is None or (ends_at is not None and self._io.now() + seconds >= ends_at):
            return False
        await self._io.sleep(seconds, cancel)
        return self._may_repeat() and not (cancel is not None and cancel.cancelled)

    def _wait_of(self, path: str, failures: int, error: grpc.RpcError) -> float | None:
        policy = _POLICIES.get(path)
        if policy is None or failures >= policy.max_attempts or code_of_call(error).name not in policy.codes:
            return None
        with self._lock:
            self._tokens = max(self._tokens - 1, 0)
            if self._tokens <= _TOKENS_MAX / 2:
                return None
        metadata: Any = error.trailing_metadata()
        for key, value in metadata or ():
            if key == _PUSHBACK:
                return int(value) / 1000 if value.isascii() and value.isdigit() else None
        limit = min(policy.first_s * policy.multiplier ** (failures - 1), policy.longest_s)
        return self._io.random() * limit


def text_of_call(error: grpc.RpcError) -> str:
    """The description of a failure."""
    return str((error.details() if hasattr(error, "details") else None) or error)


def code_of_call(error: grpc.RpcError) -> grpc.StatusCode:
    """UNAVAILABLE for a call that a proxy ended because its own connection to the server broke, for which gRPC has
    INTERNAL or UNKNOWN; otherwise the status itself."""
    code = error.code() if hasattr(error, "code") else None
    if not isinstance(code, grpc.StatusCode):
        return grpc.StatusCode.UNKNOWN
    is_broken = (code, error.details()) in _BROKEN_BY_PEER
    return grpc.StatusCode.UNAVAILABLE if is_broken else code
