import { randomUUID } from 'node:crypto';
import { readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  HealthCheckRequest,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../gen/ts/grpc/health/v1/health.ts';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { MemoryView } from '../../gen/ts/mneme/v1/memory.ts';
import {
  DeleteMemoryRequest,
  GetMemoryRequest,
  ListMemoriesRequest,
  UpdateMemoryRequest,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusalOf } from '../server/grpc/support/ask.ts';
import { FollowedAnswer, recalledNames } from '../server/grpc/support/followed-answer.ts';
import { freshNamespace, json, store } from '../server/grpc/support/memories.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { seededRandom } from '../support/random.ts';
import { opened, PATIENCE_MS, Replica } from './replicas.ts';

const DEADLINE = { deadlineMs: 30_000 };
const replicas: Replica[] = [];
let postgres: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
}, 120_000);
afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop();
});
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
});

/** Servers that share a schema of their own; those of `replicas` end with a test. */
function group(started = replicas) {
  const schema = `servers_${++schemas}`;
  return async (): Promise<Replica> => {
    const replica = await Replica.startWith({
      ...postgres.envOf(schema),
      MNEME_POSTGRES_STATEMENT_TIMEOUT_MS: '20000',
      MNEME_BACKEND_PROBE_INTERVAL_MS: '100',
    });
    started.push(replica);
    return replica;
  };
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `n${from + at}`);

async function textAt({ clients: { memories } }: Replica, name: string, minRevision = 0n): Promise<string> {
  const request = GetMemoryRequest.fromPartial({ name, minRevision });
  return (await ask(memories, memories.getMemory, request, DEADLINE)).memory?.text ?? '';
}

async function recalledAt({ clients: { recalls } }: Replica, parent: string, text: string): Promise<string[]> {
  const request = RecallRequest.fromPartial({ minRelevance: 0, parent, text, limit: 5 });
  const { hits } = await ask(recalls, recalls.recall, request, DEADLINE);
  return hits.map(({ memory }) => memory?.text ?? '');
}

async function refused(call: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error('the call was not refused');
  return error as ServiceError;
}

