import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  DeleteMemoryRequest,
  DemoteMemoriesRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import {
  RecallEventKind as Kind,
  SubscribeRecallRequest,
  type SubscribeRecallResponse,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { systemClock } from '../../../../src/memory/clock.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { inTier } from '../support/filter-families.ts';
import { FollowedAnswer, type Query } from '../support/followed-answer.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
/** Clock of the server, moved by the test: states before a move are visible however busy the machine is. */
const clock = { aheadUs: 0, nowUs: () => systemClock.nowUs() + clock.aheadUs };
const MINUTE_US = 60_000_000;

beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' }, { clock });
});
afterAll(() => server.stop());

const inUs = (us: number) => ({ seconds: BigInt(Math.floor(us / 1e6)), nanos: (us % 1e6) * 1000 });

test('Subscribe: first the whole answer with the components of scores, then each change', async () => {
  const parent = freshNamespace();
  const one = await store(server, parent, { text: 'the red door' });
  const answer = new FollowedAnswer(server, { parent, text: 'door', limit: 2, explain: true });
  expect(await answer.at(one.revision)).toEqual([one.name]);
  const hit = answer.hit(one.name);
  expect(hit?.components.map(({ name }) => name)).toContain('recency');
  expect(hit?.components.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(hit?.score ?? 0);
  const two = await store(server, parent, { text: 'door door' });
  expect(await answer.at(two.revision)).toHaveLength(2);
  const { memories } = server;
  const gone = { memory: { name: one.name, supersededBy: two.name }, updateMask: ['superseded_by'] };
  const { revision } = await ask(memories, memories.updateMemory, UpdateMemoryRequest.fromPartial(gone));
  expect(await answer.at(revision)).toEqual([two.name]);
  answer.cancel();
});

test('Subscribe: a memory that expires › leaves the answer without a write', async () => {
  const parent = freshNamespace();
  const { name, revision } = await store(server, parent, { text: 'milk', expireTime: inUs(clock.nowUs() + MINUTE_US) });
  const answer = new FollowedAnswer(server, { parent, text: 'milk' });
  expect(await answer.at(revision)).toEqual([name]);
  clock.aheadUs += MINUTE_US;
  await answer.until(hasKind(Kind.RECALL_EVENT_KIND_LEAVE));
  expect(answer.names()).toEqual([]);
  answer.cancel();
});

test('Subscribe: validity › a memory enters when it becomes valid and leaves at its end, without a write', async () => {
  const parent = freshNamespace();
  const [validFrom, validUntil] = [inUs(clock.nowUs() + MINUTE_US), inUs(clock.nowUs() + 2 * MINUTE_US)];
  const { name, revision } = await store(server, parent, { text: 'milk is sold out', validFrom, validUntil });
  const answer = new FollowedAnswer(server, { parent, text: 'milk', weights: { recency: 0 } });
  expect(await answer.at(revision)).toEqual([]);
  clock.aheadUs += MINUTE_US;
  await answer.until(hasKind(Kind.RECALL_EVENT_KIND_ENTER));
  expect(answer.names()).toEqual([name]);
  clock.aheadUs += MINUTE_US;
  await answer.until(hasKind(Kind.RECALL_EVENT_KIND_LEAVE));
  expect(answer.names()).toEqual([]);
  answer.cancel();
});

test('Subscribe: a window of the last seconds › memories leave it as they grow old', async () => {
  const parent = freshNamespace();
  const { revision } = await store(server, parent, { text: 'old', eventTime: inUs(clock.nowUs() - 1_000_000) });
  const answer = new FollowedAnswer(server, { parent, timeWindow: { last: { seconds: 60n } } });
  expect(await answer.at(revision)).toHaveLength(1);
  clock.aheadUs += MINUTE_US;
  await answer.until(hasKind(Kind.RECALL_EVENT_KIND_LEAVE));
  expect(answer.names()).toEqual([]);
  answer.cancel();
});

test('Subscribe: a revision that has not come yet › the beginning claims none that is not there, the answer waits for it', async () => {
  const parent = freshNamespace();
  const { revision } = await store(server, parent, { text: 'x 0' });
  const minRevision = revision + 2n;
  const answer = new FollowedAnswer(server, { parent, text: 'x', minRevision });
  const created = await answer.until(({ event }) => event?.$case === 'created');
  if (created.event?.$case !== 'created') throw new Error('the stream does not begin with `created`');
  expect(created.event.value.newestRevision).toBeLessThan(minRevision);
  expect(created.revision).toBe(created.event.value.newestRevision);
  for (const text of ['x 1', 'x 2']) await store(server, parent, { text });
  expect(await answer.at(minRevision)).toHaveLength(3);
  expect(answer.messages.find(({ event }) => event?.$case === 'batch')?.revision).toBeGreaterThanOrEqual(minRevision);
  answer.cancel();
});

test('Subscribe: a memory that moves to another tier › leaves the answers of queries for its former one, and enters others', async () => {
  const parent = freshNamespace();
  const { name, revision } = await store(server, parent, { text: 'one' });
  const [upper, lower] = ['short_term', 'long_term'].map(
    (tier) => new FollowedAnswer(server, { parent, filter: inTier(tier) }),
  ) as [FollowedAnswer, FollowedAnswer];
  expect(await upper.at(revision)).toEqual([name]);
  expect(await lower.at(revision)).toEqual([]);
  const { memories } = server;
  const to = Tier.TIER_LONG_TERM;
  await ask(
    memories,
    memories.demoteMemories,
    DemoteMemoriesRequest.fromPartial({ parent, names: [name], toTier: to }),
  );
  await upper.until(() => upper.names().length === 0);
  await lower.until(() => lower.names().length === 1);
  for (const answer of [upper, lower]) answer.cancel();
});

test('Subscribe: like another memory › follows its changes, and ends when it is deleted', async () => {
  const parent = freshNamespace();
  const like = await store(server, parent, { text: 'which?', embedding: vector(1, 0) });
  const [right, up] = [
    await store(server, parent, { text: 'right', embedding: vector(1, 0.1) }),
    await store(server, parent, { text: 'up', embedding: vector(0.1, 1) }),
  ];
  const answer = new FollowedAnswer(server, { parent, similarTo: like.name, limit: 1 });
  expect(await answer.at(up.revision)).toEqual([right.name]);
  const { memories } = server;
  const turned = { memory: { name: like.name, embedding: vector(0, 1) }, updateMask: ['embedding'] };
  await ask(memories, memories.updateMemory, UpdateMemoryRequest.fromPartial(turned));
  await answer.until(() => answer.names()[0] === up.name);
  await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name: like.name }));
  const end = await answer.outcome();
  expect(end === true ? undefined : refusalOf(end).reason).toBe('MEMORY_NOT_FOUND');
});

