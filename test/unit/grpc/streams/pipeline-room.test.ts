import { describe, expect, it } from '@jest/globals';
import { PipelineCapacity } from '../../../../src/grpc/streams/pipeline-service.ts';

const MIB = 1_048_576;
const roomOf = (maxPipelineOperations: number, maxPipelineBytesInFlight: number) =>
  new PipelineCapacity({ maxPipelineOperations, maxPipelineBytesInFlight });
/** Begins operations until no more may, and tells how many. */
function filled(room: PipelineCapacity, requestBytes = 100): number {
  let count = 0;
  for (; !room.isFull; count++) room.begin(requestBytes);
  return count;
}

describe('the room of a session', () => {
  it('small operations and answers › as many as it may have', () => {
    const room = roomOf(256, 32 * MIB);
    for (let at = 0; at < 200; at++) {
      room.begin(100);
      room.answered(100, 100);
      room.sent([Buffer.alloc(100)]);
    }
    expect(filled(room)).toBe(256);
  });

  it('before anything was answered › as many as would fit, were each answer a page', () => {
    expect(filled(roomOf(256, 32 * MIB))).toBe(32);
  });

  it('large answers that nobody reads › no more begin until they were sent', async () => {
    const room = roomOf(256, 32 * MIB);
    const page = Buffer.alloc(4 * MIB);
    const begun = filled(room);
    for (let at = 0; at < begun; at++) room.answered(100, page.length);
    expect(room.isFull).toBe(true);
    let isFree = false;
    const free = room.free().then(() => {
      isFree = true;
    });
    for (let at = 0; at < 24; at++) room.sent([page]);
    await Promise.resolve();
    expect(isFree).toBe(false);
    room.sent([page]);
    await free;
    for (let at = 25; at < begun; at++) room.sent([page]);
    expect(room.isEmpty).toBe(true);
    // Some are always carried out at once: one that waits must not keep all others from beginning.
    expect(filled(room)).toBe(16);
  });

  it('large requests › count until they are answered', () => {
    const room = roomOf(256, 32 * MIB);
    expect(filled(room, 15 * MIB)).toBe(3);
    room.answered(15 * MIB, 20);
    expect(room.isFull).toBe(false);
  });

  it('one that is larger than all may be › begins where nothing else is in hand', () => {
    const room = roomOf(256, MIB);
    expect(filled(room, 16 * MIB)).toBe(1);
    room.answered(16 * MIB, 16 * MIB);
    expect(room.isFull).toBe(true);
    room.sent([Buffer.alloc(16 * MIB)]);
    expect(room.isFull).toBe(false);
  });

  it('closed while one waits › it waits no longer', async () => {
    const room = roomOf(1, MIB);
    room.begin(1);
    const free = room.free();
    room.close();
    await free;
    expect(room.isFull).toBe(true);
  });
});
