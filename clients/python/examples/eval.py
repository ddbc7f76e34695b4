"""Asks a set of questions as `tools/eval.sh` does: stores its conversations, asks every question, writes the rankings.

    python clients/python/examples/eval.py SET.json --out run.jsonl [--server ADDRESS] [--pooled] [--limit 50]

`docs/cli.md` documents the file. Without --server a temporary server is started; with it, namespaces are created there
and deleted afterwards.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import chain
from typing import Any, TextIO

import mneme
from mneme import NewMemory, Scope, Source
from mneme.testing import start_server

BATCH_COUNT = 500
#: Half of the maximum size of a request: a character has at most three bytes.
BATCH_CHARACTERS = 700_000
#: A question that a busy machine answers late must not end the run.
TIMEOUT_MS = 30_000
#: Parts of the server that analyse memories after they are stored.
READERS = {"ranker", "passages", "encoder"}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description="Ask a set of questions and write the rankings.")
    parser.add_argument("set", help="file of conversations with questions")
    parser.add_argument("--out", required=True, help="file for the rankings, as JSON lines")
    parser.add_argument("--server", help="server to ask (a temporary one)")
    parser.add_argument("--pooled", action="store_true", help="put all conversations into one namespace")
    parser.add_argument("--limit", type=int, default=50, help="hits to ask for per question")
    parser.add_argument("--questions", type=int, help="ask only the first n of each conversation")
    flags = parser.parse_args(arguments)
    with open(flags.set, encoding="utf-8") as file:
        conversations = json.load(file)
    with ExitStack() as stack:
        address = flags.server or stack.enter_context(start_server()).address
        client = stack.enter_context(mneme.connect(address, timeout_ms=TIMEOUT_MS, recall_timeout_ms=TIMEOUT_MS))
        out = stack.enter_context(open(flags.out, "w", encoding="utf-8"))
        # All are stored before the first question: the lengths of all texts of a server count in each answer.
        parts = [store_part(client, part, stack) for part in parts_of(conversations, pooled=flags.pooled)]
        for part in parts:
            ask(part, flags.limit, flags.questions, out)


@dataclass
class Part:
    """Conversations in a namespace of their own."""

    client: mneme.Mneme
    conversations: list[dict[str, Any]]
    originals: dict[str, str]
    """The id in the set, by the name under which a memory is stored."""


def parts_of(conversations: list[dict[str, Any]], *, pooled: bool) -> list[list[dict[str, Any]]]:
    """Conversations that share a namespace."""
    return [conversations] if pooled else [[conversation] for conversation in conversations]


def store_part(client: mneme.Mneme, conversations: list[dict[str, Any]], stack: ExitStack) -> Part:
    """Until the stack is left."""
    target = client.with_namespace(f"eval-{uuid.uuid4()}")
    stack.callback(client.namespaces.delete, target.namespace, force=True)
    is_pooled = len(conversations) > 1
    memories = chain.from_iterable(memories_of(conversation, is_pooled) for conversation in conversations)
    return Part(target, conversations, dict(store(target, memories)))


def ask(part: Part, limit: int, question_count: int | None, out: TextIO) -> None:
    for conversation in part.conversations:
        for question in conversation["questions"][:question_count]:
            ranked = [part.originals[hit.memory.name] for hit in answer(part.client, question["text"], limit)]
            line = {"question_id": question["id"], "ranked": ranked}
            out.write(f"{json.dumps(line, ensure_ascii=False, separators=(',', ':'))}\n")


def memories_of(conversation: dict[str, Any], is_pooled: bool) -> Iterator[NewMemory]:
    """The memories of a conversation: those of one session begin together, a second after one another."""
    said: Counter[str] = Counter()
    for memory in conversation["memories"]:
        session = str(memory["session"])
        second = said[session]
        said[session] += 1
        if memory["text"]:
            yield NewMemory(
                text=memory["text"],
                event_time=start_of(memory["date_iso"]) + timedelta(seconds=second),
                scope=Scope(session=f"{conversation['conversation_id']}/{session}" if is_pooled else session),
                source=Source(uri=memory["id"], speaker=memory["speaker"] or None),
            )


def start_of(text: str) -> datetime:
    """A time without a zone is in UTC."""
    time = datetime.fromisoformat(re.sub(r"Z$", "+00:00", text))
    return time if time.tzinfo else time.replace(tzinfo=timezone.utc)


def store(client: mneme.Mneme, memories: Iterator[NewMemory]) -> Iterator[tuple[str, str]]:
    """Stores them; gives the name of each and the id that it has in the set."""
    for batch in batches_of(memories):
        for receipt, memory in zip(client.batch_store(batch), batch, strict=True):
            assert isinstance(memory.source, Source)
            yield receipt.name, memory.source.uri or ""


def batches_of(memories: Iterator[NewMemory]) -> Iterator[list[NewMemory]]:
    batch: list[NewMemory] = []
    characters = 0
    for memory in memories:
        length = len(memory.text or "")
        if batch and (len(batch) == BATCH_COUNT or characters + length > BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(memory)
        characters += length
    if batch:
        yield batch


def answer(client: mneme.Mneme, text: str, limit: int) -> tuple[mneme.RecallHit, ...]:
    """All hits, relevant or not. Until the server has analysed its memories, its order differs and it reports so: the
    question is then repeated."""
    while True:
        result = client.recall(text, limit=limit, view="metadata", min_relevance=0)
        if not any(each.part in READERS for each in result.degraded):
            return result.hits


if __name__ == "__main__":
    main(sys.argv[1:])
