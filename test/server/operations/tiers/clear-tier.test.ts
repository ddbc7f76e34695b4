import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Call } from '../../../../src/memory/call.ts';
import { clearTier } from '../../../../src/server/operations/tiers/clear-tier.ts';
import type { Records } from '../../../../src/storage/records.ts';
import { withMethods } from '../../../../src/storage/with-methods.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { call, type Opened, openDeps } from '../support.ts';

const SPACE = 'n';
const COUNT = 2500;

let opened: Opened;
beforeEach(async () => {
  opened = await openDeps();
  for (let from = 0; from < COUNT; from += 500) {
    const memories = Array.from({ length: 500 }, (_, at) => newMemory({ id: `m${from + at}` }));
    const write = { namespace: SPACE, memories, createNamespace: true, onConflict: 'fail', atUs: 1 } as const;
    await opened.store.write({ kind: 'store', ...write });
  }
});
afterEach(() => opened.close());

const request = { namespace: SPACE, tier: 'short_term', dryRun: false } as const;
const once: Call = { ...call, idempotency: { requestId: 'r', fingerprint: 'f' } };

/** The store, with hooks before or instead of a deletion. */
function around(before: (deletion: number) => Promise<void> | void): Records {
  let deletions = 0;
  const { store } = opened.deps;
  return withMethods(store, {
    write: async (change) => {
      if (change.kind === 'delete') await before(deletions++);
      return store.write(change);
    },
  });
}
const count = async () => (await opened.store.count({ namespace: SPACE, nowUs: 1 })).get('short_term') ?? 0;
const revisionGrowth = async (work: () => Promise<unknown>) => {
  const { revision } = opened.store;
  await work();
  return opened.store.revision - revision;
};

describe('clearTier', () => {
  it.each([0, 1, 2, 3])('cut off before deletion %i › repeating it erases the rest, each once', async (cut) => {
    const failing = around((deletion) => {
      if (deletion === cut) throw new Error('the process ends here');
    });
    const begun = await revisionGrowth(() =>
      expect(clearTier({ ...opened.deps, store: failing }, request, once)).rejects.toThrow('the process ends here'),
    );
    expect([begun, await count()]).toEqual([Math.min(COUNT, cut * 1000), Math.max(0, COUNT - cut * 1000)]);
    const rest = await revisionGrowth(() => clearTier(opened.deps, request, once));
    expect([begun + rest, await count()]).toEqual([COUNT, 0]);
  });

  it('a memory leaves the tier before its turn comes › is kept', async () => {
    const moving = around(async (deletion) => {
      if (deletion > 0) return;
      const resolution = { abstractBytesMax: 0, compressionLevel: 0, vector: 'f32', vectorDimension: 0 } as const;
      await opened.store.write({ kind: 'move', namespace: SPACE, ids: ['m3'], to: 'long_term', resolution, atUs: 1 });
    });
    const outcome = await clearTier({ ...opened.deps, store: moving }, request, call);
    expect([outcome.tiers, await count()]).toEqual([[['short_term', COUNT - 1]], 0]);
    const [kept] = await opened.store.get({ namespace: SPACE, ids: ['m3'], view: 'metadata', nowUs: 1 });
    expect(kept?.tier).toBe('long_term');
  });
});
