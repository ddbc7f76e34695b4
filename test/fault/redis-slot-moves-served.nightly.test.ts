import { type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GetValueRequest, SetValueRequest } from '../../gen/ts/mneme/v1/working_memory_service.ts';
import { keyspacePrefix } from '../../src/storage/redis/keys.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { freshNamespace, get, json, store } from '../server/grpc/support/memories.ts';
import { sessionCalls } from '../server/grpc/support/sessions.ts';
import { type Clients, startTestServer } from '../server/grpc/support/test-server.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';
import { RedisCluster, until } from '../support/redis-cluster.ts';
import { SlotMove } from '../support/slot-move.ts';

const WRITERS = 4;
const MOVES = 4;
/** Keys that move one by one before the rest. */
const FIRST_KEYS_MAX = 20;
const SCOPE = { project: 'p', agentType: 'planner', agent: 'ada' };

let cluster: RedisCluster;
let postgres: PostgresServer;
beforeAll(async () => {
  cluster = await RedisCluster.started();
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
}, 240_000);
afterAll(async () => {
  await cluster.stop();
  await postgres.stop();
  postgres.remove();
});

/** Callers that store memories and values of a session, each one call after the other. */
class Writers {
  /** What each acknowledged call has written. */
  readonly memories: string[] = [];
  readonly values: string[] = [];
  readonly refusals = new Set<string | undefined>();
  private readonly clients: Clients;
  private readonly parent: string;
  private readonly session: string;
  private isRunning = true;
  private readonly running: Promise<void>[];

  constructor(clients: Clients, parent: string, session: string) {
    this.clients = clients;
    this.parent = parent;
    this.session = session;
    this.running = Array.from({ length: WRITERS }, (_, writer) => this.run(writer));
  }

  get acknowledged(): number {
    return this.memories.length + this.values.length;
  }

  async end(): Promise<void> {
    this.isRunning = false;
    await Promise.all(this.running);
  }

  /** Fails unless every acknowledged write is there. */
  async check(): Promise<void> {
    const { clients, parent, session } = this;
    for (const key of this.memories) expect((await get(clients, `${parent}/memories/${key}`)).text).toBe(key);
    const { working } = clients;
    for (const key of this.values) {
      const { entry } = await ask(working, working.getValue, GetValueRequest.fromPartial({ session, key }));
      expect(entry?.value?.body?.value).toBe(JSON.stringify(key));
    }
  }

  private async run(writer: number): Promise<void> {
    const { clients, parent, session } = this;
    const { working } = clients;
    for (let n = 0; this.isRunning; n++) {
      const key = `w${writer}-${n}`;
      const request = SetValueRequest.fromPartial({ session, key, value: json(key) });
      await this.note(this.values, key, ask(working, working.setValue, request));
      await this.note(this.memories, key, store(clients, parent, { text: key }, key));
    }
  }

  private async note(acknowledged: string[], key: string, call: Promise<unknown>): Promise<void> {
    try {
      await call;
      acknowledged.push(key);
    } catch (error) {
      this.refusals.add(status[(error as ServiceError).code]);
    }
  }
}

async function moveSlot(keyspace: string, random: TestRandom): Promise<void> {
  const move = await SlotMove.begun(cluster, keyspace);
  const first = (await move.keys()).slice(0, 1 + random.int(FIRST_KEYS_MAX));
  for (const key of first) await move.moveKey(key);
  await move.finish();
}

describe.each(['a data folder', 'PostgreSQL'])(
  'a server with sessions in a Redis cluster, and memories in %s',
  (place) => {
    it('slots move while callers write › they are refused with UNAVAILABLE alone, and every acknowledged write is there', async () => {
      const random = seededRandom(`slot moves below a server with memories in ${place}`);
      const prefix = `served-${place === 'PostgreSQL' ? 'postgres' : 'folder'}`;
      const server = await startTestServer(
        { embedder: 'none', redisCommandTimeoutMs: '30000' },
        {},
        {
          MNEME_REDIS_URL: cluster.urls.join(','),
          MNEME_REDIS_KEY_PREFIX: prefix,
          ...(place === 'PostgreSQL' && { MNEME_POSTGRES_URL: postgres.url }),
        },
      );
      try {
        const parent = freshNamespace();
        const namespace = parent.slice('namespaces/'.length);
        const spaces = [keyspacePrefix(prefix, 'sessions', namespace)];
        const { session } = await sessionCalls(server).spawn({ parent, sessionId: 's', scope: SCOPE });
        const writers = new Writers(server, parent, session?.name ?? '');
        try {
          for (let moves = 0; moves < MOVES; moves++) {
            const before = writers.acknowledged;
            await moveSlot(random.pick(spaces), random);
            await until('writes go on', async () => writers.acknowledged > before + 2 * WRITERS);
          }
        } finally {
          await writers.end();
        }
        expect([...writers.refusals].filter((code) => code !== 'UNAVAILABLE')).toEqual([]);
        await writers.check();
      } finally {
        await server.stop();
      }
    }, 240_000);
  },
);
