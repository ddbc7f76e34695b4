import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { RecallResponse } from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Call } from '../../../src/memory/call.ts';
import { MnemeError } from '../../../src/memory/errors.ts';
import { TIERS } from '../../../src/memory/memory.ts';
import { SERVER_ITSELF } from '../../../src/memory/principal.ts';
import type { ScopePolicy } from '../../../src/memory/scope.ts';
import { noEmbedder } from '../../../src/search/embedding/embedder.ts';
import type { RecallEngine, RecallQuery } from '../../../src/search/recall/recall-engine.ts';
import { encode } from '../../../src/server/grpc/edge/codec.ts';
import { encodedHits } from '../../../src/server/grpc/recall/encoded-hits.ts';
import { PARTLY_ENCODED, recallResponse } from '../../../src/server/grpc/recall/recall-messages.ts';
import { type AnswerRecallDeps, answerRecall } from '../../../src/server/operations/recall/answer-recall.ts';
import type { RecallAnswer, RecallRequest } from '../../../src/server/operations/recall/recall-request.ts';
import { TEXT_RECALL } from '../../../src/server/operations/recall/recall-request.ts';
import { asCaller, VisibilityRules } from '../../../src/server/operations/visibility/visibility.ts';
import { visibleRecords, visibleView } from '../../../src/server/operations/visibility/visible-store.ts';
import type { NewMemory } from '../../../src/storage/records.ts';
import { openReadOnly } from '../../../src/storage/sqlite/database.ts';
import { sized } from '../../support/all-tests.ts';
import { damageInFolder } from '../../support/damage.ts';
import { LOW } from '../../support/low-resolution.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { randomMemory } from '../../support/random-memories.ts';
import { engineOver, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';
import { InMemoryScopePolicies } from '../in-memory/scope-policies.ts';

const NOW_US = 1_800_000_000_000_000;
const COUNT = 120;
const STEPS = sized({ sample: 80, nightly: 250 });
const WORDS = ['cello', 'rain', 'harbour', 'lamp', 'winter'];
const SESSIONS = ['one', 'two', 'three'];

let fixture: RecallFixture;
let closeDatabase: () => void;
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(async () => {
  closeDatabase();
  await fixture.close();
});

/** As the search thread answers: what it returns is copied, and hits are encoded where that is permitted. */
function engineOfTest(folder: string): RecallEngine & { readonly count: { read: number; encoded: number } } {
  const database = openReadOnly(folder);
  closeDatabase = () => database.close();
  const local = engineOver(folder, database, [], { encodeHits: encodedHits });
  const count = { read: 0, encoded: 0 };
  const search = async (query: RecallQuery) => {
    const result = structuredClone(local.search(structuredClone(query)));
    if (result.memories) count.read++;
    if (result.encodedHits) count.encoded++;
    return result;
  };
  return { textModel: '', count, search, statistics: async () => [], close: async () => undefined };
}

/** The same engine, asked for ids only: the hits are then read from the store. */
function idsOnly(engine: RecallEngine): RecallEngine {
  const search = ({ read: _, ...query }: RecallQuery, signal: AbortSignal) => engine.search(query, signal);
  return { textModel: '', search, statistics: async () => [], close: async () => undefined };
}

const call: Call = {
  signal: new AbortController().signal,
  deadlineAtMs: Number.POSITIVE_INFINITY,
  callId: 'c',
  principal: SERVER_ITSELF,
  caller: 'c',
};

/** Memories of all shapes, of three sessions, that share words and have vectors; some expire later, some have expired. */
function memoriesOf(random: TestRandom): NewMemory[] {
  return Array.from({ length: COUNT }, (_, at) => {
    const { checksum: _checksum, text, ...memory } = randomMemory(random, `m${at}`);
    const trusted = random.chance(0.2) ? { type: 'message', source: { speaker: 'user', uri: '', origin: '' } } : {};
    return newMemory({
      ...memory,
      ...trusted,
      text: `${text} ${random.pick(WORDS)} ${random.pick(WORDS)} ${random.chance(0.3) ? 'long '.repeat(200) : ''}`,
      scope: { project: random.pick(['p', 'q']), agentType: '', agent: '', session: random.pick(SESSIONS) },
      tier: 'short_term',
      ...(random.chance(0.8) && { embedding: { model: 'm', values: Float32Array.from({ length: 4 }, random.next) } }),
      ...(random.chance(0.2) && { expiresAtUs: random.pick([1, NOW_US + 1e12]) }),
    });
  });
}

function requestOf(random: TestRandom): RecallRequest {
  const maybe = <T>(probability: number, value: T) => (random.chance(probability) ? value : undefined);
  const byText = random.chance(0.5);
  const filter = maybe(0.3, {
    kind: 'comparison',
    target: { kind: 'field', field: 'session' },
    operator: 'in',
    values: [random.pick(SESSIONS), random.pick(SESSIONS)],
    ignoreCase: false,
  } as const);
  const tokenBudget = maybe(0.15, 20 + random.int(200));
  const bytesMax = maybe(0.2, random.int(4000));
  const preset = maybe(0.15, { name: 'temporal', parameters: new Uint8Array() });
  return {
    ...TEXT_RECALL,
    namespace: 'n',
    text: byText ? `${random.pick(WORDS)} ${random.pick(WORDS)}` : '',
    ...(!byText && { embedding: { model: 'm', values: Float32Array.from({ length: 4 }, random.next) } }),
    filter,
    ...(random.chance(0.3) && { scope: { project: 'p', agentType: '', agent: '', session: '' } }),
    ...(random.chance(0.3) && { tiers: [random.pick(TIERS), random.pick(TIERS)] }),
    ...(tokenBudget && { tokenBudget }),
    bytesMax,
    ...(random.chance(0.1) && { isPerTier: true }),
    preset,
    limit: 1 + random.int(30),
    halfLifeUs: 6e11,
    validity: random.pick(['current', 'any']),
    explain: random.chance(0.2),
    view: random.pick(['basic', 'full', 'metadata']),
    neighborCount: random.int(4),
    exact: random.chance(0.5),
  };
}

type Outcome = RecallAnswer | { readonly reason: string; readonly message: string };

async function outcomeOf(deps: AnswerRecallDeps, request: RecallRequest): Promise<Outcome> {
  try {
    return await answerRecall(deps, request, call);
  } catch (error) {
    if (!(error instanceof MnemeError)) throw error;
    return { reason: error.reason, message: error.message };
  }
}

it('Recall › hits read by the engine, encoded or not, are those that the store returns, whatever the request', async () => {
  const random = seededRandom('recall-hits');
  const { store, folder } = fixture;
  await store.write({
    kind: 'store',
    namespace: 'n',
    memories: memoriesOf(random),
    createNamespace: true,
    onConflict: 'fail',
    atUs: NOW_US,
  });
  for (const tier of ['intermediate', 'long_term'] as const) {
    const ids = Array.from({ length: COUNT / 3 }, () => `m${random.int(COUNT)}`);
    await store.write({
      kind: 'move',
      namespace: 'n',
      ids: [...new Set(ids)],
      to: tier,
      resolution: LOW,
      atUs: NOW_US,
    });
  }
  const engine = engineOfTest(folder);
  const policies = new InMemoryScopePolicies(store);
  const clock = { nowUs: () => NOW_US };
  const countTokens = (text: string) => text.split(' ').length;
  const rules = new VisibilityRules(policies);
  const stores = { store: visibleRecords(store, rules), view: visibleView(store, rules), policies };
  const deps = {
    ...stores,
    engine,
    embedder: noEmbedder,
    clock,
    countTokens,
    limits: [],
  } as unknown as AnswerRecallDeps;
  const former = { ...deps, engine: idsOnly(engine) };
  for (let step = 0; step < STEPS; step++) {
    if (step === 100) await damaged(folder, ['m3', 'm40', 'm41', 'm77']);
    if (step === 200) await policies.set({ namespace: 'n', policy: PRIVATE, atUs: NOW_US });
    const request = requestOf(random);
    const from = random.pick(['everything', { project: 'p', agentType: '', agent: '', session: '' }] as const);
    await asCaller(from, async () => {
      const expected = await outcomeOf(former, request);
      expect(await outcomeOf(deps, request)).toEqual(expected);
      const sent = await outcomeOf(deps, { ...request, mayEncode: true });
      if ('reason' in sent || 'reason' in expected) expect(sent).toEqual(expected);
      else {
        const bytes = encode(PARTLY_ENCODED, recallResponse('n', sent));
        const formerBytes = encode(RecallResponse, recallResponse('n', expected));
        expect(RecallResponse.decode(bytes)).toEqual(RecallResponse.decode(formerBytes));
        expect(bytes.equals(formerBytes)).toBe(true);
      }
    });
  }
  expect(engine.count.read).toBeGreaterThan(60);
  // With most seeds 30 to 60 of the 250 requests.
  expect(engine.count.encoded).toBeGreaterThan(5);
});

/** The store's reads of one turn of the event loop see one state, and are not notified of the damage. */
async function damaged(folder: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) damageInFolder(folder, id, 'text');
  await nextTurn();
}

const PRIVATE: ScopePolicy = {
  scope: { project: 'q', agentType: '', agent: '', session: '' },
  isPrivate: true,
  isReadOnly: false,
  isIsolated: false,
};
