import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deriveText } from '../../../src/memory/derive-text.ts';
import { comparedState } from '../../../src/memory/states/state.ts';
import { numberSimilarity, spreadOf } from '../../../src/memory/states/state-similarity.ts';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { RankedMemories } from '../../../src/search/ranking/ranked-memories.ts';
import { LearnedLane } from '../../../src/search/recall/learned-lane.ts';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { NamespaceTexts } from '../../../src/search/recall/namespace-texts.ts';
import type { RecallQuery, RecallResult } from '../../../src/search/recall/recall-engine.ts';
import { dotProduct } from '../../../src/search/vectors/nearest.ts';
import type { NewMemory } from '../../../src/storage/records.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

const texts = new StaticTexts();
const { table, tokenizer } = texts.load();

let fixture: RecallFixture;
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(async () => {
  await fixture.close();
});

/** With an embedder for texts, as by default. */
function newEngine(): LocalEngine {
  return fixture.newStrictEngine({
    texts,
    newTexts: () => new NamespaceTexts(new RankedMemories(table, tokenizer)),
  });
}

type State = Readonly<Record<string, unknown>>;

function memoryOf(id: string, state: State, changes: Partial<NewMemory> = {}): NewMemory {
  const content = { mediaType: 'application/json', data: Buffer.from(JSON.stringify(state)) };
  return newMemory({ id, content, text: deriveText(content), ...changes });
}

async function store(memories: readonly NewMemory[], namespace = 'n'): Promise<void> {
  await fixture.store.write({
    kind: 'store',
    namespace,
    memories,
    createNamespace: true,
    onConflict: 'replace',
    atUs: 1,
  });
}

const BY_STATE = { keyword: 0, vector: 1, state: 1, recency: 0, importance: 0, session: 0 };

/** The query that the preset `similarity` sends to the engine. */
function stateQuery(state: State, changes: Partial<RecallQuery> = {}): RecallQuery {
  const compared = comparedState(state);
  if (!compared) throw new Error('no state');
  const content = { mediaType: 'application/json', data: Buffer.from(JSON.stringify(state)) };
  return aQuery({
    state: compared,
    ...(compared.textShare > 0 ? { text: deriveText(content), embedText: true } : {}),
    weights: BY_STATE,
    ...changes,
  });
}

/** With words and recency too, as a recall that is similar to a memory. */
const FUSED = { ...aQuery().weights, vector: 0.1, state: 2 };

class UnaskedOrder extends LearnedLane {
  override order(): never {
    throw new Error('the learned order is asked');
  }
}

const ids = ({ hits }: RecallResult): string[] => hits.map(({ id }) => id);

const ROOMS: Readonly<Record<string, State>> = {
  near: { position: [101, 99], health: 0.8 },
  north: { position: [100, 5], health: 0.8 },
  south: { position: [100, 180], health: 0.8 },
  weak: { position: [101, 99], health: 0.1 },
  far: { position: [5, 5], health: 0.2 },
};

