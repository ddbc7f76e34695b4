import { describe, expect, it } from '@jest/globals';
import type { ChangeLog } from '../../../src/storage/change-log/change-log.ts';
import { type StoreAccess, sqliteStreams } from '../../../src/storage/sqlite/streams.ts';

const PLACE = { log: '', revision: 0, epoch: 'e', origin: 4, term: '' };

/** A log whose database is at revision 4, of which the store has been told `known`. */
function streamsAt(revision: () => number): ChangeLog {
  const read = async <A>(): Promise<A> => 4 as A;
  const write = () => Promise.reject(new Error('nothing is written'));
  const term = { id: 'term', startRevision: 0 };
  return sqliteStreams({
    revision,
    listeners: new Set(),
    term,
    read,
    write,
  } satisfies StoreAccess);
}

describe('the revision of a place in a log', () => {
  it('the answer of the writer is still on its way › awaited, so that no reader takes the revision for a later one', async () => {
    let known = 3;
    setImmediate(() => setImmediate(() => (known = 4)));
    const streams = streamsAt(() => known);
    expect(await streams.revisionAt({ key: 1, name: 'space' }, PLACE)).toBe(4);
    expect(streams.revision).toBe(4);
  });

  it('no answer comes, as the writer has died › the revision of the database', async () => {
    expect(await streamsAt(() => 3).revisionAt({ key: 1, name: 'space' }, PLACE)).toBe(4);
  });
});
