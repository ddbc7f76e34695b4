import { openSync, writeSync } from 'node:fs';
import { openPostgresRecords } from '../../src/storage/postgres/record-store.ts';
import { dieAtMoment } from '../support/dying-client.ts';
import { type CrashWrite, carryOut } from './postgres-crash-writes.ts';

/**
 * A process that ends itself by SIGKILL at one moment of a commit (`dieAtMoment`): `node postgres-crash-writer.ts URL SCHEMA
 * LOG AT WRITES`. WRITES: JSON of the writes, which go out together. The log gets the request id of each acknowledged write;
 * it ends with `end` where there were fewer moments.
 */
const [url = '', schema = '', logFile = '', at = '', writes = ''] = process.argv.slice(2);
const log = openSync(logFile, 'w');
const records = await openPostgresRecords({ url, schema });
// The work that a start begins is over: the statements are those of the writes.
await records.settled();

dieAtMoment(Number(at));

const all = JSON.parse(writes) as CrashWrite[];
await Promise.all(
  all.map(async (write) => {
    await carryOut(records, write);
    writeSync(log, `${write.requestId}\n`);
  }),
);
writeSync(log, 'end\n');
await records.close();
