"""A small agent, the same in the clients of all languages: it stores, recalls, subscribes, keeps working memory, is
paused and killed, and continues. `clients/example-output.txt` is its output.

    clients/python/agent-example ADDRESS work      stays until it is killed
    clients/python/agent-example ADDRESS resume
"""

from __future__ import annotations

import sys
import threading

import mneme
from mneme import Scope, where

PLACES = ["harbour", "market", "museum", "tower"]
SCOPE = Scope(project="city", agent_type="guide", agent="ada")


def main(address: str, command: str) -> None:
    with mneme.connect(address, namespace="city") as client:
        if command == "work":
            work(client)
        else:
            resume(client)


def work(client: mneme.Mneme) -> None:
    client.batch_store(
        [
            {"type": "fact", "text": "The harbour has boats to the island every hour.", "scope": SCOPE},
            {"type": "fact", "text": "The market sells fish and bread in the morning.", "scope": SCOPE},
            {"type": "fact", "text": "The museum is closed on Mondays.", "scope": SCOPE, "tags": ["closed"]},
            {"type": "fact", "text": "The tower has 212 steps and a view of the city.", "scope": SCOPE},
        ]
    )
    say("stored 4 memories")
    hit = client.recall("When is the museum closed?", limit=1).hits[0]
    say(f"recalled: {hit.memory.text}")
    follow_what_is_closed(client)

    client.lifecycle.spawn(session_id="tour", scope=SCOPE, initial_values={"seen": []})
    session = client.session("tour")
    session.set_task_state(description="plan a tour of the city", total_steps=len(PLACES))
    visit(session, 2)
    paused = client.lifecycle.pause("tour", description="a night of sleep")
    say(f"paused: {paused.checkpoint.description}")
    threading.Event().wait()


def follow_what_is_closed(client: mneme.Mneme) -> None:
    """A standing recall: its answer first, then the changes."""
    for answer in client.subscribe(filter=where.tag.equals("closed")):
        if not answer.entered:
            continue
        say(f"{'subscribed' if len(answer.hits) == 1 else 'entered'}: {answer.entered[0].memory.text}")
        if len(answer.hits) == 2:
            return
        client.store({"type": "fact", "text": "The market is closed on Sundays.", "scope": SCOPE, "tags": ["closed"]})
        say("stored 1 memory")


def resume(client: mneme.Mneme) -> None:
    resumed = client.lifecycle.resume("tour")
    session = client.session("tour")
    task = session.get_task_state()
    step = f"step {task.current_step} of {task.total_steps}" if task else "no task"
    say(f"resumed: {resumed.checkpoint.description}, {resumed.restored_count} value, {step}")
    visit(session, 2)
    seen = seen_places(session)
    ended = client.lifecycle.terminate(
        "tour", lessons=["the museum is worth an afternoon"], actions=[f"visited the {place}" for place in seen]
    )
    episode = client.get(ended.episode_id or "")
    say(f"finished: {len(seen)} of {len(PLACES)} places, remembered as {episode.type}")
    hit = client.recall("What is worth an afternoon?", limit=1, scope=SCOPE).hits[0]
    say(f"recalled: {hit.memory.type}")


def visit(session: mneme.WorkingMemory, count: int) -> None:
    seen = seen_places(session)
    for place in PLACES[len(seen) : len(seen) + count]:
        seen = [*seen, place]
        session.append_scratchpad(f"the {place} is worth a visit")
        session.set("seen", seen)
        session.update_task_progress(current_step=len(seen))
        say(f"step {len(seen)}: the {place}")


def seen_places(session: mneme.WorkingMemory) -> list[str]:
    entry = session.get("seen")
    return list(entry.value.json()) if entry else []


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
