import { describe, expect, it } from '@jest/globals';
import { PipelineCapacity } from '../../../../src/grpc/streams/pipeline-service.ts';

const MIB = 1_048_576;
const capacityOf = (maxPipelineOperations: number, maxPipelineBytesInFlight: number) =>
  new PipelineCapacity({ maxPipelineOperations, maxPipelineBytesInFlight });
/** Begins operations up to the limit, and returns their number. */
function filled(capacity: PipelineCapacity, requestBytes = 100): number {
  let count = 0;
  for (; !capacity.isFull; count++) capacity.begin(requestBytes);
  return count;
}

describe('the capacity of a session', () => {
  it('small operations and answers › as many as it may have', () => {
    const capacity = capacityOf(256, 32 * MIB);
    for (let at = 0; at < 200; at++) {
      capacity.begin(100);
      capacity.answered(100, 100);
      capacity.sent([Buffer.alloc(100)]);
    }
    expect(filled(capacity)).toBe(256);
  });

  it('before any answer › as many as would fit if each answer were a page', () => {
    expect(filled(capacityOf(256, 32 * MIB))).toBe(32);
  });

  it('large unread answers › no operation begins until they were sent', async () => {
    const capacity = capacityOf(256, 32 * MIB);
    const page = Buffer.alloc(4 * MIB);
    const begun = filled(capacity);
    for (let at = 0; at < begun; at++) capacity.answered(100, page.length);
    expect(capacity.isFull).toBe(true);
    let isFree = false;
    const free = capacity.free().then(() => {
      isFree = true;
    });
    for (let at = 0; at < 24; at++) capacity.sent([page]);
    await Promise.resolve();
    expect(isFree).toBe(false);
    capacity.sent([page]);
    await free;
    for (let at = 25; at < begun; at++) capacity.sent([page]);
    expect(capacity.isEmpty).toBe(true);
    // A minimum number always runs concurrently: one waiting operation must not block all others.
    expect(filled(capacity)).toBe(16);
  });

  it('large requests › count until they are answered', () => {
    const capacity = capacityOf(256, 32 * MIB);
    expect(filled(capacity, 15 * MIB)).toBe(3);
    capacity.answered(15 * MIB, 20);
    expect(capacity.isFull).toBe(false);
  });

  it('one larger than the limit › begins when no other is in progress', () => {
    const capacity = capacityOf(256, MIB);
    expect(filled(capacity, 16 * MIB)).toBe(1);
    capacity.answered(16 * MIB, 16 * MIB);
    expect(capacity.isFull).toBe(true);
    capacity.sent([Buffer.alloc(16 * MIB)]);
    expect(capacity.isFull).toBe(false);
  });

  it('closed while one waits › it waits no longer', async () => {
    const capacity = capacityOf(1, MIB);
    capacity.begin(1);
    const free = capacity.free();
    capacity.close();
    await free;
    expect(capacity.isFull).toBe(true);
  });
});
