import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LogPlace } from '../../../src/change-log/change-log.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { logTerms } from '../../../src/storage/sqlite/migrations/migrate.ts';
import { because, put } from '../../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../../support/new-memory.ts';
import { olderFolder } from './older-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-terms-migration-'));
  olderFolder(folder, logTerms, [
    { id: 'a', text: 'x' },
    { id: 'b', text: 'y' },
  ]);
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a folder whose change log has no terms', () => {
  it('opened, written to and opened again › what was there is one term, what each opening wrote another; all lead on', async () => {
    const places: LogPlace[] = [];
    for (const id of ['c', 'd']) {
      const store = await openSqliteStore({ folder, newTerm: () => `of ${id}` });
      try {
        const namespace = await store.streams.watchedNamespace('n');
        const place = await store.streams.place(namespace, store.revision);
        places.push(place);
        await put(store, [newMemory({ id })], { namespace: 'n' });
        expect(await store.streams.termAt(store.revision)).toBe(`of ${id}`);
        for (const known of places) expect(await store.streams.revisionAt(namespace, known)).toBe(known.revision);
        const beyond = { ...(places[0] ?? place), revision: store.revision };
        await expect(store.streams.revisionAt(namespace, beyond)).rejects.toMatchObject(because('REVISION_COMPACTED'));
      } finally {
        await store.close();
      }
    }
    expect(places.map(({ revision, term }) => [revision, term])).toEqual([
      [3, expect.stringMatching(/^[0-9a-f]{16}$/)],
      [4, 'of c'],
    ]);
  });
});
