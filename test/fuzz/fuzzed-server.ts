import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import { GetConfigRequest, UpdateConfigRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { GetMemoryRequest, StoreMemoryRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { DeleteNamespaceRequest, ListNamespacesRequest } from '../../gen/ts/mneme/v1/namespace_service.ts';
import { ListScopePoliciesRequest, SetScopePolicyRequest } from '../../gen/ts/mneme/v1/scope_service.ts';
import { ServerProcess } from '../fault/campaign/server-process.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { type Clients, connect } from '../server/grpc/support/test-server.ts';
import { freePort } from '../support/free-port.ts';
import { GUARDED } from './vocabulary.ts';

const PARENT = `namespaces/${GUARDED}`;
const GUARDED_TEXT = 'Ada keeps this one as it is: schön, 音楽.';
const LONG_MS = { deadlineMs: 120_000 };
/** Time for the last calls to end at the server. */
const QUIET_MS = 120_000;

/** A server in its own process, with one memory that no generated message reaches. */
export class FuzzedServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'mneme-fuzz-'));
  private readonly logFile = join(this.folder, 'log');
  private server: ServerProcess | undefined;
  private clients: Clients | undefined;
  private metricsPort = 0;
  private readonly everything = new Metadata();

  constructor() {
    this.everything.set('mneme-scope', '*');
  }

  async start(): Promise<void> {
    const [port, metricsPort] = [await freePort(), await freePort()];
    this.metricsPort = metricsPort;
    const flags = ['--metrics-listen', `127.0.0.1:${metricsPort}`, '--embedder', 'hashing', '--extractor', 'rules'];
    const listen = `127.0.0.1:${port}`;
    const { logFile } = this;
    this.server = new ServerProcess({ listen, data: join(this.folder, 'data'), env: {}, flags, logFile });
    const started = await this.server.started;
    if (started instanceof Error) throw started;
    this.clients = connect(listen);
    const { memories } = this.clients;
    const memory = { text: GUARDED_TEXT };
    await ask(
      memories,
      memories.storeMemory,
      StoreMemoryRequest.fromPartial({ parent: PARENT, memory, memoryId: 'm' }),
    );
  }

  get address(): string {
    return this.open.address;
  }

  private get open(): Clients {
    if (!this.clients) throw new Error('the server has not started');
    return this.clients;
  }

  /** How the process has ended by itself; `undefined` while it runs. */
  get end(): string | undefined {
    return this.server?.end;
  }

  /** Fails where the memory that no message reaches is not as it was stored. */
  async checkGuarded(): Promise<void> {
    const { memories } = this.open;
    const request = GetMemoryRequest.fromPartial({ name: `${PARENT}/memories/m` });
    const { memory } = await ask(memories, memories.getMemory, request, { ...LONG_MS, metadata: this.everything });
    if (memory?.text !== GUARDED_TEXT) throw new Error(`the guarded memory has become ${JSON.stringify(memory?.text)}`);
  }

  /** Deletes what the messages have made, and their settings, so that the next ones meet an empty server. */
  async clear(): Promise<void> {
    const { namespaces } = this.open;
    const metadata = this.everything;
    const list = ListNamespacesRequest.fromPartial({ pageSize: 1000 });
    const { namespaces: found } = await ask(namespaces, namespaces.listNamespaces, list, { ...LONG_MS, metadata });
    for (const { name } of found) {
      if (name === PARENT) continue;
      await this.liftPolicies(name);
      const request = DeleteNamespaceRequest.fromPartial({ name, force: true });
      await ask(namespaces, namespaces.deleteNamespace, request, { ...LONG_MS, metadata });
    }
    await this.removeSettings();
  }

  private async removeSettings(): Promise<void> {
    const { admin } = this.open;
    const { settings } = await ask(admin, admin.getConfig, GetConfigRequest.fromPartial({}), LONG_MS);
    const removed = Object.fromEntries(Object.keys(settings).map((key) => [key, '']));
    if (Object.keys(removed).length === 0) return;
    const request = UpdateConfigRequest.fromPartial({ settings: removed, allowDemotion: true });
    await ask(admin, admin.updateConfig, request, LONG_MS);
  }

  private async liftPolicies(parent: string): Promise<void> {
    const { scopes } = this.open;
    const options = { ...LONG_MS, metadata: this.everything };
    const list = ListScopePoliciesRequest.fromPartial({ parent });
    for (const { scope } of (await ask(scopes, scopes.listScopePolicies, list, options)).policies) {
      const request = SetScopePolicyRequest.fromPartial({ parent, policy: { scope } });
      await ask(scopes, scopes.setScopePolicy, request, options);
    }
  }

  /** A gauge without labels. */
  async metric(name: string): Promise<number> {
    const signal = AbortSignal.timeout(LONG_MS.deadlineMs);
    const text = await (await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`, { signal })).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  }

  /** Calls that the server still serves when all have ended for their callers. */
  async callsLeft(): Promise<number> {
    const giveUpMs = performance.now() + QUIET_MS;
    for (;;) {
      const count = await this.metric('mneme_calls_in_flight');
      if (count === 0 || performance.now() > giveUpMs) return count;
    }
  }

  /** Lines of the log about defects of the server. */
  defects(): string[] {
    const lines = readFileSync(this.logFile, 'utf8').split('\n');
    return lines.filter((line) => /"level":"?(?:error|fatal|50|60)|uncaught|unhandled/i.test(line));
  }

  async stop(): Promise<void> {
    this.clients?.close();
    // One that hangs does not end by SIGTERM.
    if (this.server && this.server.end === undefined) await this.server.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
