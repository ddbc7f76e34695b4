"""Whether a server can be reached, and the words for why it cannot."""

from __future__ import annotations

import re
from collections.abc import Callable

import grpc

from ._retries import code_of_call, text_of_call
from ._routes import host_of, proxy_to
from .options import ConnectOptions

_NO_CONNECTION = re.compile(
    r"(?:failed to connect to all addresses|connections to all backends failing).*?last error: (?:\w+: )?(.*)",
    re.DOTALL,
)
#: Causes that waiting does not change, but for a server that is about to start.
_FINAL = re.compile(
    r"refused|handshake failed|resolution failed|No such file|Socket closed|Connection reset|verification|proxy",
    re.IGNORECASE,
)


class Reach:
    """The way of one client to its server. Before the first answer, a call waits only where waiting may help."""

    def __init__(self, address: str, options: ConnectOptions) -> None:
        self.address = address
        self.was_reached = False
        self._options = options
        self._cause = ""

    def may_wait(self, error: grpc.RpcError, waited: bool, is_connected: Callable[[], bool]) -> tuple[bool, bool]:
        """After a failed attempt: whether it only found out why there is no connection, and whether the next attempt
        waits for one."""
        cause = cause_of(text_of_call(error))
        if not self.was_reached:
            is_silent = cause is not None or code_of_call(error) is grpc.StatusCode.DEADLINE_EXCEEDED
            self.was_reached = not is_silent or is_connected()
        if cause is None:
            return False, waited
        self._cause = cause
        wanted = self._options.wait_for_ready
        waits = wanted if wanted is not None else self.was_reached or not _FINAL.search(cause)
        return waits and not waited, waits

    def why(self, when: str, cause: str | None = None) -> str:
        """The text of an error for a call without a connection."""
        cause = self._cause if cause is None else cause
        none = f"no connection to {self.address}{when and f' {when}'}"
        proxy = proxy_to(self.address)
        if proxy is not None:
            host = host_of(self.address)
            why = cause or "no answer"
            return f"{none} over the proxy of {proxy}: {why}; to connect without it, add {host} to no_proxy"
        if not cause:
            return none
        if "refused" in cause or "No such file" in cause:
            return f"connection refused at {self.address}: is it running? (mneme serve)"
        return f"{none}: {self._in_words(cause)}"

    def _in_words(self, cause: str) -> str:
        if "WRONG_VERSION_NUMBER" in cause or "HTTP_REQUEST" in cause:
            return "the server does not speak TLS: connect without the option tls"
        if "CERTIFICATE_VERIFY_FAILED" in cause:
            return f"the certificate of the server is not trusted: give its authority, tls={{'ca': …}} ({cause})"
        if "ostname" in cause and "verif" in cause.lower():
            return f"the certificate of the server is for another name: tls={{'server_name': …}} ({cause})"
        if not self._options.tls and ("Socket closed" in cause or "reset" in cause):
            return (
                f"the server ended it at once: where it speaks TLS, connect with tls=True or tls={{'ca': …}} ({cause})"
            )
        return cause


def cause_of(text: str) -> str | None:
    """Why there is no connection, by the description of a failed call; None where there is one."""
    found = _NO_CONNECTION.search(text)
    if found:
        return found[1]
    return text if text.startswith("DNS resolution failed") else None
