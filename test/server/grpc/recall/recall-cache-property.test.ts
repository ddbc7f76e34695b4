import { afterEach, describe, expect, it } from '@jest/globals';
import { GetServerStatisticsRequest, UpdateConfigRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import {
  DeleteMemoryRequest,
  DemoteMemoriesRequest,
  GetMemoryRequest,
  PromoteMemoriesRequest,
  SetMemoryImportanceRequest,
  StoreMemoryRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { DeleteNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { SetScopePolicyRequest } from '../../../../gen/ts/mneme/v1/scope_service.ts';
import { seededRandom, type TestRandom } from '../../../support/random.ts';
import { ask, refusal } from '../support/ask.ts';
import { json } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const WORDS = 'garden rain cello boat lamp stone river bread'.split(' ');
const SPACES = ['namespaces/one', 'namespaces/two'];
const IDS = Array.from({ length: 12 }, (_, at) => `m${at}`);
const STEPS = 250;
const STILL = { embedder: 'none', maintenanceIntervalMs: '86400000', expiryIntervalMs: '3600000' };

type Ask = (server: TestServer) => Promise<unknown>;

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A write of some kind; the same on every server. */
function someWrite(random: TestRandom, nowUs: number): Ask {
  const parent = random.pick(SPACES);
  const name = `${parent}/memories/${random.pick(IDS)}`;
  const text = `${random.pick(WORDS)} ${random.pick(WORDS)} ${random.pick(WORDS)}`;
  const agent = random.pick(['', 'ada', 'bob']);
  const seconds = BigInt(Math.floor(nowUs / 1e6));
  const memory = {
    text,
    content: json({ mood: random.int(3) }),
    scope: { agent, session: random.pick(['', 's1']) },
    eventTime: { seconds: seconds - BigInt(random.int(1_000_000)) },
    expireTime: random.chance(0.3) ? { seconds: seconds + BigInt(1 + random.int(120)) } : undefined,
  };
  const importance = random.int(5) / 4;
  const focus = random.chance(0.5);
  const to = random.chance(0.5) ? 2 : 3;
  const writes: Ask[] = [
    ({ memories }) =>
      ask(
        memories,
        memories.storeMemory,
        StoreMemoryRequest.fromPartial({ parent, memory, memoryId: name.split('/').at(-1) ?? '' }),
      ),
    ({ memories }) =>
      ask(
        memories,
        memories.updateMemory,
        UpdateMemoryRequest.fromPartial({ memory: { name, text }, updateMask: ['text'] }),
      ),
    ({ memories }) =>
      ask(memories, memories.setMemoryImportance, SetMemoryImportanceRequest.fromPartial({ name, importance })),
    ({ memories }) => ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name })),
    ({ memories }) => ask(memories, memories.getMemory, GetMemoryRequest.fromPartial({ name, touch: true, focus })),
    ({ memories }) =>
      ask(memories, memories.demoteMemories, DemoteMemoriesRequest.fromPartial({ parent, names: [name], toTier: to })),
    ({ memories }) =>
      ask(memories, memories.promoteMemories, PromoteMemoriesRequest.fromPartial({ parent, names: [name] })),
    ({ recalls }) =>
      ask(recalls, recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, parent, text, touch: true })),
  ];
  if (random.chance(0.02)) {
    return ({ namespaces }) =>
      ask(namespaces, namespaces.deleteNamespace, DeleteNamespaceRequest.fromPartial({ name: parent, force: true }));
  }
  if (random.chance(0.05)) {
    const policy = { scope: { agent: 'ada' }, isPrivate: focus };
    return ({ scopes }) => ask(scopes, scopes.setScopePolicy, SetScopePolicyRequest.fromPartial({ parent, policy }));
  }
  return random.chance(0.5) ? (writes[0] as Ask) : random.pick(writes);
}

/** One of few questions, so that many are asked again. */
function someQuestion(random: TestRandom): Parameters<typeof RecallRequest.fromPartial>[0] {
  const parent = random.pick(SPACES);
  const text = random.pick(WORDS.slice(0, 3));
  return random.pick([
    { parent, text },
    { parent, text, limit: 3, neighborCount: 1, explain: true },
    { parent, text, scope: { agent: 'ada' } },
    { parent, text, tiers: [3] },
    { parent, text, weights: { recency: 5 }, recencyHalfLife: { seconds: 30n } },
    { parent, text, tokenBudget: 20 },
    { parent, timeWindow: { last: { seconds: 500_000n } } },
    { parent, timeWindow: { period: 1 } },
    { parent, preset: { name: 'importance' } },
    { parent, preset: { name: 'last_hours', parameters: '{"hours": 50}' } },
    { parent, text, focus: true },
  ]);
}

/** Revisions of two servers differ: they depend on when background work is done. */
const plain = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer, (key, value: unknown) => {
      if (key === 'version' || key === 'revision') return undefined;
      return typeof value === 'bigint' ? String(value) : value;
    }),
  );

const settled = (call: Promise<unknown>): Promise<unknown> =>
  call.then(plain, async (error: unknown) => ({ refused: (await refusal(Promise.reject(error))).reason }));

describe('answers that are kept', () => {
  it('any writes, recalls and steps of the clock › answers equal those of a server without a cache', async () => {
    const random = seededRandom('kept answers');
    let nowUs = 1_800_000_000_000_000;
    const clock = { nowUs: () => nowUs };
    const start = async (count: string): Promise<TestServer> => {
      const server = await startTestServer({ ...STILL, recallCacheCount: count }, { clock });
      opened.push(() => server.stop());
      return server;
    };
    const [keeping, searching] = [await start('50'), await start('0')];
    for (let step = 0; step < STEPS; step++) {
      if (random.chance(0.3)) nowUs += random.pick([1000, 5_000_000, 70_000_000]);
      const isWrite = step < 10 || random.chance(0.3);
      const question = someQuestion(random);
      const call: Ask = isWrite
        ? someWrite(random, nowUs)
        : ({ recalls }) => ask(recalls, recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, ...question }));
      const [kept, searched] = [await settled(call(keeping)), await settled(call(searching))];
      if (isWrite) continue;
      expect(kept).toEqual(searched);
      // Repeated immediately, as it may come from the cache.
      expect(await settled(call(keeping))).toEqual(await settled(call(searching)));
      if (random.chance(0.02)) {
        const settings = {
          'cache.entries': String(1 + random.int(50)),
          'cache.bytes': String(65_536 + random.int(1e6)),
        };
        await ask(keeping.admin, keeping.admin.updateConfig, UpdateConfigRequest.fromPartial({ settings }));
      }
    }
    const counts = async () => {
      const { admin } = keeping;
      return (await ask(admin, admin.getServerStatistics, GetServerStatisticsRequest.fromPartial({}))).recallCache;
    };
    // An answer is kept once the encoder has read all texts, which takes longer on a busy machine: asked until then.
    const [parent = ''] = SPACES;
    const store = StoreMemoryRequest.fromPartial({ parent, memory: { text: 'garden' } });
    await ask(keeping.memories, keeping.memories.storeMemory, store);
    const again = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'garden' });
    while (((await counts())?.hitCount ?? 0) <= 10) await ask(keeping.recalls, keeping.recalls.recall, again);
    expect((await counts())?.bypassedCount).toBeGreaterThan(0);
  });
});
