import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { leaveFree, mountDisk } from '../../support/small-disk.ts';

const SOURCE = join(import.meta.dirname, 'slow-disk.c');
const DISK_MIB = 160;
/** Refuses the next larger write. */
const LEFT_FREE_BYTES = 65_536;

/** Delays the writes of a server to its disk. */
export class SlowDisk {
  readonly env: Readonly<Record<string, string>>;
  private readonly control: string;

  private constructor(library: string, control: string) {
    this.control = control;
    this.env = { LD_PRELOAD: library, MNEME_TEST_DISK: control };
  }

  /** `undefined` where the machine has no C compiler. */
  static make(folder: string): SlowDisk | undefined {
    const library = join(folder, 'slow-disk.so');
    const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl'], { stdio: 'ignore' });
    if (status !== 0) return undefined;
    const control = join(folder, 'disk-delay');
    writeFileSync(control, Buffer.alloc(4));
    return new SlowDisk(library, control);
  }

  set(delayMs: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(delayMs);
    const file = openSync(this.control, 'r+');
    writeSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
  }
}

/** A disk of its own for a data folder, which can be filled. */
export class FullableDisk {
  private readonly folder: string;
  private readonly disk: { remove(): void };
  private ballast: string | undefined;

  constructor(folder: string) {
    this.folder = folder;
    this.disk = mountDisk(folder, DISK_MIB);
  }

  fill(): void {
    this.ballast = leaveFree(this.folder, LEFT_FREE_BYTES);
  }

  free(): void {
    if (this.ballast !== undefined) rmSync(this.ballast, { force: true });
    this.ballast = undefined;
  }

  remove(): void {
    this.disk.remove();
  }
}
