/** Runs risky operations in a separate process: `node vector-index-child.ts damage|save|churn FOLDER SEED`. */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  loadSnapshot,
  newIndexIn,
  type SnapshotManifest,
  saveSnapshot,
} from '../../src/search/vectors/index-folder.ts';
import type { LayeredVectorIndex } from '../../src/search/vectors/layered.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';
import { structuredVectors } from '../support/structured-vectors.ts';

const OPTIONS = { dimension: 24, exactMax: 100 };
const MODEL = 'm';
const [command = '', folder = '', seed = ''] = process.argv.slice(2);
const random = seededRandom(`child ${command}`, seed);
const nextVector = structuredVectors(random, OPTIONS.dimension);

const commands: Readonly<Record<string, () => Promise<void>>> = { damage, save: saveForEver, churn };
await commands[command]?.();

/** Damages a valid snapshot in every way, and prints the outcome of loading each: `LINE case › outcome`. */
async function damage(): Promise<void> {
  const index = newIndexIn(folder, OPTIONS);
  for (let key = 1; key <= 400; key++) index.set(key, nextVector());
  while (index.advance(1000));
  for (let key = 300; key <= 500; key++) index.set(key, nextVector());
  await saveSnapshot(folder, index, { revision: 5, model: MODEL });
  const names = readdirSync(folder);
  const good = new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
  const attempt = (label: string, changed: ReadonlyMap<string, Buffer | undefined>): void => {
    say(`${label} ›`);
    for (const [name, bytes] of [...good, ...changed]) {
      if (bytes) writeFileSync(join(folder, name), bytes);
      else rmSync(join(folder, name));
    }
    say(`${label} › ${outcome()}`);
  };
  for (const [name, bytes] of good) {
    for (let i = 0; i < 60; i++) attempt(`${name} bit flipped`, new Map([[name, withBitFlipped(bytes, random)]]));
    for (let i = 0; i < 20; i++) attempt(`${name} cut`, new Map([[name, bytes.subarray(0, random.int(bytes.length))]]));
    attempt(`${name} longer`, new Map([[name, Buffer.concat([bytes, Buffer.from('\n')])]]));
    attempt(`${name} empty`, new Map([[name, Buffer.alloc(0)]]));
    attempt(`${name} foreign`, new Map([[name, Buffer.from('Dear diary,\n'.repeat(1000))]]));
    attempt(`${name} zeros`, new Map([[name, Buffer.alloc(bytes.length)]]));
    attempt(`${name} missing`, new Map([[name, undefined]]));
  }
  const graphName = names.find((name) => name.startsWith('graph')) ?? '';
  const graph = good.get(graphName) ?? Buffer.alloc(0);
  for (let i = 0; i < 40; i++) {
    const cut = graph.subarray(0, i === 0 ? graph.length - 1 : random.int(graph.length));
    attempt(
      'graph truncated before it was hashed',
      new Map([
        [graphName, cut],
        ['manifest', manifestFor(cut)],
      ]),
    );
  }
  attempt('undamaged', new Map());

  /** A full disk may truncate the graph while it is written; the hash is then that of the remainder. */
  function manifestFor(bytes: Buffer): Buffer {
    const [line = ''] = (good.get('manifest') ?? Buffer.alloc(0)).toString().split('\n');
    const manifest = JSON.parse(line) as SnapshotManifest;
    const record = { name: graphName, bytes: bytes.length, sha256: hash('sha256', bytes) };
    const forged = JSON.stringify({ ...manifest, graph: record });
    return Buffer.from(`${forged}\n${hash('sha256', forged)}\n`);
  }
}

function outcome(): string {
  const loaded = loadSnapshot(folder, MODEL, OPTIONS);
  if (!loaded) return 'absent';
  if ('refused' in loaded) return 'refused';
  for (let round = 0; round < 5; round++) loaded.index.search(nextVector(), 10);
  return `loaded ${loaded.index.size} at ${loaded.revision}`;
}

function withBitFlipped(bytes: Buffer, { int }: TestRandom): Buffer {
  const flipped = Buffer.from(bytes);
  const at = int(bytes.length);
  flipped.writeUInt8(bytes.readUInt8(at) ^ (1 << int(8)), at);
  return flipped;
}

/** Continues from the existing files, adding one vector a revision, and prints each saved revision. */
async function saveForEver(): Promise<void> {
  const loaded = loadSnapshot(folder, MODEL, OPTIONS);
  if (loaded && 'refused' in loaded) throw new Error(loaded.refused);
  const index = loaded?.index ?? newIndexIn(folder, OPTIONS);
  for (let revision = loaded?.revision ?? 0; ; ) {
    revision++;
    for (let key = index.size + 1; key <= 2000 + revision; key++) index.set(key, nextVector());
    index.advance(20);
    await saveSnapshot(folder, index, { revision, model: MODEL });
    say(String(revision));
  }
}

/** Sets, replaces and deletes at random while the graph keeps up, with a restart in between. */
async function churn(): Promise<void> {
  let index = newIndexIn(folder, { ...OPTIONS, exactMax: 0 });
  const model = new Map<number, Float32Array>();
  for (let step = 1; step <= 60_000; step++) {
    const key = 1 + random.int(3000);
    // Occasional mass deletes, so that the graph is rebuilt.
    if (random.chance(step % 10_000 < 2500 ? 0.8 : 0.4)) {
      if (index.delete(key) !== model.delete(key)) throw new Error(`step ${step}: delete of ${key} disagrees`);
    } else {
      const vector = nextVector();
      index.set(key, vector);
      model.set(key, vector);
    }
    if (step % 8 === 0) index.advance(0.5);
    if (step % 10_000 === 0) index = await restarted(index);
  }
  while (index.advance(100));
  if (index.size !== model.size) throw new Error(`${index.size} vectors instead of ${model.size}`);
  let lost = 0;
  for (const [key, vector] of model) {
    if (index.search(vector, 1, { exact: true })[0]?.key !== key) throw new Error(`${key} is lost`);
    if (index.search(vector, 1)[0]?.key !== key) lost++;
  }
  say(`kept ${model.size}, not found by the graph ${lost}`);
}

async function restarted(index: LayeredVectorIndex): Promise<LayeredVectorIndex> {
  await saveSnapshot(folder, index, { revision: 1, model: MODEL });
  const loaded = loadSnapshot(folder, MODEL, { ...OPTIONS, exactMax: 0 });
  if (!loaded || 'refused' in loaded) throw new Error(loaded?.refused ?? 'nothing kept');
  return loaded.index;
}

function say(line: string): void {
  writeFileSync(1, `LINE ${line}\n`);
}
