import { openSync, writeSync } from 'node:fs';
import { checksumOf } from '../../src/memory/checksum.ts';
import { MnemeError } from '../../src/memory/errors.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { newMemory } from '../support/new-memory.ts';
import { seededRandom } from '../support/random.ts';

/**
 * A process that writes until it is killed: `node crash-writer.ts FOLDER SEED ROUND LOG COUNT REFUSED`. It records planned
 * and acknowledged writes in the log, which outlives it, so that its parent knows the expected state afterwards. Each of
 * its lanes writes its own memories, one write after the other. It prints a line when COUNT writes have been
 * acknowledged and REFUSED ones refused, with 0 and 0 before the first one.
 */
export interface Told {
  /** `refused`: the disk was full. */
  readonly received: 'trying' | 'done' | 'refused';
  readonly lane: number;
  readonly write: Write;
}

export interface Write {
  readonly requestId: string;
  /** Expected state of each memory after the write; `null` when it is deleted. */
  readonly after: Readonly<Record<string, string | null>>;
}

const [folder = '', seed = '', round = '', logFile = '', count = '', refusedMin = ''] = process.argv.slice(2);
/** Lone writes in every third round: stores then leave their upkeep to later transactions. */
const LANES = Number(round) % 3 === 0 ? 1 : 8;
const log = openSync(logFile, 'w');
const random = seededRandom(`crash-writer ${round}`, seed);
const store = await openSqliteStore({ folder, mayUpkeepWait: true });
const nowUs = 1_800_000_000_000_000;
let [acknowledged, refused] = [0, 0];
let hasSaid = false;

function tell(received: Told): void {
  writeSync(log, `${JSON.stringify(received)}\n`);
}

function sayWhenEnough(): void {
  if (hasSaid || acknowledged < Number(count) || refused < Number(refusedMin)) return;
  hasSaid = true;
  process.stdout.write('enough\n');
}

function memoryOf(id: string, mark: string) {
  const data = Buffer.from(JSON.stringify({ mark, list: [1, { deep: mark }], flag: true, none: null }));
  const content = { mediaType: 'application/json', data };
  const text = `word${mark} and more`;
  const withVector = mark.length % 3 === 0;
  return newMemory({
    id,
    text,
    content,
    checksum: checksumOf(text, content),
    tags: [mark, 'all'],
    ...(withVector
      ? { embedding: { model: 'm', values: Float32Array.of(1, mark.length) } }
      : { embeddingPending: true }),
  });
}

/** False where the disk was full. */
async function isDone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof MnemeError && error.reason === 'STORAGE_FULL') return false;
    throw error;
  }
}

/** 0, 1: stores new memories; 2: updates one; 3: deletes one. */
function run(kind: number, { requestId, after }: Write): Promise<unknown> {
  const idempotency = { requestId, fingerprint: requestId };
  const ids = Object.keys(after);
  const [id = ''] = ids;
  const mark = after[id] ?? '';
  if (kind <= 1) {
    const memories = ids.map((one) => memoryOf(one, mark));
    const write = { namespace: 'n', createNamespace: true, onConflict: 'fail', atUs: nowUs, memories } as const;
    return store.write({ kind: 'store', ...write, idempotency });
  }
  if (kind === 2) {
    const { text, content, tags, checksum } = memoryOf(id, mark);
    const changes = { text, tags, checksum, ...(content && { content }) };
    return store.write({ kind: 'update', namespace: 'n', id, changes, atUs: nowUs, idempotency });
  }
  return store.write({
    kind: 'delete',
    namespace: 'n',
    ids,
    cause: 'deleted',
    mustExist: true,
    atUs: nowUs,
    idempotency,
  });
}

async function writeForEver(lane: number): Promise<never> {
  const mine: string[] = [];
  for (let number = 0; ; number++) {
    const requestId = `${round}-${lane}-${number}`;
    const mark = `x${round}x${lane}x${number}`;
    const kind = mine.length === 0 ? 0 : random.int(4);
    const old = mine[random.int(mine.length)] ?? '';
    const fresh = Array.from({ length: 1 + random.int(3) }, (_, at) => `m-${requestId}-${at}`);
    const ids = kind <= 1 ? fresh : [old];
    const write: Write = { requestId, after: Object.fromEntries(ids.map((id) => [id, kind === 3 ? null : mark])) };
    tell({ received: 'trying', lane, write });
    const isStored = await isDone(run(kind, write));
    tell({ received: isStored ? 'done' : 'refused', lane, write });
    if (!isStored) {
      refused++;
      sayWhenEnough();
      continue;
    }
    if (kind <= 1) mine.push(...ids);
    else if (kind === 3) mine.splice(mine.indexOf(old), 1);
    acknowledged++;
    sayWhenEnough();
  }
}

sayWhenEnough();
// Killed long before, unless the parent has died.
setTimeout(() => process.exit(1), 120_000).unref();
await Promise.all(Array.from({ length: LANES }, (_, lane) => writeForEver(lane)));
