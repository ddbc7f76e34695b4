"""The example, and the code of the README, as they are."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from mneme.testing import start_server

_HERE = Path(__file__).parent
_README = _HERE.parents[1] / "src" / "mneme" / "langgraph" / "README.md"
_ADDRESS = "127.0.0.1:50051"


def _output_of(*command: str) -> str:
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_runs() -> None:
    with start_server("--embedder", "static") as server:
        output = _output_of(str(_HERE / "example.py"), server.address)
    assert "waits: remember 'I drink tea without milk.'?" in output
    assert "agent: You drink tea without milk." in output
    assert "memory: ['I drink tea without milk.']" in output
    assert "checkpoints of monday: 4" in output


def test_the_code_of_the_readme_runs() -> None:
    first, suite = re.findall(r"```python\n(.*?)```", _README.read_text(), re.DOTALL)
    assert len([line for line in first.splitlines() if line]) == 10
    with start_server("--embedder", "static") as server:
        assert _output_of("-c", first.replace(_ADDRESS, server.address)) == "message 1\nAda drinks tea without milk\n"
    assert re.fullmatch(r"\d+ passed, 0 failed\n", _output_of("-c", suite))
