import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { connect, type Mneme } from '../../../clients/typescript/src/index.ts';
import { freePort } from '../../support/free-port.ts';
import { type Link, openLink } from '../../support/link.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';
import { canMount } from '../../support/small-disk.ts';
import { type Backend, openBackend } from './backends.ts';
import { FullableDisk, SlowDisk } from './disks.ts';
import type { Fault, Mode, Round } from './schedule.ts';
import { ServerProcess } from './server-process.ts';

const CLOCK = pathToFileURL(join(import.meta.dirname, 'shifted-clock.mjs'));
export const NAMESPACE = 'campaign';
/** A server whose backend is not there yet ends; without a backend the first start must succeed. */
const STARTS_BESIDE_BACKEND_MAX = 3;
/** Watchers of the campaign keep up: a short log keeps its folder small. */
const LOG_BYTES_MAX = String(32 * 1024 * 1024);

/** A server, its backend, its disk and its network, each of which can fail. */
export class Rig {
  readonly data: string;
  readonly link: Link;
  readonly backend: Backend | undefined;
  readonly slowDisk: SlowDisk | undefined;
  readonly disk: FullableDisk | undefined;
  kills = 0;
  worstRestartMs = 0;
  private readonly folder: string;
  private readonly listen: string;
  private server: ServerProcess | undefined;
  private isRemoved = false;

  private constructor(made: Pick<Rig, 'link' | 'backend'> & { folder: string; listen: string }) {
    this.folder = made.folder;
    this.listen = made.listen;
    this.link = made.link;
    this.backend = made.backend;
    this.data = join(made.folder, 'data');
    mkdirSync(this.data, { mode: 0o700 });
    this.slowDisk = SlowDisk.make(made.folder);
    this.disk = canMount() ? new FullableDisk(this.data) : undefined;
  }

  static async open(mode: Mode): Promise<Rig> {
    const folder = mkdtempSync(join(tmpdir(), 'mneme-campaign-'));
    const listen = `127.0.0.1:${await freePort()}`;
    const backend = await openBackend(mode);
    return new Rig({ folder, listen, backend, link: await openLink(() => listen) });
  }

  /** Faults that this machine does not offer. */
  get without(): Fault[] {
    return [...(this.disk ? [] : (['full_disk'] as const)), ...(this.slowDisk ? [] : (['slow_disk'] as const))];
  }

  /** A client over the network that can be cut, or directly; it repeats no call. */
  client(isDirect = false): Mneme {
    const address = isDirect ? this.listen : this.link.address;
    return connect(address, { ...PATIENT_CLIENT, namespace: NAMESPACE, retry: false, waitForReady: false });
  }

  get isServing(): boolean {
    return this.server !== undefined && this.server.end === undefined;
  }

  /** Starts the server, kills it so long after each start, and starts it once more. */
  async start({ startKillsMs, ranker }: Pick<Round, 'startKillsMs' | 'ranker'>): Promise<void> {
    for (const afterMs of startKillsMs) {
      this.server = this.launch(ranker);
      await Promise.race([delay(afterMs), this.server.started]);
      await this.kill();
    }
    for (let attempt = 1; ; attempt++) {
      this.server = this.launch(ranker);
      const started = await this.server.started;
      if (typeof started === 'number') {
        this.worstRestartMs = Math.max(this.worstRestartMs, started);
        return;
      }
      if (attempt === (this.backend ? STARTS_BESIDE_BACKEND_MAX : 1)) throw started;
      // One that has not ended by itself must not run beside the next.
      await this.server.kill();
    }
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    if (server.end !== undefined) throw new Error(`the server has ended by itself with ${server.end}`);
    await server.kill();
    this.kills++;
  }

  freeze(): void {
    this.server?.signal('SIGSTOP');
  }

  thaw(): void {
    this.server?.signal('SIGCONT');
  }

  setClock(offsetMs: number): void {
    writeFileSync(join(this.folder, 'clock'), String(offsetMs));
  }

  /** Copies the data folder and the log of the server for a reader, without the files of its backend; returns where. */
  keep(): string {
    const kept = mkdtempSync(join(tmpdir(), 'mneme-campaign-failed-'));
    cpSync(this.folder, kept, { recursive: true });
    return kept;
  }

  /** No server starts from then on. */
  async remove(): Promise<void> {
    this.isRemoved = true;
    if (this.isServing) await this.kill();
    await this.link.stop();
    await this.backend?.remove();
    this.disk?.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private launch(ranker: Round['ranker']): ServerProcess {
    if (this.isRemoved) throw new Error('the campaign has ended');
    const clock = { MNEME_TEST_CLOCK: join(this.folder, 'clock'), NODE_OPTIONS: `--import ${CLOCK.href}` };
    return new ServerProcess({
      listen: this.listen,
      data: this.data,
      env: { ...clock, ...this.slowDisk?.env, ...this.backend?.env },
      flags: ['--embedder', 'none', '--ranker', ranker, '--max-log-bytes', LOG_BYTES_MAX],
      logFile: join(this.folder, 'log'),
    });
  }
}
