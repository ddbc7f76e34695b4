import { appendFileSync, cpSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../../src/memory/errors.ts';
import type { NewMemory } from '../../../src/storage/records.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

let fixture: RecallFixture;
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(() => fixture.close());

async function store(memories: readonly NewMemory[], namespace = 'n'): Promise<void> {
  await fixture.store.write({ kind: 'store', namespace, memories, createNamespace: true, onConflict: 'fail', atUs: 1 });
}

function ids(result: { readonly hits: readonly { readonly id: string }[] }): string[] {
  return result.hits.map((hit) => hit.id);
}

function reasonOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof MnemeError) return error.reason;
    throw error;
  }
  return 'none';
}

describe('Recall by vector', () => {
  const model = 'test';
  const vectorOf = (random: ReturnType<typeof seededRandom>) =>
    Float32Array.from({ length: 16 }, () => random.next() - 0.5);

  async function storeVectors(count: number) {
    const random = seededRandom('recall-vectors');
    const memories = Array.from({ length: count }, (_, at) =>
      newMemory({ id: `m${at}`, embedding: { model, values: vectorOf(random) } }),
    );
    await store(memories);
    return { memories, query: vectorOf(random) };
  }

  function nearest(memories: readonly NewMemory[], query: Float32Array): string[] {
    const cosine = (values: Float32Array) => {
      let [dot, norm] = [0, 0];
      values.forEach((value, at) => {
        dot += value * (query[at] ?? 0);
        norm += value * value;
      });
      return dot / Math.sqrt(norm);
    };
    const scored = memories.map(({ id, embedding }) => ({ id, score: embedding ? cosine(embedding.values) : -2 }));
    return scored.sort((a, b) => b.score - a.score).map(({ id }) => id);
  }

  it('is exact for vectors outside of the graph, and after deletions', async () => {
    const { memories, query } = await storeVectors(200);
    const engine = fixture.newEngine();
    const expected = nearest(memories, query);
    const embedding = { model, values: query };
    expect(ids(engine.search(aQuery({ embedding })))).toEqual(expected.slice(0, 10));
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: expected.slice(0, 5),
      cause: 'deleted',
      mustExist: true,
      atUs: 3,
    });
    expect(ids(engine.search(aQuery({ embedding })))).toEqual(expected.slice(5, 15));
  });

  it('omits less similar memories than requested', async () => {
    const { memories, query } = await storeVectors(50);
    const result = fixture
      .newEngine()
      .search(aQuery({ embedding: { model, values: query }, minSimilarity: 0.3, explain: true, limit: 50 }));
    expect(ids(result)).toEqual(nearest(memories, query).slice(0, result.hits.length));
    for (const hit of result.hits) {
      expect(hit.components.find((part) => part.name === 'vector')?.value).toBeGreaterThanOrEqual(0.3);
    }
    expect(result.hits.length).toBeLessThan(50);
  });

  it('refuses a vector of another model or dimension', async () => {
    await storeVectors(3);
    const engine = fixture.newEngine();
    const other = { model: 'other', values: new Float32Array(16).fill(1) };
    expect(reasonOf(() => engine.search(aQuery({ embedding: other })))).toBe('MODEL_MISMATCH');
    const longer = { model, values: new Float32Array(17).fill(1) };
    expect(reasonOf(() => engine.search(aQuery({ embedding: longer })))).toBe('DIMENSION_MISMATCH');
  });

  it('continues from saved files with later changes', async () => {
    const { memories, query } = await storeVectors(300);
    const embedding = { model, values: query };
    const first = fixture.newEngine({ exactMax: 100 });
    first.search(aQuery({ embedding }));
    while (first.states.work(5));
    await first.states.save({ changesMin: 1 });
    const expected = nearest(memories, query);
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: expected.slice(0, 3),
      cause: 'deleted',
      mustExist: true,
      atUs: 3,
    });
    await store([newMemory({ id: 'new', embedding: { model, values: query } })]);
    const second = fixture.newEngine({ exactMax: 100 });
    expect(ids(second.search(aQuery({ embedding, exact: true })))).toEqual(['new', ...expected.slice(3, 12)]);
    expect(fixture.faults).toEqual([]);
  });

  it('saves the growth of a graph alone, and continues from there', async () => {
    const { query } = await storeVectors(300);
    const outside = (engine: ReturnType<RecallFixture['newEngine']>) => [...engine.states.all()][0]?.index?.exactCount;
    const opened = () => {
      const engine = fixture.newEngine({ exactMax: 100 });
      engine.search(aQuery({ embedding: { model, values: query } }));
      return engine;
    };
    const first = opened();
    await first.states.save({ changesMin: 1 });
    for (let slice = 0; slice < 20; slice++) first.states.work(0);
    const left = outside(first) ?? 0;
    expect(left).toBeLessThan(300);
    await first.states.save({ changesMin: 1 });
    const second = opened();
    expect(outside(second)).toBe(left);
    while (second.states.work(5));
    await second.states.save({ changesMin: left + 1 });
    expect(outside(opened())).toBe(left);
    await second.states.save({ changesMin: 1, share: 1 });
    expect(outside(opened())).toBe(left);
    await second.states.save({ changesMin: left, share: left / 300 });
    expect(outside(opened())).toBe(0);
  });

  it('compared as bytes, with and without filters that refuse hits › the hits and scores of exact vectors', async () => {
    const random = seededRandom('recall-vectors filtered');
    const memories = Array.from({ length: 600 }, (_, at) => {
      const common = { type: at % 3 === 0 ? 'third' : 'fact', importance: random.next() };
      return newMemory({ id: `m${at}`, text: `tea ${at}`, embedding: { model, values: vectorOf(random) }, ...common });
    });
    await store(memories);
    const bytes = fixture.newEngine({ exactMax: 100 });
    bytes.search(aQuery({ text: 'tea' }));
    while (bytes.states.work(5));
    const floats = fixture.newEngine({ exactMax: 1000 });
    const equal = { operator: 'equals', values: ['third'], ignoreCase: false } as const;
    const part = { operator: 'contains', values: ['7'], ignoreCase: false } as const;
    const filters = [
      undefined,
      { kind: 'comparison', target: { kind: 'field', field: 'type' }, ...equal },
      { kind: 'comparison', target: { kind: 'field', field: 'text' }, ...part },
    ] as const;
    for (let round = 0; round < 20; round++) {
      const embedding = { model, values: vectorOf(random) };
      for (const filter of filters) {
        const query = aQuery({ embedding, exact: true, limit: 1 + random.int(30), filter });
        const hitsOf = (engine: typeof bytes) => engine.search(query).hits.map(({ id, score }) => ({ id, score }));
        expect(hitsOf(bytes)).toEqual(hitsOf(floats));
      }
    }
  });

  it('builds no graph in a storm of writes without recalls; after a recall, or after the storm, it does', async () => {
    let nowMs = 0;
    const engine = fixture.newEngine({ exactMax: 100, nowMs: () => nowMs });
    await store([newMemory({ id: 'before' })]);
    engine.states.open('n');
    const { memories, query } = await storeVectors(300);
    const [state] = engine.states.all();
    while (engine.states.work(5));
    expect([state?.index?.size, state?.index?.exactCount]).toEqual([300, 300]);
    const { hits } = engine.search(aQuery({ embedding: { model, values: query } }));
    expect(ids({ hits })).toEqual(nearest(memories, query).slice(0, 10));
    while (engine.states.work(5));
    expect(state?.index?.exactCount).toBe(0);
    nowMs += 20_000;
    await store(memories.map((memory) => newMemory({ ...memory, id: `${memory.id} again` })));
    while (engine.states.work(5));
    expect(state?.index?.exactCount).toBe(300);
    nowMs += 1000;
    while (engine.states.work(5));
    expect([state?.index?.size, state?.index?.exactCount]).toEqual([600, 0]);
  });

  it('grows a graph in a storm where many vectors wait for it, and without a rest only where somebody recalls', async () => {
    const engine = fixture.newEngine({ exactMax: 100, nowMs: () => 0, waitingVectorsMax: 250, lateVectorsMax: 275 });
    await store([newMemory({ id: 'before' })]);
    engine.states.open('n');
    const { query } = await storeVectors(300);
    const [state] = engine.states.all();
    while (engine.states.follow());
    expect(engine.states.canWait).toBe(true);
    engine.search(aQuery({ embedding: { model, values: query } }));
    expect(engine.states.canWait).toBe(false);
    if (state) state.askedAtMs = Number.NEGATIVE_INFINITY;
    while (engine.states.work(0));
    expect([state?.index?.exactCount, engine.states.canWait]).toEqual([246, true]);
  });

  it('reads exact vectors from the store when their file is damaged', async () => {
    const { memories, query } = await storeVectors(300);
    const embedding = { model, values: query };
    const first = fixture.newEngine({ exactMax: 100 });
    first.search(aQuery({ embedding }));
    while (first.states.work(5));
    await first.states.save({ changesMin: 1 });
    const folder = join(fixture.folder, 'vectors', '1');
    truncateSync(join(folder, readdirSync(folder).find((name) => name.startsWith('rows')) ?? ''), 30);
    const second = fixture.newEngine({ exactMax: 100 });
    second.search(aQuery({ embedding, limit: 300 }));
    while (second.states.work(5));
    const due = nearest(memories, query);
    expect(ids(second.search(aQuery({ embedding, limit: 300 })))).toEqual(due);
    const [state] = second.states.all();
    expect([state?.index?.exactCount, state?.index?.takeDamaged()]).toEqual([0, []]);
    expect(fixture.faults).toEqual([]);
  });

  it('rebuilds the index from the store when its files are damaged, and reports it', async () => {
    const { memories, query } = await storeVectors(300);
    const embedding = { model, values: query };
    const first = fixture.newEngine({ exactMax: 100 });
    first.search(aQuery({ embedding }));
    while (first.states.work(5));
    await first.states.save({ changesMin: 1 });
    const folder = join(fixture.folder, 'vectors', '1');
    const graph = readdirSync(folder).find((name) => name.startsWith('graph')) ?? '';
    appendFileSync(join(folder, graph), 'x');
    const second = fixture.newEngine({ exactMax: 100 });
    expect(ids(second.search(aQuery({ embedding })))).toEqual(nearest(memories, query).slice(0, 10));
    expect(fixture.faults.length).toBe(1);
  });
});

describe('Recall when the database was replaced by another', () => {
  it('does not use the index files of the first, though they are whole and of the same revision', async () => {
    const of = (x: number, y: number) => ({ model: 'm', values: Float32Array.of(x, y) });
    await store([newMemory({ id: 'a', embedding: of(1, 0) }), newMemory({ id: 'b', embedding: of(0, 1) })]);
    const engine = fixture.newEngine();
    engine.search(aQuery({ embedding: of(1, 0) }));
    await engine.states.save({ changesMin: 1 });
    const other = await recallFixture();
    try {
      cpSync(join(fixture.folder, 'vectors'), join(other.folder, 'vectors'), { recursive: true });
      const memories = [newMemory({ id: 'a', embedding: of(0, 1) }), newMemory({ id: 'b', embedding: of(1, 0) })];
      await other.store.write({
        kind: 'store',
        namespace: 'n',
        memories,
        createNamespace: true,
        onConflict: 'fail',
        atUs: 2,
      });
      expect(other.store.revision).toBe(fixture.store.revision);
      expect(ids(other.newEngine().search(aQuery({ embedding: of(1, 0) })))).toEqual(['b', 'a']);
    } finally {
      await other.close();
    }
  });
});
