"""Ways to a server: addresses of this machine, and proxies."""

from __future__ import annotations

import ipaddress
import os
import re
import socket

_PORT = re.compile(r":\d*$")
_SCHEME = re.compile(r"(?:dns:(?://[^/]*/)?|ipv4:|ipv6:|passthrough:/{0,3})", re.IGNORECASE)
_CREDENTIALS = re.compile(r"//[^/@]*@")
#: In the order in which gRPC looks for them.
_PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")
_EXCEPTIONS = ("no_grpc_proxy", "no_proxy")
_KNOCK_S = 0.1


def is_local(target: str) -> bool:
    """Whether the address is of this machine: all of 127.0.0.0/8, `localhost`, `::1`, a Unix socket."""
    if target.startswith(("unix:", "unix-abstract:")):
        return True
    return all(_is_loopback(host_of(each)) for each in _SCHEME.sub("", target, count=1).split(","))


def host_of(target: str) -> str:
    """The host of `host:port`, `[ipv6]:port` or a target of gRPC."""
    address = _SCHEME.sub("", target, count=1)
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address if address.count(":") > 1 else _PORT.sub("", address)


def listens(target: str) -> bool | None:
    """Whether something listens at an address; None where that is not known at once."""
    found = _PORT.search(target)
    if found is None or found[0] == ":" or proxy_to(target) is not None:
        return None
    try:
        socket.create_connection((host_of(target), int(found[0][1:])), _KNOCK_S).close()
        return True
    except ConnectionRefusedError:
        return False
    except (OSError, ValueError):
        return None


def proxy_to(target: str) -> str | None:
    """The proxy that gRPC takes to an address, as `http_proxy=URL` without its password; None for none."""
    if is_local(target):
        return None
    found = next((name for name in _PROXIES if os.environ.get(name)), None)
    host = host_of(target)
    exceptions = next((os.environ[name] for name in _EXCEPTIONS if os.environ.get(name)), "")
    if found is None or any(each.strip() and host.endswith(each.strip()) for each in exceptions.split(",")):
        return None
    return f"{found}={_CREDENTIALS.sub('//…@', os.environ[found])}"


def _is_loopback(host: str) -> bool:
    if host.lower().rstrip(".") == "localhost" or host.lower().rstrip(".").endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback or address.is_unspecified
