import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import type { Change } from '../../gen/ts/mneme/v1/change.ts';
import { ListMemoriesRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { WatchMemoriesRequest, type WatchMemoriesResponse } from '../../gen/ts/mneme/v1/recall_service.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { FollowedStream } from '../server/grpc/support/followed-stream.ts';
import { type MemoryInput, store } from '../server/grpc/support/memories.ts';
import { type Clients, connect } from '../server/grpc/support/test-server.ts';

/** Time for which a temporarily refused call is retried. */
export const PATIENCE_MS = 60_000;

/** A server process with a data folder that stays when it is killed. */
export class Replica {
  clients: Clients;
  private server: RunningMneme;
  readonly data: string;
  private env: Record<string, string>;

  private constructor(data: string, env: Record<string, string>, server: RunningMneme) {
    this.data = data;
    this.env = env;
    this.server = server;
    this.clients = connect(server.address);
  }

  get address(): string {
    return this.server.address;
  }

  /** Of the servers of one PostgreSQL. */
  static async start(postgresUrl: string, more: Record<string, string> = {}): Promise<Replica> {
    return Replica.startWith({ MNEME_POSTGRES_URL: postgresUrl, ...more });
  }

  static async startWith(env: Record<string, string>): Promise<Replica> {
    const data = await mkdtemp(join(tmpdir(), 'mneme-replica-'));
    return new Replica(data, env, await serve(data, env));
  }

  /** kill -9, then a restart with its data folder. */
  async restart(more: Record<string, string> = {}): Promise<void> {
    await this.kill();
    this.env = { ...this.env, ...more };
    this.server = await serve(this.data, this.env);
    this.clients = connect(this.server.address);
  }

  /** Stopped as by a service manager. */
  async terminate(): Promise<void> {
    this.clients.close();
    await this.server.stop('SIGTERM');
  }

  async kill(): Promise<void> {
    this.clients.close();
    await this.server.stop('SIGKILL');
  }

  /** Frozen until it is thawed, like a suspended machine. */
  freeze(): void {
    this.server.signal('SIGSTOP');
  }

  thaw(): void {
    this.server.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.data, { recursive: true, force: true });
  }

  /** Stores until it is acknowledged: retries have the same id, so that they have one effect. */
  async store(parent: string, memory: MemoryInput, id: string): Promise<bigint> {
    return whenAvailable(async () => {
      try {
        return (await store(this.clients, parent, memory, id)).revision;
      } catch (error) {
        if (codeOf(error) === status.ALREADY_EXISTS) return 0n;
        throw error;
      }
    });
  }

  /** All listed memories, in alphabetical order. */
  async texts(parent: string): Promise<string[]> {
    const { memories } = this.clients;
    const listed = await ask(
      memories,
      memories.listMemories,
      ListMemoriesRequest.fromPartial({ parent, pageSize: 1000 }),
    );
    return listed.memories.map(({ text }) => text).sort();
  }

  watch(request: Parameters<typeof WatchMemoriesRequest.fromPartial>[0]): Watching {
    return new Watching(this.clients.recalls.watchMemories(WatchMemoriesRequest.fromPartial(request)));
  }
}

/** Opens a watch, with retries: a server that has just reconnected to its store refuses it for a while. */
export async function opened(replica: Replica, request: Parameters<Replica['watch']>[0]): Promise<Watching> {
  return whenAvailable(async () => {
    const stream = replica.watch(request);
    await stream.until(({ event }) => event?.$case === 'created');
    return stream;
  });
}

/** Repeats a call while the server refuses it for the time being. */
export async function whenAvailable<T>(call: () => Promise<T>): Promise<T> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (codeOf(error) !== status.UNAVAILABLE || performance.now() > endsAtMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function serve(data: string, env: Record<string, string>): Promise<RunningMneme> {
  return startMneme({ data, flags: ['--embedder', 'none'], env, isQuiet: true });
}

export class Watching extends FollowedStream<WatchMemoriesResponse> {
  changes(): Change[] {
    return this.messages.flatMap(({ event }) => (event?.$case === 'batch' ? event.value.changes : []));
  }

  texts(): string[] {
    return this.changes().map(({ memory }) => memory?.text ?? '');
  }

  /** Token of the last message that was received. */
  token(): string {
    return this.messages.at(-1)?.resumeToken ?? '';
  }

  async live(): Promise<this> {
    await this.until(({ event }) => event?.$case === 'progress');
    return this;
  }

  async has(text: string): Promise<void> {
    await this.until(() => this.texts().includes(text));
  }
}
