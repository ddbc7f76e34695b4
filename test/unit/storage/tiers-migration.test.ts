import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { checksumOf } from '../../../src/memory/checksum.ts';
import { databaseFileIn } from '../../../src/storage/sqlite/database.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { tiers } from '../../../src/storage/sqlite/migrations/006-tiers.ts';
import { migrate } from '../../../src/storage/sqlite/migrations/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/sqlite/migrations/migrations.ts';
import { rowKey } from '../../../src/storage/sqlite/schema.ts';

const NOW_US = 1_800_000_000_000_000;
const STORED_US = 1_700_000_000_000_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-tiers-migration-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A folder as the version before tiers left it, with one memory. */
function olderFolder(text: string): void {
  const file = databaseFileIn(folder);
  migrate(file, MIGRATIONS.slice(0, MIGRATIONS.indexOf(tiers)));
  const database = new Database(file);
  const memory = {
    pk: rowKey(1, 1),
    namespace_key: 1,
    id: 'old',
    type: 'fact',
    agent: 'ada',
    event_at_us: STORED_US,
    created_at_us: STORED_US,
    updated_at_us: STORED_US,
    importance: 0.5,
    priority: 1,
    retrieval_count: 0,
    tier: 1,
    content_bytes: Buffer.byteLength(text),
    values_partial: 0,
    embedding_state: 0,
    revision: 2,
    ...Object.fromEntries(
      ['project', 'agent_type', 'session', 'speaker', 'location', 'room', 'region', 'superseded_by'].map((name) => [
        name,
        '',
      ]),
    ),
  };
  const body = {
    pk: memory.pk,
    text,
    text_derived: 0,
    media_type: '',
    tags: '[]',
    source_uri: '',
    source_origin: '',
    checksum: checksumOf(text),
  };
  const namespace = {
    key: 1,
    name: 'n',
    description: '',
    memory_limit: 0,
    embedding_model: '',
    embedding_dimension: 0,
    next_sequence: 2,
    created_at_us: STORED_US,
    updated_at_us: STORED_US,
    revision: 1,
  };
  const insert = (table: string, row: object) =>
    database
      .prepare(
        `INSERT INTO ${table}(${Object.keys(row).join()}) VALUES (${Object.keys(row)
          .map((name) => `@${name}`)
          .join()})`,
      )
      .run(row);
  insert('namespace', namespace);
  insert('memory', memory);
  insert('memory_body', body);
  database.exec("UPDATE meta SET value = 2 WHERE key = 'revision'");
  database.close();
}

describe('a folder from before there were tiers', () => {
  it('opened › its memories are short-term since they were stored, are counted, and can be moved and read', async () => {
    const text = 'What was stored before there were tiers. '.repeat(10);
    olderFolder(text);
    const store = await openSqliteStore({ folder, clock: { nowUs: () => NOW_US } });
    try {
      const bytes = Buffer.byteLength(text);
      expect(await store.tiers.members({ namespace: 'n', tier: 'short_term', limit: 9 })).toMatchObject([
        { id: 'old', tierSinceUs: STORED_US, agent: 'ada', contentBytes: bytes },
      ]);
      expect(await store.tiers.totals('n')).toMatchObject([{ tier: 'short_term', count: 1, contentBytes: bytes }]);
      expect((await store.statistics('n')).tiers).toMatchObject([{ contentBytes: bytes, storedBytes: bytes }]);
      expect((await store.getNamespace('n')).settings).toEqual({});

      const resolution = { abstractBytesMax: 50, compressionLevel: 3, vector: 'i8', vectorDimension: 0 } as const;
      await store.tiers.move({ namespace: 'n', ids: ['old'], to: 'long_term', resolution, atUs: NOW_US });
      const [memory] = await store.get({ namespace: 'n', ids: ['old'], view: 'full', nowUs: NOW_US });
      expect(memory).toMatchObject({ text, tier: 'long_term', revision: 2, checksum: checksumOf(text) });
      expect(await store.tiers.totals('n')).toMatchObject([{ tier: 'long_term', count: 1, contentBytes: bytes }]);
      expect((await store.statistics('n')).tiers[0]?.storedBytes).toBeLessThan(bytes);
    } finally {
      await store.close();
    }
  });
});
