import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { WatchMemoriesRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { databaseFileIn } from '../../src/storage/sqlite/database.ts';
import { type ServedMneme, serveMneme } from '../cli/support/serve-mneme.ts';
import { store } from '../server/grpc/support/memories.ts';
import { type Clients, connect } from '../server/grpc/support/test-server.ts';
import { Watching } from './replicas.ts';

/** A server whose data folder is copied and replaced by a copy, as in backup and restore. */
export class RestorableServer {
  private readonly at: string;
  private readonly flags: readonly string[];
  private running: { readonly server: ServedMneme; readonly clients: Clients } | undefined;
  private copies = 0;

  private constructor(at: string, flags: readonly string[]) {
    this.at = at;
    this.flags = ['--embedder', 'none', ...flags];
  }

  static async start(flags: readonly string[] = []): Promise<RestorableServer> {
    const server = new RestorableServer(await mkdtemp(join(tmpdir(), 'mneme-restored-')), flags);
    await server.start();
    return server;
  }

  get address(): string {
    return this.running?.server.address ?? '';
  }

  get clients(): Clients {
    if (!this.running) throw new Error('the server is stopped');
    return this.running.clients;
  }

  async start(): Promise<void> {
    const server = await serveMneme({ data: this.data, flags: this.flags, isQuiet: true });
    this.running = { server, clients: connect(server.address) };
  }

  async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    running?.clients.close();
    await running?.server.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Copy of the folder while no process has it open. */
  async copy(): Promise<string> {
    await this.stop();
    const copy = this.newCopy();
    await cp(this.data, copy, { recursive: true });
    await this.start();
    return copy;
  }

  /** Copy of the database while the server writes to it, by the backup of SQLite. */
  async copyRunning(): Promise<string> {
    const copy = this.newCopy();
    await cp(join(this.data, 'mneme.lock'), join(copy, 'mneme.lock'));
    const database = new Database(databaseFileIn(this.data), { readonly: true });
    await database.backup(databaseFileIn(copy));
    database.close();
    return copy;
  }

  async putBack(copy: string): Promise<void> {
    await this.stop();
    await rm(this.data, { recursive: true });
    await cp(copy, this.data, { recursive: true });
    await this.start();
  }

  /** Stores memories one by one; returns the newest revision. */
  async store(parent: string, texts: readonly string[]): Promise<bigint> {
    let newest = 0n;
    for (const text of texts) newest = (await store(this.clients, parent, { text })).revision;
    return newest;
  }

  watch(request: Parameters<typeof WatchMemoriesRequest.fromPartial>[0]): Watching {
    return new Watching(this.clients.recalls.watchMemories(WatchMemoriesRequest.fromPartial(request)));
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.at, { recursive: true, force: true });
  }

  private get data(): string {
    return join(this.at, 'data');
  }

  private newCopy(): string {
    return join(this.at, `copy-${++this.copies}`);
  }
}
