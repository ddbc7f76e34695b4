import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  DeleteMemoryRequest,
  DemoteMemoriesRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { SetScopePolicyRequest } from '../../../../gen/ts/mneme/v1/scope_service.ts';
import { systemClock } from '../../../../src/memory/clock.ts';
import { sized } from '../../../support/all-tests.ts';
import { seededRandom, type TestRandom } from '../../../support/random.ts';
import { ask } from '../support/ask.ts';
import { callingFrom, type ScopedClients } from '../support/calling-from.ts';
import { filterFamilies } from '../support/filter-families.ts';
import { FollowedAnswer, type Query } from '../support/followed-answer.ts';
import { freshNamespace, json, type MemoryInput, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
/** Writes whatever policies hide. */
let operator: ScopedClients;
/** Clock of the server, moved by the test: nothing expires before. */
const clock = { aheadUs: 0, nowUs: () => systemClock.nowUs() + clock.aheadUs };

beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' }, { clock });
  operator = callingFrom(server, '*');
});
afterAll(async () => {
  operator.close();
  await server.stop();
});

const WRITES = sized({ sample: 30, nightly: 100 });
/** Maximum writes between two comparisons: an error of one may be hidden by the next. */
const AT_ONCE = 4;
const SUBSCRIPTIONS = 40;
const DIMENSION = 8;
const WORDS = ['cat', 'dog', 'tree', 'river', 'moon', 'stone'];
/** Scores may differ by unsent changes, and by their drift between two questions. */
const DRIFT = 0.0011;

const direction = (random: TestRandom) => vector(...Array.from({ length: DIMENSION }, () => random.next() - 0.5));

function memoryOf(random: TestRandom): MemoryInput {
  return {
    text: Array.from({ length: 3 }, () => random.pick(WORDS)).join(' '),
    type: random.pick(['fact', 'episode']),
    scope: {
      session: random.pick(['s1', 's2', '']),
      agent: random.pick(['a1', 'a2', '']),
      project: random.pick(['p1', '']),
    },
    tags: random.chance(0.5) ? [random.pick(['red', 'blue'])] : [],
    importance: random.pick([0.1, 0.5, 0.9]),
    embedding: random.chance(0.9) ? direction(random) : undefined,
    content: random.chance(0.5) ? json({ n: random.int(5) }) : undefined,
    place: random.chance(0.5) ? { point: { x: random.int(5), y: 0, z: undefined } } : undefined,
    step: random.chance(0.5) ? BigInt(random.int(9)) : undefined,
    expireTime: random.chance(0.1) ? { seconds: 4_000_000_000n, nanos: 0 } : undefined,
  };
}

/** Queries: vectors with few or many near memories, words, both, a moment, or the filter alone. */
function soughtBy(random: TestRandom): Query {
  const kind = random.int(10);
  const words = () => `${random.pick(WORDS)} ${random.pick(WORDS)}`;
  if (kind < 5) return { embedding: direction(random), minSimilarity: random.pick([-1, 0, 0.2, 0.5]) };
  if (kind < 6) return { embedding: direction(random) };
  const minRelevance = random.pick([0, 0.05, 0.3]);
  if (kind < 8) return { text: words(), ranking: random.pick([0, 1, 2] as const), minRelevance };
  if (kind < 9) return { text: words(), embedding: direction(random), minRelevance };
  return random.chance(0.5) ? { nearTime: { origin: { $case: 'step', value: 3n } } } : {};
}

const scopeOf = (random: TestRandom) =>
  random.pick([{ agent: 'a1' }, { agent: 'a1', session: 's1' }, { project: 'p1', agent: 'a2' }, { session: 's2' }]);

/** With every kind of filter and without; of the last hour and of all times, of a scope, of some tiers. */
function queryOf(random: TestRandom, parent: string): Query {
  const sought = soughtBy(random);
  const isFiltered = random.chance(0.6) || Object.keys(sought).length === 0;
  return {
    parent,
    ...sought,
    limit: random.pick([1, 3, 10, 1000]),
    ...(isFiltered ? { filter: random.pick(filterFamilies()) } : {}),
    ...(random.chance(0.2) ? { timeWindow: { last: { seconds: 3600n } } } : {}),
    ...(random.chance(0.2) ? { tiers: random.pick([[1], [3], [1, 3]] satisfies Tier[][]) } : {}),
    ...(random.chance(0.4) ? { scope: scopeOf(random), scopeView: random.pick([0, 2]) } : {}),
    ...(random.chance(0.2) ? { minScore: 0.03 } : {}),
    includeInvalid: random.chance(0.2),
    exact: random.chance(0.5),
  };
}

/**
 * The reader's state at a revision equals the answer of Recall: the same memories in the same order with the same
 * scores.
 */
