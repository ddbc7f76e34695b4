"""Conversations, contexts and facts against a real server, blocking and with asyncio."""

from __future__ import annotations

import asyncio
from datetime import datetime, timezone

import pytest

import mneme
import mneme.aio
from mneme.testing import Server


def test_text_stands_for_one_block(client: mneme.Mneme) -> None:
    result = client.conversations.append("c", [{"role": "user", "text": "I moved to Bern."}, {"role": "assistant"}])
    assert [each.sequence for each in result.messages] == [0, 1]
    first, second = client.conversations.list("c")
    assert (first.text, second.text, second.blocks) == ("I moved to Bern.", "", ())
    assert first.memory_id == result.messages[0].memory_id
    with pytest.raises(mneme.InvalidArgumentError) as caught:
        client.conversations.append("c", [{"role": "user", "text": "a", "blocks": [{"text": "b"}]}])
    assert caught.value.violations[0].field == "messages[0].text"


def test_messages_that_were_read_are_appended_again(client: mneme.Mneme) -> None:
    client.conversations.append(
        "one", [{"role": "tool", "blocks": [{"tool_result": {"call_id": "t", "text": "rain"}}, {"data": [1, 2]}]}]
    )
    read = list(client.conversations.list("one"))
    client.conversations.append("two", read)
    (copied,) = client.conversations.list("two")
    assert copied.blocks == read[0].blocks
    assert copied.event_time == read[0].event_time


def test_roles_are_checked_before_anything_is_sent(client: mneme.Mneme) -> None:
    with pytest.raises(mneme.InvalidArgumentError) as caught:
        client.conversations.append("c", [{"role": "human", "text": "a"}])
    assert caught.value.violations[0].field == "messages[0].role"


def test_contexts_and_facts(client: mneme.Mneme) -> None:
    made = client.facts.assert_fact({"subject": "user", "attribute": "home_city", "value": "Bern"})
    assert made.fact is not None
    assert (made.outcome, made.fact.trust) == ("created", "explicit")
    context = client.build_context("In which city does the user live?", token_budget=200, timeout_ms=60_000)
    assert "Bern" in context.text
    assert [entry.kind for entry in context.entries] == ["fact"]
    with pytest.raises(mneme.InvalidArgumentError) as caught:
        client.build_context("x", share=0.2)
    assert caught.value.violations[0].field == "share"


def test_notes_that_say_the_same_are_merged_and_taken_apart(client: mneme.Mneme) -> None:
    client.store({"id": "a", "type": "fact", "text": "The user likes green tea.", "scope": {"agent": "ada"}})
    client.store({"id": "b", "type": "fact", "text": "the user likes green tea", "scope": {"agent": "ada"}})
    planned = client.consolidation.run(scope={"agent": "ada"}, dry_run=True, idle_ms=1000, max_steps=5)
    assert planned.report_id is None
    made = client.consolidation.run()
    assert made.report_id is not None
    (merged,) = made.memories
    assert (merged.kind, merged.source_ids, planned.memories) == ("merge", ("a", "b"), made.memories)
    undone = client.consolidation.undo(made.report_id)
    assert (sorted(undone.restored_ids), undone.deleted_ids, undone.kept_ids) == (["a", "b"], (merged.id,), ())
    with pytest.raises(mneme.NotFoundError) as caught:
        client.consolidation.undo("a")
    assert (caught.value.reason, caught.value.family) == ("MEMORY_NOT_FOUND", "maintenance")
    with pytest.raises(mneme.InvalidArgumentError) as refused:
        client.consolidation.run(idle_ms=float("nan"))
    assert refused.value.violations[0].field == "idle_time_ms"


def test_reflection_finds_what_goes_with_success(client: mneme.Mneme) -> None:
    for at in range(16):
        passed = at % 2 == 0
        client.episodes.record(
            "deploy the shop",
            "success" if passed else "failure",
            actions=["ran the tests", "pushed"] if passed else ["pushed"],
            event_time=datetime(2026, 11, 2, at, tzinfo=timezone.utc),
        )
    start, end = datetime(2026, 11, 1, tzinfo=timezone.utc), datetime(2026, 11, 8, tzinfo=timezone.utc)
    found = client.episodes.reflect(start_time=start, end_time=end, task="deploy", max_citations=2)
    assert (found.start_time, found.end_time, found.counts.episodes) == (start, end, 16)
    factor = found.success_factors[0]
    assert (factor.feature, factor.present.successes, len(factor.episode_ids)) == (
        mneme.EpisodeFeature("action", "ran the tests"),
        8,
        2,
    )
    assert "learning" in [insight.kind for insight in found.insights]
    with pytest.raises(mneme.InvalidArgumentError) as caught:
        client.episodes.reflect(start_time=datetime(2026, 11, 1))
    assert caught.value.violations[0].field == "start_time"


def test_the_same_with_asyncio(server: Server, namespace: str) -> None:
    async def run() -> None:
        async with mneme.aio.connect(server.address, namespace=namespace) as client:
            await client.conversations.append("c", [{"role": "user", "text": "I play the cello."}])
            assert [message.text async for message in client.conversations.list("c")] == ["I play the cello."]
            assert (await client.conversations.flush("c", timeout_ms=30_000)).complete
            async for status in client.conversations.watch_extraction("c"):
                assert status.pending_count == 0
                break
            context = await client.build_context("Who makes music?", kinds=["message"])
            assert [entry.kind for entry in context.entries] == ["message"]
            assert (await client.consolidation.run(dry_run=True)).memories == ()

    asyncio.run(run())
