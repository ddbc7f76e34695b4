import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { MemoryReading } from '../../../../src/memory/meters.ts';
import { maintain } from '../../../../src/server/operations/tiers/maintain-namespaces.ts';
import { MaintenanceRounds } from '../../../../src/server/operations/tiers/maintenance-rounds.ts';
import { MemoryPressure, type PressureState } from '../../../../src/server/operations/tiers/memory-pressure.ts';
import { InMemoryMemoryStore } from '../../../storage/in-memory/memory-store.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { call } from '../support.ts';

const SECOND_US = 1_000_000;
const LIMIT_BYTES = 1000;

let store: InMemoryMemoryStore;
let nowUs: number;
let usedBytes: number;
let received: PressureState[];
beforeEach(() => {
  store = new InMemoryMemoryStore();
  nowUs = 1_800_000_000_000_000;
  usedBytes = 950;
  received = [];
});
afterEach(() => store.close());

const clock = { nowUs: () => nowUs };
/** A resource whose usage the test sets. */
function pressureOf(source: MemoryReading['source']): MemoryPressure {
  const read = async () => [{ source, node: '', usedBytes, limitBytes: LIMIT_BYTES }];
  return new MemoryPressure({ gauges: [{ read }], share: 0.9, clock, onChange: (state) => void received.push(state) });
}
async function put(namespace: string, count: number): Promise<void> {
  const memories = Array.from({ length: count }, (_, at) => newMemory({ id: `m${at}`, createdAtUs: nowUs }));
  await store.write({ kind: 'store', namespace, createNamespace: true, onConflict: 'fail', atUs: nowUs, memories });
}
/** Memories moved by one walk over all namespaces, in as many rounds as necessary. */
async function pass(pressure: MemoryPressure, onMoved?: (count: number) => void): Promise<number> {
  const rounds = new MaintenanceRounds({ store, view: store, clock, pressure });
  let count = 0;
  rounds.begin();
  while (!rounds.isDone) {
    for await (const { moves } of rounds.round(call.signal)) {
      count += moves.length;
      onMoved?.(moves.length);
    }
  }
  return count;
}
const isDue = ({ reliefDueAtUs }: MemoryPressure) => reliefDueAtUs <= nowUs;

describe('memory that is short', () => {
  it('of the process, two passes free nothing › relief is given up, logged once, until the next shortage', async () => {
    await put('space', 1000);
    const pressure = pressureOf('process');
    expect(await pass(pressure)).toBe(100);
    expect(isDue(pressure)).toBe(false);
    expect(await pass(pressure)).toBe(0);
    nowUs += 10 * SECOND_US;
    expect(isDue(pressure)).toBe(true);
    expect(await pass(pressure)).toBe(90);

    nowUs += 600 * SECOND_US;
    expect([isDue(pressure), await pass(pressure)]).toEqual([false, 0]);
    expect(received.map(({ isPressed, isGivenUp }) => [isPressed, isGivenUp])).toEqual([
      [true, false],
      [true, true],
    ]);
    expect(pressure.statistics()).toMatchObject({ movedCount: 190, states: [{ isPressed: true, isGivenUp: true }] });
    usedBytes = 100;
    await pressure.look();
    usedBytes = 950;
    expect(await pass(pressure)).toBe(81);
  });

  it('of the process, given up › Maintain moves nothing for it either', async () => {
    await put('space', 100);
    const pressure = pressureOf('process');
    const moved: number[] = [];
    for (let at = 0; at < 3; at++) {
      let count = 0;
      const order = { dryRun: false, flush: false, anyType: false };
      for await (const step of maintain({ store, view: store, clock, pressure }, order, call))
        count += step.moves.length;
      moved.push(count);
    }
    expect(moved).toEqual([10, 9, 0]);
  });

  it('of the process, its use fluctuates › only usage below the minimum since the shortage counts as freed', async () => {
    await put('space', 1000);
    const pressure = pressureOf('process');
    usedBytes = 980;
    await pass(pressure, () => (usedBytes = 960));
    expect(isDue(pressure)).toBe(true);
    usedBytes = 990;
    await pass(pressure, () => (usedBytes = 958));
    expect(isDue(pressure)).toBe(false);
  });

  it('of the process, the effect of a pass appears later › the next one need not wait for its pause', async () => {
    await put('space', 1000);
    const pressure = pressureOf('process');
    await pass(pressure);
    expect(isDue(pressure)).toBe(false);
    usedBytes = 930;
    await pressure.look();
    expect(isDue(pressure)).toBe(true);
  });

  it('of Redis, its use falls › pass after pass until enough is free', async () => {
    await put('space', 1000);
    const pressure = pressureOf('redis');
    let passes = 0;
    do {
      await pass(pressure, (count) => (usedBytes -= count / 10));
      passes++;
    } while (isDue(pressure));
    expect(passes).toBe(7);
    expect(pressure.statistics().states).toMatchObject([{ isPressed: false, isGivenUp: false }]);
  });

  it('of Redis, its use does not decrease › pauses double, up to a limit, and relief is never given up', async () => {
    await put('space', 3000);
    const pressure = pressureOf('redis');
    const pausesS: number[] = [];
    for (let at = 0; at < 6; at++) {
      await pass(pressure);
      pausesS.push((pressure.reliefDueAtUs - nowUs) / SECOND_US);
      nowUs = pressure.reliefDueAtUs;
    }
    expect(pausesS).toEqual([1, 2, 4, 8, 8, 8]);
    expect(received).toHaveLength(1);
  }, 60_000);

  it('of Redis, no memories are left to move › a decrease by itself causes no further pause', async () => {
    await put('space', 1);
    const pressure = pressureOf('redis');
    expect(await pass(pressure, () => (usedBytes -= 1))).toBe(1);
    expect(isDue(pressure)).toBe(true);
    const rounds = new MaintenanceRounds({ store, view: store, clock, pressure });
    rounds.begin();
    const round = rounds.round(call.signal);
    // Between the looks at the beginning and the end.
    store.listNamespaces = async (read) => {
      usedBytes -= 1;
      return InMemoryMemoryStore.prototype.listNamespaces.call(store, read);
    };
    expect((await round.next()).done).toBe(true);
    expect(isDue(pressure)).toBe(false);
  });

  it('a namespace has more than others › contributes its tenth in one pass, in parts, alternating with the others', async () => {
    await put('aa', 12_000);
    await put('zz', 100);
    const pressure = pressureOf('redis');
    const moved: string[] = [];
    const rounds = new MaintenanceRounds({ store, view: store, clock, pressure });
    await store.write({
      kind: 'setTierSettings',
      namespace: 'aa',
      settings: [['short_term.memory_limit', '0']],
      atUs: nowUs,
    });
    rounds.begin();
    while (!rounds.isDone) {
      for await (const { namespace, moves } of rounds.round(call.signal)) moved.push(...moves.map(() => namespace));
    }
    expect(moved.filter((namespace) => namespace === 'aa')).toHaveLength(1200);
    expect(moved.indexOf('zz')).toBe(500);
    expect(moved.filter((namespace) => namespace === 'zz')).toHaveLength(10);
  }, 60_000);
});
