import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GetMemoryRequest, StoreMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { WatchMemoriesRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import type { Embedder } from '../../../../src/search/embedding/embedder.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { vectorOf } from '../support/gated-embedder.ts';
import { Identities } from '../support/identities.ts';
import { scrape } from '../support/scrape.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const GRANTS = [{ namespaces: ['*'], verbs: ['read', 'write', 'delete', 'admin'] }];
const POLICY = { ada: GRANTS, eve: GRANTS, ops: GRANTS };
/** So few that no further call is allowed while the test runs. */
const TWO = { per_second: 0.01, burst: 2 };

const HELD = 'a text whose vector takes long';

/** Returns the vector of one text when it is released. */
class HoldingEmbedder implements Embedder {
  readonly kind = 'http';
  readonly model = 'm';
  readonly dimension = 3;
  /** A store waits for it. */
  readonly inline = true;
  readonly isDerived = false;
  readonly laneWeight = 1;
  readonly asked: Promise<void>;
  release = () => {};
  private ask = () => {};

  constructor() {
    this.asked = new Promise((resolve) => (this.ask = resolve));
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (texts.includes(HELD)) {
      await new Promise<void>((resolve) => {
        this.release = resolve;
        this.ask();
      });
    }
    return texts.map((text) => vectorOf(text, this.dimension));
  }
}

let embedder: HoldingEmbedder;
let mneme: TestServer;
let identities: Identities;
beforeEach(async () => {
  identities = new Identities(POLICY, {
    operators: { identities: ['ops'], calls: { per_second: 1_000_000 } },
    agents: { identities: ['ada', 'eve'], read_calls: TWO, calls_in_flight: 1, open_streams: 1 },
  });
  embedder = new HoldingEmbedder();
  mneme = await startTestServer({ ...identities.flags, metricsListen: '127.0.0.1:0' }, { embedder });
  await store('ops', 'there');
});
afterEach(async () => {
  await mneme.stop();
  identities.remove();
});

function store(identity: string, memoryId: string, text = `a word ${memoryId}`) {
  const request = { parent: 'namespaces/own', memory: { text }, memoryId };
  return ask(mneme.memories, mneme.memories.storeMemory, StoreMemoryRequest.fromPartial(request), {
    metadata: identities.headers(identity),
  });
}

function get(identity: string) {
  const request = GetMemoryRequest.fromPartial({ name: 'namespaces/own/memories/there' });
  return ask(mneme.memories, mneme.memories.getMemory, request, { metadata: identities.headers(identity) });
}

function watch(identity: string) {
  const request = WatchMemoriesRequest.fromPartial({ parent: 'namespaces/own', startRevision: 1n });
  return new FollowedStream(mneme.recalls.watchMemories(request, identities.headers(identity)));
}

describe('a rate of calls', () => {
  it('exceeded › RESOURCE_EXHAUSTED with rule, limit and the time to wait, also as pushback and metric', async () => {
    await get('ada');
    await get('ada');
    const refused = await refusal(get('ada'));
    expect(refused).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'QUOTA_EXCEEDED',
      message: 'ada has reached the limit of 0.01 read calls per second, by the rule agents of the policy',
      metadata: { rule: 'agents', identity: 'ada', limit: '0.01', unit: 'read calls per second' },
    });
    expect(refused.retryDelayMs).toBeGreaterThan(90_000);
    expect(refused.trailer.get('grpc-retry-pushback-ms')).toEqual([String(refused.retryDelayMs)]);
    const series = 'mneme_quota_refusals_total{rule="agents",limit="read_calls",identity="ada"}';
    expect((await scrape(mneme)).get(series)).toBe(1);
    expect(mneme.log.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('used in part › gauges by rule, limit and identity', async () => {
    const watched = watch('ada');
    await watched.until(() => true);
    await get('ada');
    const metrics = await scrape(mneme);
    const of = (limit: string) => {
      const labels = `{rule="agents",limit="${limit}",identity="ada"}`;
      return [metrics.get(`mneme_quota_used${labels}`), metrics.get(`mneme_quota_limit${labels}`)];
    };
    expect(of('open_streams')).toEqual([1, 1]);
    expect(of('read_calls')[1]).toBe(2);
    // The stream and the call, but for the little that has come back since.
    expect(of('read_calls')[0]).toBeCloseTo(2, 0);
    watched.stream.cancel();
  });

  it('exceeded by one identity › others, and its calls of other verbs, are served', async () => {
    const flood = Array.from({ length: 200 }, () =>
      get('ada').then(
        () => 'OK',
        () => 'refused',
      ),
    );
    await Promise.all([get('eve'), ...Array.from({ length: 20 }, () => get('ops'))]);
    expect((await Promise.all(flood)).filter((outcome) => outcome === 'OK').length).toBeLessThanOrEqual(2);
    await get('eve');
    await store('ada', 'mine');
  });

  it('another policy › holds within a second, and what was used stays used', async () => {
    await get('ada');
    await get('ada');
    identities.grant(POLICY, { agents: { identities: ['ada'], read_calls: { per_second: 0.02, burst: 5 } } });
    let refused = await refusal(get('ada'));
    while (refused.metadata['limit'] !== '0.02') refused = await refusal(get('ada'));
    identities.grant(POLICY, {});
    while ((await get('ada').catch(() => undefined)) === undefined);
  });

  it('a policy that is wrong › the former one stays, and the log names the place', async () => {
    identities.grant(POLICY, { agents: { calls: { per_second: -1 } } });
    const fault = 'the policy at limits["agents"].calls.per_second: must be a number from 0.01 to 1000000000, got -1';
    while (!mneme.log.some(({ err }) => (err as Error | undefined)?.message === fault)) await get('ops');
    await get('ada');
    await get('ada');
    expect(await refusal(get('ada'))).toMatchObject({ metadata: { rule: 'agents' } });
  });
});

describe('calls at the same time', () => {
  it('open streams › one more is refused until one ends', async () => {
    const first = watch('ada');
    await first.until(() => true);
    const second = await watch('ada').outcome();
    expect(second === true ? 'OK' : refusalOf(second)).toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      metadata: { limit: '1', unit: 'open streams' },
      retryDelayMs: undefined,
    });
    const other = watch('eve');
    await other.until(() => true);
    other.cancel();
    first.cancel();
  });

  it('calls in flight › one more is refused with a time to wait', async () => {
    const held = store('ada', 'held', HELD);
    await embedder.asked;
    const refused = await refusal(store('ada', 'one'));
    expect(refused).toMatchObject({ metadata: { unit: 'calls in flight', limit: '1' }, retryDelayMs: 100 });
    embedder.release();
    await held;
    await store('ada', 'two');
  });
});