describe('Recall by a state', () => {
  it('knows numbers: a near position comes before one that shares a number', async () => {
    await store(Object.entries(ROOMS).map(([id, state]) => memoryOf(id, state)));
    const { hits } = newEngine().search(stateQuery({ position: [100, 100], health: 0.8 }, { explain: true }));
    expect(hits.map(({ id }) => id)).toEqual(['near', 'south', 'north', 'weak', 'far']);
    expect(hits[0]?.components[0]).toMatchObject({ name: 'state', rank: 1, value: hits[0]?.score });
    expect(hits[0]?.score).toBeGreaterThan(0.97);
    expect(hits.map(({ relevance }) => relevance)).toEqual(hits.map(({ score }) => score));
  });

  it('decides in fusion too, against the words that a number shares', async () => {
    await store(Object.entries(ROOMS).map(([id, state]) => memoryOf(id, state)));
    const changes = { weights: FUSED, text: 'position 100 100 health 0.8' };
    const query = stateQuery({ position: [100, 100], health: 0.8 }, changes);
    expect(ids(newEngine().search(query))[0]).toBe('near');
  });

  it('compares labels, sets and texts, and leaves out fields that a memory lacks', async () => {
    await store([
      memoryOf('both', { mood: 'calm', bag: ['key', 'wood'], note: 'the boat is in the harbour' }),
      memoryOf('label', { mood: 'Calm', bag: ['stone'], note: 'pasta with tomato sauce' }),
      memoryOf('text', { mood: 'angry', bag: ['stone'], note: 'a ship lies in the port' }),
      memoryOf('other', { mood: 3, bag: 'wood', extra: { deep: [true] } }),
      newMemory({ id: 'plain', text: 'the boat is in the harbour' }),
    ]);
    const asked = { mood: 'calm', bag: ['wood', 'key'], note: 'the boat is in the harbour' };
    const found = newEngine().search(stateQuery(asked));
    expect(ids(found).slice(0, 2)).toEqual(['both', 'label']);
    expect(found.hits[0]?.score).toBeGreaterThan(0.95);
    expect(ids(found)).toContain('plain');
    expect(ids(newEngine().search(stateQuery({ mood: 'calm' })))).toEqual(['both', 'label']);
    expect(ids(newEngine().search(stateQuery({ mood: 3 })))).toEqual(['other']);
    expect(ids(newEngine().search(stateQuery({ mood: 'calm' }, { minSimilarity: 0 })))).toHaveLength(4);
  });

  it('asks no learned order for the words of a state, on which nothing depends there', async () => {
    await store(Object.entries(ROOMS).map(([id, state]) => memoryOf(id, state)));
    const newTexts = () => new NamespaceTexts(new RankedMemories(table, tokenizer));
    const engine = fixture.newStrictEngine({ texts, newTexts, learned: new UnaskedOrder(table, tokenizer) });
    const query = stateQuery({ position: [100, 100], health: 0.8 }, { text: 'position 100 100', weights: FUSED });
    expect(ids(engine.search(query))[0]).toBe('near');
    expect(() => engine.search({ ...query, isLearned: true })).toThrow('keyword');
  });

  it('follows changes', async () => {
    await store(Object.entries(ROOMS).map(([id, state]) => memoryOf(id, state)));
    const engine = newEngine();
    const query = stateQuery({ position: [100, 100], health: 0.8 }, { limit: 1 });
    expect(ids(engine.search(query))).toEqual(['near']);
    await store([
      memoryOf('near', { position: [0, 0], health: 0 }),
      memoryOf('new', { position: [100, 100], health: 0.8 }),
    ]);
    expect(ids(engine.search(query))).toEqual(['new']);
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: ['new'],
      cause: 'deleted',
      mustExist: true,
      atUs: 2,
    });
    expect(ids(engine.search(query))).toEqual(['south']);
  });

  it('applies filters, and excludes the memory asked about', async () => {
    await store(
      Object.entries(ROOMS).map(([id, state]) => memoryOf(id, state, { type: id.startsWith('n') ? 'a' : 'b' })),
    );
    const target = { kind: 'field', field: 'type' } as const;
    const filter = { kind: 'comparison', target, operator: 'equals', values: ['b'], ignoreCase: false } as const;
    const query = stateQuery({ position: [100, 100], health: 0.8 }, { filter });
    expect(ids(newEngine().search(query))).toEqual(['south', 'weak', 'far']);
    expect(ids(newEngine().search({ ...query, excludeId: 'south' }))).toEqual(['weak', 'far']);
  });
});

const WORDS = ['boat', 'harbour', 'pasta', 'garden', 'storm', 'music', 'the', 'a', 'runs'];

/** States of several shapes, with values of several kinds at the same place. */
function randomState(random: TestRandom): State {
  const number = (): unknown => random.pick([random.int(5), random.next() * 100, -random.int(1000), 1e300, 0]);
  const label = (): string => random.pick(['calm', 'storm', 'hall', 'attic']);
  const text = (): string => Array.from({ length: 2 + random.int(4) }, () => random.pick(WORDS)).join(' ');
  return {
    ...(random.chance(0.8) ? { position: [random.next() * 200, random.next() * 200] } : { position: { x: number() } }),
    ...(random.chance(0.7) && { health: random.chance(0.9) ? random.next() : label() }),
    ...(random.chance(0.5) && { mood: random.pick([label(), text(), null, true]) }),
    ...(random.chance(0.4) && { bag: Array.from({ length: random.int(3) }, label) }),
    ...(random.chance(0.3) && { inner: { value: number(), note: text() } }),
  };
}

