"""The way to a server: proxies, servers that are not there, and TLS on one side alone."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mneme
import mneme.aio
from mneme._routes import is_local, proxy_to
from mneme.testing import Server, start_server

_VARIABLES = ("http_proxy", "https_proxy", "grpc_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")


@pytest.fixture
def proxied(monkeypatch: pytest.MonkeyPatch) -> str:
    """Every variable of a proxy, which nobody serves."""
    for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in _VARIABLES:
        monkeypatch.setenv(name, "http://ann:secret@127.0.0.1:9")
    return "127.0.0.1:9"


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address that refuses connections: its port is taken, and not listened on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


@pytest.mark.parametrize(
    "target",
    [
        "127.0.0.1:50051",
        "127.8.9.10:1",
        "localhost",
        "LOCALHOST:50051",
        "db.localhost:1",
        "::1",
        "[::1]:50051",
        "[::ffff:127.0.0.1]:1",
        "dns:///localhost:50051",
        "ipv4:127.0.0.1:1",
        "unix:/tmp/mneme.sock",
        "unix:///tmp/mneme.sock",
    ],
)
def test_a3_addresses_of_this_machine(target: str, proxied: str) -> None:
    assert is_local(target)
    assert proxy_to(target) is None


@pytest.mark.parametrize("target", ["example.org:50051", "10.0.0.1:1", "[2001:db8::1]:1", "localhost.example.org:1"])
def test_a3_addresses_elsewhere(target: str, proxied: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_local(target)
    assert proxy_to(target) == "grpc_proxy=http://…@127.0.0.1:9"
    monkeypatch.setenv("no_proxy", "example.org,10.0.0.1,2001:db8::1")
    assert proxy_to(target) is None


def test_a3_a_local_server_is_reached_without_the_proxy(server: Server, namespace: str, proxied: str) -> None:
    port = server.address.rpartition(":")[2]
    for address in (server.address, f"localhost:{port}"):
        with mneme.connect(address, namespace=namespace) as client:
            client.store("x")
            assert next(client.recall_stream("x"))

    async def main() -> None:
        async with mneme.aio.connect(server.address, namespace=namespace) as client:
            assert (await client.count()).count == 2

    asyncio.run(main())


def test_a3_a_server_for_tests_starts_beside_a_proxy(proxied: str) -> None:
    with start_server("--embedder", "none") as running, mneme.connect(running.address) as client:
        assert client.store("x").id


def test_a3_a_failing_proxy_is_named_without_its_password(proxied: str) -> None:
    with mneme.connect("mneme.example.org:50051") as client, pytest.raises(mneme.UnavailableError) as caught:
        client.count()
    message = caught.value.message
    assert "over the proxy of grpc_proxy=http://…@127.0.0.1:9" in message
    assert "add mneme.example.org to no_proxy" in message
    assert "secret" not in message


_CALLS: list[Callable[[Any], Any]] = [
    lambda client: client.count(),
    lambda client: client.store("x"),
    lambda client: next(client.list()),
    lambda client: next(client.watch()),
    lambda client: next(client.subscribe("x")),
    lambda client: next(client.export_memories()),
    lambda client: next(client.ingest([{"text": "x"}])),
    lambda client: client.import_memories([{"text": "x"}]),
]


@pytest.mark.parametrize("call", _CALLS)
def test_no_server_says_so_at_once(nowhere: str, call: Callable[[Any], Any]) -> None:
    with mneme.connect(nowhere) as client, pytest.raises(mneme.UnavailableError) as caught:
        call(client)
    assert caught.value.message == f"connection refused at {nowhere}: is it running? (mneme serve)"


def test_no_server_with_asyncio_and_on_a_socket(nowhere: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with mneme.aio.connect(nowhere) as client:
            with pytest.raises(mneme.UnavailableError, match="connection refused at"):
                await client.count()
            with pytest.raises(mneme.UnavailableError, match="connection refused at"):
                async for _ in client.watch():
                    pass

    asyncio.run(main())
    with (
        mneme.connect(f"unix:{tmp_path}/none.sock") as client,
        pytest.raises(mneme.UnavailableError, match=r"connection refused at unix:.*is it running"),
    ):
        client.count()
    with (
        mneme.connect("no-such-host.invalid") as client,
        pytest.raises(mneme.UnavailableError, match=r"no connection to no-such-host\.invalid:50051"),
    ):
        client.count()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl")
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem"
    names = ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*command.split(), *names], cwd=folder, check=True, capture_output=True)
    return folder


def test_tls_on_one_side_alone_is_said_in_words(server: Server, certificate: Path) -> None:
    ca = (certificate / "cert.pem").read_text()
    files = ("--tls-cert", str(certificate / "cert.pem"), "--tls-key", str(certificate / "key.pem"))
    with (
        mneme.connect(server.address, tls={"ca": ca}) as client,
        pytest.raises(mneme.UnavailableError, match="the server does not speak TLS: connect without"),
    ):
        client.count()
    with start_server("--embedder", "none", *files) as secured:
        with mneme.connect(secured.address, tls={"ca": ca}) as client:
            assert client.store("x").id
        with (
            mneme.connect(secured.address) as client,
            pytest.raises(mneme.UnavailableError, match=r"where it speaks TLS, connect with tls=True"),
        ):
            client.count()
        with (
            mneme.connect(secured.address, tls=True) as client,
            pytest.raises(mneme.UnavailableError, match="certificate of the server is not trusted"),
        ):
            client.count()


def test_grpc_writes_nothing_beside_the_error(server: Server) -> None:
    program = (
        "import mneme\n"
        f"with mneme.connect({server.address!r}, tls=True) as client:\n"
        "    try: client.count()\n"
        "    except mneme.UnavailableError: print('refused')\n"
    )
    env = {key: value for key, value in os.environ.items() if key != "GRPC_VERBOSITY"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
    assert (done.stdout, done.stderr) == ("refused\n", "")


_LOOPS = "belongs to the event loop of its first call"


async def _each_way(client: mneme.aio.Mneme) -> list[str]:
    """The errors of a call, streams and a handler."""

    async def stream(source: Any) -> None:
        async for _ in source:
            return

    ways: list[Any] = [
        client.count(),
        client.store("x"),
        stream(client.list()),
        stream(client.watch()),
        stream(client.ingest([{"text": "x"}])),
        client.import_memories([{"text": "x"}]),
        client.lifecycle.serve_hook("h", ["before"], print),
    ]
    found = await asyncio.gather(*ways, return_exceptions=True)
    assert all(isinstance(each, mneme.FailedPreconditionError) for each in found), found
    return [str(each) for each in found]


@pytest.mark.filterwarnings("error")
def test_a9_a_client_of_a_loop_that_is_closed(server: Server, namespace: str) -> None:
    client = mneme.aio.connect(server.address, namespace=namespace)

    async def first() -> None:
        await client.store("x")

    asyncio.run(first())
    assert all(_LOOPS in each for each in asyncio.run(_each_way(client)))
    asyncio.run(client.close())  # Its connections have ended with its loop.


@pytest.mark.filterwarnings("error")
def test_a9_a_client_of_a_loop_in_another_thread(server: Server, namespace: str) -> None:
    async def main() -> None:
        async with mneme.aio.connect(server.address, namespace=namespace) as client:
            await client.store("x")
            errors: list[str] = []
            thread = threading.Thread(target=lambda: errors.extend(asyncio.run(_each_way(client))))
            thread.start()
            await asyncio.to_thread(thread.join)
            assert errors and all(_LOOPS in each for each in errors)
            assert (await client.count()).count == 1

    asyncio.run(main())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a9_a_client_of_before_a_fork(server: Server, namespace: str) -> None:
    program = (
        "import os, mneme\n"
        f"client = mneme.connect({server.address!r}, namespace={namespace!r})\n"
        "client.store('x')\n"
        "if os.fork() == 0:\n"
        "    for call in (client.count, lambda: next(client.watch())):\n"
        "        try: call()\n"
        "        except mneme.FailedPreconditionError as error: print(error, flush=True)\n"
        "    with mneme.connect(client._connection.address, namespace=client.namespace): pass\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "print(client.count().count)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    lines = done.stdout.splitlines()
    assert lines == ["the process was forked after this client had been made: connect in the new process"] * 2 + ["1"]
