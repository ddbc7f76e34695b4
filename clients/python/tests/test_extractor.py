"""Serving the extractor of a namespace against a real server."""

from __future__ import annotations

import asyncio
import threading

import pytest

import mneme
import mneme.aio
from mneme.testing import Server


def _claims_in(job: mneme.ExtractionJob) -> list[mneme.ExtractedClaim]:
    """Claims in messages of three words: `subject attribute value`."""
    claims: list[mneme.ExtractedClaim] = []
    for message in job.messages:
        subject, attribute, value = message.text.split()
        claims.append({"subject": subject, "attribute": attribute, "value": value, "sources": [message.sequence]})
    return claims


def _prepare(client: mneme.Mneme, namespace: str) -> None:
    client.namespaces.create(namespace, settings={"extraction.extractor": "client"})


def _say(client: mneme.Mneme, *texts: str) -> None:
    client.conversations.append("c", [{"role": "user", "text": text} for text in texts])


def _facts(client: mneme.Mneme) -> list[str]:
    return sorted(f"{fact.subject} {fact.attribute} {fact.value}" for fact in client.facts.list())


def test_a_handler_extracts_until_it_is_stopped(client: mneme.Mneme, namespace: str) -> None:
    _prepare(client, namespace)
    jobs: list[mneme.ExtractionJob] = []

    def extract(job: mneme.ExtractionJob) -> mneme.ExtractionAnswer:
        jobs.append(job)
        notes: list[mneme.ExtractedNote] = [{"type": "episode", "text": "They met.", "tags": ["t"], "sources": [0]}]
        return {"claims": _claims_in(job), "notes": notes}

    with client.conversations.serve_extractor(extract, name="m1", max_jobs=2) as served:
        assert served.extractor == "client"
        _say(client, "ada likes tea", "bob likes wine")
        assert client.conversations.flush().complete
        served.stop()
        served.wait()
    assert [(job.conversation, job.attempt, job.last_error) for job in jobs] == [("c", 1, "")]
    assert [(message.sequence, message.text) for message in jobs[0].messages] == [
        (0, "ada likes tea"),
        (1, "bob likes wine"),
    ]
    assert _facts(client) == ["ada likes tea", "bob likes wine"]
    client.conversations.append("c", [{"role": "user", "text": "eve likes milk"}], end_of_invocation=True)
    for status in client.conversations.watch_extraction(interval_ms=100):
        if any(each.error.startswith("EXTRACTOR_UNAVAILABLE: no client") for each in status.conversations):
            break


def test_an_exception_a_failure_and_a_bad_answer_come_again(client: mneme.Mneme, namespace: str) -> None:
    _prepare(client, namespace)
    errors: list[str] = []
    rejected: list[str] = []

    def extract(job: mneme.ExtractionJob) -> mneme.ExtractionAnswer:
        errors.append(job.last_error)
        match job.attempt:
            case 1:
                raise RuntimeError("the model is busy")
            case 2:
                return {"failure": "cannot read this"}
            case 3:
                return {"claims": [{"subject": "ada", "attribute": "likes", "value": "tea", "sources": [9]}]}
            case _:
                return {"claims": _claims_in(job)}

    with client.conversations.serve_extractor(extract, on_rejected=lambda _, reason: rejected.append(reason)):
        _say(client, "ada likes tea")
        assert client.conversations.flush().complete
    assert errors[:3] == [
        "",
        "EXTRACTOR_UNAVAILABLE: client: the model is busy",
        "EXTRACTION_INVALID: client: cannot read this",
    ]
    assert "claims[0].sources[0]: must be a sequence number" in errors[3]
    assert len(rejected) == 1
    assert _facts(client) == ["ada likes tea"]


def test_jobs_of_a_client_that_is_stopped_go_to_another(client: mneme.Mneme, namespace: str) -> None:
    _prepare(client, namespace)
    taken, done = threading.Event(), threading.Event()
    jobs: list[mneme.ExtractionJob] = []

    def hang(job: mneme.ExtractionJob) -> mneme.ExtractionAnswer:
        jobs.append(job)
        taken.set()
        done.wait(60)
        return None

    served = client.conversations.serve_extractor(hang)
    client.conversations.append("c", [{"role": "user", "text": "ada likes tea"}], end_of_invocation=True)
    assert taken.wait(60)
    with client.conversations.serve_extractor(lambda job: {"claims": _claims_in(job)}):
        served.stop()
        served.wait()
        assert client.conversations.flush().complete
    assert jobs[0].cancel.cancelled
    done.set()
    assert _facts(client) == ["ada likes tea"]


def test_wrong_settings_are_refused(client: mneme.Mneme) -> None:
    with pytest.raises(mneme.InvalidArgumentError) as caught:
        client.conversations.serve_extractor(lambda job: None, name="a b", max_jobs=65)
    assert [violation.field for violation in caught.value.violations] == ["start.name", "start.max_jobs"]


def test_asyncio_does_the_same(server: Server, namespace: str) -> None:
    async def extract(job: mneme.ExtractionJob) -> mneme.ExtractionAnswer:
        await asyncio.sleep(0)
        return {"claims": _claims_in(job)}

    async def main() -> None:
        async with mneme.aio.connect(server.address, namespace=namespace) as client:
            await client.namespaces.create(namespace, settings={"extraction.extractor": "client"})
            async with await client.conversations.serve_extractor(extract, name="m1"):
                await client.conversations.append("c", [{"role": "user", "text": "ada likes tea"}])
                assert (await client.conversations.flush()).complete
            assert [fact.value async for fact in client.facts.list()] == ["tea"]

    asyncio.run(main())


def test_answers_with_broken_texts_are_failures_that_name_the_field(client: mneme.Mneme, namespace: str) -> None:
    _prepare(client, namespace)
    errors: list[str] = []

    def extract(job: mneme.ExtractionJob) -> mneme.ExtractionAnswer:
        errors.append(job.last_error)
        if len(errors) == 1:
            raise ValueError("half \ud83d")
        if len(errors) == 2:
            return {"claims": [{"subject": "ada", "attribute": "half \ud83d", "value": "tea", "sources": [0]}]}
        return {"claims": _claims_in(job)}

    with client.conversations.serve_extractor(extract):
        _say(client, "ada likes tea")
        assert client.conversations.flush().complete
    assert errors[1].endswith("half ?")
    assert "claims[0].attribute: must be whole Unicode characters, got half of a surrogate pair" in errors[2]
    assert _facts(client) == ["ada likes tea"]
