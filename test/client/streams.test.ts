import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AlreadyExistsError,
  CancelledError,
  connect,
  DeadlineExceededError,
  FailedPreconditionError,
  type IngestProgress,
  type Mneme,
  NotFoundError,
} from '../../clients/typescript/src/index.ts';
import { startTestServer, type TestServer } from '../grpc/support/test-server.ts';
import { type Link, openLink } from '../support/link.ts';
import { PATIENT } from './support/clean-up.ts';
import { collect } from './support/collect.ts';

let server: TestServer;
let link: Link;
let mneme: Mneme;
let count = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  link = await openLink(() => server.server.address);
  mneme = connect(link.address, { ...PATIENT, namespace: `n${++count}` });
});
afterEach(async () => {
  void mneme.close();
  await link.stop();
});

const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);
const texts = async () => (await collect(mneme.list({ order: 'create_time_asc' }))).map(({ text }) => text);
const numbered = (size: number) => Array.from({ length: size }, (_, at) => ({ text: `t${at}` }));

describe('client › session', () => {
  it('calls over a session › have the answers and errors of separate calls', async () => {
    const session = mneme.pipeline();
    const stored = await session.store({ id: 'a', text: 'tea at five' });
    expect(stored).toMatchObject({ id: 'a' });
    expect(await session.get('a')).toEqual(await mneme.get('a'));
    expect((await session.recall('tea')).hits).toHaveLength(1);
    expect(await collect(session.list())).toHaveLength(1);
    expect(await failure(session.get('none'))).toBeInstanceOf(NotFoundError);
    expect(await failure(session.store({ id: 'a', text: 'x' }))).toBeInstanceOf(AlreadyExistsError);
    await session.close();
    expect(await failure(session.get('a'))).toBeInstanceOf(CancelledError);
  });

  it('disposed, as at the end of a block that says `await using` › is closed', async () => {
    const session = mneme.pipeline();
    await session.store('tea at five');
    await session[Symbol.asyncDispose]();
    expect(await failure(session.get('a'))).toBeInstanceOf(CancelledError);
  });

  it('when connections break again and again › every call is answered and every write has one effect', async () => {
    const session = mneme.pipeline();
    await session.store({ id: 'first', text: 'first' });
    const calls = numbered(300).map(({ text }) => session.store({ text }));
    link.cutAfter(8_000);
    const receipts = await Promise.all(calls);
    link.cut();
    expect(await session.get('first')).toMatchObject({ text: 'first' });
    expect(new Set(receipts.map(({ id }) => id)).size).toBe(300);
    expect((await texts()).sort()).toEqual(['first', ...numbered(300).map(({ text }) => text)].sort());
    await session.close();
  });

  it('when a signal or a timeout ends a call › it fails alone and the session continues', async () => {
    const session = mneme.pipeline();
    await session.store({ id: 'a', text: 'a' });
    const far = 1_000_000;
    const controller = new AbortController();
    const cancelled = failure(session.get('a', { minRevision: far, signal: controller.signal }));
    const late = failure(session.get('a', { minRevision: far, timeoutMs: 50 }));
    expect(await late).toBeInstanceOf(DeadlineExceededError);
    controller.abort();
    expect(await cancelled).toBeInstanceOf(CancelledError);
    expect(await session.get('a')).toMatchObject({ text: 'a' });
    await session.close();
  });

  it('working memory and session lifecycles over a session › equal separate calls', async () => {
    const pipeline = mneme.pipeline();
    const { session } = await pipeline.lifecycle.spawn({ sessionId: 'agent-1' });
    const memory = pipeline.session('agent-1');
    const keys = Array.from({ length: 20 }, (_, at) => `k${at}`);
    await Promise.all(keys.map((key, at) => memory.set(key, { at })));
    const read = await memory.batchGet(keys);
    expect(read.entries.map(({ value }) => value.json())).toEqual(keys.map((_, at) => ({ at })));
    expect(await mneme.session('agent-1').has('k7')).toBe(true);
    const { checkpoint } = await pipeline.lifecycle.pause('agent-1');
    expect((await pipeline.lifecycle.get('agent-1')).state).toBe('paused');
    expect(checkpoint).toBeDefined();
    await expect(memory.set('late', 1)).rejects.toBeInstanceOf(FailedPreconditionError);
    expect((await pipeline.lifecycle.get('agent-1')).state).toBe('paused');
    expect(session.state).toBe('active');
    await pipeline.close();
  });

  it('each › processes every item and yields each result once, including failures', async () => {
    const session = mneme.pipeline();
    await session.store({ id: 't7', text: 'taken' });
    const outcomes = await collect(
      session.each(numbered(50), (calls, { text }) => calls.store({ id: text, text }), { concurrency: 8 }),
    );
    expect(outcomes.map(({ item }) => item.text).sort()).toEqual(
      numbered(50)
        .map(({ text }) => text)
        .sort(),
    );
    expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([
      { item: { text: 't7' }, error: expect.any(AlreadyExistsError) },
    ]);
    await session.close();
  });
});

