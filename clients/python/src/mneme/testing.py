"""A server of one's own for tests.

```python
import mneme
from mneme.testing import start_server

def test_agent() -> None:
    with start_server() as server, mneme.connect(server.address) as client:
        client.store({"text": "the museum is closed on Mondays"})
```
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from typing_extensions import Self

__all__ = ["Server", "start_server"]

_ADDRESS = re.compile(r"^ *address +(\S+)", re.MULTILINE)
#: Where this package is in a checkout of Mneme, its program.
_IN_CHECKOUT = Path(__file__).resolve().parent.joinpath(*[".."] * 4, "bin", "mneme")


class Server:
    """A server that is running. Use it with `with`, or call `stop`."""

    def __init__(
        self, process: subprocess.Popen[str], address: str, folder: str | None, reader: threading.Thread
    ) -> None:
        self.process = process
        """The process, to be killed where a test wants that."""
        self.address = address
        """`host:port` that it listens on."""
        self._folder = folder
        self._reader = reader

    def stop(self) -> None:
        """Stops it and removes its temporary folder."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def start_server(
    *flags: str,
    binary: str | os.PathLike[str] | Sequence[str] | None = None,
    listen: str = "127.0.0.1:0",
    data: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    timeout_s: float = 60,
) -> Server:
    """Starts `mneme serve` on a free port with a temporary folder, and waits until it answers.

    `flags` are more flags of `mneme serve`. `binary` is the program `mneme`; default: the variable `MNEME_BIN`, `mneme`
    on the `PATH`, or `bin/mneme` of the checkout that this package is in. `data` is a folder that is kept. Raises
    `RuntimeError` with what the server said when it does not start within `timeout_s` seconds.
    """
    folder = None if data is not None else tempfile.mkdtemp(prefix="mneme-")
    program = _program(binary)
    command = [*program, "serve", "--listen", listen, "--data", str(data or folder), "--log-level", "error", *flags]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(env or {})}
    )
    said: list[str] = []
    started = threading.Event()

    def listen_to() -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                said.append(line)
                if _ADDRESS.match(line):
                    started.set()
        started.set()

    reader = threading.Thread(target=listen_to, daemon=True)
    reader.start()
    started.wait(timeout_s)
    address = _ADDRESS.search("".join(said))
    if address is None:
        process.kill()
        process.wait()
        reader.join()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        raise RuntimeError(f"{' '.join(command)} did not start:\n{''.join(said)}")
    return Server(process, address[1], folder, reader)


def _program(binary: str | os.PathLike[str] | Sequence[str] | None) -> list[str]:
    if binary is None:
        found = os.environ.get("MNEME_BIN") or shutil.which("mneme")
        binary = found or (_IN_CHECKOUT if _IN_CHECKOUT.exists() else None)
    if binary is None:
        raise RuntimeError("the program mneme is not on the PATH: give it as `binary` or in the variable MNEME_BIN")
    return [str(binary)] if isinstance(binary, (str, os.PathLike)) else list(binary)
