"""The example of the Agent Memory API says what it should."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from mneme.testing import Server

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "agentmemory.py"


def test_the_example(server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("MNEME_SERVER", server.address)
    for _ in range(2):
        runpy.run_path(str(EXAMPLE), run_name="__main__")
        assert capsys.readouterr().out.splitlines() == [
            "at the cliff: nothing grows here",
            "all stored: True",
            "wood over time: [0, 2, 4]",
            "failed at step: 1",
            "found: interaction {'interaction_type': 'trade', 'with': 'bob', 'wood': 1}",
            "memories: {'action': 3, 'interaction': 1, 'state': 3}",
        ]
