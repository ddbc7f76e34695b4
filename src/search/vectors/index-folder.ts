import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MnemeError } from '../../memory/errors.ts';
import { Slices } from '../../memory/slices.ts';
import { CodedRows } from './coded-rows.ts';
import { describeGraph, type GraphDescription, readGraph, refuseOther } from './graph-file.ts';
import { type LayeredOptions, LayeredVectorIndex } from './layered.ts';
import { RowFile } from './row-file.ts';
import { SettledVectors } from './settled-vectors.ts';
import {
  type FileRecord,
  type Fill,
  FormerFile,
  hashWritten,
  isRefusal,
  isSystemError,
  type OnRefused,
  putManifest,
  readManifest,
  readVerified,
} from './snapshot-files.ts';
import { UsearchGraph } from './usearch.ts';
import type { GrowingIndex, IndexFiles, IndexOwner, StoreState, VectorGraph } from './vector-index.ts';
import { VectorMatrix } from './vector-matrix.ts';

/** Vectors of bytes that are compared in the time of one exact vector. */
const BYTE_ROWS = 10;

type IndexSettings = Omit<LayeredOptions, 'dimension' | 'newRows'>;

/** The vector indexes of a data folder, one folder of files for each namespace. */
export class IndexFolder implements IndexFiles {
  private readonly folder: string;
  private readonly options: IndexSettings;
  private readonly onRefused: OnRefused;

  constructor(dataFolder: string, options: IndexSettings, onRefused: OnRefused) {
    this.folder = join(dataFolder, 'vectors');
    this.options = options;
    this.onRefused = onRefused;
  }

  create({ key, embeddingDimension }: IndexOwner): GrowingIndex {
    return newIndexIn(this.folderOf(key), { ...this.options, dimension: embeddingDimension });
  }

  newGraph(dimension: number, count: number): VectorGraph | undefined {
    return count > BYTE_ROWS * this.options.exactMax ? new UsearchGraph(dimension) : undefined;
  }

  load(owner: IndexOwner): ({ readonly index: GrowingIndex } & StoreState) | undefined {
    const options = { ...this.options, dimension: owner.embeddingDimension };
    const loaded = loadSnapshot(this.folderOf(owner.key), owner.embeddingModel, options);
    if (!loaded || !('refused' in loaded)) return loaded;
    this.onRefused(owner.name, loaded.refused, loaded.isFormer);
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

const NUMBERED = /^(?:graph|rows|vectors)-(\d+)$/;

/** An empty index that keeps its exact vectors in the folder of its snapshots. */
export function newIndexIn(
  folder: string,
  options: IndexSettings & { readonly dimension: number },
): LayeredVectorIndex {
  return new LayeredVectorIndex({ ...options, newRows: () => newRowFile(folder, options.dimension) });
}

function newRowFile(folder: string, dimension: number): RowFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return new RowFile(folder, `rows-${nextGeneration(folder)}`, dimension, 'new');
}

export interface Snapshot {
  readonly index: LayeredVectorIndex;
  /** Revision of the store that the index has applied. */
  readonly revision: number;
  /** Identifies the store whose snapshot was saved. */
  readonly mark: string;
}

/**
 * Saves the state of the index at the moment of the call. Of vectors that change while it reaches the disk the bytes may be
 * those of another key: the change log from `revision` on names them. The graph is written at once, 0.07 s per 100,000
 * vectors, the bytes in slices. Nothing is saved where the index is closed or rebuilt meanwhile. Whenever the process dies,
 * the folder contains either this snapshot or the previous one, complete. At most one concurrent call for a folder.
 */
export async function saveSnapshot(
  folder: string,
  index: LayeredVectorIndex,
  { revision, model, mark = '', sliceMs }: { revision: number; model: string; mark?: string; sliceMs?: number },
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const older = numberedIn(folder);
  const generation = nextGeneration(folder);
  const { settled } = index;
  const rows = settled && rowFileOf(settled);
  const isGraphed = settled !== undefined && settled.graph.size > 0;
  const described = {
    format: SNAPSHOT_FORMAT,
    revision,
    mark,
    ...describeGraph(settled?.graph, { model, dimension: index.dimension }),
    freshCount: index.fresh.size,
    slotCount: settled?.codes.end ?? 0,
    waitingCount: settled?.waitingSlots.length ?? 0,
    ...(rows ? { rows: rows.name } : {}),
  } as const;
  const [graphName, vectorsName] = [`graph-${generation}`, `vectors-${generation}`];
  try {
    const file = openSync(join(folder, vectorsName), 'w');
    try {
      writePieces(file, piecesOf(index));
      if (isGraphed) settled.graph.save(join(folder, graphName));
      if (!(await writeCodes(file, index, new Slices(sliceMs)))) return;
    } finally {
      closeSync(file);
    }
    const vectors = await hashWritten(join(folder, vectorsName), vectorsName);
    const graph = isGraphed && (await hashWritten(join(folder, graphName), graphName));
    await rows?.sync();
    const manifest: SnapshotManifest = { ...described, vectors, ...(graph ? { graph } : {}) };
    await putManifest(folder, manifest);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOSPC') {
      throw new MnemeError('STORAGE_FULL', `not enough space for a snapshot in ${folder}`, { cause: error });
    }
    throw error;
  } finally {
    await removeUnnamed(folder, [...older, graphName, vectorsName], rows?.name);
  }
}

