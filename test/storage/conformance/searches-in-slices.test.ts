import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Filter } from '../../../src/memory/filter.ts';
import type { Memory } from '../../../src/memory/memory.ts';
import type { Steps } from '../../../src/memory/slices.ts';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import type { RecallQuery, RecallResult } from '../../../src/search/recall/recall-engine.ts';
import { SearchInterrupted, SearchProgress } from '../../../src/search/recall/search-progress.ts';
import { countMemories, countSteps } from '../../../src/storage/sqlite/queries/count.ts';
import { listMemories, listSteps } from '../../../src/storage/sqlite/queries/list.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { randomFilter } from '../../support/random-filters.ts';
import { randomMemory } from '../../support/random-memories.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';
import { listRead, NOW_US, put } from './memory-store/store-of-test.ts';

const NAMESPACE = 'n';
const COUNT = 60;

let fixture: RecallFixture;
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(() => fixture.close());

/** A clock by which each memory takes longer than a slice. */
function slowClock(): () => number {
  let nowMs = 0;
  return () => (nowMs += 1000);
}

const inOneState = <T>(read: () => T): T => read();

/** The result of all steps, and how many there were. `between` is called between two of them. */
async function resultOf<T>(steps: Steps<T>, between: () => Promise<unknown> = async () => {}) {
  for (let count = 1; ; count++) {
    const { done, value } = steps.next();
    if (done) return { result: value, count };
    await between();
  }
}

/** The result of a search that is interrupted behind each memory that it looks at. */
async function interrupted(engine: LocalEngine, query: RecallQuery, between: () => Promise<unknown> = async () => {}) {
  const progress = new SearchProgress(slowClock());
  for (let count = 1; ; count++) {
    try {
      return { result: engine.search(query, { progress }), count };
    } catch (error) {
      if (!(error instanceof SearchInterrupted)) throw error;
    }
    await between();
  }
}

function matches(pattern: string): Filter {
  const target = { kind: 'field', field: 'text' } as const;
  return { kind: 'comparison', target, operator: 'matches', values: [pattern], ignoreCase: false };
}

const idsOf = ({ hits }: Pick<RecallResult, 'hits'>): string[] => hits.map(({ id }) => id);

it('any filter over any memories › pages, counts and hits in slices are those of one state', async () => {
  const random = seededRandom('searches-in-slices');
  const memories = Array.from({ length: COUNT }, (_, number) => randomMemory(random, `m${number}`));
  await put(fixture.store, memories, { namespace: NAMESPACE });
  const { database } = fixture;
  const engine = fixture.newStrictEngine();
  let steps = 0;
  for (let number = 0; number < 60; number++) {
    const filter = randomFilter(random);
    const order = random.pick(['create_time_desc', 'importance_desc', 'step_asc', 'step_desc'] as const);
    const read = listRead({ namespace: NAMESPACE, filter, order, limit: 1 + random.int(COUNT) });
    const listed = await resultOf(listSteps(database, read, inOneState, slowClock()));
    expect(listed.result).toEqual(listMemories(database, read));
    const counting = { namespace: NAMESPACE, filter, nowUs: NOW_US };
    const counted = await resultOf(countSteps(database, counting, inOneState, slowClock()));
    expect(counted.result).toEqual(countMemories(database, counting));
    const scoring = random.chance(0.3) ? ({ scoring: { kind: 'newest' } } as const) : {};
    const query = aQuery({ filter, text: random.pick(['', 'a', 'abc']), limit: 1 + random.int(20), ...scoring });
    const searched = await interrupted(engine, query);
    expect(searched.result).toEqual(engine.search(query));
    steps += listed.count + counted.count + searched.count;
  }
  // Without many slices the test proves little.
  expect(steps).toBeGreaterThan(60 * 5);
});

/** Each change of a memory between two slices, with what a search that ends after it must return. */
const CHANGES: readonly { readonly what: string; readonly change: (id: string) => Promise<unknown> }[] = [
  {
    what: 'deleted',
    change: (id) =>
      fixture.store.write({
        kind: 'delete',
        namespace: NAMESPACE,
        ids: [id],
        cause: 'deleted',
        mustExist: true,
        atUs: NOW_US,
      }),
  },
  {
    what: 'stored anew with another text',
    change: (id) =>
      put(fixture.store, [newMemory({ id, text: 'tin' })], { namespace: NAMESPACE, onConflict: 'replace' }),
  },
];

it.each(CHANGES)('memories are $what between slices of a search › none is returned', async ({ change }) => {
  const ids = Array.from({ length: 20 }, (_, number) => `m${number}`);
  await put(
    fixture.store,
    ids.map((id) => newMemory({ id, text: 'gold' })),
    { namespace: NAMESPACE },
  );
  const engine = fixture.newStrictEngine();
  const gone: string[] = [];
  const { result, count } = await interrupted(engine, aQuery({ filter: matches('gold'), limit: 20 }), async () => {
    // Some of them have been looked at before, others not yet.
    const id = gone.length < 8 ? ids.find((one) => !gone.includes(one)) : undefined;
    if (id === undefined) return;
    await change(id);
    gone.push(id);
  });
  expect(count).toBeGreaterThan(8);
  expect(idsOf(result).sort()).toEqual(ids.filter((id) => !gone.includes(id)).sort());
});

it('the namespace is deleted and made anew between slices › the memories of the new one are returned', async () => {
  const store = (text: string, count: number) => {
    const memories = Array.from({ length: count }, (_, number) => newMemory({ id: `m${number}`, text }));
    return put(fixture.store, memories, { namespace: NAMESPACE });
  };
  await store('gold', 10);
  const engine = fixture.newStrictEngine();
  let slices = 0;
  const { result } = await interrupted(engine, aQuery({ filter: matches('gold'), limit: 20 }), async () => {
    if (++slices !== 5) return;
    await fixture.store.write({ kind: 'deleteNamespace', name: NAMESPACE, force: true, atUs: NOW_US });
    await store('tin', 8);
    await put(fixture.store, [newMemory({ id: 'new', text: 'gold' })], { namespace: NAMESPACE });
  });
  expect(idsOf(result)).toEqual(['new']);
});

it('a memory moves behind the position of a list between slices › the page has it once', async () => {
  const memories = Array.from({ length: 10 }, (_, number) =>
    newMemory({ id: `m${number}`, importance: 1 - number / 10 }),
  );
  await put(fixture.store, memories, { namespace: NAMESPACE });
  const read = listRead({ namespace: NAMESPACE, filter: matches('memory'), order: 'importance_desc' });
  let slices = 0;
  const { result } = await resultOf(listSteps(fixture.database, read, inOneState, slowClock()), async () => {
    if (++slices !== 4) return;
    const moved = newMemory({ id: 'm0', importance: 0.05 });
    await put(fixture.store, [moved], { namespace: NAMESPACE, onConflict: 'replace' });
  });
  const ids = result.memories.map(({ id }: Memory) => id);
  expect([...ids].sort()).toEqual(memories.map(({ id }) => id).sort());
});
