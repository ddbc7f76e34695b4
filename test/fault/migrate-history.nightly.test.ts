import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { migrateToFolder, migrateToPostgres } from '../../src/server/assembly/migrate-store.ts';
import { configFrom } from '../../src/server/config/config.ts';
import { canonical } from '../../src/storage/migration/compare.ts';
import { NO_OFFSETS } from '../../src/storage/migration/offsets.ts';
import { KINDS, type MigrationSource, PAGE_BYTES } from '../../src/storage/migration/portable.ts';
import { PostgresSource } from '../../src/storage/migration/postgres-source.ts';
import { SqliteSource } from '../../src/storage/migration/sqlite-source.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { openReadOnly } from '../../src/storage/sqlite/database.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { startServer } from './damage/server.ts';

/** More than two pages in all. */
const UPDATES = 24;
const TEXT_BYTES = 900_000;
/** A record of a page may be this much longer than its bytes in the store. */
const SLACK = 65_536;

let folder = '';
let data = '';
let postgres: PostgresServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-migrate-history-'));
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  data = join(folder, 'data');
  const server = await startServer(data);
  await server.mneme.store({ id: 'others', text: 'has no former state' });
  await server.mneme.store({ id: 'long', text: 'the first text' });
  for (let n = 0; n < UPDATES; n++) {
    await server.mneme.update('long', { text: `${n} `.repeat(TEXT_BYTES).slice(0, TEXT_BYTES) });
  }
  await server.stop();
}, 120_000);
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
  rmSync(folder, { recursive: true });
});

/** Bytes of the largest page of each kind that has one above the limit, and the number of pages of former states. */
async function pagesOf(source: MigrationSource): Promise<{ tooLarge: string[]; pagesOfFormer: number }> {
  const tooLarge: string[] = [];
  let pagesOfFormer = 0;
  for (const kind of KINDS) {
    for await (const { records } of source.pages(kind)) {
      if (kind === 'former') pagesOfFormer++;
      const bytes = records.reduce((sum, record) => sum + canonical(record).length, 0);
      if (bytes > PAGE_BYTES + TEXT_BYTES + SLACK) tooLarge.push(`${kind}: ${bytes}`);
    }
  }
  return { tooLarge, pagesOfFormer };
}

function statesIn(of: string): unknown[] {
  const database = openReadOnly(of);
  try {
    return database.prepare('SELECT id, revision, former FROM change_log WHERE former IS NOT NULL ORDER BY 2').all();
  } finally {
    database.close();
  }
}

it('a memory with a long history › is moved in pages of bounded size, there and back', async () => {
  const [of, back] = [join(folder, 'copy'), join(folder, 'back')];
  cpSync(data, of, { recursive: true });
  const env = postgres.envOf('history');
  const optionsOf = (at: string) => ({
    config: configFrom({ flags: { data: at }, env }),
    term: `of-${at}`,
    nowMs: Date.now,
    sleep: async () => {},
  });
  const opened = openReadOnly(of);
  const inFolder = await pagesOf(new SqliteSource(opened));
  opened.close();
  expect(inFolder).toEqual({ tooLarge: [], pagesOfFormer: 3 });

  expect((await migrateToPostgres(optionsOf(of))).isWhole).toBe(true);
  const database = new PostgresDatabase({ url: postgres.url, schema: 'history' });
  const read: PostgresDatabase['read'] = (work) => database.read(work);
  const inPostgres = await pagesOf(new PostgresSource({ read, identity: '', offsets: NO_OFFSETS }));
  await database.close();
  expect(inPostgres).toEqual({ tooLarge: [], pagesOfFormer: 3 });

  expect((await migrateToFolder(optionsOf(back))).isWhole).toBe(true);
  expect(statesIn(back)).toEqual(statesIn(of));
  expect(statesIn(back)).toHaveLength(UPDATES);
}, 120_000);
