import { openSync, writeSync } from 'node:fs';
import { checksumOf } from '../../src/memory/checksum.ts';
import { TIERS, type Tier } from '../../src/memory/memory.ts';
import { FULL_RESOLUTION, type Resolution } from '../../src/memory/resolution/resolution.ts';
import type { NewMemory } from '../../src/storage/records.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { newMemory } from '../support/new-memory.ts';
import { seededRandom } from '../support/random.ts';

/**
 * A process that moves memories between tiers until it is killed: `node tier-mover.ts FOLDER SEED ROUND LOG COUNT`. It
 * records planned and acknowledged moves in the log, which outlives it. It prints a line after COUNT moves.
 */
export interface MoveTold {
  readonly received: 'trying' | 'done';
  readonly lane: number;
  readonly ids: readonly string[];
  readonly to: Tier;
}

export const SPACE = 'n';
const LANES = 6;
const PER_LANE = 8;
const NOW_US = 1_800_000_000_000_000;
const LOW: Resolution = { abstractBytesMax: 80, compressionLevel: 3, vector: 'i8', vectorDimension: 0 };

/** The memory that a lane stores as its number `at`; the test derives the expected result from it. */
export function memoryOf(lane: number, at: number): NewMemory {
  const id = `m-${lane}-${at}`;
  const text = `${id} begins here. ${`Sentence of ${id} with words enough to be left out. `.repeat(2 + at)}`;
  const data = Buffer.from(JSON.stringify({ id, list: Array.from({ length: 50 }, (_, number) => `${id} ${number}`) }));
  const content = { mediaType: 'application/json', data };
  return newMemory({
    id,
    text,
    content,
    checksum: checksumOf(text, content),
    tags: [id],
    embedding: { model: 'm', values: Float32Array.from({ length: 16 }, (_, number) => Math.sin(lane + at * number)) },
  });
}

export const everyMemory = (): NewMemory[] =>
  Array.from({ length: LANES * PER_LANE }, (_, at) => memoryOf(Math.floor(at / PER_LANE), at % PER_LANE));

async function moveForEver(folder: string, seed: string, round: string, logFile: string, count: number): Promise<void> {
  const log = openSync(logFile, 'w');
  const random = seededRandom(`tier-mover ${round}`, seed);
  const store = await openSqliteStore({ folder });
  const memories = everyMemory();
  await store.write({
    kind: 'store',
    namespace: SPACE,
    createNamespace: true,
    onConflict: 'keep',
    atUs: NOW_US,
    memories,
  });
  let acknowledged = 0;
  const tell = (received: MoveTold): void => {
    writeSync(log, `${JSON.stringify(received)}\n`);
  };
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (;;) {
      const to = random.pick(TIERS);
      const ids = [memoryOf(lane, random.int(PER_LANE)).id, memoryOf(lane, random.int(PER_LANE)).id];
      const resolution = to === 'short_term' ? FULL_RESOLUTION : LOW;
      tell({ received: 'trying', lane, ids, to });
      await store.write({ kind: 'move', namespace: SPACE, ids, to, resolution, atUs: NOW_US });
      tell({ received: 'done', lane, ids, to });
      if (++acknowledged === count) process.stdout.write('enough\n');
      if (random.chance(0.2)) await store.write({ kind: 'touch', namespace: SPACE, ids, atUs: NOW_US });
    }
  });
  // Killed long before, unless the parent has died.
  setTimeout(() => process.exit(1), 120_000).unref();
  await Promise.all(lanes);
}

const [folder, seed = '', round = '', logFile = '', count = ''] = process.argv.slice(2);
if (folder !== undefined && import.meta.main) await moveForEver(folder, seed, round, logFile, Number(count));