/** The documented formula over all states, one by one. */
function similarities(asked: State, states: ReadonlyMap<string, State>): Map<string, number> {
  const query = comparedState(asked);
  const all = [...states.values()].map((state) => comparedState(state)?.leaves ?? []);
  const spreadAt = (place: string): number => {
    const values = all.flatMap((leaves) => leaves.filter((leaf) => leaf.kind === 'number' && leaf.place === place));
    return spreadOf(values.map(({ value }) => value).sort((a, b) => a - b));
  };
  const vectorOf = (state: State) =>
    texts.vectorOf(deriveText({ mediaType: 'application/json', data: Buffer.from(JSON.stringify(state)) }));
  const own = vectorOf(asked);
  return new Map(
    Array.from(states, ([id, state]) => {
      const leaves = comparedState(state)?.leaves ?? [];
      let sum = 0;
      for (const { place, kind, value, share } of query?.leaves ?? []) {
        const there = leaves.filter((leaf) => leaf.place === place && leaf.kind === kind);
        if (there.some((leaf) => leaf.value === value)) sum += share;
        else if (kind === 'number' && there[0]) sum += share * numberSimilarity(there[0].value, value, spreadAt(place));
      }
      const other = vectorOf(state);
      const cosine = own && other ? Math.max(0, dotProduct(own, other)) : 0;
      return [id, sum + (query?.textShare ?? 0) * cosine];
    }),
  );
}

describe('Similarity of states', () => {
  it('is the documented formula, after any changes and whatever the order of arrival', async () => {
    const random = seededRandom('recall-states');
    const states = new Map<string, State>();
    const engine = newEngine();
    for (let round = 0; round < 6; round++) {
      const written = Array.from({ length: 20 }, () => `m${random.int(80)}`);
      const drafts = [...new Set(written)].map((id) => [id, randomState(random)] as const);
      await store(drafts.map(([id, state]) => memoryOf(id, state)));
      for (const [id, state] of drafts) states.set(id, state);
      const gone = random.pick([...states.keys()]);
      await fixture.store.write({
        kind: 'delete',
        namespace: 'n',
        ids: [gone],
        cause: 'deleted',
        mustExist: true,
        atUs: 2,
      });
      states.delete(gone);
      const asked = randomState(random);
      const expected = similarities(asked, states);
      const { hits } = engine.search(stateQuery(asked, { limit: 100, minSimilarity: 0 }));
      const hitIds = new Set(hits.map(({ id }) => id));
      for (const { id, score } of hits) expect([id, score]).toEqual([id, expect.closeTo(expected.get(id) ?? -1, 6)]);
      for (const [id, similarity] of expected) if (similarity > 1e-6) expect(hitIds.has(id)).toBe(true);
    }
    const shuffled = [...states].sort(() => random.next() - 0.5).map(([id, state]) => memoryOf(id, state));
    for (const memory of shuffled) await store([memory], 'other');
    for (let round = 0; round < 5; round++) {
      const query = stateQuery(randomState(random), { limit: 100, minSimilarity: 0 });
      const scoresIn = (namespace: string) =>
        new Map(engine.search({ ...query, namespace }).hits.map(({ id, score }) => [id, score]));
      expect(scoresIn('other')).toEqual(scoresIn('n'));
    }
  });

  it('is exact in the hits, however many are wanted: those of more begin with the same', async () => {
    const random = seededRandom('recall-states hits');
    await store(Array.from({ length: 150 }, (_, at) => memoryOf(`m${at}`, randomState(random))));
    const engine = newEngine();
    const scoresOf = (query: RecallQuery) => engine.search(query).hits.map(({ id, score }) => [id, score]);
    for (let round = 0; round < 30; round++) {
      const changes = random.pick([{}, { minSimilarity: random.next() }, { explain: true }, { text: 'boat storm' }]);
      const weights = random.pick([BY_STATE, FUSED]);
      const query = stateQuery(randomState(random), { ...changes, weights, limit: 1000 });
      const limit = 1 + random.int(5);
      expect(scoresOf({ ...query, limit })).toEqual(scoresOf(query).slice(0, limit));
    }
  });
});
