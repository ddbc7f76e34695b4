import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MnemeError } from '../memory/errors.ts';
import { type LayeredOptions, type LayeredParts, LayeredVectorIndex } from './layered.ts';
import {
  FileDamaged,
  type FileRecord,
  type Fill,
  hashWritten,
  isSystemError,
  readVerified,
  syncFolder,
  textOf,
  writeHashed,
} from './snapshot-files.ts';
import { GRAPH_METRIC, GRAPH_QUANTIZATION, USEARCH_VERSION, UsearchGraph } from './usearch.ts';
import type { GrowingIndex, IndexFiles, IndexOwner, StoreState } from './vector-index.ts';
import { VectorMatrix } from './vector-matrix.ts';

/** The vector indexes of a data folder, one folder of files for each namespace. */
export class IndexFolder implements IndexFiles {
  private readonly folder: string;
  private readonly options: Omit<LayeredOptions, 'dimension'>;
  /** Called with the reason why existing files cannot be used. */
  private readonly onRefused: (namespace: string, reason: string) => void;

  constructor(
    dataFolder: string,
    options: Omit<LayeredOptions, 'dimension'>,
    onRefused: (namespace: string, reason: string) => void,
  ) {
    this.folder = join(dataFolder, 'vectors');
    this.options = options;
    this.onRefused = onRefused;
  }

  create(dimension: number): GrowingIndex {
    return new LayeredVectorIndex({ ...this.options, dimension });
  }

  load(owner: IndexOwner): ({ readonly index: GrowingIndex } & StoreState) | undefined {
    const options = { ...this.options, dimension: owner.embeddingDimension };
    const loaded = loadSnapshot(this.folderOf(owner.key), owner.embeddingModel, options);
    if (!loaded || !('refused' in loaded)) return loaded;
    this.onRefused(owner.name, loaded.refused);
    return undefined;
  }

  async save(owner: IndexOwner, index: GrowingIndex, state: StoreState): Promise<void> {
    if (!(index instanceof LayeredVectorIndex)) throw new TypeError('an index of another folder');
    await saveSnapshot(this.folderOf(owner.key), index, { ...state, model: owner.embeddingModel });
  }

  forget(ownerKey: number): void {
    rmSync(this.folderOf(ownerKey), { recursive: true, force: true });
  }

  private folderOf(ownerKey: number): string {
    return join(this.folder, String(ownerKey));
  }
}

const NUMBERED = /^(?:graph|vectors)-(\d+)$/;

export interface Snapshot {
  readonly index: LayeredVectorIndex;
  /** Revision of the store that the index has applied. */
  readonly revision: number;
  /** Identifies the store whose snapshot was saved. */
  readonly mark: string;
}

/**
 * Saves the state of the index at the moment of the call; changes made while it is written are not included. Only
 * writing the graph blocks the thread, some 0.1 s per 100,000 vectors. Whenever the process dies, the folder contains
 * either this snapshot or the previous one, complete. At most one concurrent call for a folder.
 */
export async function saveSnapshot(
  folder: string,
  index: LayeredVectorIndex,
  { revision, model, mark = '' }: { revision: number; model: string; mark?: string },
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const generation = nextGeneration(folder);
  const parts = index.freeze();
  const described = {
    format: SNAPSHOT_FORMAT,
    revision,
    mark,
    model,
    dimension: index.dimension,
    metric: GRAPH_METRIC,
    quantization: GRAPH_QUANTIZATION,
    usearchVersion: USEARCH_VERSION,
    count: index.size,
    graphCount: parts.settled.keys.length,
    graphSlots: parts.graph?.slots ?? 0,
  } as const;
  try {
    const graphName = `graph-${generation}`;
    parts.graph?.save(join(folder, graphName));
    const graph = parts.graph && (await hashWritten(join(folder, graphName), graphName));
    const vectorsName = `vectors-${generation}`;
    const vectors = await writeHashed(join(folder, vectorsName), vectorsName, piecesOf(parts));
    await putManifest(folder, { ...described, vectors, ...(graph ? { graph } : {}) });
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOSPC') {
      throw new MnemeError('STORAGE_FULL', `not enough space for a snapshot in ${folder}`, { cause: error });
    }
    throw error;
  } finally {
    parts.settled.release();
    parts.fresh.release();
    await removeUnnamed(folder);
  }
}

/**
 * Loads the result of `saveSnapshot`, if it is complete, of this model and dimension, and written by this version.
 * `undefined` when there is no snapshot; otherwise `refused` names the problem. The index must then be built from the
 * store.
 */
export function loadSnapshot(
  folder: string,
  model: string,
  options: LayeredOptions,
): Snapshot | { readonly refused: string } | undefined {
  try {
    const manifest = readManifest(folder);
    if (!manifest) return undefined;
    refuseOther(manifest, model, options.dimension);
    const { vectors, graph } = manifest;
    const rows = readVerified(join(folder, vectors.name), vectors, (fill) => readRows(manifest, fill));
    const parts = graph ? { ...rows, graph: readGraph(folder, graph, manifest, options) } : rows;
    return { index: new LayeredVectorIndex(options, parts), revision: manifest.revision, mark: manifest.mark };
  } catch (error) {
    if (error instanceof FileDamaged || isSystemError(error)) return { refused: error.message };
    throw error;
  }
}

