import { describe, expect, it } from '@jest/globals';
import { batchSizeOf, type Job, type Waiting } from '../../../../src/storage/redis/keyspace-writer.ts';

/** Queued writes, each of this number of memories. */
function waiting(count: number, memories: number, rest: Partial<Job<unknown>> = {}): Waiting[] {
  const ids = Array.from({ length: memories }, (_, at) => `m${at}`);
  const job: Job<unknown> = { ids, atUs: 0, run: () => undefined, ...rest };
  return Array.from({ length: count }, () => ({ job, resolve: () => undefined, reject: () => undefined }));
}

describe('number of writes in one step', () => {
  it.each([
    ['few › all of them', 20, 1, 32],
    ['many › half of them', 100, 1, 50],
    ['very many', 1000, 1, 128],
    ['large ones › no more than Redis should do at once', 260, 1000, 2],
    ['one that is larger than that › goes by itself', 3, 5000, 1],
  ])('%s', (_, count, memories, expected) => {
    expect(batchSizeOf(waiting(count, memories))).toBe(expected);
  });

  it('moves › one by one, after earlier writes', () => {
    const moves = waiting(2, 100, { onlyMoves: true });
    expect(batchSizeOf([...waiting(3, 1), ...moves])).toBe(3);
    expect(batchSizeOf(moves)).toBe(1);
  });

  it('writes that are allowed after a loss in Redis, and others › not together', () => {
    const releases = waiting(2, 100, { isRecovery: true });
    expect(batchSizeOf([...waiting(3, 1), ...releases])).toBe(3);
    expect(batchSizeOf([...releases, ...waiting(3, 1)])).toBe(2);
  });
});