async function becomes(replica: Replica, wanted: Serving): Promise<void> {
  const { health } = replica.clients;
  const endsAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const request = HealthCheckRequest.fromPartial({ service: 'mneme.v1.MemoryService' });
    if ((await ask(health, health.check, request, DEADLINE)).status === wanted) return;
    if (performance.now() > endsAtMs) throw new Error(`health has not become ${wanted}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

describe('three servers over one PostgreSQL', () => {
  /** Of all tests here: namespaces are of one test, and a server that one kills is started again. */
  let servers: [Replica, Replica, Replica];
  const kept: Replica[] = [];
  beforeAll(async () => {
    const start = group(kept);
    servers = [await start(), await start(), await start()];
  }, 120_000);
  afterAll(async () => {
    for (const server of kept) await server.stop();
  });

  it('a write through any server › seen by the next read through any other: by name, in lists, by recall', async () => {
    const random = seededRandom('postgres servers');
    const parent = freshNamespace();
    const expected = new Map<string, string>();
    for (let turn = 0; turn < 60; turn++) {
      const [writer, reader] = [random.pick(servers), random.pick(servers)];
      const id = random.pick(numbered(8));
      const name = `${parent}/memories/${id}`;
      const text = `turn${turn} cat`;
      const { memories } = writer.clients;
      let revision = 0n;
      if (!expected.has(id)) revision = (await store(writer.clients, parent, { text }, id)).revision;
      else if (random.pick([true, false])) {
        const change = UpdateMemoryRequest.fromPartial({ memory: { name, text }, updateMask: ['text'] });
        revision = (await ask(memories, memories.updateMemory, change, DEADLINE)).revision;
      } else {
        await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name }), DEADLINE);
        expected.delete(id);
        expect((await refused(textAt(reader, name))).code).toBe(status.NOT_FOUND);
        continue;
      }
      expected.set(id, text);
      expect(await textAt(reader, name, revision)).toBe(text);
      expect([turn, await reader.texts(parent)]).toEqual([turn, [...expected.values()].sort()]);
      expect(await recalledAt(reader, parent, `turn${turn}`)).toContain(text);
    }
  }, 240_000);

  it('memories that are recalled from a view › are those that PostgreSQL has, after updates and reads that count', async () => {
    const [one, two, other] = servers;
    const parent = freshNamespace();
    for (const id of numbered(3))
      await store(one.clients, parent, { text: `a cello, ${id}`, content: json({ strings: 4 }), tags: ['red'] }, id);
    const memory = { name: `${parent}/memories/n1`, text: 'a restored cello', importance: 0.9 };
    const { memories, recalls } = two.clients;
    const change = UpdateMemoryRequest.fromPartial({ memory, updateMask: ['text', 'importance'] });
    await ask(memories, memories.updateMemory, change, DEADLINE);
    const query = { parent, text: 'cello', view: MemoryView.MEMORY_VIEW_FULL };
    await ask(
      recalls,
      recalls.recall,
      RecallRequest.fromPartial({ minRelevance: 0, ...query, limit: 2, touch: true }),
      DEADLINE,
    );
    const recalled = other.clients.recalls;
    const { hits } = await ask(
      recalled,
      recalled.recall,
      RecallRequest.fromPartial({ minRelevance: 0, ...query }),
      DEADLINE,
    );
    expect(hits).toHaveLength(3);
    for (const hit of hits) {
      const request = GetMemoryRequest.fromPartial({ name: hit.memory?.name ?? '', view: query.view });
      const { memory: stored } = await ask(memories, memories.getMemory, request, DEADLINE);
      expect(hit.memory).toEqual(stored);
    }
    expect(hits.filter(({ memory: found }) => found?.retrievalCount === 1)).toHaveLength(2);
  }, 120_000);

  it('one is killed at any moment while all store › every acknowledged memory is at each', async () => {
    const [one, two, other] = servers;
    const parent = freshNamespace();
    const acknowledged: string[] = [];
    let isOver = false;
    const writing = [one, two, other].map(async (replica, at) => {
      for (let n = 0; !isOver; n++) {
        const id = `m${at}-${n}`;
        try {
          await store(replica.clients, parent, { text: id }, id);
          acknowledged.push(id);
        } catch (error) {
          // Of the one that is killed.
          if (at !== 2) throw error;
          return;
        }
      }
    });
    while (acknowledged.filter((id) => id.startsWith('m2')).length < 50) await new Promise(setImmediate);
    await other.kill();
    while (acknowledged.length < 400) await new Promise(setImmediate);
    isOver = true;
    await Promise.all(writing);
    await other.restart();
    const listed = await Promise.all([one, two, other].map((replica) => replica.texts(parent)));
    for (const texts of listed) {
      expect(texts).toEqual(listed[0]);
      expect(acknowledged.filter((id) => !texts.includes(id))).toEqual([]);
    }
  }, 240_000);

  it('changes through all of them › every watch has all, in one order, and goes on at another server by its token', async () => {
    const parent = freshNamespace();
    await servers[0].store(parent, { text: 'first' }, 'first');
    const watching = [];
    for (const server of servers) watching.push(await server.watch({ parent, startRevision: 1n }).live());
    await Promise.all(
      servers.map(async (server, at) => {
        for (const text of numbered(40, 100 * at)) await server.store(parent, { text }, text);
      }),
    );
    for (const stream of watching) for (const text of ['n39', 'n139', 'n239']) await stream.has(text);
    const [order = []] = watching.map((stream) => stream.texts());
    for (const stream of watching) expect(stream.texts()).toEqual(order);
    // And the creation of the namespace.
    expect(new Set(order).size).toBe(122);
    const tokens = watching.map((stream) => stream.token());
    for (const stream of watching) stream.cancel();
    await servers[1].store(parent, { text: 'last' }, 'last');
    for (const [at, server] of servers.entries()) {
      const next = await opened(server, { parent, resumeToken: tokens[(at + 1) % tokens.length] ?? '' });
      await next.has('last');
      next.cancel();
      expect(next.texts()).toEqual(['last']);
    }
  }, 240_000);

  it('a standing query at each › its answer is that of Recall after writes through all, and goes on at another server by its token', async () => {
    const parent = freshNamespace();
    const query = { parent, text: 'door', limit: 20 };
    await servers[0].store(parent, { text: 'the first door' }, 'first');
    const answers = servers.map(({ clients }) => new FollowedAnswer(clients, query));
    const revisions = await Promise.all(
      servers.map(async (server, at) => {
        let revision = 0n;
        for (const text of numbered(4, 10 * at)) revision = await server.store(parent, { text: `door ${text}` }, text);
        return revision;
      }),
    );
    const newest = revisions.reduce((one, other) => (one > other ? one : other));
    const all = ['first', ...numbered(4), ...numbered(4, 10), ...numbered(4, 20)].map(
      (id) => `${parent}/memories/${id}`,
    );
    for (const answer of answers) {
      expect((await answer.at(newest)).toSorted()).toEqual(all.toSorted());
      answer.cancel();
    }
    const last = await servers[1].store(parent, { text: 'the last door' }, 'last');
    for (const [at, { messages }] of answers.entries()) {
      const { clients } = servers[(at + 1) % servers.length] as Replica;
      const answer = new FollowedAnswer(clients, query, messages.at(-1)?.resumeToken);
      expect((await answer.at(last)).toSorted()).toEqual([...all, `${parent}/memories/last`].toSorted());
      expect(await recalledNames(clients, answer.query)).toEqual(answer.names());
      answer.cancel();
    }
  }, 240_000);

  it('a list at one server, then a watch at another from the revision of the list › no change is missed', async () => {
    const [one, two] = servers;
    const [parent, busy] = [freshNamespace(), freshNamespace()];
    for (const text of numbered(20)) await one.store(busy, { text }, text);
    await two.store(parent, { text: 'before' }, 'before');
    const { memories } = one.clients;
    const { revision } = await ask(
      memories,
      memories.listMemories,
      ListMemoriesRequest.fromPartial({ parent }),
      DEADLINE,
    );
    await two.store(parent, { text: 'after' }, 'after');
    for (const server of [one, two]) {
      const stream = await opened(server, { parent, startRevision: revision + 1n });
      await stream.has('after');
      stream.cancel();
    }
  }, 120_000);

  it.each(['deleted', 'truncated'])(
    'the view of a server is %s › it is made anew, and answers as before',
    async (how) => {
      const start = group();
      const server = await start();
      const parent = freshNamespace();
      for (const text of numbered(30)) await server.store(parent, { text: `${text} cat` }, text);
      const before = [await server.texts(parent), await recalledAt(server, parent, 'n7')];
      await server.kill();
      if (how === 'truncated') await truncate(join(server.data, 'mneme.db'), 5000);
      else for (const name of await readdir(server.data)) await rm(join(server.data, name), { recursive: true });
      await server.restart();
      expect([await server.texts(parent), await recalledAt(server, parent, 'n7')]).toEqual(before);
    },
    120_000,
  );
});

describe('a server whose PostgreSQL is away', () => {
  it('stopped and started › UNAVAILABLE with a pause meanwhile, health says so, and nothing is lost', async () => {
    const start = group();
    const server = await start();
    const parent = freshNamespace();
    for (const text of numbered(5)) await server.store(parent, { text }, text);
    await postgres.stop();
    const { memories } = server.clients;
    const calls = [
      store(server.clients, parent, { text: 'meanwhile' }, 'meanwhile'),
      textAt(server, `${parent}/memories/n0`),
      server.texts(parent),
      recalledAt(server, parent, 'n0'),
      ask(
        memories,
        memories.deleteMemory,
        DeleteMemoryRequest.fromPartial({ name: `${parent}/memories/n0` }),
        DEADLINE,
      ),
    ];
    for (const call of calls) {
      const error = await refused(call);
      expect(error.code).toBe(status.UNAVAILABLE);
      expect(refusalOf(error).reason).toBe('STORAGE_UNAVAILABLE');
      expect(error.metadata.get('grpc-retry-pushback-ms')).not.toEqual([]);
    }
    await becomes(server, Serving.NOT_SERVING);
    await postgres.start();
    await becomes(server, Serving.SERVING);
    await server.store(parent, { text: 'later' }, 'later');
    expect(await server.texts(parent)).toEqual(['later', ...numbered(5)]);
  }, 120_000);

  it('read only › reads answer, writes fail, and GetServerInfo says so', async () => {
    const start = group();
    const server = await start();
    const parent = freshNamespace();
    await server.store(parent, { text: 'cat' }, randomUUID());
    await postgres.stop();
    await postgres.start({ default_transaction_read_only: 'on' });
    try {
      await becomes(server, Serving.SERVING);
      expect(await server.texts(parent)).toEqual(['cat']);
      expect(await recalledAt(server, parent, 'cat')).toEqual(['cat']);
      const error = await refused(store(server.clients, parent, { text: 'dog' }, 'dog'));
      expect([error.code, refusalOf(error).metadata['fault']]).toEqual([status.UNAVAILABLE, 'read_only']);
      const { admin } = server.clients;
      const info = await ask(admin, admin.getServerInfo, GetServerInfoRequest.fromPartial({}), DEADLINE);
      expect(info.degraded.join()).toContain('read only');
    } finally {
      await postgres.stop();
      await postgres.start();
    }
    await server.store(parent, { text: 'dog' }, 'dog');
    expect(await server.texts(parent)).toEqual(['cat', 'dog']);
  }, 120_000);
});
