import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ExtractionState } from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import { UpdateNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { extractionStatus, flush, said, talk, textsOf } from '../support/conversations.ts';
import { saidIn, serve as serveBy } from '../support/extractor-client.ts';
import { freshNamespace } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const UNAVAILABLE = 'EXTRACTOR_UNAVAILABLE: no client serves the extractor of the namespace';
const FLAGS = { extractor: 'client', extractionAttempts: '2', maxExtractorClients: '3' };

describe.each(MEMORY_BACKENDS)('clients that extract (%s)', (backend) => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startSessionServer(backend, FLAGS);
  });
  afterAll(() => mneme?.stop());
  const open: ReturnType<typeof serveBy>[] = [];
  afterEach(() => {
    for (const client of open.splice(0)) client.leave();
  });

  const fresh = (id = 'c') => {
    const parent = freshNamespace();
    return { parent, ...talk(mneme, parent, id) };
  };
  /** A client that serves, once the server has confirmed it. */
  const serve = async (start: Parameters<typeof serveBy>[1]) => {
    const client = serveBy(mneme, start);
    open.push(client);
    await client.started();
    return client;
  };

  it('a job › has the messages and what precedes them, and its answer is stored', async () => {
    const { parent, conversation, say } = fresh();
    const client = await serve({ parent, name: 'm1' });
    await say('ada likes tea', 'hello');
    const flushing = flush(mneme, parent);
    const job = await client.job();
    expect(job).toMatchObject({ conversation, attempt: 1, lastError: '', earlier: [], model: '' });
    expect(saidIn(job)).toEqual(['ada likes tea', 'hello']);
    expect(job.messages.map(({ sequence }) => sequence)).toEqual([0n, 1n]);
    client.answer(job, {
      $case: 'extracted',
      value: {
        claims: [{ subject: 'ada', attribute: 'likes', value: 'tea', text: 'Ada likes tea.', sources: [0n] }],
        notes: [{ type: 'episode', text: 'They said hello.', tags: ['greeting'], sources: [1n] }],
      },
    });
    expect(await client.closed()).toEqual({ $case: 'accepted', value: { claimCount: 1, noteCount: 1 } });
    expect(await flushing).toMatchObject({ complete: true });
    expect(await textsOf(mneme, parent)).toEqual(['Ada likes tea.']);
    expect(await textsOf(mneme, parent, 'episode')).toEqual(['They said hello.']);

    await say('bob likes wine');
    const again = flush(mneme, parent);
    const second = await client.job();
    expect(second.earlier.map(({ sequence }) => sequence)).toEqual([0n, 1n]);
    client.extracted(second);
    expect(await again).toMatchObject({ complete: true });
    expect(await textsOf(mneme, parent)).toEqual(['Ada likes tea.', 'bob likes wine']);
  });

  it('no client › messages wait without attempts, one line is logged, and a client starts at once', async () => {
    const { parent, say } = fresh();
    await say('ada likes tea');
    const flushing = flush(mneme, parent);
    const waiting = { state: ExtractionState.EXTRACTION_STATE_PENDING, error: UNAVAILABLE, attemptCount: 0 };
    const until = async (count: number) => {
      for (;;) {
        const status = await extractionStatus(mneme, parent);
        if (status.conversations.filter(({ error }) => error === UNAVAILABLE).length === count) return status;
      }
    };
    expect(await until(1)).toMatchObject({ extractor: 'client', pendingCount: 1, conversations: [waiting] });
    await talk(mneme, parent, 'd').append({ messages: [said('bob likes wine')], endOfInvocation: true });
    expect(await until(2)).toMatchObject({ pendingCount: 2, conversations: [waiting, waiting] });
    expect(mneme.log.filter(({ namespace }) => parent === `namespaces/${String(namespace)}`)).toHaveLength(1);

    const client = await serve({ parent });
    for (const job of [await client.job(), await client.job()]) client.extracted(job);
    expect(await flushing).toMatchObject({ complete: true });
    expect(await flush(mneme, parent)).toMatchObject({ complete: true, conversations: [] });
    expect(await textsOf(mneme, parent)).toEqual(['ada likes tea', 'bob likes wine']);
  });

  it('a client that leaves with jobs in hand › another gets them, and no attempt counts', async () => {
    const { parent, say } = fresh();
    const [one, other] = [await serve({ parent, maxJobs: 1 }), await serve({ parent, maxJobs: 1 })];
    await say('ada likes tea');
    const flushing = flush(mneme, parent);
    const job = await one.job();
    one.leave();
    const same = await other.job();
    expect(saidIn(same)).toEqual(saidIn(job));
    expect(same).toMatchObject({ attempt: 1, lastError: '' });
    other.extracted(same);

    expect(await flushing).toMatchObject({ complete: true });
    expect(await textsOf(mneme, parent)).toEqual(['ada likes tea']);
  });

  it('the last client leaves with a job in hand › it waits for the next client', async () => {
    const { parent, say } = fresh();
    const one = await serve({ parent });
    await say('ada likes tea');
    const flushing = flush(mneme, parent);
    await one.job();
    one.end();
    await expect(one.messages.next()).rejects.toThrow('the stream has ended');
    expect(await extractionStatus(mneme, parent)).toMatchObject({
      conversations: [{ error: UNAVAILABLE, attemptCount: 0 }],
    });
    const other = await serve({ parent });
    other.extracted(await other.job());
    expect(await flushing).toMatchObject({ complete: true });
  });

  it('two clients › get jobs in turn, each no more than it has room for', async () => {
    const { parent } = fresh();
    const [one, other] = [await serve({ parent, maxJobs: 2 }), await serve({ parent, maxJobs: 2 })];
    const texts = ['a1 likes x', 'a2 likes x', 'a3 likes x', 'a4 likes x', 'a5 likes x'];
    for (const [at, text] of texts.entries()) await talk(mneme, parent, `c${at}`).say(text);
    const flushing = flush(mneme, parent);
    const jobs = [await one.job(), await one.job()];
    const others = [await other.job(), await other.job()];
    expect(await extractionStatus(mneme, parent)).toMatchObject({ pendingCount: 5 });
    for (const job of others) other.extracted(job);
    await other.closed();
    await other.closed();
    const fifth = await other.job();
    other.extracted(fifth);
    for (const job of jobs) one.extracted(job);

    expect(await flushing).toMatchObject({ complete: true });
    expect([...jobs, ...others, fifth].flatMap(saidIn).sort()).toEqual(texts);
    expect(await textsOf(mneme, parent)).toEqual(texts);
  });

  it('a bad answer › is refused by field, and counts as an attempt that the next job names', async () => {
    const { parent, say } = fresh();
    const client = await serve({ parent, name: 'm1' });
    await say('ada likes tea');
    const flushing = flush(mneme, parent);
    const claim = { subject: ' ', attribute: 'likes', value: 'tea', confidence: 2, sources: [7n] };
    client.answer(await client.job(), {
      $case: 'extracted',
      value: { claims: [claim], notes: [{ type: 'secret', text: 'x'.repeat(5000), sources: [] }] },
    });
    const rejected = await client.closed();
    const message = rejected?.$case === 'rejected' ? rejected.value : '';
    for (const problem of [
      'answer.extracted.claims[0].subject: must contain a visible character',
      'answer.extracted.claims[0].confidence: must be a number from 0 to 1, got 2',
      'answer.extracted.claims[0].sources[0]: must be a sequence number of the messages of the job, got 7',
      'answer.extracted.notes[0].type: must be fact, episode, procedure or empty, got "secret"',
      'answer.extracted.notes[0].text: must be at most 4096 bytes of UTF-8, got 5000',
      'answer.extracted.notes[0].sources: must be at least one sequence number',
    ]) {
      expect(message).toContain(problem);
    }
    const again = await client.job();
    expect(again).toMatchObject({ attempt: 2, lastError: `EXTRACTION_INVALID: client.m1: ${message}` });
    client.answer(again, undefined);
    expect(await client.closed()).toEqual({
      $case: 'rejected',
      value: 'answer.result: must be extracted or failure',
    });
    // Two attempts are the limit of this server.
    expect(await flushing).toMatchObject({
      complete: false,
      conversations: [{ state: ExtractionState.EXTRACTION_STATE_FAILED, failed: [{ first: 0n, last: 0n }] }],
    });
  });

  it('claims that contradict each other and hostile characters › are left out', async () => {
    const { parent, say } = fresh();
    const client = await serve({ parent });
    await say('hello');
    const flushing = flush(mneme, parent);
    const claim = { subject: 'ada', attribute: 'likes', value: 'tea', sources: [0n] };
    client.answer(await client.job(), {
      $case: 'extracted',
      value: {
        claims: [claim, { ...claim, retracts: true }, { ...claim, subject: 'b\u200bob\n', value: 'wi\u0000ne' }],
      },
    });
    expect(await client.closed()).toMatchObject({ value: { claimCount: 1 } });
    expect(await flushing).toMatchObject({ complete: true });
    expect(await textsOf(mneme, parent)).toEqual(['b ob likes wi ne']);
  });

  it('a failure › is tried again; one that is not retryable counts as an attempt', async () => {
    const { parent, say } = fresh();
    const client = await serve({ parent });
    await say('ada likes tea');
    const flushing = flush(mneme, parent);
    for (const attempt of [1, 2, 3]) {
      const job = await client.job();
      expect(job.attempt).toBe(attempt);
      client.failed(job, 'the model is busy', true);
    }
    const fourth = await client.job();
    expect(fourth.lastError).toBe('EXTRACTOR_UNAVAILABLE: client: the model is busy');
    client.failed(fourth, 'cannot read this');
    client.extracted(await client.job());

    expect(await flushing).toMatchObject({ complete: true });
    expect(await textsOf(mneme, parent)).toEqual(['ada likes tea']);
  }, 60_000);

  it('starts that are wrong, and too many clients › are refused', async () => {
    const { parent } = fresh();
    const refused = async (start: Parameters<typeof serveBy>[1]) => {
      const client = serveBy(mneme, start);
      open.push(client);
      return refusal(client.started());
    };
    expect(await refused({ parent: 'x', name: 'a b', maxJobs: 65 })).toMatchObject({
      reason: 'FIELD_INVALID',
      fields: ['start.parent', 'start.name', 'start.max_jobs'],
    });
    for (let count = 0; count < 3; count++) await serve({ parent });
    expect(await refused({ parent })).toMatchObject({ reason: 'TOO_MANY_STREAMS', metadata: { limit: '3' } });
  });

  it('a namespace with another extractor › is named to the client, and gives jobs once it changes', async () => {
    const { parent, say } = fresh();
    await say('hello');
    const set = (settings: Record<string, string>) =>
      ask(
        mneme.namespaces,
        mneme.namespaces.updateNamespace,
        UpdateNamespaceRequest.fromPartial({ namespace: { name: parent, settings }, updateMask: ['settings'] }),
      );
    await set({ 'extraction.extractor': 'verbatim' });
    const client = serveBy(mneme, { parent });
    open.push(client);
    expect(await client.started()).toEqual({ extractor: 'verbatim' });
    expect(await flush(mneme, parent)).toMatchObject({ complete: true });
    await set({ 'extraction.extractor': 'client', 'extraction.model': 'm2' });
    await say('ada likes tea');
    const flushing = flush(mneme, parent);
    const job = await client.job();
    expect(job.model).toBe('m2');
    client.extracted(job);
    expect(await flushing).toMatchObject({ complete: true });
  });
});

