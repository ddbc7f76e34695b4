import { describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../src/memory/checksum.ts';
import type { Memory } from '../../../src/memory/memory.ts';
import type { DeleteWrite } from '../../../src/storage/records.ts';
import { Draft, type Entry } from '../../../src/storage/rules/draft.ts';
import {
  checkMemoryLimit,
  deleteOutcome,
  isErased,
  keepsTaken,
  replacementOf,
  stepOf,
  updateOf,
} from '../../../src/storage/rules/memory-rules.ts';
import { NO_NAMESPACE } from '../../../src/storage/rules/partial-draft.ts';
import { embedLater, touchMemories } from '../../../src/storage/rules/write-memories.ts';
import { newMemory } from '../../support/new-memory.ts';

const fields = newMemory({ id: 'a', text: 'The garden was green.' });
const { embedding: _, embeddingPending: __, ...stored } = fields;
const before: Memory = { ...stored, namespace: 'n', tier: 'intermediate', revision: 7 };
const entry: Entry = {
  memory: before,
  sequence: 1,
  state: 'none',
  attempts: 0,
  notBeforeUs: 0,
  tierSinceUs: 0,
  change: 'stored',
  past: [],
};
const draftOf = (as: Partial<Entry>) =>
  new Draft(
    { namespace: { ...NO_NAMESPACE, name: 'n' }, entries: new Map([['a', { ...entry, ...as }]]), nextSequence: 2 },
    7,
  );
const because = (reason: string) => expect.objectContaining({ reason });

describe('storing with an id in use', () => {
  it('keeps, replaces or refuses as the caller requests', () => {
    expect(keepsTaken('n', 'a', 'keep')).toBe(true);
    expect(keepsTaken('n', 'a', 'replace')).toBe(false);
    expect(() => keepsTaken('n', 'a', 'fail')).toThrow(because('MEMORY_EXISTS'));
  });

  it('equal fields › nothing changes', () => {
    expect(replacementOf({ memory: before, state: 'none' }, fields)).toBeUndefined();
  });

  it('equal fields of a damaged memory › it is replaced, and its lost state is not kept', () => {
    const change = replacementOf({ memory: before, state: 'none', isDamaged: true }, fields);
    expect(change).toMatchObject({ after: { text: fields.text }, dropsFormer: true });
  });

  it('other fields › the tier stays, and so does the vector of an equal text', () => {
    const change = replacementOf({ memory: before, state: 'there' }, { ...fields, importance: 1 });
    expect(change).toMatchObject({ after: { tier: 'intermediate', importance: 1 }, vector: {}, dropsFormer: false });
  });

  it('another text › the vector is dropped', () => {
    const text = 'The garden was grey.';
    const change = replacementOf({ memory: before, state: 'there' }, { ...fields, text, checksum: checksumOf(text) });
    expect(change?.vector).toMatchObject({ embedding: null });
  });
});

describe('an update', () => {
  const write = { namespace: 'n', id: 'a', changes: { importance: 1 }, atUs: 9 };

  it("changes its fields, and the memory's update time", () => {
    expect(updateOf(before, write)).toEqual({
      after: { ...before, importance: 1, updatedAtUs: 9 },
      vector: write.changes,
      dropsFormer: false,
    });
  });

  it('with another expected revision › VERSION_MISMATCH', () => {
    expect(() => updateOf(before, { ...write, expectedRevision: 6 })).toThrow(because('VERSION_MISMATCH'));
  });
});

describe('a delete', () => {
  const write: DeleteWrite = { namespace: 'n', ids: ['a'], cause: 'deleted', mustExist: false, atUs: 100 };
  const expired = { ...before, expiresAtUs: 100 };

  it('no memory › skipped, or MEMORY_NOT_FOUND where it must exist', () => {
    expect(isErased('a', undefined, write)).toBe(false);
    expect(() => isErased('a', undefined, { ...write, mustExist: true })).toThrow(because('MEMORY_NOT_FOUND'));
  });

  it('an expired memory › erased, but MEMORY_NOT_FOUND where it must exist', () => {
    expect(isErased('a', expired, write)).toBe(true);
    expect(() => isErased('a', expired, { ...write, mustExist: true })).toThrow(because('MEMORY_NOT_FOUND'));
  });

  it('of expired memories › a memory whose expiry was postponed since stays', () => {
    expect(isErased('a', expired, { ...write, cause: 'expired' })).toBe(true);
    expect(isErased('a', { ...expired, expiresAtUs: 101 }, { ...write, cause: 'expired' })).toBe(false);
  });

  it('of one tier › a memory of another tier stays, whatever revision is expected', () => {
    expect(isErased('a', before, { ...write, onlyIn: 'long_term', expectedRevision: 1 })).toBe(false);
    expect(isErased('a', before, { ...write, onlyIn: 'intermediate' })).toBe(true);
  });

  it('with another expected revision › VERSION_MISMATCH', () => {
    expect(() => isErased('a', before, { ...write, expectedRevision: 1 })).toThrow(because('VERSION_MISMATCH'));
  });

  it('returns the number of erased memories of each tier', () => {
    const erased = [before, { ...before, id: 'b', tier: 'long_term' as const }, { ...before, id: 'c' }];
    const tiers = [
      ['intermediate', 2],
      ['long_term', 1],
    ];
    expect(deleteOutcome(9, erased)).toEqual({ revision: 9, deletedIds: ['a', 'b', 'c'], tiers });
  });
});

describe('a move', () => {
  const write = { to: 'long_term', atUs: 100 } as const;

  it('changes the tier of a memory', () => {
    expect(stepOf(before, write)).toEqual({ from: 'intermediate', to: 'long_term' });
  });

  it.each<[string, Parameters<typeof stepOf>]>([
    ['no memory', [undefined, write]],
    ['an expired one', [{ ...before, expiresAtUs: 100 }, write]],
    ['one that is there already', [before, { ...write, to: 'intermediate' }]],
    ['one of a tier that is not meant', [before, { ...write, from: ['short_term'] }]],
  ])('%s › passed over', (_situation, [found, asked]) => {
    expect(stepOf(found, asked)).toBeUndefined();
  });
});

describe('a retrieval', () => {
  const touchedOnce = (tierSinceUs: number) => {
    const draft = draftOf({ tierSinceUs });
    touchMemories(draft, ['a'], 50);
    return draft.entries.get('a');
  };

  it("is counted, and restarts the memory's time in its tier", () => {
    const memory = { retrievalCount: 1, lastAccessedAtUs: 50, revision: 7 };
    expect(touchedOnce(40)).toMatchObject({ tierSinceUs: 50, memory });
  });

  it('that arrives late leaves a later time in the tier unchanged', () => {
    expect(touchedOnce(60)).toMatchObject({ tierSinceUs: 60 });
  });
});

describe('a vector that was computed later', () => {
  const embedding = { model: 'm', values: Float32Array.of(1) };

  it.each<[string, Partial<Entry>, string, Entry['state']]>([
    ['of a memory that waits', { state: 'pending' }, before.checksum, 'there'],
    ['of a memory that has another text by now', { state: 'pending' }, 'other', 'pending'],
    ['of a memory that awaits none', { state: 'none' }, before.checksum, 'none'],
    ['of a damaged one', { state: 'pending', isDamaged: true }, before.checksum, 'pending'],
  ])('%s', (_situation, as, checksum, state) => {
    const draft = draftOf(as);
    embedLater(draft, [{ id: 'a', checksum, embedding }]);
    expect(draft.entries.get('a')?.state).toBe(state);
  });
});

describe('the limit of a namespace', () => {
  it('may be reached, not exceeded; 0 means no limit', () => {
    expect(() => checkMemoryLimit('n', 2, 2)).not.toThrow();
    expect(() => checkMemoryLimit('n', 0, 9)).not.toThrow();
    expect(() => checkMemoryLimit('n', 2, 3)).toThrow(because('NAMESPACE_FULL'));
  });
});
