import { openSync, writeSync } from 'node:fs';
import { openPostgresRecords } from '../../src/storage/postgres/record-store.ts';
import { dieAtStatement } from '../support/dying-client.ts';
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

dieAtStatement(Number(at), moment === 'sending' ? 'sending' : 'answered');

const all = JSON.parse(writes) as CrashWrite[];
await Promise.all(
  all.map(async (write) => {
    await carryOut(records, write);
    writeSync(log, `${write.requestId}\n`);
  }),
);
writeSync(log, 'end\n');
await records.close();