test('Subscribe: large answers › come in fragments', async () => {
  const parent = freshNamespace();
  for (let i = 0; i < 5; i++) await store(server, parent, { text: `x ${i}` });
  const request = SubscribeRecallRequest.fromPartial({ query: { parent, text: 'x' }, maxBatchEvents: 2 });
  const stream = new FollowedStream<SubscribeRecallResponse>(server.recalls.subscribeRecall(request));
  await stream.until(({ event }) => event?.$case === 'progress');
  stream.cancel();
  const batches = stream.messages.flatMap(({ event }) => (event?.$case === 'batch' ? [event.value] : []));
  expect(batches.map(({ events, snapshot, fragment }) => [events.length, snapshot, fragment])).toEqual([
    [2, true, true],
    [2, true, true],
    [1, true, false],
  ]);
});

test('Subscribe: with the token of an answer › the snapshot is as new; a token of another query is refused', async () => {
  const parent = freshNamespace();
  await store(server, parent, { text: 'x' });
  const first = new FollowedStream<SubscribeRecallResponse>(subscribe({ parent, text: 'x' }));
  const { resumeToken } = await first.until(({ event }) => event?.$case === 'progress');
  first.cancel();
  const again = new FollowedStream<SubscribeRecallResponse>(subscribe({ parent, text: 'x' }, resumeToken));
  await again.until(({ event }) => event?.$case === 'batch' && event.value.snapshot);
  again.cancel();
  expect(await reasonOf(subscribe({ parent, text: 'y' }, resumeToken))).toBe('RESUME_TOKEN_INVALID');
});

test('Subscribe: invalid requests › are refused with the reason', async () => {
  const parent = freshNamespace();
  await store(server, parent, { text: 'x', embedding: vector(1, 0) });
  expect(await reasonOf(subscribe(undefined))).toBe('FIELD_INVALID');
  expect(await reasonOf(subscribe({ parent, embedding: vector(1, 0, 0) }))).toBe('DIMENSION_MISMATCH');
  const near = { parent, embedding: vector(1, 0, 0), minSimilarity: 0.5 };
  expect(await reasonOf(subscribe(near))).toBe('DIMENSION_MISMATCH');
  for (const [query, field] of [
    [near, 'query.embedding.dimension'],
    [{ parent, text: 'x', weights: { keyword: -1 } }, 'query.weights.keyword'],
    [{ parent, text: 'x', touch: true }, 'query.touch'],
    [{ parent, text: 'x', focus: true }, 'query.focus'],
  ] as const) {
    const end = await new FollowedStream(subscribe(query)).outcome();
    expect(end === true ? [] : refusalOf(end).fields).toEqual([field]);
  }
});

function subscribe(query: Query | undefined, resumeToken = '') {
  return server.recalls.subscribeRecall(SubscribeRecallRequest.fromPartial({ query, resumeToken }));
}

async function reasonOf(stream: ReturnType<typeof subscribe>): Promise<string | undefined> {
  const end = await new FollowedStream(stream).outcome();
  return end === true ? 'ended well' : refusalOf(end).reason;
}

function hasKind(kind: Kind) {
  return ({ event }: SubscribeRecallResponse) =>
    event?.$case === 'batch' && event.value.events.some((one) => one.kind === kind);
}
