import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own on a folder; `grow` gives it more space. Requires root and a system that allows it. */
export interface SmallDisk {
  grow(sizeMib: number): void;
  remove(): void;
}

export function mountDisk(folder: string, sizeMib: number): SmallDisk {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', folder], { stdio: 'pipe' });
  return {
    grow: (more) => execFileSync('mount', ['-o', `remount,size=${more}m`, folder]),
    remove: () => execFileSync('umount', [folder]),
  };
}

/** Tries it, and says so where it is not possible. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mneme-mount-'));
  try {
    mountDisk(folder, 1).remove();
    return true;
  } catch {
    process.stderr.write('cannot mount a small disk here: only the limit on the database is tested\n');
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PIECE_BYTES = 65_536;
let files = 0;

/** Occupies the free space of the disk but for these bytes, or less where others write meanwhile; returns the file that does. */
export function leaveFree(folder: string, bytes: number): string {
  const file = join(folder, `ballast-${files++}`);
  const handle = openSync(file, 'w');
  try {
    for (let left = freeBytes(folder) - bytes; left > 0; )
      left -= writeSync(handle, Buffer.alloc(Math.min(left, PIECE_BYTES)));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(handle);
  }
  return file;
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
