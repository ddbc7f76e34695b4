import { openSync, writeSync } from 'node:fs';
import { openPostgresRecords } from '../../src/storage/postgres/record-store.ts';
import { openPostgresSessions } from '../../src/storage/postgres/sessions/open-sessions.ts';
import { dieAtMoment } from '../support/dying-client.ts';
import { WRITES } from './postgres-session-writes.ts';

/**
 * A process that ends itself by SIGKILL at one moment of its writes (`dieAtMoment`): `node postgres-session-crash-writer.ts
 * URL SCHEMA LOG AT`. The log gets the request id of each acknowledged write; it ends with `end` where there were fewer
 * moments.
 */
const [url = '', schema = '', logFile = '', at = ''] = process.argv.slice(2);
const log = openSync(logFile, 'w');
const records = await openPostgresRecords({ url, schema });
const { sessions, close } = await openPostgresSessions(records);
// The work that a start begins is over: the statements are those of the writes.
await records.settled();
dieAtMoment(Number(at));
await Promise.all(
  WRITES.map(async (write) => {
    await sessions.write(write);
    writeSync(log, `${write.idempotency?.requestId}\n`);
  }),
);
writeSync(log, 'end\n');
await close();
await records.close();
