import { describe, expect, it } from '@jest/globals';
import { sql } from '#kysely';
import {
  HealthCheckRequest,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../gen/ts/grpc/health/v1/health.ts';
import { CreateAgentSnapshotRequest } from '../../gen/ts/mneme/v1/agent_service.ts';
import {
  BatchStoreMemoriesRequest,
  DeleteMemoryRequest,
  ListMemoriesRequest,
  UpdateMemoryRequest,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { CreateNamespaceRequest } from '../../gen/ts/mneme/v1/namespace_service.ts';
import { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { SetScopePolicyRequest } from '../../gen/ts/mneme/v1/scope_service.ts';
import { CreateSubscriptionRequest } from '../../gen/ts/mneme/v1/subscription_service.ts';
import { GetValueRequest, SetValueRequest } from '../../gen/ts/mneme/v1/working_memory_service.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { ask, refusal } from '../server/grpc/support/ask.ts';
import { recalledNames } from '../server/grpc/support/followed-answer.ts';
import { freshNamespace, get, json, store } from '../server/grpc/support/memories.ts';
import { canMountOwn } from '../support/own-disk.ts';
import { POSTGRES_VERSIONS } from '../support/postgres-server.ts';
import { bulk, FullablePostgres, Stores } from './full-postgres.ts';
import { brokenRules } from './postgres-rules.ts';
import { opened, type Replica, whenAvailable } from './replicas.ts';

const TIMEOUT_MS = 180_000;
const FULL = { code: 'RESOURCE_EXHAUSTED', reason: 'STORAGE_FULL', metadata: { backend: 'postgres' } };
const AWAY = { code: 'UNAVAILABLE', reason: 'STORAGE_UNAVAILABLE', retryDelayMs: expect.any(Number) };

// Whoever may mount nothing, or cannot install the oldest PostgreSQL, goes without; CI fails.
const describeWhere = canMountOwn() || process.env['CI'] ? describe : describe.skip;
const BEFORE = ['before0', 'before1', 'before2', 'before3'];
const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

async function textsOf({ clients: { memories } }: Replica, parent: string): Promise<string[]> {
  const texts: string[] = [];
  let pageToken = '';
  do {
    const request = ListMemoriesRequest.fromPartial({ parent, pageSize: 1000, pageToken });
    const page = await ask(memories, memories.listMemories, request);
    texts.push(...page.memories.map(({ text }) => text));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return texts.sort();
}

type Clients = Replica['clients'];

function recalled(clients: Clients, parent: string, text: string): Promise<string[]> {
  return recalledNames(clients, RecallRequest.fromPartial({ parent, text }));
}

function setValue({ working }: Clients, session: string, value: ReturnType<typeof bulk | typeof json>) {
  return ask(working, working.setValue, SetValueRequest.fromPartial({ session, key: 'k', value }));
}

async function heldValue({ working }: Clients, session: string): Promise<unknown> {
  const { entry } = await ask(working, working.getValue, GetValueRequest.fromPartial({ session, key: 'k' }));
  return entry?.value?.body;
}

function batchOf(stores: Stores, ids: readonly string[]) {
  const { memories } = stores.clients;
  const requests = ids.map((id) => ({ ...stores.request(id), requestId: '' }));
  const request = BatchStoreMemoriesRequest.fromPartial({ parent: stores.parent, requests });
  return ask(memories, memories.batchStoreMemories, request);
}

/** Each changes a few rows, for which the tables may have space. */
function smallWrites({ memories, namespaces, scopes, subscriptions, agents }: Clients, parent: string) {
  const name = `${parent}/memories/small`;
  const scope = { project: 'p', agent: 'a' };
  return [
    ask(
      memories,
      memories.updateMemory,
      UpdateMemoryRequest.fromPartial({ memory: { name, importance: 1 }, updateMask: ['importance'] }),
    ),
    ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name: `${parent}/memories/other` })),
    ask(
      namespaces,
      namespaces.createNamespace,
      CreateNamespaceRequest.fromPartial({ namespace: { name: freshNamespace() } }),
    ),
    ask(
      scopes,
      scopes.setScopePolicy,
      SetScopePolicyRequest.fromPartial({ parent, policy: { scope: { project: 'q' }, readOnly: true } }),
    ),
    ask(
      subscriptions,
      subscriptions.createSubscription,
      CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 's', subscription: {} }),
    ),
    ask(agents, agents.createAgentSnapshot, CreateAgentSnapshotRequest.fromPartial({ parent, scope })),
  ];
}

/** Accesses have revisions that are not in the log. */
async function brokenByRefusals({ postgres, schema }: FullablePostgres): Promise<string[]> {
  return (await brokenRules(postgres.url, schema)).filter((rule) => rule !== 'the log has no gap');
}

async function healthOf({ clients: { health } }: Replica): Promise<Serving> {
  const request = HealthCheckRequest.fromPartial({ service: 'mneme.v1.MemoryService' });
  return (await ask(health, health.check, request)).status;
}

async function becomes(replica: Replica, wanted: Serving): Promise<void> {
  while ((await healthOf(replica)) !== wanted) await new Promise((resolve) => setTimeout(resolve, 25));
}

