import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { BuildContextRequest } from '../../gen/ts/mneme/v1/context_service.ts';
import {
  BatchGetMemoriesRequest,
  DeleteMemoryRequest,
  ExportMemoriesRequest,
  type ExportMemoriesResponse,
  GetMemoryRequest,
  ListMemoriesRequest,
  ListMemoryRevisionsRequest,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../server/grpc/support/ask.ts';
import { freshNamespace, store } from '../server/grpc/support/memories.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';
import { brokenRules } from './postgres-rules.ts';
import { opened, Replica } from './replicas.ts';

const replicas: Replica[] = [];
let postgres: PostgresServer;
let redis: RedisServer;
let name: string;
let schemas = 0;
beforeAll(async () => {
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
}, 120_000);
beforeEach(async () => {
  name = `lost_${++schemas}`;
  redis = await RedisServer.started({ appendonly: 'yes', appendfsync: 'always' });
});
afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop();
  await redis.stop();
});
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
});

async function start(): Promise<Replica> {
  const replica = await Replica.startWith({
    ...postgres.envOf(name),
    MNEME_POSTGRES_STATEMENT_TIMEOUT_MS: '60000',
    MNEME_REDIS_URL: redis.url,
    MNEME_REDIS_KEY_PREFIX: name,
    MNEME_BACKEND_PROBE_INTERVAL_MS: '100',
    MNEME_UPPER_TIERS: 'redis',
  });
  replicas.push(replica);
  return replica;
}

const bodiesInRedis = async () => ((await redis.command('KEYS', `${name}:body:*`)) as string[]).length;
const textAt = async ({ clients: { memories } }: Replica, memory: string) =>
  (await ask(memories, memories.getMemory, GetMemoryRequest.fromPartial({ name: memory }))).memory?.text;
const recalledAt = ({ clients: { recalls } }: Replica, parent: string, text: string) =>
  ask(recalls, recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, parent, text }));
async function textsRecalledAt(replica: Replica, parent: string, text: string): Promise<(string | undefined)[]> {
  return (await recalledAt(replica, parent, text)).hits.map(({ memory }) => memory?.text);
}
const listedAt = ({ clients: { memories } }: Replica, parent: string) =>
  ask(memories, memories.listMemories, ListMemoriesRequest.fromPartial({ parent, pageSize: 1000 }));
const remove = ({ clients: { memories } }: Replica, memory: string) =>
  ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name: memory }));

