import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CancelledError, connect, type IngestProgress, type Mneme } from '../../clients/typescript/src/index.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
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