describeWhere.each(POSTGRES_VERSIONS)('PostgreSQL %s on a small disk', (version) => {
  it(
    'its tables have no space › writes are refused without effect, reads answer, and writes go on when space is freed',
    async () => {
      await FullablePostgres.serving(version, 'tables', async (full, replica) => {
        const { clients } = replica;
        const parent = freshNamespace();
        const aside = freshNamespace();
        const session = `${parent}/sessions/s`;
        const stores = new Stores(clients, parent);
        await stores.try(BEFORE);
        await setValue(clients, session, json('kept'));
        for (const id of ['small', 'other']) await store(clients, aside, { text: id }, id);
        const watch = await (await opened(replica, { parent })).live();
        full.fill();

        await stores.try(numbered('filling', 40));
        expect(stores.refused.size).toBeGreaterThan(20);
        for (const refused of stores.refused.values()) expect(refused).toMatchObject(FULL);
        for (const large of [batchOf(stores, ['x', 'y', 'z']), setValue(clients, session, bulk('s'))]) {
          expect(await refusal(large)).toMatchObject(FULL);
        }
        const small = await Promise.allSettled(smallWrites(clients, aside));
        for (const write of small) {
          if (write.status === 'rejected') expect(await refusal(Promise.reject(write.reason))).toMatchObject(FULL);
        }

        const texts = await textsOf(replica, parent);
        expect(texts).toEqual(stores.acknowledged.toSorted());
        for (const id of stores.acknowledged) {
          const { content } = await get(clients, `${parent}/memories/${id}`);
          expect(content?.body).toEqual(bulk(id).body);
        }
        expect(await recalled(clients, parent, 'before3')).toContain(`${parent}/memories/before3`);
        expect(await heldValue(clients, session)).toEqual(json('kept').body);
        expect(await healthOf(replica)).toBe(Serving.SERVING);

        full.free();
        const again = [...stores.refused.keys()];
        await stores.try(again);
        expect(stores.refused.size).toBe(0);
        expect(await textsOf(replica, parent)).toEqual(stores.acknowledged.toSorted());
        const sent = stores.acknowledged.filter((id) => !BEFORE.includes(id));
        for (const text of sent) await watch.has(text);
        expect(watch.texts().sort()).toEqual(sent.sort());
        watch.cancel();
        expect(await brokenByRefusals(full)).toEqual([]);
      });
    },
    TIMEOUT_MS,
  );

  it(
    'its log has no space › it ends, calls are UNAVAILABLE until it is started with space, and nothing acknowledged is lost',
    async () => {
      await FullablePostgres.serving(version, 'wal', async (full, replica) => {
        const { clients } = replica;
        const { postgres } = full;
        const parent = freshNamespace();
        const stores = new Stores(clients, parent);
        await stores.try(BEFORE);
        const watch = await (await opened(replica, { parent })).live();
        full.fill();

        // Its first restart may find a little space.
        for (let turn = 0; !postgres.hasEnded; turn++) await stores.try(numbered(`turn${turn}-`, 3));
        expect(stores.refused.size).toBeGreaterThan(0);
        for (const refused of stores.refused.values()) expect(refused).toMatchObject(AWAY);
        await becomes(replica, Serving.NOT_SERVING);
        watch.cancel();
        for (const call of [stores.send('late'), textsOf(replica, parent), recalled(clients, parent, 'before3')]) {
          expect(await refusal(call)).toMatchObject(AWAY);
        }
        await expect(postgres.start()).rejects.toThrow('No space left on device');
        expect(await refusal(textsOf(replica, parent))).toMatchObject(AWAY);

        full.free();
        await postgres.start();
        const texts = await whenAvailable(() => textsOf(replica, parent));
        expect(texts).toEqual(expect.arrayContaining(stores.acknowledged));
        // Without an answer, a write may have taken effect: repeated, it has one.
        await whenAvailable(() => stores.try([...stores.refused.keys()]));
        expect(stores.refused.size).toBe(0);
        expect(await textsOf(replica, parent)).toEqual(stores.acknowledged.toSorted());
        await becomes(replica, Serving.SERVING);
        const former = watch.texts();
        const resumed = await opened(replica, { parent, resumeToken: watch.token() });
        const sent = stores.acknowledged.filter((id) => !BEFORE.includes(id));
        for (const text of sent.filter((id) => !former.includes(id))) await resumed.has(text);
        expect([...former, ...resumed.texts()].sort()).toEqual(sent.sort());
        resumed.cancel();
        expect(await brokenByRefusals(full)).toEqual([]);
      });
    },
    TIMEOUT_MS,
  );
});

describeWhere('a statement without a transaction, on a full disk of the log', () => {
  it('PostgreSQL ends all connections with the error of a full disk › it may have taken effect, and says so', async () => {
    await FullablePostgres.with(18, 'wal', async (full) => {
      const { postgres } = full;
      const database = new PostgresDatabase({ url: postgres.url, schema: 'public' });
      await database.read((session) => session.run(sql`CREATE TABLE t(x text)`));
      full.fill();
      const insert = async () => {
        for (;;)
          await database.read((session) =>
            session.run(sql`INSERT INTO t SELECT repeat('x', 1000) FROM generate_series(1, 100)`),
          );
      };
      const metadata = { backend: 'postgres', fault: 'disconnected' };
      await expect(insert()).rejects.toMatchObject({ reason: 'STORAGE_UNAVAILABLE', metadata });
      await database.close();
    });
  });
});