/** Parts of the server that are degraded by texts that Redis does not have. */
async function degradedAt({ clients: { admin } }: Replica): Promise<string[]> {
  const { degraded } = await ask(admin, admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
  return degraded.filter((text) => text.startsWith('upper tiers'));
}

async function exportedAt({ clients: { memories } }: Replica, parent: string) {
  const texts: string[] = [];
  const damaged: string[] = [];
  const answers: AsyncIterable<ExportMemoriesResponse> = memories.exportMemories(
    ExportMemoriesRequest.fromPartial({ parent }),
  );
  for await (const answer of answers) {
    texts.push(...answer.memories.map(({ text }) => text));
    damaged.push(...answer.damaged);
  }
  return { texts: texts.sort(), damaged };
}

const RED = 'The red house has a garden.';
const BLUE = 'The blue boat has a sail.';

describe('Redis with texts of the upper tiers loses them', () => {
  it('emptied › the server whose view has them answers as before, and puts them back', async () => {
    const one = await start();
    const parent = freshNamespace();
    const { name: red } = await store(one.clients, parent, { text: RED }, 'red');
    await store(one.clients, parent, { text: BLUE }, 'blue');
    expect(await textsRecalledAt(one, parent, 'red')).toEqual([RED, BLUE]);
    await redis.command('FLUSHALL');
    expect(await textAt(one, red)).toBe(RED);
    expect(await one.texts(parent)).toEqual([BLUE, RED]);
    expect(await textsRecalledAt(one, parent, 'blue')).toEqual([BLUE, RED]);
    expect(await exportedAt(one, parent)).toEqual({ texts: [BLUE, RED], damaged: [] });
    await until('the texts are in Redis', async () => (await bodiesInRedis()) === 2);
    await until('nothing is degraded', async () => (await degradedAt(one)).length === 0);
    expect((await recalledAt(one, parent, 'blue')).degraded).toEqual([]);
  });

  it('emptied while nothing is read, and before a restart › a pass puts them back', async () => {
    const [one, other] = [await start(), await start()];
    const parent = freshNamespace();
    await store(one.clients, parent, { text: RED }, 'red');
    expect((await recalledAt(one, parent, 'red')).hits).toHaveLength(1);
    await redis.command('FLUSHALL');
    await until('the text is in Redis', async () => (await bodiesInRedis()) === 1);
    await one.kill();
    await redis.command('FLUSHALL');
    await one.restart();
    await until('the text is in Redis again', async () => (await bodiesInRedis()) === 1);
    expect((await recalledAt(other, parent, 'red')).hits).toHaveLength(1);
    expect(await textAt(other, `${parent}/memories/red`)).toBe(RED);
  });

  it('no view has them › lost in every call alike, and said so; a server with a view comes › all is well', async () => {
    const [one, other] = [await start(), await start()];
    const parent = freshNamespace();
    const { name: red } = await store(one.clients, parent, { text: RED }, 'red');
    expect((await recalledAt(one, parent, 'red')).hits).toHaveLength(1);
    await one.kill();
    await redis.command('FLUSHALL');
    const { memories, contexts } = other.clients;
    expect(await refusal(textAt(other, red))).toMatchObject({ code: 'DATA_LOSS', reason: 'CHECKSUM_MISMATCH' });
    expect(await listedAt(other, parent)).toMatchObject({ memories: [], damaged: [red] });
    const recalled = await recalledAt(other, parent, 'red');
    const says = expect.stringMatching(/^upper tiers: Redis does not have 1 text, noticed at .*Z; .*mneme verify/);
    expect(recalled).toMatchObject({ hits: [], degraded: [{ part: 'texts', reason: says }] });
    const filtered = () => {
      const request = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'red', filterText: 'text:"house"' });
      return ask(other.clients.recalls, other.clients.recalls.recall, request);
    };
    expect((await filtered()).degraded.map(({ part }) => part)).toContain('texts');
    const batch = BatchGetMemoriesRequest.fromPartial({ parent, names: [red] });
    expect((await ask(memories, memories.batchGetMemories, batch)).damaged).toEqual([red]);
    const revisions = ListMemoryRevisionsRequest.fromPartial({ name: red });
    expect((await ask(memories, memories.listMemoryRevisions, revisions)).damagedCount).toBe(1);
    expect(await exportedAt(other, parent)).toEqual({ texts: [], damaged: [red] });
    const build = BuildContextRequest.fromPartial({
      parent,
      query: 'red',
      budget: { $case: 'tokenBudget', value: 1000 },
    });
    expect((await ask(contexts, contexts.buildContext, build)).degraded).toContainEqual({
      part: 'texts',
      reason: says,
    });
    expect(await degradedAt(other)).toEqual([says]);
    await one.restart();
    await until('the text is in Redis', async () => (await bodiesInRedis()) === 1);
    expect(await textAt(other, red)).toBe(RED);
    await until('nothing is degraded', async () => (await degradedAt(other)).length === 0);
    expect(await other.texts(parent)).toEqual([RED]);
    expect(await textsRecalledAt(other, parent, 'red')).toEqual([RED]);
    expect((await recalledAt(other, parent, 'red')).degraded).toEqual([]);
    const { hits, degraded } = await filtered();
    expect([hits.map(({ memory }) => memory?.text), degraded]).toEqual([[RED], []]);
  });

  it('killed › reads and deletions go on, stores are refused; back › all is there', async () => {
    const one = await start();
    const parent = freshNamespace();
    const { name: red } = await store(one.clients, parent, { text: RED }, 'red');
    const { name: blue } = await store(one.clients, parent, { text: BLUE }, 'blue');
    const watch = await (await opened(one, { parent })).live();
    await redis.kill();
    expect(await refusal(store(one.clients, parent, { text: 'late' }, 'late'))).toMatchObject({
      code: 'UNAVAILABLE',
      metadata: { backend: 'redis' },
    });
    expect(await textAt(one, red)).toBe(RED);
    await remove(one, blue);
    expect(await one.texts(parent)).toEqual([RED]);
    expect(await textsRecalledAt(one, parent, 'red')).toEqual([RED]);
    await watch.until(() => watch.changes().some(({ name: changed }) => changed === blue));
    await redis.start();
    await one.store(parent, { text: 'late' }, 'late');
    expect(await one.texts(parent)).toEqual([RED, 'late']);
    await until('what was deleted is erased', async () => (await bodiesInRedis()) === 2);
    watch.cancel();
  });

  it('killed with -9 while it puts them back › the rest comes after the restart', async () => {
    const [one] = [await start(), await start()];
    const parent = freshNamespace();
    const texts = Array.from(
      { length: 300 },
      (_, at) => `The house number ${String(at).padStart(3, '0')} has a garden.`,
    );
    await Promise.all(texts.map((text, at) => store(one.clients, parent, { text }, `house-${at}`)));
    expect(await one.texts(parent)).toEqual(texts);
    await redis.command('FLUSHALL');
    await until('some are there', async () => (await bodiesInRedis()) > 0);
    await one.kill();
    await one.restart();
    await until('all are there', async () => (await bodiesInRedis()) === texts.length);
    expect(await one.texts(parent)).toEqual(texts);
    expect(await textAt(one, `${parent}/memories/house-299`)).toBe(texts[299]);
    expect(await brokenRules(postgres.url, name)).toEqual([]);
  });
});
