import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DeleteRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { ask } from '../grpc/support/ask.ts';
import { FollowedAnswer, recalledNames } from '../grpc/support/followed-answer.ts';
import { freshNamespace } from '../grpc/support/memories.ts';
import { RedisCluster } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';
import { Replica } from './replicas.ts';

const DEADLINE = { deadlineMs: 30_000 };
const replicas: Replica[] = [];

afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop();
});

async function start(url: string): Promise<Replica> {
  const replica = await Replica.start(url);
  replicas.push(replica);
  return replica;
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `n${from + at}`);
const logOf = (parent: string) => `mneme:{${parent.slice('namespaces/'.length)}}:log`;

describe('a shared log that was trimmed beyond what a server has seen', () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await RedisServer.started({ appendonly: 'yes', appendfsync: 'everysec' });
  });
  afterEach(() => redis.stop());

  it('the server lists all that is there; its watchers miss nothing, those of others are to list; then all is in order', async () => {
    const [here, there] = [await start(redis.url), await start(redis.url)];
    const parent = freshNamespace();
    await there.store(parent, { text: 'before' }, randomUUID());
    const [own, other] = [await here.watch({ parent }).live(), await there.watch({ parent }).live()];
    await there.store(parent, { text: 'seen' }, randomUUID());
    for (const stream of [own, other]) await stream.has('seen');
    const theirs = other.token();
    await here.kill();
    await own.outcome();
    for (const text of numbered(30)) await there.store(parent, { text }, randomUUID());
    await redis.command('XTRIM', logOf(parent), 'MAXLEN', '5');
    await here.restart();

    expect(await here.texts(parent)).toEqual([...numbered(30), 'before', 'seen'].sort());
    const resumed = here.watch({ parent, resumeToken: own.token() });
    await resumed.until(() => numbered(30).every((text) => resumed.texts().includes(text)));
    expect(resumed.texts().toSorted()).toEqual(numbered(30).sort());
    const strange = here.watch({ parent, resumeToken: theirs });
    expect(await strange.outcome()).toMatchObject({ code: status.OUT_OF_RANGE });
    for (const text of numbered(20, 30)) await there.store(parent, { text }, randomUUID());
    for (const stream of [resumed, other]) {
      await stream.has('n49');
      stream.cancel();
    }
    expect(resumed.texts().slice(30)).toEqual(numbered(20, 30));
    expect(other.texts()).toEqual(['seen', ...numbered(50)]);
  }, 90_000);

  it('a standing query opened after it › its state is what Recall answers at both', async () => {
    const [here, there] = [await start(redis.url), await start(redis.url)];
    const parent = freshNamespace();
    await there.store(parent, { text: 'a cello' }, randomUUID());
    expect(await here.texts(parent)).toEqual(['a cello']);
    await here.kill();
    for (const text of numbered(10)) await there.store(parent, { text: `cello ${text}` }, randomUUID());
    await redis.command('XTRIM', logOf(parent), 'MAXLEN', '2');
    await here.restart();
    const standing = new FollowedAnswer(here.clients, { parent, text: 'cello', limit: 20 });
    await standing.until(({ event }) => event?.$case === 'progress');
    expect(standing.names()).toHaveLength(11);
    const last = randomUUID();
    await there.store(parent, { text: 'one more cello' }, last);
    await standing.until(() => standing.names().includes(`${parent}/memories/${last}`), 30_000);
    const expected = await recalledNames(here.clients, standing.query);
    await standing.until(() => JSON.stringify(standing.names()) === JSON.stringify(expected));
    standing.cancel();
    expect((await recalledNames(there.clients, standing.query)).toSorted()).toEqual(expected.toSorted());
  }, 90_000);
});

describe('two servers over a Redis cluster of six', () => {
  let cluster: RedisCluster;
  beforeEach(async () => {
    cluster = await RedisCluster.started();
  }, 60_000);
  afterEach(() => cluster.stop());

  it('changes in namespaces on different nodes › each server tells them in order, and goes on from the token of the other', async () => {
    const url = cluster.urls.slice(0, 2).join(',');
    const [one, two] = [await start(url), await start(url)];
    const parents = Array.from({ length: 6 }, freshNamespace);
    for (const parent of parents) {
      const id = randomUUID();
      await two.store(parent, { text: 'before' }, id);
      const first = await one.watch({ parent }).live();
      for (const text of numbered(10)) await two.store(parent, { text }, randomUUID());
      await first.has('n9');
      first.cancel();
      expect(first.texts()).toEqual(numbered(10));
      const { memories } = one.clients;
      await ask(memories, memories.delete, DeleteRequest.fromPartial({ name: `${parent}/memories/${id}` }), DEADLINE);
      for (const text of numbered(5, 10)) await one.store(parent, { text }, randomUUID());
      const second = two.watch({ parent, resumeToken: first.token() });
      await second.has('n14');
      second.cancel();
      expect(second.changes().map(({ memory }) => memory?.text)).toEqual([undefined, ...numbered(5, 10)]);
      for (const replica of [one, two]) expect(await replica.texts(parent)).toEqual(numbered(15).sort());
    }
  }, 120_000);
});
