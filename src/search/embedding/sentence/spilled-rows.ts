import { openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Rows that are kept in memory, by the last bits of their number. */
const KEPT = 1024;
const NONE = -1;

/**
 * Rows of bytes in a file without a name instead of in memory: the system deletes it when the process ends, however it
 * ends. The file stays open as long as the process.
 */
export class SpilledRows {
  private readonly file: number;
  private readonly rowBytes: number;
  private readonly kept: Uint8Array;
  private readonly numbers = new Int32Array(KEPT).fill(NONE);

  private constructor(file: number, rowBytes: number) {
    this.file = file;
    this.rowBytes = rowBytes;
    this.kept = new Uint8Array(KEPT * rowBytes);
  }

  /** Throws where the folder takes no file of this size. */
  static write(folder: string, bytes: Uint8Array, rowBytes: number): SpilledRows {
    const path = join(folder, 'encoder.tmp');
    const file = openSync(path, 'w+', 0o600);
    rmSync(path);
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(file, bytes, written, bytes.length - written, written);
    }
    return new SpilledRows(file, rowBytes);
  }

  /** A view that is good until the next call. */
  row(number: number): Uint8Array {
    const { rowBytes, kept, numbers } = this;
    const slot = number % KEPT;
    const row = kept.subarray(slot * rowBytes, (slot + 1) * rowBytes);
    if (numbers[slot] === number) return row;
    numbers[slot] = NONE;
    const count = readSync(this.file, row, 0, rowBytes, number * rowBytes);
    if (count !== rowBytes) throw new Error(`row ${number} of the sentence encoder cannot be read`);
    numbers[slot] = number;
    return row;
  }
}
