import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DemoteRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { Tier } from '../../gen/ts/mneme/v1/memory.ts';
import { DeleteRequest, UpdateRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';
import { ask } from './support/ask.ts';
import { FollowedAnswer, type Query } from './support/followed-answer.ts';
import { freshNamespace, json, type MemoryInput, store, vector } from './support/memories.ts';
import { filterFamilies } from './support/filter-families.ts';
import { startTestServer, type TestServer } from './support/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
});
afterAll(() => server.stop());

const WRITES = 150;
const AT_ONCE = 10;
const SUBSCRIPTIONS = 40;
const DIMENSION = 8;
/** Scores may differ by what is not told, and by what they drift between two questions. */
const DRIFT = 0.0011;

const direction = (random: TestRandom) => vector(...Array.from({ length: DIMENSION }, () => random.next() - 0.5));

function memoryOf(random: TestRandom): MemoryInput {
  return {
    text: Array.from({ length: 3 }, () => random.pick(['cat', 'dog', 'tree', 'river'])).join(' '),
    type: random.pick(['fact', 'episode']),
    scope: { session: random.pick(['s1', 's2', '']), agent: random.pick(['a1', 'a2']) },
    tags: random.chance(0.5) ? [random.pick(['red', 'blue'])] : [],
    importance: random.pick([0.1, 0.5, 0.9]),
    embedding: random.chance(0.9) ? direction(random) : undefined,
    content: random.chance(0.5) ? json({ n: random.int(5) }) : undefined,
    place: random.chance(0.5) ? { point: { x: random.int(5), y: 0, z: undefined } } : undefined,
    step: random.chance(0.5) ? BigInt(random.int(9)) : undefined,
    expireTime: random.chance(0.1) ? { seconds: 4_000_000_000n, nanos: 0 } : undefined,
  };
}

/** Vector queries with every kind of filter, and without; narrow ones and such that everything is near to. */
function queryOf(random: TestRandom, parent: string): Query {
  const filter = random.chance(0.6) ? random.pick(filterFamilies()) : undefined;
  return {
    parent,
    embedding: direction(random),
    minSimilarity: random.pick([-1, 0, 0.2, 0.5]),
    limit: random.pick([1, 3, 10, 1000]),
    ...(filter ? { filter } : {}),
    ...(random.chance(0.2) ? { timeWindow: { last: { seconds: 3600n } } } : {}),
    ...(random.chance(0.2) ? { minScore: 0.03 } : {}),
    includeSuperseded: random.chance(0.2),
    exact: random.chance(0.5),
  };
}

test('Subscribe › many vector queries at once each have what Recall answers, after any sequence of writes', async () => {
  const random = seededRandom('subscribe-near-property');
  const { memories, admin } = server;
  const parent = freshNamespace();
  const names: string[] = [];
  for (let i = 0; i < 30; i++) names.push((await store(server, parent, memoryOf(random))).name);
  const subscriptions = Array.from(
    { length: SUBSCRIPTIONS },
    () => new FollowedAnswer(server, queryOf(random, parent)),
  );
  const write = async (): Promise<void> => {
    const kind = random.next();
    const name = random.pick(names);
    if (kind < 0.4 || names.length < 20) {
      names.push((await store(server, parent, memoryOf(random))).name);
    } else if (kind < 0.7) {
      const updateMask = ['text', 'tags', 'importance', 'scope.session', ...(random.chance(0.5) ? ['embedding'] : [])];
      const changed = { ...memoryOf(random), embedding: direction(random), name };
      await ask(memories, memories.update, UpdateRequest.fromPartial({ memory: changed, updateMask }));
    } else if (kind < 0.8) {
      const superseded = { memory: { name, supersededBy: random.pick(names) }, updateMask: ['superseded_by'] };
      await ask(memories, memories.update, UpdateRequest.fromPartial(superseded));
    } else if (kind < 0.9) {
      const to = Tier.TIER_LONG_TERM;
      await ask(admin, admin.demote, DemoteRequest.fromPartial({ parent, names: [name], to }));
    } else {
      names.splice(names.indexOf(name), 1);
      await ask(memories, memories.delete, DeleteRequest.fromPartial({ name }));
    }
  };
  for (let round = 0; round < WRITES / AT_ONCE; round++) {
    for (let at = 0; at < AT_ONCE; at++) await write();
    const { revision } = await ask(
      server.recalls,
      server.recalls.recall,
      RecallRequest.fromPartial(subscriptions[0]?.query ?? {}),
    );
    for (const subscription of subscriptions) {
      const followed = await subscription.at(revision);
      const { hits } = await ask(server.recalls, server.recalls.recall, subscription.query);
      const expected = hits.map(({ memory }) => memory?.name ?? '');
      expect({ round, query: subscription.query, names: followed }).toEqual({
        round,
        query: subscription.query,
        names: expected,
      });
      for (const { memory, score } of hits) {
        const told = subscription.hit(memory?.name ?? '');
        expect(Math.abs((told?.score ?? 0) - score)).toBeLessThan(DRIFT);
        expect(told?.memory?.revision).toBe(memory?.revision);
      }
    }
  }
  for (const subscription of subscriptions) subscription.cancel();
}, 120_000);
