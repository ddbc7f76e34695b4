import { describe, expect, it } from '@jest/globals';
import type { Memory } from '../../../../src/memory/memory.ts';
import { readWithin } from '../../../../src/server/operations/memories/get-memories.ts';
import { newMemory } from '../../../support/new-memory.ts';

const read = { namespace: 'n', view: 'basic', nowUs: 1 } as const;

/** Contains any number of memories, of 100 bytes each, and counts the reads. */
function hundredBytesEach(): {
  readonly count: () => number;
  get(asked: { ids: readonly string[] }): Promise<Memory[]>;
} {
  let count = 0;
  return {
    count: () => count,
    async get({ ids }) {
      count += ids.length;
      return ids.map((id) => ({ ...newMemory({ id, text: 'x'.repeat(100) }), namespace: 'n', revision: 1 }));
    },
  };
}

describe('Reading many memories', () => {
  const ids = Array.from({ length: 1000 }, (_, at) => `m${at}`);

  it('beyond the limit of an answer › fails long before all are in memory', async () => {
    const store = hundredBytesEach();
    await expect(readWithin(store, { ...read, ids }, 10_000)).rejects.toMatchObject({ reason: 'MESSAGE_TOO_LARGE' });
    expect(store.count()).toBeLessThan(200);
  });

  it('within it › returns all, in their order', async () => {
    const { memories } = await readWithin(hundredBytesEach(), { ...read, ids }, 240_000);
    expect(memories.map((memory) => memory?.id)).toEqual(ids);
  });
});
