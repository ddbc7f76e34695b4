import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { databaseFileIn } from '../../../src/storage/sqlite/database.ts';
import { openFolder, openToOthers } from '../../../src/storage/sqlite/folder.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';

/** Opens the folder of its argument, reports it and keeps it open. */
const HOLDER = `
  import { openFolder } from ${JSON.stringify(new URL('../../../src/storage/sqlite/folder.ts', import.meta.url).href)};
  // The lock lasts as long as the object is referenced.
  globalThis.held = openFolder(process.argv[1]);
  process.stdout.write('holds');
  setInterval(() => {}, 1000);
`;

describe('data folder', () => {
  let parent: string;
  let folder: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'mneme-folder-'));
    folder = join(parent, 'some', 'data');
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  it('missing › is created, with its parent folders', () => {
    openFolder(folder).release();
    openFolder(folder).release();
  });

  it('new › is for its owner only, and its parents are as the system makes them', () => {
    openFolder(folder).release();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(openToOthers(folder)).toEqual([]);
    chmodSync(folder, 0o750);
    const file = join(folder, 'mneme.db');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    expect(openToOthers(folder)).toEqual([folder, file]);
  });

  it('in use by this process › refused in one line that says what to do, unlocked after release', () => {
    const held = openFolder(folder);
    expect(() => openFolder(folder)).toThrow(
      expect.objectContaining({
        name: 'FolderError',
        message: expect.stringMatching(/^data folder \S+ is in use .*--data$/),
      }),
    );
    held.release();
    held.release();
    openFolder(folder).release();
  });

  it('in use by another process › refused until that process is killed', async () => {
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', HOLDER, folder]);
    try {
      await once(holder.stdout, 'data');
      await expect(openSqliteStore({ folder })).rejects.toMatchObject({ name: 'FolderError' });
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'close');
    }
    const store = await openSqliteStore({ folder });
    await store.close();
  });

  it('in use by another process, without its lock file › refused all the same', async () => {
    const store = await openSqliteStore({ folder });
    await store.close();
    const opener = `
      import Database from 'better-sqlite3';
      globalThis.held = new Database(process.argv[1]);
      held.pragma('journal_mode = WAL');
      held.prepare('SELECT count(*) FROM sqlite_schema').get();
      process.stdout.write('holds');
      setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', opener, databaseFileIn(folder)]);
    try {
      await once(holder.stdout, 'data');
      rmSync(join(folder, 'mneme.lock'));
      expect(() => openFolder(folder)).toThrow(/^data folder \S+ is in use/);
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'close');
    }
    openFolder(folder).release();
  });

  it('where no folder can be created › refused at once', () => {
    // Linux has it, and it accepts no folders.
    expect(() => openFolder('/proc/mneme/data')).toThrow(/^data folder \/proc\/mneme\/data cannot be written to/);
  });

  it('a file has its name › refused', () => {
    const file = join(parent, 'file');
    writeFileSync(file, '');
    expect(() => openFolder(file)).toThrow(/is not a folder/);
    expect(() => openFolder(join(file, 'inside'))).toThrow(/is not a folder/);
  });

  it('not writable › refused', () => {
    openFolder(folder).release();
    chmodSync(folder, 0o500);
    // Root may write everywhere, but folders cannot be created in /sys.
    const unwritable = process.getuid?.() === 0 ? '/sys/mneme' : folder;
    expect(() => openFolder(unwritable)).toThrow(/^data folder \S+ cannot be written to/);
    chmodSync(folder, 0o700);
  });

  it('the database is another file › refused, and the folder is unlocked again', () => {
    openFolder(folder).release();
    writeFileSync(join(folder, 'mneme.db'), 'not a database, but long enough to be looked at '.repeat(100));
    for (let time = 0; time < 2; time++) {
      expect(() => openFolder(folder)).toThrow(expect.objectContaining({ name: 'FolderError' }));
    }
  });
});
