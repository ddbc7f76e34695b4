import { describe, expect, it } from '@jest/globals';
import type { HotEntry } from '../../../../src/storage/mirror-store.ts';
import { OwnEntries, type WrittenDraft } from '../../../../src/storage/redis/own-entries.ts';

const EPOCH = 'e';
const entry = (revision: number): HotEntry => ({ id: `m${revision}`, kind: 'stored', revision });

/** A write that found the log to end with a revision, and has added entries. */
function written(before: number, revisions: readonly number[], rest: Partial<WrittenDraft> = {}): WrittenDraft {
  const ends = { log: revisions.at(-1) ?? before, below: 0 };
  const state = { epoch: EPOCH, ends: { log: before, below: 0 } };
  return { state, ends, told: revisions.map(entry), rewritten: [], deletion: undefined, ...rest };
}

describe('entries that this server has put at the end of a log', () => {
  it('are known after each of them, and after the one before the first, until later ones are asked for', () => {
    const own = new OwnEntries();
    own.note(written(3, [4, 6]));
    own.note(written(6, [7]));
    expect(own.after(EPOCH, 3, 7)).toEqual([4, 6, 7].map(entry));
    expect(own.after(EPOCH, 6, 7)).toEqual([entry(7)]);
    expect(own.after(EPOCH, 7, 7)).toEqual([]);
    expect(own.after(EPOCH, 4, 7)).toBeUndefined();
  });

  it('a revision between them, or before them › is not known', () => {
    const own = new OwnEntries();
    own.note(written(3, [4, 6]));
    expect([2, 5].map((revision) => own.after(EPOCH, revision, 6))).toEqual([undefined, undefined]);
  });

  it('the log goes on behind them, or is that of another room › they are not all, and are not given', () => {
    const own = new OwnEntries();
    own.note(written(3, [4]));
    expect(own.after(EPOCH, 3, 5)).toBeUndefined();
    expect(own.after('other', 3, 4)).toBeUndefined();
  });

  it('another server has written between two of them › only those after that are known', () => {
    const own = new OwnEntries();
    own.note(written(3, [4]));
    own.note(written(9, [10]));
    expect(own.after(EPOCH, 3, 10)).toBeUndefined();
    expect(own.after(EPOCH, 9, 10)).toEqual([entry(10)]);
  });

  it.each<[string, Partial<WrittenDraft>]>([
    ['has rewritten a memory below', { rewritten: [{}] }],
    ['has deleted all', { deletion: 'namespace_emptied' }],
  ])('a write that %s › has to be read; what comes after it is known', (_, rest) => {
    const own = new OwnEntries();
    own.note(written(3, [4]));
    own.note(written(4, [5], rest));
    own.note(written(5, [6]));
    expect(own.after(EPOCH, 3, 6)).toBeUndefined();
    expect(own.after(EPOCH, 5, 6)).toEqual([entry(6)]);
  });

  it('a log of a former version, whose end is not known › nothing is', () => {
    const own = new OwnEntries();
    own.note({ ...written(3, [4]), state: { epoch: EPOCH } });
    expect(own.has(EPOCH, -1)).toBe(false);
  });

  it('nobody asks for many of them › the oldest are forgotten', () => {
    const own = new OwnEntries();
    for (let revision = 1; revision <= 5000; revision++) own.note(written(revision - 1, [revision]));
    expect(own.has(EPOCH, 2999)).toBe(false);
    expect(own.after(EPOCH, 3000, 5000)).toHaveLength(2000);
  });
});
