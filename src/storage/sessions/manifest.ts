import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { MnemeError } from '../../memory/errors.ts';
import type { Content, Micros } from '../../memory/memory.ts';
import type { Note } from '../../memory/session.ts';

/** Position of bytes: pack, offset and length. */
export interface Place {
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
}

export interface ManifestEntry extends Place {
  readonly key: string;
  readonly contentRevision: number;
  readonly bytes: number;
  readonly createdAtUs: Micros;
  readonly updatedAtUs: Micros;
  readonly expiresAtUs?: Micros;
  readonly mediaType: string;
}

/** Consecutive notes in one place, with their first and last sequence. */
export interface NoteSegment extends Place {
  readonly from: number;
  readonly to: number;
}

/** Contents of a checkpoint; the values and notes themselves are in packs that checkpoints share. */
export interface Manifest {
  readonly revision: number;
  readonly entries: readonly ManifestEntry[];
  readonly task: string;
  readonly segments: readonly NoteSegment[];
}

const SCHEMA = 1;

type EntryRow = [string, number, number, Micros, Micros, Micros, number, number, number, number];

/** Compressed, with its SHA-256 in hexadecimal. */
export function encodeManifest({ revision, entries, task, segments }: Manifest): {
  data: Uint8Array;
  checksum: string;
} {
  const types: string[] = [];
  const typeNumbers = new Map<string, number>();
  const rows = entries.map((entry): EntryRow => {
    let type = typeNumbers.get(entry.mediaType);
    if (type === undefined) {
      type = types.push(entry.mediaType) - 1;
      typeNumbers.set(entry.mediaType, type);
    }
    const { key, contentRevision, bytes, createdAtUs, updatedAtUs, expiresAtUs = 0, pack, offset, length } = entry;
    return [key, contentRevision, bytes, createdAtUs, updatedAtUs, expiresAtUs, type, pack, offset, length];
  });
  const data = compressed(Buffer.from(JSON.stringify({ schema: SCHEMA, revision, types, rows, task, segments })));
  return { data, checksum: hash('sha256', data, 'hex') };
}

/** Fails with CHECKSUM_MISMATCH. */
export function decodeManifest(name: string, data: Uint8Array, checksum: string): Manifest {
  if (hash('sha256', data, 'hex') !== checksum) throw damaged(name);
  const { schema, revision, types, rows, task, segments } = JSON.parse(decompressed(name, data).toString()) as {
    schema: number;
    revision: number;
    types: string[];
    rows: EntryRow[];
    task: string;
    segments: NoteSegment[];
  };
  if (schema !== SCHEMA) throw new Error(`${name} has schema ${schema}; this version knows ${SCHEMA}`);
  const entries = rows.map(
    ([key, contentRevision, bytes, createdAtUs, updatedAtUs, expiresAtUs, type, pack, offset, length]) => ({
      key,
      contentRevision,
      bytes,
      createdAtUs,
      updatedAtUs,
      ...(expiresAtUs === 0 ? {} : { expiresAtUs }),
      mediaType: types[type] ?? '',
      pack,
      offset,
      length,
    }),
  );
  return { revision, entries, task, segments };
}

/** Notes in one buffer: the length of the head, the head as JSON, the bytes one after another. */
export function encodeNotes(notes: Iterable<Note>): Buffer {
  const head: [number, Micros, string, number][] = [];
  const parts: Uint8Array[] = [];
  for (const { sequence, atUs, content } of notes) {
    head.push([sequence, atUs, content.mediaType, content.data.byteLength]);
    parts.push(content.data);
  }
  const headBytes = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(headBytes.length);
  return Buffer.concat([length, headBytes, ...parts]);
}

export function decodeNotes(piece: Buffer): Note[] {
  const headLength = piece.readUInt32LE(0);
  const head = JSON.parse(piece.toString('utf8', 4, 4 + headLength)) as [number, Micros, string, number][];
  let at = 4 + headLength;
  return head.map(([sequence, atUs, mediaType, length]) => {
    const content: Content = { mediaType, data: new Uint8Array(piece.subarray(at, at + length)) };
    at += length;
    return { sequence, atUs, content };
  });
}

/** The fastest level takes a third of the time of the default and saves nearly as much. A checksum detects damage. */
const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
/** Minimum bytes for which two threads are faster than one, and minimum part that zstd assigns to a thread. */
const HALVED_FROM = 786_432;
const HALF_MIN = 524_288;
const canHalve = availableParallelism() > 1;

export function compressed(data: Uint8Array): Uint8Array {
  const { byteLength } = data;
  return zstdCompressSync(data, {
    params: canHalve && byteLength >= HALVED_FROM ? halved(byteLength) : params,
    chunkSize: mostOf(data),
  });
}

/** Compresses both halves concurrently, as this is most of the duration of a checkpoint. */
function halved(byteLength: number): Record<number, number> {
  const jobSize = Math.max(HALF_MIN, Math.ceil(byteLength / 2));
  return { ...params, [constants.ZSTD_c_nbWorkers]: 2, [constants.ZSTD_c_jobSize]: jobSize };
}

/** Maximum size of the result: with an output buffer for all of it, zstd compresses without copying its input. */
function mostOf({ byteLength }: Uint8Array): number {
  return byteLength + (byteLength >> 8) + 1024;
}

const CHUNK_BYTES = 1_048_576;

/** Size of output chunks; the small default would produce many chunks to join. */
function chunkFor({ byteLength }: Uint8Array): number {
  return Math.min(CHUNK_BYTES, Math.max(4096, 2 * byteLength));
}

/** Fails with CHECKSUM_MISMATCH where the bytes differ from the stored ones. */
export function decompressed(name: string, data: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(data, { chunkSize: chunkFor(data) });
  } catch (cause) {
    throw damaged(name, cause);
  }
}

export function damaged(name: string, cause?: unknown): MnemeError {
  return new MnemeError(
    'CHECKSUM_MISMATCH',
    `${name} is damaged: stored bytes are missing or failed checksum verification`,
    {
      metadata: { name },
      cause,
    },
  );
}
