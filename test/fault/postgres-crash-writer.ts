import { openSync, writeSync } from 'node:fs';
import { Client } from 'pg';
import { openPostgresRecords } from '../../src/storage/postgres/record-store.ts';
import { type CrashWrite, carryOut } from './postgres-crash-writes.ts';

/**
 * A process that ends itself by SIGKILL at one statement of a commit: `node postgres-crash-writer.ts URL SCHEMA LOG AT
 * WRITES`. AT: number of the statement, from 1, and `sending` or `answered`. WRITES: JSON of the writes, which go out
 * together. The log gets the request id of each acknowledged write; it ends with `end` where fewer statements were sent.
 */
const [url = '', schema = '', logFile = '', at = '', moment = '', writes = ''] = process.argv.slice(2);
const log = openSync(logFile, 'w');
const records = await openPostgresRecords({ url, schema });
// The work that a start begins is over: the statements are those of the writes.
await records.settled();

let sent = 0;
const query = Client.prototype.query as (this: Client, ...args: unknown[]) => unknown;
function counted(this: Client, ...args: unknown[]): unknown {
  const isLast = ++sent === Number(at);
  if (isLast && moment === 'sending') process.kill(process.pid, 'SIGKILL');
  const answer = query.apply(this, args);
  if (!isLast || !(answer instanceof Promise)) return answer;
  return answer.finally(() => process.kill(process.pid, 'SIGKILL'));
}
Client.prototype.query = counted as Client['query'];

const all = JSON.parse(writes) as CrashWrite[];
await Promise.all(
  all.map(async (write) => {
    await carryOut(records, write);
    writeSync(log, `${write.requestId}\n`);
  }),
);
writeSync(log, 'end\n');
await records.close();
