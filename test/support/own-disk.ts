import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OWN_MOUNTS = ['--user', '--map-root-user', '--mount'];
/** Any user but root, which PostgreSQL refuses. Files belong to the user of this process. */
const AS_USER = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'];
/** Ends with this process, whose end closes its standard input. */
const MOUNT = 'mount -t tmpfs -o "size=$1m,mode=700" tmpfs "$2" && echo mounted && exec cat';

/** Whether the kernel lets the user of this process mount a file system for some programs alone. */
export function canMountOwn(): boolean {
  const mounts = ['mount', '-t', 'tmpfs', 'tmpfs', tmpdir()];
  return spawnSync('unshare', [...OWN_MOUNTS, ...mounts], { stdio: 'ignore' }).status === 0;
}

/** A small file system that is there for the programs started on it alone: no root is needed. */
export class OwnDisk {
  /** As its programs see it. */
  readonly folder: string;
  private readonly keeper: ChildProcess;

  private constructor(folder: string, keeper: ChildProcess) {
    this.folder = folder;
    this.keeper = keeper;
  }

  static async mounted(sizeMib: number): Promise<OwnDisk> {
    const folder = mkdtempSync(join(tmpdir(), 'mneme-disk-'));
    const args = [...OWN_MOUNTS, 'sh', '-c', MOUNT, 'sh', String(sizeMib), folder];
    const keeper = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let says = '';
    keeper.stderr.setEncoding('utf8').on('data', (piece: string) => {
      says += piece;
    });
    const refused = once(keeper, 'close').then(() => {
      throw new Error(
        `the kernel lets this user mount no file system of its own (${says.trim()}): set the sysctls user.max_user_namespaces above 0 and kernel.apparmor_restrict_unprivileged_userns to 0`,
      );
    });
    try {
      await Promise.race([once(keeper.stdout, 'data'), refused]);
    } catch (error) {
      rmSync(folder, { recursive: true });
      throw error;
    }
    refused.catch(() => undefined);
    return new OwnDisk(folder, keeper);
  }

  /** The same folder, for this process. */
  get contents(): string {
    return `/proc/${this.keeper.pid}/root${this.folder}`;
  }

  /** A command that runs a program where the file system is, under the number of the process that is spawned. */
  command(program: string, args: readonly string[]): [string, string[]] {
    const where = ['--preserve-credentials', '--user', '--mount', '--target', String(this.keeper.pid), '--'];
    return ['nsenter', [...where, ...AS_USER, program, ...args]];
  }

  /** The file system goes with the last program on it. */
  async remove(): Promise<void> {
    const closed = once(this.keeper, 'close');
    this.keeper.stdin?.end();
    await closed;
    rmSync(this.folder, { recursive: true });
  }
}
