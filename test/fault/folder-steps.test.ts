import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { databaseFileIn } from '../../src/storage/sqlite/database.ts';
import { openFolder } from '../../src/storage/sqlite/folder.ts';
import { prepareView } from '../../src/storage/sqlite/view-folder.ts';

const CHILD = fileURLToPath(new URL('folder-steps-child.ts', import.meta.url));
type Kind = 'view' | 'folder';

let parent: string;
let folders = 0;
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'mneme-folder-steps-'));
});
afterAll(() => rmSync(parent, { recursive: true }));

function newFolder(): string {
  const folder = join(parent, String(++folders));
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Opens a folder as the start of a server does. */
async function open(kind: Kind, folder: string): Promise<void> {
  if (kind === 'view') await prepareView(folder, 'the records');
  openFolder(folder).release();
}

/** Copies of a folder at each step of its opening that changes it, and after the last one. */
function stepsOf(kind: Kind, folder: string): string[] {
  const copies = newFolder();
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, kind, folder, copies]);
  return readdirSync(copies).map((name) => join(copies, name));
}

/** What does not depend on the time and the place of its creation. */
function contentsOf(folder: string) {
  const database = new Database(databaseFileIn(folder), { readonly: true });
  try {
    const pragmas = ['auto_vacuum', 'journal_mode', 'page_size', 'encoding', 'user_version', 'integrity_check'];
    return {
      files: readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name)),
      pragmas: pragmas.map((name) => [name, database.pragma(name, { simple: true })]),
      schema: database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all(),
      meta: database.prepare(`SELECT key, value FROM meta WHERE key <> 'log_id' ORDER BY key`).all(),
      statistics: database.prepare('SELECT * FROM sqlite_stat1').all(),
      namespaces: database.prepare('SELECT name FROM namespace').all(),
    };
  } finally {
    database.close();
  }
}

async function createdAtOnce(kind: Kind) {
  const folder = newFolder();
  await open(kind, folder);
  return contentsOf(folder);
}

/** A view with a namespace; the write-ahead log has what the database lacks. */
async function viewOf(records: string): Promise<string> {
  const [folder, copy] = [newFolder(), newFolder()];
  await prepareView(folder, records);
  openFolder(folder).release();
  const database = new Database(databaseFileIn(folder));
  database.exec(`INSERT INTO namespace(name, description, memory_limit, embedding_model, embedding_dimension,
    next_sequence, created_at_us, updated_at_us, revision) VALUES('other', '', 0, '', 0, 1, 1, 1, 1)`);
  cpSync(folder, copy, { recursive: true });
  database.close();
  expect(readdirSync(copy)).toContain('mneme.db-wal');
  return copy;
}

/** A view whose deletion has ended between the database and its write-ahead log. */
async function halfDeletedView(): Promise<string> {
  const folder = await viewOf('the records');
  renameSync(databaseFileIn(folder), join(parent, `deleted-${++folders}`));
  return folder;
}

describe('a process is killed at any step of', () => {
  it.each<[string, Kind, () => string | Promise<string>]>([
    ['the creation of a view', 'view', newFolder],
    ['the replacement of a view of other records', 'view', () => viewOf('other records')],
    ['the replacement of a view that is half deleted', 'view', halfDeletedView],
    ['the creation of a data folder', 'folder', newFolder],
  ])(
    '%s › the next start makes one as if it had never begun',
    async (_, kind, made) => {
      const expected = await createdAtOnce(kind);
      const steps = stepsOf(kind, await made());
      expect(steps.length).toBeGreaterThan(3);
      for (const step of steps) {
        await open(kind, step);
        expect([step, contentsOf(step)]).toEqual([step, expected]);
      }
    },
    120_000,
  );
});
