import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { distanceM, type NearPlace, type NearTime, sharedNames, straightDistance } from '../../../src/memory/place.ts';
import type { NewMemory } from '../../../src/storage/records.ts';
import { openReadOnly, type SqliteDatabase } from '../../../src/storage/sqlite/database.ts';
import { nearestMoments, nearestNames } from '../../../src/storage/sqlite/nearest-moments.ts';
import { nearestPlaces } from '../../../src/storage/sqlite/nearest-places.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

const random = seededRandom('nearest');
const COUNT = 600;
/** Even, in clumps, on a grid, all in one spot, around the poles and the date line. */
const SPREADS = {
  even: () => ({ x: random.next() * 1000, y: random.next() * 1000 }),
  clumps: () => ({ x: random.int(3) * 1e6 + random.next(), y: random.next() }),
  grid: () => ({ x: random.int(4), y: random.int(4), z: random.int(2) }),
  column: () => ({ x: 7, y: random.next() * 1e9 }),
  spot: () => ({ x: 1, y: 1 }),
};
const GLOBES = {
  everywhere: () => ({ latitudeDeg: random.next() * 180 - 90, longitudeDeg: random.next() * 360 - 180 }),
  datelineAndPoles: () => ({
    latitudeDeg: random.pick([89.9, -89.9, 0, 51]) + random.next() * 0.1,
    longitudeDeg: random.pick([179.99, -180, 0]) + random.next() * 0.01,
  }),
};

let fixture: RecallFixture;
let database: SqliteDatabase;
const memories = new Map<string, NewMemory[]>();

beforeAll(async () => {
  fixture = await recallFixture();
  const base = { location: '', room: '', region: '' };
  for (const [name, point] of Object.entries(SPREADS)) {
    memories.set(
      name,
      made(() => ({ place: { ...base, point: point() } })),
    );
  }
  for (const [name, geo] of Object.entries(GLOBES))
    memories.set(
      name,
      made(() => ({ place: { ...base, geo: geo() } })),
    );
  const name = () => random.pick(['', 'a', 'b', 'c']);
  memories.set(
    'names',
    made(() => ({ place: { location: name(), room: name(), region: name() } })),
  );
  memories.set(
    'times',
    made(() => ({ eventAtUs: random.int(1000), ...(random.chance(0.7) ? { step: random.int(300) } : {}) })),
  );
  const write = { createNamespace: true, onConflict: 'fail', atUs: 1 } as const;
  for (const [namespace, all] of memories)
    await fixture.store.write({ kind: 'store', ...write, namespace, memories: all });
  database = openReadOnly(fixture.folder);
});
afterAll(async () => {
  database.close();
  await fixture.close();
});

function made(of: () => Partial<NewMemory>): NewMemory[] {
  return Array.from({ length: COUNT }, (_, at) => newMemory({ id: `m${at}`, ...(random.chance(0.95) ? of() : {}) }));
}

/** Distances, because ties may come in any order. */
function nearestByHand(namespace: string, distanceOf: (memory: NewMemory) => number | undefined, limit: number) {
  const all = (memories.get(namespace) ?? []).map(distanceOf).filter((distance) => distance !== undefined);
  return all.sort((a, b) => a - b).slice(0, limit);
}

function found(namespace: string, keys: readonly number[], distanceOf: (memory: NewMemory) => number | undefined) {
  const all = memories.get(namespace) ?? [];
  expect(new Set(keys).size).toBe(keys.length);
  const firstKey = namespaceKey(namespace) * 2 ** 33;
  return keys.map((key) => distanceOf(all[key - firstKey - 1] ?? newMemory({ id: '' })));
}

function namespaceKey(name: string): number {
  return database.prepare<[string], { key: number }>('SELECT key FROM namespace WHERE name = ?').get(name)?.key ?? 0;
}

const LIMITS = [1, 10, 100, COUNT * 2];

describe('nearestPlaces', () => {
  it.each(Object.keys(SPREADS))('%s › the same as by looking at all', (name) => {
    for (const limit of LIMITS) {
      const somewhere = SPREADS[name as keyof typeof SPREADS]();
      for (const point of [somewhere, { x: -5e6, y: 3 }, { ...somewhere, z: 1 }]) {
        const near: NearPlace = { kind: 'point', point, scale: 1 };
        const distance = ({ place }: NewMemory) => place?.point && straightDistance(place.point, point);
        const keys = nearestPlaces(database, namespaceKey(name), near, limit);
        expect(found(name, keys, distance)).toEqual(nearestByHand(name, distance, limit));
      }
    }
  });

  it.each(Object.keys(GLOBES))('%s on Earth › the same as by looking at all', (name) => {
    for (const limit of LIMITS) {
      for (const geo of [
        GLOBES[name as keyof typeof GLOBES](),
        { latitudeDeg: 90, longitudeDeg: 0 },
        { latitudeDeg: 0, longitudeDeg: -179.999 },
      ]) {
        const near: NearPlace = { kind: 'geo', geo, scaleM: 1 };
        const distance = ({ place }: NewMemory) => place?.geo && distanceM(place.geo, geo);
        const keys = nearestPlaces(database, namespaceKey(name), near, limit);
        expect(found(name, keys, distance)).toEqual(nearestByHand(name, distance, limit));
      }
    }
  });

  it('no memory with such coordinates › none', () => {
    const near: NearPlace = { kind: 'geo', geo: { latitudeDeg: 0, longitudeDeg: 0 }, scaleM: 1 };
    expect(nearestPlaces(database, namespaceKey('even'), near, 10)).toEqual([]);
  });
});

describe('nearestNames', () => {
  const asked = { location: 'a', room: 'a', region: 'b' };
  const missing = ({ place }: NewMemory) => {
    const share = sharedNames(asked, (part, name) => place?.[part] === name);
    return share === 0 ? undefined : 1 - share;
  };
  it.each(LIMITS)('%i › the same as by looking at all', (limit) => {
    const keys = nearestNames(database, namespaceKey('names'), asked, limit);
    expect(found('names', keys, missing)).toEqual(nearestByHand('names', missing, limit));
  });

  it('looks names up by index', () => {
    const plan = database.prepare(
      `EXPLAIN QUERY PLAN SELECT pk FROM memory WHERE namespace_key = 1 AND room = 'a' AND room <> '' ORDER BY pk DESC`,
    );
    expect(JSON.stringify(plan.all())).toContain('memory_room');
  });
});

describe('nearestMoments', () => {
  const cases: NearTime[] = [
    { kind: 'time', atUs: 500, scaleUs: 1 },
    { kind: 'time', atUs: -10, scaleUs: 1 },
    { kind: 'step', step: 150, scale: 1 },
    { kind: 'step', step: 1000, scale: 1 },
  ];
  it.each(cases)('%j › the same as by looking at all', (near) => {
    const distance = ({ eventAtUs, step }: NewMemory) =>
      near.kind === 'time'
        ? Math.abs(eventAtUs - near.atUs)
        : step === undefined
          ? undefined
          : Math.abs(step - near.step);
    for (const limit of LIMITS) {
      const keys = nearestMoments(database, namespaceKey('times'), near, limit);
      expect(found('times', keys, distance)).toEqual(nearestByHand('times', distance, limit));
    }
  });
});
