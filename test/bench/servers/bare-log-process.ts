/**
 * The limit of a durable write: a file to which records are appended and flushed, at most every `PACE_MS`. Arguments:
 * folder, arrivals a second, bytes of each. SIGTERM ends it; it prints its `BareLogFigures`.
 */
import { fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../quantile.ts';
import type { BareLogFigures } from './bare-log.ts';

/** As often as the server commits while writes come one after the other. */
const PACE_MS = 8;
/** The file is written over from its beginning, as SQLite's log is: growing it would cost more. */
const FILE_BYTES = 16 * 1_048_576;

const [folder = '', perS = '', bytes = ''] = process.argv.slice(2);
const file = join(folder, 'bare.log');
const descriptor = openSync(file, 'w');
const records = Buffer.alloc(FILE_BYTES, 1);
writeSync(descriptor, records);
fdatasyncSync(descriptor);

let isEnding = false;
process.once('SIGTERM', () => {
  isEnding = true;
});
const tookMs: number[] = [];
const startedMs = performance.now();
let written = 0;
let place = 0;
while (!isEnding) {
  await sleep(PACE_MS);
  const arrived = Math.floor(((performance.now() - startedMs) / 1000) * Number(perS));
  const length = Math.min((arrived - written) * Number(bytes), FILE_BYTES);
  if (length === 0) continue;
  if (place + length > FILE_BYTES) place = 0;
  writeSync(descriptor, records, 0, length, place);
  fdatasyncSync(descriptor);
  place += length;
  const nowMs = performance.now();
  for (; written < arrived; written++) tookMs.push(nowMs - startedMs - ((written + 1) * 1000) / Number(perS));
}
rmSync(file);
tookMs.sort((a, b) => a - b);
const figures: BareLogFigures = { p50Ms: quantile(tookMs, 0.5), p99Ms: quantile(tookMs, 0.99) };
process.stdout.write(JSON.stringify(figures));
