import { openSync, writeSync } from 'node:fs';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { sqliteSessions } from '../../src/storage/sqlite/sessions/session-store.ts';
import { append, checkpoint, set, write } from '../storage/conformance/session-store/session-of-test.ts';

/**
 * A process that restores two checkpoints in turn until it is killed: `node session-child.ts FOLDER LOG`. It records
 * planned and acknowledged restores in the log, which outlives it. It prints a line when it begins.
 */
const KEYS = 300;
const [folder = '', logFile = ''] = process.argv.slice(2);
const log = openSync(logFile, 'a');
const memories = await openSqliteStore({ folder });
const store = sqliteSessions(memories);
const tell = (what: string, id: string) => writeSync(log, `${what} ${id}\n`);

/** All keys hold the id of the checkpoint that they belong to, and so do the notes. */
async function prepare(id: string): Promise<void> {
  await write(store, [{ kind: 'clear', values: true, task: true, notes: true, checkpoints: false }]);
  const keys = Array.from({ length: KEYS }, (_, at) => set(`key-${at}`, id.repeat(50)));
  await write(store, [...keys, append(id, id), checkpoint(id)]);
}

if ((await store.session({ namespace: 'space', session: 'run-1' })) === undefined) {
  await memories.write({ kind: 'createNamespace', name: 'space', description: '', memoryLimit: 0, atUs: 1 });
  await prepare('one');
  await prepare('two');
  tell('done', 'two');
}
process.stdout.write('begins\n');
// Killed long before, unless the parent has died.
setTimeout(() => process.exit(1), 120_000).unref();
for (let at = 0; ; at++) {
  const id = at % 2 === 0 ? 'one' : 'two';
  tell('trying', id);
  await write(store, [{ kind: 'restore', id, mode: 'replace' }]);
  tell('done', id);
}
