import type { MemoryDeps } from './operation-deps.ts';

const BATCH = 500;

/** Erases the memories whose time has come, at most one batch; tells how many and whether there may be more. */
export async function eraseExpired({ store, clock }: Pick<MemoryDeps, 'store' | 'clock'>): Promise<{
  erasedCount: number;
  isDone: boolean;
}> {
  const nowUs = clock.nowUs();
  const expired = await store.expired({ limit: BATCH, nowUs });
  let erasedCount = 0;
  for (const { namespace, ids } of expired) {
    const write = { namespace, ids, cause: 'expired', mustExist: false, atUs: nowUs } as const;
    erasedCount += (await store.delete(write)).deletedIds.length;
  }
  return { erasedCount, isDone: expired.reduce((sum, { ids }) => sum + ids.length, 0) < BATCH };
}