function refuseOther(manifest: SnapshotManifest, model: string, dimension: number): void {
  const found = [manifest.model, manifest.dimension, manifest.metric, manifest.quantization, manifest.usearchVersion];
  const due = [model, dimension, GRAPH_METRIC, GRAPH_QUANTIZATION, USEARCH_VERSION];
  const place = due.findIndex((value, i) => value !== found[i]);
  if (place >= 0) throw new FileDamaged(`the snapshot is of "${found[place]}", not of "${due[place]}"`);
}

function* piecesOf({ settled, fresh }: LayeredParts): Generator<Uint8Array> {
  for (const part of [settled.keys, fresh.keys, ...settled.blocks, ...fresh.blocks]) {
    yield new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  }
}

function readRows({ dimension, count, graphCount }: SnapshotManifest, fill: Fill) {
  const keys = new Float64Array(count);
  fill(keys);
  const settled = VectorMatrix.filled(dimension, keys.subarray(0, graphCount), fill);
  const fresh = VectorMatrix.filled(dimension, keys.subarray(graphCount), fill);
  return { settled, fresh };
}

function readGraph(
  folder: string,
  record: FileRecord,
  manifest: SnapshotManifest,
  options: LayeredOptions,
): UsearchGraph {
  const path = join(folder, record.name);
  readVerified(path, record, () => undefined);
  const { dimension, graphCount, graphSlots } = manifest;
  try {
    return UsearchGraph.load(path, { dimension, count: graphCount, slots: graphSlots }, options.expansionSearch);
  } catch (error) {
    // A disk that was full may have cut the file short before it was hashed.
    throw new FileDamaged(`${record.name} cannot be loaded`, { cause: error });
  }
}

function nextGeneration(folder: string): number {
  const generations = readdirSync(folder).map((name) => Number(NUMBERED.exec(name)?.[1] ?? 0));
  return Math.max(0, ...generations) + 1;
}

/** Removes older snapshots and the remains of a failed one. The folder may have been removed in the meantime. */
async function removeUnnamed(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const manifest = readManifest(folder);
  const named = [manifest?.vectors.name, manifest?.graph?.name];
  for (const name of readdirSync(folder)) {
    if (NUMBERED.test(name) && !named.includes(name)) await rm(join(folder, name), { force: true });
  }
}

/**
 * The contents of a snapshot. Its last line is the hash of the preceding line, so that a changed revision is detected.
 */
export interface SnapshotManifest {
  readonly format: typeof SNAPSHOT_FORMAT;
  /** Revision of the store that the index had applied: newer changes have to be applied. */
  readonly revision: number;
  /** Identifies the store's history at that revision, to tell it from another history. */
  readonly mark: string;
  readonly model: string;
  readonly dimension: number;
  readonly metric: string;
  readonly quantization: string;
  readonly usearchVersion: string;
  /** Total number of vectors, those in the graph first. */
  readonly count: number;
  readonly graphCount: number;
  readonly graphSlots: number;
  /** The keys as f64, then the rows as f32, little-endian. */
  readonly vectors: FileRecord;
  readonly graph?: FileRecord;
}

/** 1 had reduced vectors of memories in lower tiers. */
const SNAPSHOT_FORMAT = 2;
const MANIFEST = 'manifest';

/** From here on the folder is this snapshot. */
async function putManifest(folder: string, manifest: SnapshotManifest): Promise<void> {
  const path = join(folder, MANIFEST);
  await writeHashed(`${path}.new`, MANIFEST, [Buffer.from(encodeManifest(manifest))]);
  await syncFolder(folder);
  await rename(`${path}.new`, path);
  await syncFolder(folder);
}

/** `undefined` when there is none. */
function readManifest(folder: string): SnapshotManifest | undefined {
  const text = textOf(join(folder, MANIFEST));
  if (text === undefined) return undefined;
  const manifest = decodeManifest(text);
  if (!manifest) throw new FileDamaged('the manifest is damaged or of another format');
  return manifest;
}

function encodeManifest(manifest: SnapshotManifest): string {
  const line = JSON.stringify(manifest);
  return `${line}\n${hash('sha256', line)}\n`;
}

/** `undefined` when it is not a whole manifest of this format. */
function decodeManifest(text: string): SnapshotManifest | undefined {
  const [line = '', sha256, end, ...more] = text.split('\n');
  if (end !== '' || more.length > 0 || sha256 !== hash('sha256', line)) return undefined;
  const manifest = JSON.parse(line) as SnapshotManifest;
  return manifest.format === SNAPSHOT_FORMAT ? manifest : undefined;
}