describe('client › ingest', () => {
  it('memories of a quick source › are stored in order, with receipts where asked for', async () => {
    const progress = await collect(mneme.ingest(numbered(1000), { receipts: true }));
    expect(progress.at(-1)).toMatchObject({ acknowledgedSequence: 1000, storedCount: 1000, refusedCount: 0 });
    expect(progress.flatMap(({ receipts }) => receipts.map(({ sequence }) => sequence))).toHaveLength(1000);
    expect(await texts()).toEqual(numbered(1000).map(({ text }) => text));
  });

  it('when a memory cannot be stored › its number and the reason are reported, and the others are stored', async () => {
    const progress = await collect(mneme.ingest([{ text: 'a' }, { text: '' }, { text: 'c' }]));
    expect(progress.flatMap(({ refused }) => refused)).toMatchObject([
      { sequence: 2, error: { code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID' } },
    ]);
    expect(await texts()).toEqual(['a', 'c']);
  });

  it('memories of a slow source › are stored as they come', async () => {
    const gate = Promise.withResolvers<void>();
    async function* slow() {
      yield { text: 'first' };
      await gate.promise;
      yield { text: 'second' };
    }
    const stream = mneme.ingest(slow());
    expect((await stream.next()).value).toMatchObject({ acknowledgedSequence: 1 });
    expect(await texts()).toEqual(['first']);
    gate.resolve();
    expect(await collect(stream)).toMatchObject([{ acknowledgedSequence: 2, storedCount: 2 }]);
  });

  it('when the connection breaks many times › nothing is lost, nothing is stored twice, and the order is kept', async () => {
    const size = 3000;
    let last: IngestProgress | undefined;
    link.cutAfter(20_000);
    for await (const progress of mneme.ingest(numbered(size))) {
      last = progress;
      link.cutAfter(30_000);
    }
    expect(last).toMatchObject({ acknowledgedSequence: size, refusedCount: 0 });
    expect(await texts()).toEqual(numbered(size).map(({ text }) => text));
  });

  it('when the connection breaks while the source waits for an acknowledgement › it is sent again', async () => {
    let heard = 0;
    let wake = () => {};
    async function* oneByOne() {
      for (let at = 0; at < 20; at++) {
        while (heard < at) await new Promise<void>((resolve) => (wake = resolve));
        if (at % 5 === 4) link.cutAfter(1);
        yield { text: `t${at}` };
      }
    }
    for await (const { acknowledgedSequence } of mneme.ingest(oneByOne())) {
      heard = acknowledgedSequence;
      wake();
    }
    expect(await texts()).toEqual(numbered(20).map(({ text }) => text));
  });

  it('when another process continues after the last acknowledgement › nothing is stored twice', async () => {
    const all = numbered(400);
    let seen = 0;
    for await (const { acknowledgedSequence } of mneme.ingest(all, { streamId: 'job' })) {
      seen = acknowledgedSequence;
      break;
    }
    await collect(mneme.ingest(all.slice(seen), { streamId: 'job', acknowledgedSequence: seen }));
    expect(await texts()).toEqual(all.map(({ text }) => text));
  });

  it('when the source fails › its error is thrown and acknowledged memories stay', async () => {
    function* failing() {
      yield { text: 'a' };
      throw new Error('no more');
    }
    const error = await failure(collect(mneme.ingest(failing())));
    expect(error).toMatchObject({ message: 'no more' });
  });

  it('when its signal is aborted › it ends with CancelledError', async () => {
    const controller = new AbortController();
    async function* endless() {
      yield { text: 'a' };
      await new Promise(() => {});
    }
    const stream = mneme.ingest(endless(), { signal: controller.signal });
    await stream.next();
    controller.abort();
    expect(await failure(stream.next())).toBeInstanceOf(CancelledError);
  });
});
