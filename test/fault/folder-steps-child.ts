/**
 * Opens a data folder and copies it before each step that finds it changed: each copy is what a kill there would leave.
 * node folder-steps-child.ts view|folder FOLDER COPIES
 */
import { createHash } from 'node:crypto';
import fs, { cpSync, readdirSync, readFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const [kind = '', folder = '', copies = ''] = process.argv.slice(2);
let count = 0;
let isCopying = false;
let copied = '';

function copy(step: string): void {
  if (isCopying) return;
  isCopying = true;
  const digest = digestOfFolder();
  if (digest !== copied)
    cpSync(folder, join(copies, `${String(++count).padStart(3, '0')} ${step}`), { recursive: true });
  copied = digest;
  isCopying = false;
}

function digestOfFolder(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) {
    // SQLite makes the index of a write-ahead log anew.
    if (!name.endsWith('-shm')) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex');
}

/** Has the folder copied before each call of these methods. */
function watch(target: object, names: readonly string[]): void {
  for (const name of names) {
    const method: unknown = Reflect.get(target, name);
    if (typeof method !== 'function') throw new Error(`no method ${name}`);
    Reflect.set(target, name, function (this: unknown, ...args: unknown[]): unknown {
      copy(name);
      return Reflect.apply(method, this, args);
    });
  }
}

watch(fs, ['openSync', 'writeSync', 'fsyncSync', 'closeSync', 'renameSync', 'rmSync']);
watch(promises, ['rm']);
watch(Database.prototype, ['pragma', 'exec', 'prepare', 'close']);
syncBuiltinESMExports();

// They import the functions above.
const { prepareView } = await import('../../src/storage/sqlite/view-folder.ts');
const { openFolder } = await import('../../src/storage/sqlite/folder.ts');
if (kind === 'view') await prepareView(folder, 'the records');
openFolder(folder).release();
copy('end');