function rowFileOf({ rows }: SettledVectors): RowFile {
  if (!(rows instanceof RowFile)) throw new TypeError('the exact vectors of the index are not in a file');
  return rows;
}

/**
 * Loads the result of `saveSnapshot`, if it is complete, of this model and dimension, and written by this version.
 * `undefined` when there is no snapshot; otherwise `refused` names the problem, and `isFormer` is true where the snapshot
 * is whole. The index must then be built from the store.
 */
export function loadSnapshot(
  folder: string,
  model: string,
  options: IndexSettings & { readonly dimension: number },
): Snapshot | { readonly refused: string; readonly isFormer: boolean } | undefined {
  try {
    const manifest = manifestOf(folder);
    if (!manifest) return undefined;
    refuseOther(manifest, { model, dimension: options.dimension });
    const { revision, mark } = manifest;
    const { fresh, settled } = readParts(folder, manifest, options);
    const newRows = () => newRowFile(folder, options.dimension);
    return {
      index: new LayeredVectorIndex({ ...options, newRows }, { fresh, settled }),
      revision,
      mark,
    };
  } catch (error) {
    if (isRefusal(error)) return { refused: error.message, isFormer: error instanceof FormerFile };
    throw error;
  }
}

function* piecesOf({ fresh, settled }: LayeredVectorIndex): Generator<ArrayBufferView> {
  yield fresh.matrix.keyTable();
  for (const { rows } of fresh.matrix.pieces()) yield rows;
  if (!settled) return;
  const { keys, steps, errors } = settled.codes.tables();
  yield* [keys, steps, errors, Uint32Array.from(settled.waitingSlots)];
}

/** The pieces change with the index, so they are written at once. */
function writePieces(file: number, pieces: Iterable<ArrayBufferView>): void {
  for (const { buffer, byteOffset, byteLength } of pieces) {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    for (let written = 0; written < byteLength; ) written += writeSync(file, bytes, written);
  }
}

/**
 * Appends the codes of the slots that are there now, in slices. A slot that is used again meanwhile belonged to a key that
 * has changed, as the change log says. False where a slot may have changed without an entry there: the index was closed or rebuilt, or a
 * damaged vector was set again.
 */
async function writeCodes(file: number, index: LayeredVectorIndex, slices: Slices): Promise<boolean> {
  const { damagedCount } = index;
  const codes = index.settled?.codes;
  if (!codes) return true;
  for (const piece of codes.codes(codes.end)) {
    writePieces(file, [piece]);
    await slices.rest();
    if (index.settled?.codes !== codes || index.damagedCount !== damagedCount) return false;
  }
  return true;
}

