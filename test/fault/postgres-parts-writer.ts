import { openSync, writeSync } from 'node:fs';
import { dieAtMoment } from '../support/dying-client.ts';
import { openViewedStore } from '../support/viewed-store.ts';
import { carryOutPart, type PartName } from './postgres-parts.ts';

/**
 * A process that ends itself by SIGKILL at one moment (`dieAtMoment`): `node postgres-parts-writer.ts URL SCHEMA FOLDER LOG
 * AT PART`. The log gets `done` when the part is acknowledged, and `end` where there were fewer moments.
 */
const [url = '', schema = '', folder = '', logFile = '', at = '', part = ''] = process.argv.slice(2);
const log = openSync(logFile, 'w');
const opened = await openViewedStore({ url, schema, folder });
await opened.records.settled();
await opened.store.follower.catchUp('space');
dieAtMoment(Number(at));
await carryOutPart(opened, part as PartName);
writeSync(log, 'done\n');
await opened.close();
writeSync(log, 'end\n');
