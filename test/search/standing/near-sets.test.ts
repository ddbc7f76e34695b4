import { expect, test } from '@jest/globals';
import { NearSets } from '../../../src/search/standing/query-group.ts';
import type { Neighbor } from '../../../src/search/vectors/vector-index.ts';
import { sized } from '../../support/all-tests.ts';
import { seededRandom } from '../../support/random.ts';

const LEAST = 0.5;
const STEPS = sized({ sample: 1000, nightly: 3000 });

/** Memories by key, each with its similarity to every query. */
type Space = Map<number, ReadonlyMap<number, number>>;

function nearestTo(space: Space, id: number, limit = Number.POSITIVE_INFINITY): Neighbor[] {
  return [...space]
    .map(([key, similarities]): Neighbor => ({ key, similarity: similarities.get(id) ?? -1 }))
    .sort((one, other) => other.similarity - one.similarity || one.key - other.key)
    .slice(0, limit);
}

const nearOf = (space: Space, id: number) => nearestTo(space, id).filter(({ similarity }) => similarity >= LEAST);

test('NearSets › equal the results of a search, after any sequence of changes', () => {
  const random = seededRandom('near-sets');
  const sets = new NearSets();
  const space: Space = new Map();
  const ids = Array.from({ length: 20 }, (_, at) => at + 1);
  for (const id of ids) sets.put(id);
  for (let step = 0; step < STEPS; step++) {
    const key = random.int(200);
    const held = sets.leave(key);
    for (const id of held) expect(space.get(key)?.get(id) ?? -1).toBeGreaterThanOrEqual(LEAST);
    space.delete(key);
    if (random.chance(0.7)) {
      const similarities = new Map(ids.map((id) => [id, random.int(1000) / 1000]));
      space.set(key, similarities);
      const near = [...similarities].map(([id, similarity]) => ({ id, similarity }));
      sets.join(
        key,
        near.filter(({ similarity }) => similarity >= LEAST),
      );
    }
    const asked = random.pick(ids);
    expect(sets.of(asked, LEAST, (limit) => nearestTo(space, asked, limit))).toEqual(nearOf(space, asked));
    if (random.chance(0.01)) sets.clear();
    if (random.chance(0.01)) {
      sets.remove(asked);
      sets.put(asked);
    }
  }
});

test('NearSets › a memory comes nearer or farther › names the queries for which the order is another, and no others', () => {
  const random = seededRandom('near-sets reformed');
  const sets = new NearSets();
  const space: Space = new Map();
  const ids = Array.from({ length: 20 }, (_, at) => at + 1);
  const similar = () => new Map(ids.map((id) => [id, random.int(100) / 100]));
  const keysOf = (id: number) => nearOf(space, id).map(({ key }) => key);
  for (let key = 0; key < 12; key++) space.set(key, similar());
  for (const id of ids) sets.put(id);
  for (const id of ids) sets.of(id, LEAST, (limit) => nearestTo(space, id, limit));
  for (let step = 0; step < 500; step++) {
    const key = random.int(12);
    const before = new Map(ids.map((id) => [id, keysOf(id).join()]));
    space.set(key, similar());
    const near = [...(space.get(key) ?? [])].map(([id, similarity]) => ({ id, similarity }));
    const named = sets.reform(
      key,
      near.filter(({ similarity }) => similarity >= LEAST),
    );
    const other = ids.filter((id) => before.get(id) !== keysOf(id).join());
    expect([random.seed, step, named.toSorted()]).toEqual([random.seed, step, other.toSorted()]);
    for (const id of ids) expect(sets.of(id, LEAST, () => [])).toEqual(nearOf(space, id));
  }
});

test('NearSets › store nothing for a query with more than a thousand near memories', () => {
  const sets = new NearSets();
  const search = (count: number) => (limit: number) =>
    Array.from({ length: Math.min(limit, count) }, (_, key): Neighbor => ({ key, similarity: 1 - key / 10_000 }));
  sets.put(1);
  sets.put(2);
  expect(sets.of(1, LEAST, search(2000))).toBeUndefined();
  expect(sets.of(2, LEAST, search(900))).toHaveLength(900);
  expect([...sets.unkeptIds]).toEqual([1]);
  for (let key = 900; key < 1001; key++) sets.join(key, [{ id: 2, similarity: 0.6 }]);
  expect(sets.of(2, LEAST, search(1001))).toBeUndefined();
  expect([...sets.unkeptIds]).toEqual([1, 2]);
  expect(sets.leave(950)).toEqual([]);
});
