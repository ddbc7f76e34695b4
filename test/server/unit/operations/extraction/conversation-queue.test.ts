import { describe, expect, it } from '@jest/globals';
import { DEFAULT_EXTRACTION_POLICY, extractionPolicyOf } from '../../../../../src/memory/extraction-settings.ts';
import { ConversationQueue } from '../../../../../src/server/operations/extraction/conversation-queue.ts';

const SECOND_US = 1_000_000;
const NEVER = Number.POSITIVE_INFINITY;

function queueOf(...sequences: readonly number[]): ConversationQueue {
  const queue = new ConversationQueue('c');
  for (const sequence of sequences) add(queue, sequence);
  return queue;
}

function add(queue: ConversationQueue, sequence: number, { arrivedAtUs = 0, tokens = 1, isForced = false } = {}): void {
  queue.add({ sequence, tokens, arrivedAtUs, revisions: [sequence + 1], isForced });
}

const failure = { isPassing: false, nowUs: 0, random: 0 };
const policyOf = (settings: Record<string, string>) => extractionPolicyOf(new Map(Object.entries(settings)));

describe('the queue of a conversation', () => {
  it.each<[string, Record<string, string>, number]>([
    ['idle by default', {}, 40 * SECOND_US],
    ['idle of its own', { 'extraction.idle': '5s' }, 15 * SECOND_US],
    ['interval', { 'extraction.interval': '12s' }, 12 * SECOND_US],
    ['number', { 'extraction.turns': '2' }, 0],
    ['tokens', { 'extraction.tokens': '2' }, 0],
    ['none', { 'extraction.idle': 'none', 'extraction.turns': '0' }, NEVER],
  ])('%s › decides when two messages are due', (_, settings, dueAtUs) => {
    const queue = queueOf();
    add(queue, 0);
    add(queue, 1, { arrivedAtUs: 10 * SECOND_US });

    expect(queue.dueAtUs(policyOf(settings))).toBe(dueAtUs);
  });

  it('messages that another server has extracted › are dropped, waiting or in hand; changed ones stay', () => {
    const queue = queueOf(0, 1, 2, 3);
    queue.take(2, 100);
    queue.add({ sequence: 3, tokens: 1, arrivedAtUs: 0, revisions: [9], isForced: false });
    const settled = queue.settle(new Set([1, 3, 4]));
    expect(settled.map(({ sequence }) => sequence)).toEqual([0, 2]);
    expect(queue.running.map(({ sequence }) => sequence)).toEqual([1]);
    expect(queue.pendingCount).toBe(2);
    queue.succeed();
    expect(queue.settle(new Set([4, 9]))).toHaveLength(1);
    expect(queue.state).toBe('idle');
  });

  it('a batch of a conversation that another server has › waits until then, without a failed attempt', () => {
    const queue = queueOf(0, 1);
    queue.force();
    queue.take(2, 100);
    queue.postpone(SECOND_US);
    expect(queue.dueAtUs(DEFAULT_EXTRACTION_POLICY)).toBe(SECOND_US);
    expect([queue.state, queue.attempts]).toEqual(['pending', 0]);
  });

  it('a batch › is urgent when it is forced, or after a second', () => {
    const queue = queueOf();
    expect(queue.isUrgent(NEVER)).toBe(false);
    add(queue, 0, { arrivedAtUs: SECOND_US });
    add(queue, 1, { arrivedAtUs: 2 * SECOND_US });
    expect(queue.isUrgent(2 * SECOND_US - 1)).toBe(false);
    expect(queue.isUrgent(2 * SECOND_US)).toBe(true);
    queue.take(1, 100);
    queue.succeed();
    expect(queue.isUrgent(2 * SECOND_US)).toBe(false);
    queue.force();
    expect(queue.isUrgent(2 * SECOND_US)).toBe(true);
  });

  it('a batch › is taken by sequence, within count and tokens', () => {
    const queue = queueOf(3, 1, 2, 0);
    expect(queue.take(2, 100).map(({ sequence }) => sequence)).toEqual([0, 1]);
    expect(queue.dueAtUs(DEFAULT_EXTRACTION_POLICY)).toBe(NEVER);
    queue.succeed();
    expect(queue.take(9, 1).map(({ sequence }) => sequence)).toEqual([2]);
    expect([queue.state, queue.pendingCount]).toEqual(['extracting', 2]);
  });

  it('failures › are retried one message at a time, after times that double up to five minutes', () => {
    const queue = queueOf(0, 1);
    queue.take(9, 99);
    queue.fail('why', failure);
    expect([queue.state, queue.nextAttemptAtUs, queue.defects]).toEqual(['retrying', 500_000, 0]);
    expect(queue.take(9, 99)).toHaveLength(1);
    queue.fail('why', failure);
    expect([queue.nextAttemptAtUs, queue.defects]).toEqual([SECOND_US, 1]);
    for (let attempt = 0; attempt < 20; attempt++) {
      queue.take(9, 99);
      queue.fail('why', failure);
    }
    expect(queue.nextAttemptAtUs).toBe(300 * SECOND_US);
  });

  it('failures that pass › keep the batch together and never count against it', () => {
    const queue = queueOf(0, 1);
    queue.take(9, 99);
    queue.fail('down', { ...failure, isPassing: true, random: 1 });

    expect([queue.attempts, queue.defects, queue.nextAttemptAtUs]).toEqual([1, 0, 250_000]);
    expect(queue.take(9, 99)).toHaveLength(2);
  });

  it('a message that is given up › is failed, and the next one goes on at once', () => {
    const queue = queueOf(0, 1);
    queue.take(9, 99);
    queue.fail('why', failure);
    queue.take(9, 99);
    expect(queue.giveUp('why').map(({ revisions }) => revisions)).toEqual([[1]]);
    expect(queue.dueAtUs(DEFAULT_EXTRACTION_POLICY)).toBe(0);
    queue.take(9, 99);
    queue.succeed();
    expect([queue.state, queue.error, [...queue.failed], queue.lastExtracted]).toEqual(['failed', 'why', [0], 1]);
  });

  it('a message that changes while it is in hand › is extracted again; one that is put back has both changes', () => {
    const queue = queueOf(0);
    queue.take(9, 99);
    queue.add({ sequence: 0, tokens: 1, arrivedAtUs: 0, revisions: [9], isForced: false });
    queue.putBack();

    expect(queue.take(9, 99).map(({ revisions }) => revisions)).toEqual([[1, 9]]);
    expect([queue.hasUpTo(0), queue.hasUpTo(1)]).toEqual([false, true]);
  });
});
