"""Options of gRPC channels: the guarantees that gRPC itself gives."""

from __future__ import annotations

import os
import re
from importlib import metadata
from typing import Any
from urllib.parse import quote

import grpc

from ._known import made
from ._retries import CALLS_CONFIG, STREAMS_CONFIG
from ._routes import is_local
from .errors import invalid
from .options import CallerScope, ConnectOptions, TlsOptions

_DEFAULT_PORT = 50051
_MIB = 1024 * 1024
_URL = re.compile("(?:http|grpc)s?://", re.IGNORECASE)
_BARE_HOST = re.compile(r"[^:/]+|\[[^\]]+\]")

Option = tuple[str, str | int]


class _Forks:
    """Counts forks: a client of before one has lost the threads of gRPC."""

    def __init__(self) -> None:
        self.count = 0
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._note)

    def _note(self) -> None:
        self.count += 1


forks = _Forks()


def version() -> str:
    """Version of this package; 0 where it runs from the checkout."""
    try:
        return metadata.version("mneme")
    except metadata.PackageNotFoundError:
        return "0"


def target_of(address: str) -> str:
    """Adds the port of Mneme to an address without a port: gRPC itself would use 443. Refuses URLs."""
    if scheme := _URL.match(address):
        raise invalid("address", f"expected host:port without {scheme[0]}, got {address}")
    return f"{address}:{_DEFAULT_PORT}" if _BARE_HOST.fullmatch(address) else address


def connect_options(**given: Any) -> ConnectOptions:
    """The options of `connect`, with dicts for their parts."""
    if given.get("tls") is None:
        given["tls"] = False
    if not isinstance(given["tls"], bool):
        given["tls"] = made(TlsOptions, given["tls"], "tls")
    if given.get("call_from") not in (None, "*"):
        given["call_from"] = made(CallerScope, given["call_from"], "call_from")
    for name in ("timeout_ms", "recall_timeout_ms", "heartbeat_ms"):
        if isinstance(given[name], bool) or not isinstance(given[name], (int, float)):
            raise invalid(name, f"must be a number of milliseconds, got {given[name]!r}")
    return ConnectOptions(**given)


def channel_options(target: str, options: ConnectOptions, *, for_streams: bool = False) -> list[Option]:
    """Options of a channel. That for streams has a connection of its own, so that they do not stand before calls."""
    tls = options.tls
    name = tls.server_name if isinstance(tls, TlsOptions) else None
    return [
        ("grpc.service_config", STREAMS_CONFIG if for_streams else CALLS_CONFIG),
        # The configuration is set above; a DNS lookup for another one would only take time.
        ("grpc.service_config_disable_resolution", 1),
        ("grpc.enable_retries", int(options.retry)),
        # The size of the largest request that a server accepts, so that every request can be retried.
        ("grpc.per_rpc_retry_buffer_size", 4 * _MIB),
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 0),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.initial_reconnect_backoff_ms", 200),
        ("grpc.min_reconnect_backoff_ms", 200),
        ("grpc.max_reconnect_backoff_ms", 10_000),
        ("grpc.max_receive_message_length", 16 * _MIB),
        ("grpc.http2.lookahead_bytes", 4 * _MIB),
        ("grpc.primary_user_agent", f"mneme-python/{version()}"),
        # Clients of one process share no connections: one that is closed ends only its own.
        ("grpc.use_local_subchannel_pool", 1),
        # A proxy of a company cannot reach this machine's own servers.
        *([("grpc.enable_http_proxy", 0)] if is_local(target) else []),
        *([("grpc.ssl_target_name_override", name), ("grpc.default_authority", name)] if name else []),
        *([("mneme.for_streams", 1)] if for_streams else []),
        *options.channel_options,
    ]


def credentials(options: ConnectOptions) -> grpc.ChannelCredentials | None:
    """None: not encrypted."""
    if options.tls is False:
        return None
    tls = TlsOptions() if options.tls is True else options.tls
    if (tls.cert is None) != (tls.key is None):
        raise invalid("tls", "cert and key must be given together")
    return grpc.ssl_channel_credentials(_pem(tls.ca), _pem(tls.key), _pem(tls.cert))


def header(options: ConnectOptions) -> list[tuple[str, str]]:
    """Metadata of every call."""
    pairs = []
    if options.token is not None:
        pairs.append(("authorization", f"Bearer {options.token}"))
    if options.call_from is not None:
        pairs.append(("mneme-scope", _caller_scope(options)))
    return pairs


def _caller_scope(options: ConnectOptions) -> str:
    scope = options.call_from
    if scope is None or scope == "*":
        return scope or ""
    parts = {"project": scope.project, "agent_type": scope.agent_type, "agent": scope.agent, "session": scope.session}
    try:
        return "&".join(f"{name}={quote(value, safe='')}" for name, value in parts.items() if value)
    except UnicodeEncodeError:
        raise invalid("call_from", "is not well-formed text") from None


def _pem(text: str | bytes | None) -> bytes | None:
    return text.encode() if isinstance(text, str) else text
