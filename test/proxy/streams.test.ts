import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme, NotFoundError } from '../../clients/typescript/src/index.ts';
import { collect } from '../client/support/collect.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { firstOrAll } from '../support/all-tests.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PROXIES, type ProxyName, type RunningProxy, startProxy } from '../support/proxies.ts';

/** Instead of the 60 s of the configuration, with heartbeats in the same proportion. */
const SILENCE_S = 4;
const HEARTBEAT_MS = 1000;

let server: TestServer;
let namespaces = 0;
beforeAll(async () => {
  server = await startTestServer({ heartbeatIntervalMs: String(HEARTBEAT_MS), logLevel: 'debug' });
});
afterAll(() => server.stop());

const numbered = (from: number, size: number) => Array.from({ length: size }, (_, at) => ({ text: `t${from + at}` }));

describe.each(firstOrAll(PROXIES))('through %s, configured as deploy/ recommends', (name: ProxyName) => {
  let proxy: RunningProxy;
  let mneme: Mneme;
  const clients: Mneme[] = [];
  beforeAll(async () => {
    proxy = await startProxy(name, [server.server.address], { silenceS: SILENCE_S });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) void client.close();
  });
  afterAll(() => proxy.stop());
  const fresh = () => {
    mneme = connect(proxy.address, { ...PATIENT_CLIENT, namespace: `p${++namespaces}`, heartbeatMs: HEARTBEAT_MS });
    clients.push(mneme);
    return mneme;
  };

  it('calls and their errors › arrive as without it', async () => {
    fresh();
    const receipt = await mneme.store({ text: 'tea at five' });
    expect((await mneme.recall({ text: 'tea', minRelevance: 0 })).hits[0]?.memory.id).toBe(receipt.id);
    const error = await mneme.get('none').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
  });

  it('streams idle for longer than its limit of silence › stay open', async () => {
    fresh();
    const gate = Promise.withResolvers<void>();
    async function* slow() {
      yield { text: 'before' };
      await gate.promise;
      yield { text: 'after' };
    }
    const ingest = mneme.ingest(slow(), { streamId: 's' });
    await ingest.next();
    const endedBefore = streamsEnded();
    // The test needs real silence: twice as long as the proxy allows.
    await new Promise((resolve) => setTimeout(resolve, SILENCE_S * 2000));
    expect(streamsEnded()).toBe(endedBefore);
    gate.resolve();
    expect(await collect(ingest)).toMatchObject([{ storedCount: 2, existingCount: 0 }]);
  });

  it('a watch and a standing query › survive silence, continue after its restart, and miss nothing', async () => {
    fresh();
    await mneme.store({ text: 'tea first' });
    const controller = new AbortController();
    const broken: unknown[] = [];
    const options = { signal: controller.signal, onBroken: (error: unknown) => broken.push(error) };
    const received = { watched: [] as string[], standing: [] as string[] };
    let wake = () => {};
    const follow = async () => {
      for await (const event of mneme.watch({ startRevision: 1 }, options)) {
        if (event.kind === 'stored') received.watched.push(event.memory?.text ?? '');
        wake();
      }
    };
    const stand = async () => {
      for await (const { hits } of mneme.subscribe('tea', options)) {
        received.standing = hits.map(({ memory }) => memory.text).sort();
        wake();
      }
    };
    const followed = Promise.allSettled([follow(), stand()]);
    const both = async (...texts: string[]) => {
      const isTold = () => [received.watched, received.standing].every((each) => each.join() === texts.join());
      while (!isTold()) await new Promise<void>((resolve) => (wake = resolve));
    };
    await both('tea first');
    // The test needs real silence: twice as long as the proxy allows.
    await new Promise((resolve) => setTimeout(resolve, SILENCE_S * 2000));
    await mneme.store({ text: 'tea second' });
    await both('tea first', 'tea second');
    expect(broken).toEqual([]);
    await proxy.restart();
    await mneme.store({ text: 'tea third' });
    await both('tea first', 'tea second', 'tea third');
    expect(broken.length).toBeGreaterThanOrEqual(2);
    controller.abort();
    await followed;
  });

  it('an ingest of several megabytes › passes, no faster than the server reads it', async () => {
    fresh();
    const text = 'x'.repeat(60_000);
    const memories = Array.from({ length: 100 }, (_, at) => ({ text: `${at} ${text}` }));
    const progress = await collect(mneme.ingest(memories));
    expect(progress.at(-1)).toMatchObject({ storedCount: 100 });
  });

  it('when it is restarted › an ingest continues, and nothing is lost or stored twice', async () => {
    fresh();
    const size = 600;
    const restarted = Promise.withResolvers<void>();
    async function* source() {
      yield* numbered(0, size / 2);
      await restarted.promise;
      yield* numbered(size / 2, size / 2);
    }
    let last = 0;
    for await (const { acknowledgedSequence } of mneme.ingest(source())) {
      if (last === 0) proxy.restart().then(restarted.resolve, restarted.reject);
      last = acknowledgedSequence;
    }
    expect(last).toBe(size);
    const texts = (await collect(mneme.list({ order: 'create_time_asc' }))).map((memory) => memory.text);
    expect(texts).toEqual(numbered(0, size).map((memory) => memory.text));
  });

  it('when it is restarted › calls made before and after are answered', async () => {
    fresh();
    await mneme.store({ id: 'a', text: 'a' });
    const stored = (memories: ReturnType<typeof numbered>) => memories.map(({ text }) => mneme.store({ text }));
    // A client repeats about 50 calls that fail at once.
    await Promise.all([proxy.restart(), ...stored(numbered(0, 40))]);
    await Promise.all(stored(numbered(40, 60)));
    expect(await mneme.get('a')).toMatchObject({ text: 'a' });
    expect(await collect(mneme.list())).toHaveLength(101);
  });

  /** Streams that have come to their end at the server so far. */
  function streamsEnded(): number {
    return server.log.filter(({ method }) => /Ingest/.test(String(method))).length;
  }
});