function readParts(
  folder: string,
  manifest: SnapshotManifest,
  options: IndexSettings & { readonly dimension: number },
): { readonly fresh: VectorMatrix; readonly settled?: SettledVectors } {
  const { vectors, graph, rows, dimension } = manifest;
  const { fresh, codes, waiting } = readVerified(join(folder, vectors.name), vectors, (fill) =>
    readRows(manifest, fill),
  );
  if (!rows) return { fresh };
  try {
    const read = graph
      ? readGraph(folder, graph, manifest, options.expansionSearch)
      : new UsearchGraph(dimension, options.expansionSearch);
    const file = new RowFile(folder, rows, dimension, 'existing');
    return { fresh, settled: new SettledVectors({ codes, waiting, graph: read, rows: file }) };
  } catch (error) {
    codes.close();
    throw error;
  }
}

function readRows({ dimension, freshCount, slotCount, waitingCount }: SnapshotManifest, fill: Fill) {
  const filled = <A extends ArrayBufferView>(table: A): A => {
    fill(table);
    return table;
  };
  const fresh = VectorMatrix.filled(dimension, filled(new Float64Array(freshCount)), fill);
  const keys = filled(new Float64Array(slotCount));
  const steps = filled(new Float32Array(slotCount));
  const errors = filled(new Float32Array(slotCount));
  const waiting = Array.from(filled(new Uint32Array(waitingCount)));
  return { fresh, waiting, codes: CodedRows.filled(dimension, { keys, steps, errors }, fill) };
}

function nextGeneration(folder: string): number {
  const generations = numberedIn(folder).map((name) => Number(NUMBERED.exec(name)?.[1] ?? 0));
  return Math.max(0, ...generations) + 1;
}

function numberedIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => NUMBERED.test(name));
}

/**
 * Removes those of `files` that the manifest does not name, older snapshots and the remains of a failed one, but not the file
 * in use. Other files are left: an index may have created them for its exact vectors while the snapshot was saved. The
 * folder may have been removed in the meantime.
 */
async function removeUnnamed(folder: string, files: readonly string[], used: string | undefined): Promise<void> {
  if (!existsSync(folder)) return;
  const manifest = manifestOf(folder);
  const named = [manifest?.vectors.name, manifest?.graph?.name, manifest?.rows, used];
  for (const name of files) if (!named.includes(name)) await rm(join(folder, name), { force: true });
}

/** The contents of a snapshot. */
export interface SnapshotManifest extends GraphDescription {
  readonly format: typeof SNAPSHOT_FORMAT;
  /** Revision of the store that the index had applied: newer changes have to be applied. */
  readonly revision: number;
  /** Identifies the store's history at that revision, to tell it from another history. */
  readonly mark: string;
  /** Vectors that are in full in the file of vectors. */
  readonly freshCount: number;
  /** Slots of the others, free ones included. */
  readonly slotCount: number;
  /** Slots whose vectors are not in the graph. */
  readonly waitingCount: number;
  /**
   * Little-endian: keys as f64 and rows as f32 of the fresh vectors; then of the slots keys as f64, steps and errors as f32,
   * the waiting ones as u32, and their codes.
   */
  readonly vectors: FileRecord;
  /** The file of exact vectors by slot, each with a checksum of its own: it goes on changing. */
  readonly rows?: string;
  readonly graph?: FileRecord;
}

/** 1 had reduced vectors of memories in lower tiers, 2 all vectors as f32. */
const SNAPSHOT_FORMAT = 3;

/** `undefined` when there is none. */
function manifestOf(folder: string): SnapshotManifest | undefined {
  const manifest = readManifest(folder) as SnapshotManifest | undefined;
  if (manifest && manifest.format !== SNAPSHOT_FORMAT) {
    throw new FormerFile(`the snapshot is of format ${manifest.format as number}, not ${SNAPSHOT_FORMAT}`);
  }
  return manifest;
}