describe('clients that extract', () => {
  it('a job that is not answered in time › is withdrawn and comes again', async () => {
    const mneme = await startTestServer({ ...FLAGS, extractionTimeoutMs: '300' });
    try {
      const parent = freshNamespace();
      const client = serveBy(mneme, { parent });
      await client.started();
      await talk(mneme, parent).say('ada likes tea');
      const flushing = flush(mneme, parent);
      const job = await client.job();
      expect(await client.closed()).toEqual({
        $case: 'withdrawn',
        value: 'the extraction took longer than 300 ms',
      });
      client.extracted(job);
      const again = await client.job();
      expect(again).toMatchObject({ attempt: 2 });
      expect(again.lastError).toContain('took longer than 300 ms');
      client.extracted(again);
      expect(await client.closed()).toMatchObject({ $case: 'accepted' });
      expect(await flushing).toMatchObject({ complete: true });
      expect(await textsOf(mneme, parent)).toEqual(['ada likes tea']);
    } finally {
      await mneme.stop();
    }
  });

  it('a silent stream › has heartbeats at the interval that the client sets', async () => {
    const mneme = await startTestServer(FLAGS);
    try {
      const client = serveBy(mneme, { parent: freshNamespace(), heartbeatInterval: { seconds: 1n, nanos: 0 } });
      await client.started();
      for (let count = 0; count < 2; count++) {
        await client.next('heartbeat');
        client.send(undefined);
      }
    } finally {
      await mneme.stop();
    }
  });

  it('a server that shuts down › withdraws the jobs in hand, and the next one gives them again', async () => {
    const data = await mkdtemp(join(tmpdir(), 'mneme-extractor-'));
    const parent = freshNamespace();
    const first = await startTestServer({ ...FLAGS, data });
    const client = serveBy(first, { parent });
    await client.started();
    await talk(first, parent).append({ messages: [said('ada likes tea')], endOfInvocation: true });
    await client.job();
    const stopping = first.server.stop();
    expect(await client.closed()).toEqual({ $case: 'withdrawn', value: 'the server is shutting down' });
    await client.next('draining');
    expect(await refusal(client.messages.next())).toMatchObject({ reason: 'DRAINING' });
    await stopping;
    first.close();

    const second = await startTestServer({ ...FLAGS, data });
    try {
      const again = serveBy(second, { parent });
      await again.started();
      const flushing = flush(second, parent);
      again.extracted(await again.job());
      expect(await flushing).toMatchObject({ complete: true });
      expect(await textsOf(second, parent)).toEqual(['ada likes tea']);
    } finally {
      await second.stop();
      await rm(data, { recursive: true, force: true });
    }
  });
});
