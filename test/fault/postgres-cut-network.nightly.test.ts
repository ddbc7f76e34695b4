import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import {
  HealthCheckRequest,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../gen/ts/grpc/health/v1/health.ts';
import { GetMemoryRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { servingCall } from '../../src/storage/current-call.ts';
import { Listener } from '../../src/storage/postgres/listener.ts';
import { ask, refusal } from '../server/grpc/support/ask.ts';
import { freshNamespace, store } from '../server/grpc/support/memories.ts';
import { getOne, put } from '../storage/conformance/memory-store/store-of-test.ts';
import { CANCELLED, EndingCall } from '../support/ending-call.ts';
import { type Link, openLink } from '../support/link.ts';
import { newMemory } from '../support/new-memory.ts';
import { openRecords } from '../support/postgres-records.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { opened, Replica, type Watching, whenAvailable } from './replicas.ts';

/** Far beyond the timeouts of the servers here, whatever else the machine does. */
const DEADLINE = { deadlineMs: 60_000 };
const SHORT = {
  MNEME_POSTGRES_STATEMENT_TIMEOUT_MS: '2000',
  MNEME_POSTGRES_CONNECT_TIMEOUT_MS: '2000',
  MNEME_BACKEND_PROBE_INTERVAL_MS: '100',
};

let postgres: PostgresServer;
let link: Link;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
  link = await openLink(() => join(postgres.folder, '.s.PGSQL.5432'));
}, 120_000);
afterEach(async () => {
  link.cut();
  link.heal();
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(async () => {
  await link.stop();
  await postgres.stop();
  postgres.remove();
});

/** Of PostgreSQL behind the link. */
const farUrl = (): string => `postgresql://${postgres.user}@${link.address}/postgres`;

/** Resolves when health says so. */
async function becomes({ clients: { health } }: Replica, wanted: Serving): Promise<void> {
  const request = HealthCheckRequest.fromPartial({ service: 'mneme.v1.MemoryService' });
  while ((await ask(health, health.check, request, DEADLINE)).status !== wanted) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function textOf({ clients: { memories } }: Replica, parent: string, id: string, options = DEADLINE) {
  const request = GetMemoryRequest.fromPartial({ name: `${parent}/memories/${id}` });
  return ask(memories, memories.getMemory, request, options).then(({ memory }) => memory?.text);
}

function recallAt({ clients: { recalls } }: Replica, parent: string, text: string) {
  return ask(recalls, recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, parent, text }), DEADLINE);
}

describe('a server whose network to PostgreSQL is cut', () => {
  /** Of one schema: one behind the link, and one beside PostgreSQL. */
  let far: Replica;
  let near: Replica;
  const started: Replica[] = [];
  beforeAll(async () => {
    for (const url of [farUrl(), postgres.url]) {
      started.push(await Replica.startWith({ ...SHORT, ...postgres.envOf('cut'), MNEME_POSTGRES_URL: url }));
    }
    [far, near] = started as [Replica, Replica];
  }, 120_000);
  afterAll(async () => {
    for (const replica of started) await replica.stop();
  });

  /** What a watch has received when it has this text. Where it ends meanwhile, it goes on by its token. */
  async function allOf(watch: Watching, parent: string, last: string): Promise<string[]> {
    for (const texts: string[] = []; ; ) {
      const isThere = await watch.has(last).then(
        () => true,
        () => false,
      );
      texts.push(...watch.texts());
      watch.cancel();
      if (isThere) return texts.sort();
      watch = await opened(far, { parent, resumeToken: watch.token() });
    }
  }

  it.each([
    ['new connections alone work afterwards', 'thaw'],
    ['connections go on afterwards with what was sent meanwhile', 'heal'],
  ] as const)(
    '%s › calls end, health says so, another server goes on, and nothing acknowledged is lost',
    async (_, back) => {
      const parent = freshNamespace();
      await far.store(parent, { text: 'before' }, 'before');
      const watch = await (await opened(far, { parent })).live();
      const acknowledged: string[] = ['before'];
      const storeAt = async (text: string) => {
        await store(far.clients, parent, { text }, text, DEADLINE);
        acknowledged.push(text);
      };
      await Promise.all(Array.from({ length: 10 }, (_none, at) => storeAt(`n${at}`)));
      // Some of them are under way in each state: not sent, not committed, not answered.
      const ended = Promise.allSettled(Array.from({ length: 30 }, (_none, at) => storeAt(`cut${at}`)));
      await storeAt('last');
      link.freeze();

      const late = await refusal(textOf(far, parent, 'before', { deadlineMs: 500 }));
      expect(late.code).toBe('DEADLINE_EXCEEDED');
      const calls = [
        textOf(far, parent, 'before'),
        store(far.clients, parent, { text: 'lost' }, 'lost', DEADLINE),
        far.texts(parent),
        recallAt(far, parent, 'before'),
      ];
      for (const call of calls) {
        const { code, reason, retryDelayMs = 0 } = await refusal(call);
        expect([code, reason]).toEqual(['UNAVAILABLE', 'STORAGE_UNAVAILABLE']);
        expect(retryDelayMs).toBeGreaterThan(0);
      }
      await becomes(far, Serving.NOT_SERVING);
      await ended;
      await near.store(parent, { text: 'beside' }, 'beside');

      link[back]();
      await becomes(far, Serving.SERVING);
      await far.store(parent, { text: 'after' }, 'after');
      expect(await whenAvailable(() => far.texts(parent))).toEqual(await near.texts(parent));
      expect(await far.texts(parent)).toEqual(expect.arrayContaining([...acknowledged, 'beside', 'after'].sort()));
      await near.store(parent, { text: 'notified' }, 'notified');
      const others = (await near.texts(parent)).filter((text) => text !== 'before');
      expect(await allOf(watch, parent, 'notified')).toEqual(others);
      // No connection of before is in the pool: otherwise some of these would wait for it.
      const reads = Array.from({ length: 40 }, () => textOf(far, parent, 'before'));
      expect(new Set(await Promise.all(reads))).toEqual(new Set(['before']));
    },
    180_000,
  );

  it('stopped meanwhile › ends', async () => {
    const parent = freshNamespace();
    await far.store(parent, { text: 'before' }, 'before');
    await recallAt(far, parent, 'before');
    link.freeze();
    const call = refusal(textOf(far, parent, 'before'));
    await far.terminate();
    await call;
  }, 120_000);
});

describe('a connection to PostgreSQL that falls silent', () => {
  it('and listens › is replaced, and messages come again', async () => {
    const [begun, again] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const received = Promise.withResolvers<string>();
    const listener = new Listener({
      connection: { url: farUrl() },
      channel: 'quiet',
      onMessage: received.resolve,
      onConnected: () => {
        begun.resolve();
        if (link.count > 1) again.resolve();
      },
      poll: async () => undefined,
      onFailure: () => undefined,
      pollMs: 50,
    });
    closing.push(() => listener.end());
    await begun.promise;
    link.freeze();
    link.thaw();
    await again.promise;
    const client = new Client(postgres.url);
    await client.connect();
    await client.query(`NOTIFY quiet, 'again'`);
    await client.end();
    expect(await received.promise).toBe('again');
  }, 60_000);

  it('while a call waits for it that ends › its place is free for the next call', async () => {
    // Nothing but the end of the call ends its statement.
    const timeouts = { statementTimeoutMs: 3_600_000, connectTimeoutMs: 500 };
    const records = await openRecords({ url: farUrl(), connectionsMax: 1, ...timeouts });
    closing.push(() => records.close());
    await put(records.store, [newMemory({ id: 'a' })]);
    // Work in the background belongs to no call.
    await records.records.settled();
    const caller = new EndingCall();
    link.freeze();
    const late = servingCall(caller, () => getOne(records.store, 'a'));
    late.catch(() => undefined);
    const { database } = records.records.core;
    while (database.connections.inUseCount === 0) await turn();
    await turn();
    caller.end();
    await expect(late).rejects.toBe(CANCELLED);
    link.thaw();
    expect((await getOne(records.store, 'a'))?.id).toBe('a');
  }, 60_000);
});
