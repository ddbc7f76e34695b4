import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MemoryField, Operator } from '../../../../gen/ts/mneme/v1/filter.ts';
import { DeleteMemoryRequest, UpdateMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { sized } from '../../../support/all-tests.ts';
import { seededRandom } from '../../../support/random.ts';
import { ask } from '../support/ask.ts';
import { FollowedAnswer, type Query, recalledNames } from '../support/followed-answer.ts';
import { freshNamespace, json, type MemoryInput, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
});
afterAll(() => server.stop());

const WORDS = ['cat', 'dog', 'tree', 'house', 'river', 'moon', 'stone', 'bread', 'music', 'train'];
const WRITES = sized({ sample: 50, nightly: 120 });

const inSession = (session: string) => ({
  node: {
    $case: 'comparison' as const,
    value: {
      target: { $case: 'field' as const, value: MemoryField.MEMORY_FIELD_SESSION },
      op: Operator.OPERATOR_EQUALS,
      values: [{ kind: { $case: 'stringValue' as const, value: session } }],
    },
  },
});

test('Subscribe: after any sequence of writes the reader has the answer of Recall', async () => {
  const random = seededRandom('subscribe-property');
  const parent = freshNamespace();
  const direction = () => vector(random.next() - 0.5, random.next() - 0.5, random.next() - 0.5);
  const memory = (): MemoryInput => ({
    text: Array.from({ length: 1 + random.int(5) }, () => random.pick(WORDS)).join(' '),
    type: random.pick(['fact', 'episode']),
    scope: { session: random.pick(['s1', 's2', '']) },
    tags: random.chance(0.5) ? [random.pick(['red', 'blue'])] : [],
    importance: random.pick([0.1, 0.5, 0.9]),
    embedding: random.chance(0.8) ? direction() : undefined,
    content: random.chance(0.5) ? json({ n: random.int(5) }) : undefined,
    place: random.chance(0.3) ? { point: { x: random.int(5), y: 0, z: undefined } } : undefined,
    step: random.chance(0.5) ? BigInt(random.int(9)) : undefined,
  });
  const names: string[] = [];
  for (let i = 0; i < 20; i++) names.push((await store(server, parent, memory())).name);
  const queries: Query[] = [
    { parent, minRelevance: 0, text: 'cat tree' },
    { parent, minRelevance: 0, text: 'music', limit: 3 },
    { parent, minRelevance: 0, text: 'river stone', ranking: 2, limit: 5 },
    { parent, filter: inSession('s1'), limit: 5 },
    { parent, filter: inSession('s2'), limit: 1000 },
    { parent, embedding: direction(), limit: 5 },
    { parent, embedding: direction(), limit: 1000, minSimilarity: 0.5 },
    { parent, embedding: direction(), limit: 3, minSimilarity: 0.2, scope: { session: 's1' } },
    { parent, minRelevance: 0, text: 'dog', embedding: direction(), limit: 7 },
    { parent, nearPlace: { origin: { $case: 'point', value: { x: 1, y: 0 } }, scale: 1 }, limit: 4 },
    { parent, nearTime: { origin: { $case: 'step', value: 3n } }, limit: 4 },
    { parent, example: { text: 'house moon' }, limit: 4 },
    { parent, timeWindow: { last: { seconds: 3600n } }, limit: 6 },
    { parent, preset: { name: 'importance' }, scope: { session: 's1' } },
    { parent, minRelevance: 0, text: 'bread', minScore: 0.9, limit: 1000 },
    { parent, minRelevance: 0, text: 'train', neighborCount: 1, limit: 3 },
  ];
  const subscriptions = queries.map((query) => new FollowedAnswer(server, query));
  for (let write = 0; write < WRITES; write++) {
    const kind = random.next();
    const name = random.pick(names);
    if (kind < 0.6 || names.length < 5) names.push((await store(server, parent, memory())).name);
    else if (kind < 0.8) {
      const { memories } = server;
      const changed = { ...memory(), name };
      const updateMask = ['text', 'tags', 'importance', 'scope.session'];
      await ask(memories, memories.updateMemory, UpdateMemoryRequest.fromPartial({ memory: changed, updateMask }));
    } else if (kind < 0.9) {
      const { memories } = server;
      const superseded = { memory: { name, supersededBy: random.pick(names) }, updateMask: ['superseded_by'] };
      await ask(memories, memories.updateMemory, UpdateMemoryRequest.fromPartial(superseded));
    } else {
      const { memories } = server;
      await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name }));
      names.splice(names.indexOf(name), 1);
    }
    if (write % 40 !== 39) continue;
    const { revision } = await ask(server.recalls, server.recalls.recall, subscriptions[0]?.query ?? ({} as never));
    for (const subscription of subscriptions) {
      const followed = await subscription.at(revision);
      expect({ query: subscription.query.text, names: followed }).toEqual({
        query: subscription.query.text,
        names: await recalledNames(server, subscription.query),
      });
    }
  }
  for (const subscription of subscriptions) subscription.cancel();
}, 240_000);
