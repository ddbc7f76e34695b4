import { describe, expect, it } from '@jest/globals';
import type { LogEntry } from '../../../../src/storage/redis/log-entries.ts';
import { OwnEntries, type WrittenDraft } from '../../../../src/storage/redis/recent-entries.ts';

const MAX = 500;
const entry = (revision: number): LogEntry => ({
  place: `${revision}-7`,
  entry: { id: `m${revision}`, kind: 'stored', revision },
});

/** A write that found the keyspace with one stamp, has left it with another, and has added entries. */
function written(
  before: string,
  stamp: string,
  revisions: readonly number[],
  rest: Partial<WrittenDraft> = {},
): WrittenDraft {
  return { state: { stamp: before }, stamp, logEntries: revisions.map(entry), deletion: undefined, ...rest };
}

/** Entries up to the one with revision 3 were read. */
function followed(): OwnEntries {
  const own = new OwnEntries();
  own.endsAt('3-7', 'a');
  return own;
}

describe('entries that this server has appended to a log', () => {
  it('are known after the followed position, and are returned once', () => {
    const own = followed();
    own.note(written('a', 'b', [4, 6]));
    own.note(written('b', 'c', [7]));
    expect(own.takeAfter('3-7', 'c', MAX)).toEqual({ entries: [4, 6, 7].map(entry), hasMore: false });
    expect(own.takeAfter('7-7', 'c', MAX)).toEqual({ entries: [], hasMore: false });
    expect(own.has('3-7')).toBe(false);
  });

  it('many of them › are returned in parts', () => {
    const own = followed();
    own.note(written('a', 'b', [4, 5, 6]));
    expect(own.takeAfter('3-7', 'b', 2)).toEqual({ entries: [4, 5].map(entry), hasMore: true });
    expect(own.takeAfter('5-7', 'b', 2)).toEqual({ entries: [entry(6)], hasMore: false });
  });

  it("a place between them, before them, or of another write's entry › is not known", () => {
    const own = followed();
    own.note(written('a', 'b', [4, 6]));
    for (const place of ['2-7', '5-7', '6-8']) expect(own.takeAfter(place, 'b', MAX)).toBeUndefined();
  });

  it('another server has written since, or Redis has lost the latest of them › they are not returned', () => {
    const own = followed();
    own.note(written('a', 'b', [4]));
    expect(own.takeAfter('3-7', 'other', MAX)).toBeUndefined();
    expect(own.has('3-7')).toBe(true);
  });

  it('the keyspace was read before the latest of them › they are returned', () => {
    const own = followed();
    own.note(written('a', 'b', [4]));
    own.note(written('b', 'c', [5]));
    expect(own.takeAfter('3-7', 'b', MAX)?.entries).toEqual([4, 5].map(entry));
  });

  it('another server has written between two of them › later ones are known after its entries are read', () => {
    const own = followed();
    own.note(written('a', 'b', [4]));
    own.note(written('other', 'c', [10]));
    expect(own.has('3-7')).toBe(false);
    own.endsAt('10-7', 'c');
    own.note(written('c', 'd', [11]));
    expect(own.takeAfter('10-7', 'd', MAX)?.entries).toEqual([entry(11)]);
  });

  it('a write that has deleted all › has to be read; later entries are known', () => {
    const own = followed();
    own.note(written('a', 'b', [4]));
    own.note(written('b', 'c', [5], { deletion: 'namespace_emptied' }));
    expect(own.has('3-7')).toBe(false);
    own.endsAt('5-7', 'c');
    own.note(written('c', 'd', [6]));
    expect(own.takeAfter('5-7', 'd', MAX)?.entries).toEqual([entry(6)]);
  });

  it('a read ends before the latest of them › they stay known', () => {
    const own = followed();
    own.note(written('a', 'b', [4]));
    own.endsAt('3-7', 'a');
    expect(own.takeAfter('3-7', 'b', MAX)?.entries).toEqual([entry(4)]);
  });

  it('after a loss › nothing is known', () => {
    const own = followed();
    own.note(written('a', 'b', [4]));
    own.forget();
    expect(own.has('3-7')).toBe(false);
  });

  it('many of them are never requested › the oldest are dropped, however many arrive at once', () => {
    const own = followed();
    own.note(
      written(
        'a',
        'b',
        Array.from({ length: 200_000 }, (_, at) => at + 4),
      ),
    );
    expect(own.has('198002-7')).toBe(false);
    expect(own.takeAfter('198003-7', 'b', 5000)?.entries).toHaveLength(2000);
  });
});
