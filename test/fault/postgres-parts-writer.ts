import { openSync, writeSync } from 'node:fs';
import { dieAtMoment } from '../support/dying-client.ts';
import { openRecords } from '../support/postgres-records.ts';
import { openViewedStore } from '../support/viewed-store.ts';
import { carryOutPart, type PartName } from './postgres-parts.ts';

/**
 * A process that ends itself by SIGKILL at one moment (`dieAtMoment`): `node postgres-parts-writer.ts URL SCHEMA FOLDER LOG
 * AT PART`. The log gets `done` when the part is acknowledged, and `end` where there were fewer moments.
 */
const [url = '', schema = '', folder = '', logFile = '', at = '', part = ''] = process.argv.slice(2);
const log = openSync(logFile, 'w');
const opened = part === 'subscription' ? await openWithView() : await openRecords({ url, schema });
await opened.records.settled();
dieAtMoment(Number(at));
await carryOutPart(opened, part as PartName);
writeSync(log, 'done\n');
await opened.close();
writeSync(log, 'end\n');

/** The view starts a thread, which takes as much CPU as all else in this process. */
async function openWithView() {
  const viewed = await openViewedStore({ url, schema, folder });
  await viewed.store.follower.catchUp('space');
  return viewed;
}
