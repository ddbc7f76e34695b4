import { join } from 'node:path';
import Database from 'better-sqlite3';
import {
  CreateCheckpointRequest,
  DeleteCheckpointRequest,
  RestoreCheckpointRequest,
  WorkingMemoryServiceService as Service,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Bench } from '../bench.ts';
import { median } from '../quantile.ts';
import { atMost } from '../report/row.ts';
import type { Caller } from '../servers/caller.ts';
import { KEYS, SESSION, setKeys } from './working-messages.ts';

const ROUNDS = 60;
const WARM_UP_ROUNDS = 10;

/** A checkpoint of keys that have all changed, and its restore when they have changed again, each as one call. */
export async function measureCheckpoints(
  bench: Bench,
  caller: Caller,
  texts: readonly string[],
  folder: string,
): Promise<void> {
  const session = `${SESSION}-checkpoints`;
  const bare = bareTransaction(join(folder, 'bare-checkpoint.db'), texts);
  const ratios = { create: [] as number[], restore: [] as number[] };
  const tookUs = { bare: [] as number[], create: [] as number[], restore: [] as number[] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const checkpoint = `round-${round}`;
    const bareUs = await timed(async () => bare.run());
    // Then the server comes from writing, as it would where an agent makes one after its work.
    await setKeys(caller, session, rotated(texts, 2 * Math.abs(round)));
    const create = CreateCheckpointRequest.fromPartial({ session, checkpointId: checkpoint });
    const createUs = await timed(() => caller.ask(Service.createCheckpoint, create));
    await setKeys(caller, session, rotated(texts, 2 * Math.abs(round) + 1));
    const restore = RestoreCheckpointRequest.fromPartial({ session, checkpointId: checkpoint });
    const restoreUs = await timed(() => caller.ask(Service.restoreCheckpoint, restore));
    await caller.ask(
      Service.deleteCheckpoint,
      DeleteCheckpointRequest.fromPartial({ session, checkpointId: checkpoint }),
    );
    if (round < 0) continue;
    tookUs.bare.push(bareUs);
    tookUs.create.push(createUs);
    tookUs.restore.push(restoreUs);
    ratios.create.push(createUs / bareUs);
    ratios.restore.push(restoreUs / bareUs);
  }
  bare.close();
  for (const [name, most] of [
    ['create', 2],
    ['restore', 3],
  ] as const) {
    bench.add({
      part: 'checkpoint',
      what: `${name === 'create' ? 'CreateCheckpoint' : 'RestoreCheckpoint'} of ${KEYS} keys of 1 KB, all changed`,
      value: median(tookUs[name]),
      unit: 'µs',
      limit: median(tookUs.bare),
      limitName: 'bare SQLite transaction of these rows',
      ratio: median(ratios[name]),
      wanted: atMost(median(ratios[name]), most),
    });
  }
}

/** The cost of SQLite itself to write the same keys and values durably: one table, one index, one transaction. */
function bareTransaction(file: string, texts: readonly string[]): { run(): void; close(): void } {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(
    'CREATE TABLE entry(pk INTEGER PRIMARY KEY, round INTEGER, key TEXT, data BLOB, UNIQUE(round, key)) STRICT',
  );
  const insert = database.prepare('INSERT INTO entry(round, key, data) VALUES(?, ?, ?)');
  const values = texts.map((text) => Buffer.from(text));
  let round = 0;
  const write = database.transaction(() => {
    round++;
    for (let at = 0; at < KEYS; at++) insert.run(round, `key-${at}`, values[(at + round) % values.length]);
  });
  return { run: () => write(), close: () => database.close() };
}

function rotated<T>(items: readonly T[], by: number): T[] {
  return items.map((_, at) => items[(at + by) % items.length] as T);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) * 1000;
}
