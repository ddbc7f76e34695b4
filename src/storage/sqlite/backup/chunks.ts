import { createHash, hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { FolderError } from '../driver-error.ts';
import type { ChunkPlace } from './manifest.ts';
import type { Repository } from './repository.ts';

/** 16 pages: a changed page costs its chunk, and the manifest has some 90 bytes a chunk. */
export const CHUNK_BYTES = 65_536;
/** Share of a pack below which a new backup copies the chunks that it needs of it, so that the pack can be removed. */
const USED_SHARE_MIN = 0.5;
/** Some systems let a process open 256 files. */
const OPEN_PACKS_MAX = 64;

const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface HashedFile {
  readonly bytes: number;
  readonly sha256: string;
  /** SHA-256 of each chunk, in order. */
  readonly chunks: readonly string[];
}

export function hashFile(file: string): HashedFile {
  const whole = createHash('sha256');
  const chunks: string[] = [];
  let bytes = 0;
  for (const chunk of chunksOf(file)) {
    whole.update(chunk);
    chunks.push(hash('sha256', chunk, 'hex'));
    bytes += chunk.byteLength;
  }
  return { bytes, sha256: whole.digest('hex'), chunks };
}

/**
 * The needed chunks that earlier backups have. Each is read and compared with its checksum: one that is missing or
 * damaged is written again. Of several copies the newest one counts, as it replaces a damaged one.
 */
export function knownChunks(
  repository: Repository,
  earlier: readonly number[],
  needed: readonly string[],
): Map<string, ChunkPlace> {
  const wanted = new Set(needed);
  const places = new Map<string, ChunkPlace>();
  for (const number of earlier) {
    for (const place of repository.read(number).chunks) if (wanted.has(place[0])) places.set(place[0], place);
  }
  const used = new Map<number, number>();
  for (const [, pack, , length] of places.values()) used.set(pack, (used.get(pack) ?? 0) + length);
  const hardlyUsed = [...used].filter(([pack, bytes]) => bytes < packBytes(repository, pack) * USED_SHARE_MIN);
  const copied = new Set(hardlyUsed.map(([pack]) => pack));
  const reader = new ChunkReader(repository);
  try {
    return new Map([...places].filter(([, place]) => !copied.has(place[1]) && isSound(reader, place)));
  } finally {
    reader.close();
  }
}

function packBytes(repository: Repository, pack: number): number {
  return statSync(repository.packFile(pack), { throwIfNoEntry: false })?.size ?? 0;
}

function isSound(reader: ChunkReader, place: ChunkPlace): boolean {
  try {
    reader.read(place);
    return true;
  } catch (error) {
    if (error instanceof FolderError) return false;
    throw error;
  }
}

export interface WrittenChunks {
  /** The place of each chunk of the file, in order. */
  readonly chunks: readonly ChunkPlace[];
  readonly packBytes: number;
}

/** Writes the chunks that are not known into a pack, which is on the disk when it returns. */
export function writePack(
  repository: Repository,
  pack: number,
  { file, hashed, known }: { file: string; hashed: HashedFile; known: Map<string, ChunkPlace> },
): WrittenChunks {
  const finished = repository.packFile(pack);
  const handle = openSync(`${finished}.unfinished`, 'w', 0o600);
  let offset = 0;
  let at = 0;
  try {
    for (const chunk of chunksOf(file)) {
      const sha256 = hashed.chunks[at++] ?? '';
      if (known.has(sha256)) continue;
      const packed = zstdCompressSync(chunk, COMPRESSION);
      writeWhole(handle, packed);
      known.set(sha256, [sha256, pack, offset, packed.byteLength]);
      offset += packed.byteLength;
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(`${finished}.unfinished`, finished);
  return { chunks: hashed.chunks.map((sha256) => known.get(sha256) as ChunkPlace), packBytes: offset };
}

/** Reads chunks of packs, each compared with its checksum. */
export class ChunkReader {
  private readonly repository: Repository;
  private readonly handles = new Map<number, number>();

  constructor(repository: Repository) {
    this.repository = repository;
  }

  /** Fails with FolderError where the chunk is missing or damaged, with other errors where it cannot be known. */
  read(place: ChunkPlace): Uint8Array {
    const [sha256, pack, offset, length] = place;
    const packed = this.readPacked(place);
    const chunk = packed && unpacked(packed);
    if (chunk && hash('sha256', chunk, 'hex') === sha256) return chunk;
    throw new FolderError(
      `${this.repository.packFile(pack)} is damaged at byte ${offset}: the ${length} bytes there do not match their checksum`,
    );
  }

  close(): void {
    for (const handle of this.handles.values()) closeSync(handle);
    this.handles.clear();
  }

  /** `undefined` where the pack ends before. */
  private readPacked([, pack, offset, length]: ChunkPlace): Uint8Array | undefined {
    const packed = Buffer.allocUnsafe(length);
    const file = this.repository.packFile(pack);
    try {
      return readSync(this.handleOf(pack, file), packed, 0, length, offset) === length ? packed : undefined;
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new FolderError(`${file} is missing`, { cause });
      if (code === 'EIO') throw new FolderError(`${file} cannot be read at byte ${offset} (${code})`, { cause });
      throw cause;
    }
  }

  private handleOf(pack: number, file: string): number {
    const known = this.handles.get(pack);
    if (known !== undefined) return known;
    if (this.handles.size === OPEN_PACKS_MAX) this.close();
    const open = openSync(file, 'r');
    this.handles.set(pack, open);
    return open;
  }
}

/** `undefined` for bytes that are damaged. */
function unpacked(packed: Uint8Array): Uint8Array | undefined {
  try {
    return zstdDecompressSync(packed, { maxOutputLength: CHUNK_BYTES });
  } catch {
    return undefined;
  }
}

function* chunksOf(file: string): Generator<Uint8Array> {
  const handle = openSync(file, 'r');
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      let count = 0;
      while (count < CHUNK_BYTES) {
        const read = readSync(handle, chunk, count, CHUNK_BYTES - count, null);
        if (read === 0) break;
        count += read;
      }
      if (count > 0) yield chunk.subarray(0, count);
      if (count < CHUNK_BYTES) return;
    }
  } finally {
    closeSync(handle);
  }
}

export function writeWhole(handle: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.byteLength; ) at += writeSync(handle, bytes, at);
}
