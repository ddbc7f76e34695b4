"""The example, and the lines of the README, as they are."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import mneme.haystack
from mneme.testing import start_server

HERE = Path(__file__).parent
QUESTION = "When is the museum closed?"


def test_example() -> None:
    with start_server() as server:
        done = subprocess.run(
            [sys.executable, str(HERE / "example.py"), server.address], capture_output=True, text=True, check=True
        )
    assert (
        done.stdout == f"<memory>\n<entry>The museum is closed on Mondays.</entry>\n</memory>\nQuestion: {QUESTION}\n"
    )


def test_lines_of_the_readme() -> None:
    readme = (Path(mneme.haystack.__file__).parent / "README.md").read_text()
    lines = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert len(lines) == 2
    with start_server() as server:
        code = "".join(lines).replace("127.0.0.1:50051", server.address)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "The museum is closed on Mondays. {'page': 1}\n"
        f"<memory>\n<entry>The museum is closed on Mondays.</entry>\n</memory>\n\nQuestion: {QUESTION}\n"
    )
