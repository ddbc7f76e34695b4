import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { put } from '../../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

let fixture: RecallFixture;
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(() => fixture.close());

const NAMES = ['n0', 'n1', 'n2', 'n3', 'n4'];

async function fill(names: readonly string[], count: number, from = 0): Promise<void> {
  for (const namespace of names) {
    const memories = Array.from({ length: count }, (_, at) => newMemory({ id: `m${from + at}`, text: 'a cat' }));
    await put(fixture.store, memories, { namespace });
  }
}

const search = (engine: LocalEngine, namespace: string) => engine.search(aQuery({ namespace, text: 'cat' }));
const loaded = (engine: LocalEngine): string[] => [...engine.states.all()].map(({ entry }) => entry.name);
const bytesOf = (engine: LocalEngine): number => [...engine.states.all()].reduce((sum, { bytes }) => sum + bytes, 0);

describe('namespaces in memory', () => {
  it('of more than the limit › those not asked for longest are let go of, and answer as before when they are asked', async () => {
    await fill(NAMES, 1);
    const unlimited = fixture.newEngine();
    const before = search(unlimited, 'n0').hits;
    const engine = fixture.newEngine({ bytesMax: bytesOf(unlimited) * 2.5 });
    for (const name of NAMES) search(engine, name);
    expect(loaded(engine)).toEqual(['n3', 'n4']);
    search(engine, 'n3');
    expect(search(engine, 'n0').hits).toEqual(before);
    expect(loaded(engine)).toEqual(['n3', 'n0']);
  });

  it('that grow after they were read › are let go of by their size then', async () => {
    await fill(NAMES, 1);
    const unlimited = fixture.newEngine();
    for (const name of NAMES) search(unlimited, name);
    const engine = fixture.newEngine({ bytesMax: bytesOf(unlimited) * 1.1 });
    for (const name of NAMES) search(engine, name);
    expect(loaded(engine)).toEqual(NAMES);
    await fill(['n4'], 3000, 1);
    search(engine, 'n4');
    expect(loaded(engine)).not.toContain('n0');
    expect(bytesOf(engine)).toBeLessThanOrEqual(bytesOf(unlimited) * 1.1);
  });

  it('whose graphs are made while nothing is asked › are let go of by their size then', async () => {
    const random = seededRandom('graphs in memory');
    for (const namespace of NAMES) {
      const embedded = Array.from({ length: 200 }, (_, at) => {
        const values = Float32Array.from({ length: 64 }, () => random.next() - 0.5);
        return newMemory({ id: `m${at}`, embedding: { model: 'm', values } });
      });
      await put(fixture.store, embedded, { namespace });
    }
    const settings = { exactMax: 10 };
    const unlimited = fixture.newEngine(settings);
    for (const name of NAMES) search(unlimited, name);
    const opened = bytesOf(unlimited);
    while (unlimited.states.work(1000));
    const bytesMax = (opened + bytesOf(unlimited)) / 2;
    const engine = fixture.newEngine({ ...settings, bytesMax });
    for (const name of NAMES) search(engine, name);
    expect(loaded(engine)).toEqual(NAMES);
    while (engine.states.work(1000));
    expect(loaded(engine)).not.toContain('n0');
    expect(bytesOf(engine)).toBeLessThanOrEqual(bytesMax);
  });
});
