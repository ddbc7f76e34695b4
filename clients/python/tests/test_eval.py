"""The evaluation written with this client ranks as `tools/eval.sh` does, hit by hit."""

from __future__ import annotations

import json
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mneme.testing import Server

EXAMPLE = Path(__file__).parent.parent / "examples" / "eval.py"
EVAL = Path(__file__).parents[3] / "tools" / "eval.sh"
PEOPLE = ["Ada", "Ben", "Cleo", "Dov"]
THINGS = ["cello", "museum", "harbour", "garden", "violin", "bakery", "tower", "bridge", "market", "library"]
SAYINGS = [
    "I went to the {thing} {count} days ago and stayed until it closed.",
    "My sister told me that the {thing} is being repaired for {count} weeks.",
    "Do you remember how we met {count} people at the {thing}?",
    "{thing}? No, I have not thought of that for {count} years.",
]


def conversation(number: int) -> dict[str, Any]:
    memories = [
        {
            "id": f"c{number}/m{place}",
            "session": place // 10,
            "date_iso": f"2024-0{number + 1}-{place // 10 + 1:02}T10:00:00",
            "speaker": PEOPLE[(place + number) % len(PEOPLE)],
            "text": SAYINGS[(place * 7 + number) % len(SAYINGS)].format(
                thing=THINGS[(place * 3 + number) % len(THINGS)], count=number * 40 + place + 2
            ),
        }
        for place in range(40)
    ]
    questions = [
        {"id": f"c{number}/q{place}", "text": f"Who spoke of the {thing}?", "category": "x", "evidence": ["c0/m0"]}
        for place, thing in enumerate(THINGS)
    ]
    return {"conversation_id": f"c{number}", "memories": memories, "questions": questions}


@pytest.mark.parametrize("flags", [[], ["--pooled", "--limit", "30"]])
def test_the_same_ranking_hit_by_hit(server: Server, tmp_path: Path, flags: list[str]) -> None:
    if not EVAL.exists():
        pytest.skip("tools/eval.sh, the evaluation to compare with, is absent")
    questions = tmp_path / "set.json"
    questions.write_text(json.dumps([conversation(0), conversation(1)]), "utf-8")
    ours, theirs = tmp_path / "ours.jsonl", tmp_path / "theirs.jsonl"
    runpy.run_path(str(EXAMPLE))["main"]([str(questions), "--out", str(ours), "--server", server.address, *flags])
    command = [str(EVAL), str(questions), "--out", str(theirs), "--server", server.address, *flags]
    subprocess.run(command, check=True, capture_output=True)
    lines = [json.loads(line) for line in ours.read_text("utf-8").splitlines()]
    assert len(lines) == 20
    assert all(line["ranked"] for line in lines)
    assert ours.read_text("utf-8") == theirs.read_text("utf-8")