async function expectSame(subscription: FollowedAnswer, revision: bigint, round: string): Promise<void> {
  const { query } = subscription;
  let followed = await subscription.at(revision);
  let answer = await ask(server.recalls, server.recalls.recall, query);
  // A job deletes expired memories, possibly in between.
  for (let at = revision; BigInt(answer.revision) > at; ) {
    at = BigInt(answer.revision);
    followed = await subscription.at(at);
    answer = await ask(server.recalls, server.recalls.recall, query);
  }
  const { hits } = answer;
  expect({ round, query, names: followed }).toEqual({ round, query, names: hits.map(({ memory }) => memory?.name) });
  for (const { memory, score } of hits) {
    const received = subscription.hit(memory?.name ?? '');
    const isNear = Math.abs((received?.score ?? 0) - score) < DRIFT;
    expect({ round, query, score, received: isNear ? score : received?.score }).toEqual({
      round,
      query,
      score,
      received: score,
    });
    expect(received?.memory?.version).toBe(memory?.version);
  }
}

/** Makes a change and returns its revision. */
async function writeOne(random: TestRandom, parent: string, names: string[]): Promise<bigint> {
  const { memories, scopes } = operator;
  const kind = random.next();
  const name = random.pick(names);
  if (kind < 0.4 || names.length < 20) {
    const stored = await store(operator, parent, memoryOf(random));
    names.push(stored.name);
    return stored.revision;
  }
  if (kind < 0.7) {
    const updateMask = ['text', 'tags', 'importance', 'scope.session', ...(random.chance(0.5) ? ['embedding'] : [])];
    const memory = { ...memoryOf(random), embedding: direction(random), name };
    return (await ask(memories, memories.updateMemory, UpdateMemoryRequest.fromPartial({ memory, updateMask })))
      .revision;
  }
  if (kind < 0.8) {
    const superseded = { memory: { name, supersededBy: random.pick(names) }, updateMask: ['superseded_by'] };
    return (await ask(memories, memories.updateMemory, UpdateMemoryRequest.fromPartial(superseded))).revision;
  }
  if (kind < 0.88) {
    const to = Tier.TIER_LONG_TERM;
    return (
      await ask(
        memories,
        memories.demoteMemories,
        DemoteMemoriesRequest.fromPartial({ parent, names: [name], toTier: to }),
      )
    ).revision;
  }
  if (kind < 0.92) {
    const policy = { scope: random.pick([{ agent: 'a2' }, { project: 'p1' }]), isPrivate: random.chance(0.5) };
    await ask(scopes, scopes.setScopePolicy, SetScopePolicyRequest.fromPartial({ parent, policy }));
    // A policy has no revision: its effect is visible at the next one.
    return (await store(operator, parent, { text: 'aside', scope: { session: 'elsewhere' } })).revision;
  }
  names.splice(names.indexOf(name), 1);
  return (await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name }))).revision;
}

test('Subscribe: many concurrent queries › each equals the answer of Recall, after any writes and when memories expire', async () => {
  const random = seededRandom('subscribe-many-property');
  const parent = freshNamespace();
  const names: string[] = [];
  for (let i = 0; i < 30; i++) names.push((await store(operator, parent, memoryOf(random))).name);
  const queries = Array.from({ length: SUBSCRIPTIONS }, () => queryOf(random, parent));
  const subscriptions = queries.map((query) => new FollowedAnswer(server, query));
  for (let write = 0; write < WRITES; ) {
    let revision = 0n;
    for (const end = write + 1 + random.int(AT_ONCE); write < end; write++)
      revision = await writeOne(random, parent, names);
    for (const subscription of subscriptions) await expectSame(subscription, revision, `after ${write} writes`);
  }
  const passing: string[] = [];
  let newest = 0n;
  for (let at = 0; at < 5; at++) {
    const expireTime = { seconds: BigInt(Math.floor(clock.nowUs() / 1e6) + 60), nanos: 0 };
    const { name, revision } = await store(operator, parent, { ...memoryOf(random), importance: 0.9, expireTime });
    passing.push(name);
    newest = revision;
  }
  for (const subscription of subscriptions) await subscription.at(newest);
  clock.aheadUs += 61_000_000;
  for (const subscription of subscriptions) {
    const hasNone = () => !subscription.names().some((name) => passing.includes(name));
    if (!hasNone()) await subscription.until(hasNone);
  }
  // The job that deletes expired memories may run later: then the next change is the barrier.
  const { revision } = await store(operator, parent, memoryOf(random));
  for (const subscription of subscriptions) await expectSame(subscription, revision, 'after expiry');
  for (const subscription of subscriptions) subscription.cancel();
}, 240_000);
