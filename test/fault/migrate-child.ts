/**
 * Migrates and ends itself by SIGKILL after a number of pages and steps:
 * node test/fault/migrate-child.ts TO FOLDER URL SCHEMA LOG COUNT
 */

import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateToFolder, migrateToPostgres } from '../../src/server/assembly/migrate-store.ts';
import { configFrom } from '../../src/server/config/config.ts';

const [to, data, url = '', schema = '', log = '', count] = process.argv.slice(2);
if (data === undefined) throw new Error('which folder?');
const config = configFrom({ flags: { data }, env: { MNEME_POSTGRES_URL: url, MNEME_POSTGRES_SCHEMA: schema } });
let left = Number(count);
const moment = (name: string): undefined => {
  appendFileSync(log, `${name}\n`);
  if (left-- === 0) process.kill(process.pid, 'SIGKILL');
};
const migrate = to === 'postgres' ? migrateToPostgres : migrateToFolder;
const { isWhole } = await migrate({
  config,
  term: randomUUID(),
  nowMs: Date.now,
  sleep,
  onPage: moment,
  onStep: moment,
});
if (!isWhole) throw new Error('the target differs from the source');
appendFileSync(log, 'end\n');
