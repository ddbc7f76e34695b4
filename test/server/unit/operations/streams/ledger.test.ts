import { expect, test } from '@jest/globals';
import { Ledger } from '../../../../../src/server/operations/streams/ledger.ts';
import { bytesOfChange } from '../../../../../src/storage/change-log/change-feed.ts';
import type { Change } from '../../../../../src/storage/change-log/change-log.ts';

const LIMITS = { outstandingMax: 100, outstandingBytesMax: 1e6, batchMax: 100, bytesMax: 1e6 };

/** A log of so many changes, of which pages of three are read. */
function reader(newest: number) {
  return async (after: number) => {
    const revisions = [1, 2, 3].map((step) => after + step).filter((revision) => revision <= newest);
    const changes = revisions.map((revision) => {
      return { change: { revision, kind: 'stored', id: `m${revision}`, atUs: 0 } satisfies Change, leaves: false };
    });
    return { changes, revision: revisions.at(-1) ?? after };
  };
}

const revisionsOf = (received: readonly { change: Change }[]) => received.map(({ change }) => change.revision);

test('Ledger › acknowledged means everything before the first unacknowledged change', async () => {
  const ledger = new Ledger({ acknowledgedRevision: 10, ackDeadlineMs: 1000, nowMs: () => 0 });
  const taken = await ledger.take('a', LIMITS, reader(13));
  expect(revisionsOf(taken)).toEqual([11, 12, 13]);
  expect(ledger.acknowledgedRevision).toBe(10);
  ledger.acknowledge('a', 0, [12, 13]);
  expect(ledger.acknowledgedRevision).toBe(10);
  ledger.acknowledge('b', 11, []);
  expect(ledger.acknowledgedRevision).toBe(10);
  ledger.acknowledge('a', 11, []);
  expect(ledger.acknowledgedRevision).toBe(13);
});

test('Ledger › concurrent consumers get different changes', async () => {
  const ledger = new Ledger({ acknowledgedRevision: 0, ackDeadlineMs: 1000, nowMs: () => 0 });
  const read = reader(6);
  const [a, b] = await Promise.all([ledger.take('a', LIMITS, read), ledger.take('b', LIMITS, read)]);
  const all = [...revisionsOf(a ?? []), ...revisionsOf(b ?? []), ...revisionsOf(await ledger.take('b', LIMITS, read))];
  expect(all.sort()).toEqual([1, 2, 3, 4, 5, 6]);
});

test('Ledger › a change not acknowledged in time, or of a disconnected consumer, goes to another', async () => {
  let nowMs = 0;
  const ledger = new Ledger({ acknowledgedRevision: 0, ackDeadlineMs: 1000, nowMs: () => nowMs });
  const read = reader(3);
  await ledger.take('a', LIMITS, read);
  expect(ledger.dueInMs).toBe(1000);
  expect(await ledger.take('b', LIMITS, read)).toEqual([]);
  nowMs = 1001;
  expect(revisionsOf(await ledger.take('b', LIMITS, read))).toEqual([1, 2, 3]);
  ledger.acknowledge('a', 3, []);
  expect(ledger.acknowledgedRevision).toBe(0);
  ledger.release('b');
  expect(revisionsOf(await ledger.take('c', LIMITS, read))).toEqual([1, 2, 3]);
});

test('Ledger › a consumer at its limit of bytes gets no more, whatever their number', async () => {
  const ledger = new Ledger({ acknowledgedRevision: 0, ackDeadlineMs: 1000, nowMs: () => 0 });
  const [one] = await reader(1)(0).then(({ changes }) => changes);
  const outstandingBytesMax = one ? 2 * bytesOfChange(one.change) : 0;
  const take = async () =>
    revisionsOf(await ledger.take('a', { ...LIMITS, outstandingBytesMax, batchMax: 1 }, reader(9)));
  expect([await take(), await take(), await take()]).toEqual([[1], [2], []]);
  ledger.acknowledge('a', 1, []);
  expect(await take()).toEqual([3]);
});

test('Ledger › no consumer exceeds its outstanding limit', async () => {
  const ledger = new Ledger({ acknowledgedRevision: 0, ackDeadlineMs: 1000, nowMs: () => 0 });
  const limits = { ...LIMITS, outstandingMax: 2 };
  expect(revisionsOf(await ledger.take('a', limits, reader(9)))).toEqual([1, 2]);
  expect(await ledger.take('a', limits, reader(9))).toEqual([]);
  ledger.acknowledge('a', 1, []);
  expect(revisionsOf(await ledger.take('a', limits, reader(9)))).toEqual([3]);
});

test('Ledger › one read has no more bytes than a message may, and at least one change', async () => {
  const ledger = new Ledger({ acknowledgedRevision: 0, ackDeadlineMs: 1000, nowMs: () => 0 });
  const limits = { ...LIMITS, bytesMax: 1000 };
  expect(revisionsOf(await ledger.take('a', { ...limits, bytesMax: 1 }, reader(3)))).toEqual([1]);
  expect(revisionsOf(await ledger.take('a', limits, reader(3)))).toEqual([2, 3]);
});

test('Ledger › released changes go first, the oldest of them before', async () => {
  let nowMs = 0;
  const ledger = new Ledger({ acknowledgedRevision: 0, ackDeadlineMs: 1000, nowMs: () => nowMs });
  const read = reader(6);
  expect(revisionsOf(await ledger.take('a', { ...LIMITS, batchMax: 2 }, read))).toEqual([1, 2]);
  ledger.acknowledge('a', 0, [1]);
  ledger.release('a');
  expect(ledger.dueInMs).toBe(Number.POSITIVE_INFINITY);
  expect(revisionsOf(await ledger.take('b', LIMITS, read))).toEqual([2, 3]);
  nowMs = 500;
  expect(revisionsOf(await ledger.take('c', LIMITS, read))).toEqual([4, 5, 6]);
  expect(ledger.dueInMs).toBe(500);
  nowMs = 1000;
  expect(revisionsOf(await ledger.take('c', LIMITS, read))).toEqual([2, 3]);
  expect(ledger.dueInMs).toBe(500);
});
