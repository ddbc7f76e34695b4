import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { reportOf } from '../../../../src/memory/consolidation/report-record.ts';
import { derivedId } from '../../../../src/memory/derived-id.ts';
import { BackgroundConsolidation } from '../../../../src/server/operations/consolidation/background-consolidation.ts';
import { undoConsolidation } from '../../../../src/server/operations/consolidation/undo-consolidation.ts';
import { VisibilityRules } from '../../../../src/server/operations/visibility/visibility.ts';
import type { Change, Records } from '../../../../src/storage/records.ts';
import { withMethods } from '../../../../src/storage/with-methods.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { call, type Opened, openDeps } from '../support.ts';

const HOUR_US = 3_600_000_000;

let opened: Opened;
beforeEach(async () => {
  opened = await openDeps();
});
afterEach(() => opened.close());

const set = (namespace: string, interval: string) =>
  opened.store.write({
    kind: 'setTierSettings',
    namespace,
    settings: [['consolidation.interval', interval]],
    atUs: opened.clock.us,
  });

/** Two notes that say the same. */
async function storePair(namespace: string, number: number): Promise<void> {
  const texts = [`Build ${number} of the lighthouse passed.`, `build ${number} of the lighthouse passed`];
  const memories = texts.map((text, at) => newMemory({ id: `${number}-${at}`, type: 'fact', text }));
  await opened.store.write({
    kind: 'store',
    namespace,
    memories,
    createNamespace: true,
    onConflict: 'fail',
    atUs: opened.clock.us,
  });
}

async function round(background: BackgroundConsolidation, signal = new AbortController().signal) {
  const runs = [];
  for await (const { namespace, report, error } of background.round(signal)) {
    if (error !== undefined) throw error;
    runs.push([namespace, report?.made.length]);
  }
  return runs;
}

it('a namespace with an interval › is consolidated once in it, also by a server that starts; others never', async () => {
  opened.clock.us = 1000 * HOUR_US;
  await storePair('asked', 1);
  await storePair('silent', 1);
  await set('asked', '2h');
  const background = new BackgroundConsolidation(opened.deps);
  expect(await round(background)).toEqual([['asked', 1]]);

  await storePair('asked', 2);
  opened.clock.us += HOUR_US;
  expect(await round(background)).toEqual([]);
  const restarted = new BackgroundConsolidation(opened.deps);
  expect(await round(restarted)).toEqual([]);

  opened.clock.us += HOUR_US;
  expect(await round(background)).toEqual([['asked', 1]]);
});

it('two servers at once › make one report for an interval, with every merge once', async () => {
  for (let number = 0; number < 5; number++) await storePair('both', number);
  await set('both', '1h');
  await Promise.all([1, 2, 3].map(() => round(new BackgroundConsolidation(opened.deps))));
  const of = async (type: string) => {
    const filter = {
      kind: 'comparison',
      target: { kind: 'field', field: 'type' },
      operator: 'equals',
      values: [type],
      ignoreCase: false,
    } as const;
    const read = {
      namespace: 'both',
      filter,
      order: 'create_time_asc',
      limit: 100,
      bytesMax: 1e9,
      view: 'basic',
    } as const;
    return (await opened.store.list({ ...read, nowUs: opened.clock.us })).memories;
  };
  const reports = await of('consolidation');
  expect(reports.map((memory) => reportOf(memory)?.state)).toEqual(['done']);
  expect((await of('fact')).filter(({ supersededBy }) => supersededBy === undefined)).toHaveLength(5);
});

it('undone, and begun again after its answer is no longer kept › what was undone is not made again', async () => {
  // The beginning of an interval.
  opened.clock.us = 14 * 72 * HOUR_US;
  await storePair('undone', 1);
  await set('undone', '72h');
  expect(await round(new BackgroundConsolidation(opened.deps))).toEqual([['undone', 1]]);
  const deps = { ...opened.deps, visibilityRules: new VisibilityRules({ list: async () => [], atHand: () => [] }) };
  const id = derivedId(`consolidation\n${72 * HOUR_US} 14 0`);
  expect((await undoConsolidation(deps, { namespace: 'undone', id }, call)).restoredIds).toHaveLength(2);

  await storePair('undone', 2);
  opened.clock.us += 30 * HOUR_US;
  // A write with a request id removes answers that are kept no longer.
  await opened.store.write({
    kind: 'store',
    ...{ namespace: 'undone', memories: [newMemory({ id: 'later' })], createNamespace: false, onConflict: 'fail' },
    ...{ atUs: opened.clock.us, idempotency: { requestId: 'later', fingerprint: 'later' } },
  });
  expect(await round(new BackgroundConsolidation(opened.deps))).toEqual([['undone', 1]]);
  opened.clock.us += 72 * HOUR_US;
  expect(await round(new BackgroundConsolidation(opened.deps))).toEqual([]);
});

it('an interval of the server › is overridden by none', async () => {
  await storePair('a', 1);
  await storePair('b', 1);
  await set('', '1h');
  await set('b', 'none');
  expect(await round(new BackgroundConsolidation(opened.deps))).toEqual([['a', 1]]);
});

it('cut off in the middle › the next start completes the same report', async () => {
  for (let number = 0; number < 5; number++) await storePair('cut', number);
  await set('cut', '1h');
  const stopping = new AbortController();
  const { store } = opened;
  const counted = withMethods<Records>(store, {
    async write(change) {
      const outcome = await store.write(change);
      const any = change as Change;
      const hasFact = any.kind === 'store' && any.memories.some(({ type }) => type === 'fact');
      if (hasFact) stopping.abort(new Error('stopped'));
      return outcome;
    },
  });
  expect(await round(new BackgroundConsolidation({ ...opened.deps, store: counted }), stopping.signal)).toEqual([]);
  expect(await round(new BackgroundConsolidation(opened.deps))).toEqual([['cut', 5]]);
});
