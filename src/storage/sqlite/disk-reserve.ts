import { closeSync, constants, fstatSync, openSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MnemeError } from '../../memory/errors.ts';

export const RESERVE_FILE = 'mneme.reserve';
const PIECE_BYTES = 262_144;
/** Free space that SQLite needs to open a data folder: the index of its write-ahead log. */
const OPENING_BYTES = 1_048_576;
const NO_SPACE: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/** A file of no content that occupies space on the disk, to be given back when a deletion needs it. */
export class DiskReserve {
  private readonly file: string;
  private size: number;

  constructor(folder: string) {
    this.file = join(folder, RESERVE_FILE);
    this.size = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
  }

  get bytes(): number {
    return this.size;
  }

  /** False where the disk has no room for this size: the file is then as before, or as large as possible (`keepsPart`). */
  grow(bytes: number, keepsPart = false): boolean {
    if (bytes <= this.size) return true;
    const before = this.size;
    try {
      this.write(bytes);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!keepsPart) this.shrink(before);
      if (NO_SPACE.has(code)) return false;
      const message = `${this.file} cannot be written (${code}): nothing more is stored`;
      throw new MnemeError('STORAGE_UNAVAILABLE', message, { metadata: { backend: 'sqlite' }, cause: error });
    }
  }

  shrink(bytes: number): void {
    if (bytes >= this.size) return;
    this.size = bytes;
    try {
      truncateSync(this.file, bytes);
    } catch (error) {
      // Removed by hand, it occupies nothing.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.size = 0;
    }
  }

  private write(bytes: number): void {
    const handle = openSync(this.file, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      this.size = Math.min(this.size, fstatSync(handle).size);
      while (this.size < bytes) {
        this.size += writeSync(handle, filler(), 0, Math.min(PIECE_BYTES, bytes - this.size), this.size);
      }
    } finally {
      closeSync(handle);
    }
  }
}

/** Gives back a part of the reserve where the disk is too full to open the data folder. */
export function makeRoomToOpen(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= OPENING_BYTES) return;
  const reserve = new DiskReserve(folder);
  reserve.shrink(Math.max(0, reserve.bytes - OPENING_BYTES));
}

let made: Uint8Array | undefined;

/** Bytes that file systems do not compress: those of a generator by Marsaglia (xorshift32). */
function filler(): Uint8Array {
  if (made) return made;
  const words = new Uint32Array(PIECE_BYTES / 4);
  let word = 2_463_534_242;
  for (let at = 0; at < words.length; at++) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    words[at] = word;
  }
  made = new Uint8Array(words.buffer);
  return made;
}
