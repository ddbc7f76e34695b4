import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isSystemError } from './snapshot-files.ts';

const SUM_BYTES = 4;

/** Exact vectors by slot, outside of memory. */
export interface ExactRows {
  /** Stores the vector of a key in a slot. */
  write(slot: number, key: number, row: Float32Array): void;
  /** Good until the next call; `undefined` where the slot has no undamaged vector of the key. */
  read(slot: number, key: number): Float32Array | undefined;
  close(): void;
}

/**
 * A file of vectors, each followed by a CRC-32 of it and its key. It is a cache: the owner replaces what cannot be read.
 * Slots are overwritten in place, also those of a saved snapshot that names the file: the key of such a slot has changed
 * since, and the change log says so; otherwise its checksum differs.
 */
export class RowFile implements ExactRows {
  readonly name: string;
  private readonly path: string;
  private readonly file: number;
  /** A vector and its sum, on the way to or from the disk. */
  private readonly bytes: Uint8Array;
  private readonly values: Float32Array;
  private readonly valueBytes: Uint8Array;
  private readonly sum: Uint32Array;

  constructor(folder: string, name: string, dimension: number, kind: 'new' | 'existing') {
    this.name = name;
    this.path = join(folder, name);
    this.file = openSync(this.path, kind === 'new' ? 'wx+' : 'r+');
    const buffer = new ArrayBuffer(4 * dimension + SUM_BYTES);
    this.bytes = new Uint8Array(buffer);
    this.values = new Float32Array(buffer, 0, dimension);
    this.valueBytes = new Uint8Array(buffer, 0, 4 * dimension);
    this.sum = new Uint32Array(buffer, 4 * dimension);
  }

  write(slot: number, key: number, row: Float32Array): void {
    const { bytes } = this;
    this.values.set(row);
    this.sum[0] = crc32(this.valueBytes, seedOf(key));
    const from = slot * bytes.length;
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.file, bytes, written, bytes.length - written, from + written);
    }
  }

  read(slot: number, key: number): Float32Array | undefined {
    const { bytes } = this;
    try {
      if (readSync(this.file, bytes, 0, bytes.length, slot * bytes.length) < bytes.length) return undefined;
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return undefined;
    }
    return crc32(this.valueBytes, seedOf(key)) === this.sum[0] ? this.values : undefined;
  }

  /** Resolves when what has been written is on the disk. */
  async sync(): Promise<void> {
    // By its name: the index may be closed meanwhile.
    const file = await open(this.path, 'r+');
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  close(): void {
    closeSync(this.file);
  }
}

/** Distinguishes the keys of a namespace. */
function seedOf(key: number): number {
  return key % 2 ** 32;
}
