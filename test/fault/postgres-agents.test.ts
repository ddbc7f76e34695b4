import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CreateAgentSnapshotRequest,
  DiffAgentSnapshotsRequest,
  RestoreAgentSnapshotRequest,
} from '../../gen/ts/mneme/v1/agent_service.ts';
import { CreateSubscriptionRequest } from '../../gen/ts/mneme/v1/subscription_service.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { Consumer } from '../server/grpc/support/consumer.ts';
import { freshNamespace } from '../server/grpc/support/memories.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { Replica } from './replicas.ts';

const DEADLINE = { deadlineMs: 60_000 };
let postgres: PostgresServer;
const replicas: Replica[] = [];
beforeAll(async () => {
  postgres = await PostgresServer.started({ version: 16, parameters: { fsync: 'off' } });
}, 120_000);
afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop();
});
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
});

async function start(): Promise<Replica> {
  const replica = await Replica.startWith({ MNEME_POSTGRES_URL: postgres.url });
  replicas.push(replica);
  return replica;
}

describe('what servers over one PostgreSQL own besides memories', () => {
  it('a snapshot of an agent taken at one › compared and restored at another, whose folder is new', async () => {
    const [one, other] = [await start(), await start()];
    const parent = freshNamespace();
    const scope = { agent: 'ada' };
    await one.store(parent, { text: 'then', scope }, 'kept');
    const { agents } = one.clients;
    const take = CreateAgentSnapshotRequest.fromPartial({ parent, scope, snapshotId: 'one' });
    await ask(agents, agents.createAgentSnapshot, take, DEADLINE);
    await one.store(parent, { text: 'later', scope }, 'later');
    await one.kill();
    const there = other.clients.agents;
    const diff = DiffAgentSnapshotsRequest.fromPartial({ parent, snapshotId: 'one' });
    expect((await ask(there, there.diffAgentSnapshots, diff, DEADLINE)).addedNames).toEqual([
      `${parent}/memories/later`,
    ]);
    const restore = RestoreAgentSnapshotRequest.fromPartial({ parent, snapshotId: 'one', requestId: randomUUID() });
    const restored = await ask(there, there.restoreAgentSnapshot, restore, DEADLINE);
    expect([restored.restoredCount, restored.erasedCount]).toEqual([0, 1]);
    expect(await other.texts(parent)).toEqual(['then']);
  }, 240_000);

  it('the data folder of the only server is deleted › consumers and snapshots are as they were', async () => {
    const server = await start();
    const parent = freshNamespace();
    await server.store(parent, { text: 'before', scope: { agent: 'ada' } }, randomUUID());
    const { subscriptions, agents } = server.clients;
    const fields = { parent, subscriptionId: 's', subscription: {} };
    const made = await ask(
      subscriptions,
      subscriptions.createSubscription,
      CreateSubscriptionRequest.fromPartial(fields),
      DEADLINE,
    );
    const name = made.subscription?.name ?? '';
    const take = CreateAgentSnapshotRequest.fromPartial({ parent, scope: { agent: 'ada' }, snapshotId: 'one' });
    await ask(agents, agents.createAgentSnapshot, take, DEADLINE);
    const first = new Consumer(server.clients, name, 'ann');
    for (const text of ['1', '2', '3']) await server.store(parent, { text }, randomUUID());
    await first.has(3);
    const second = first.changes()[1]?.revision ?? 0n;
    first.acknowledge(second);
    await first.until(({ acknowledgedRevision }) => acknowledgedRevision >= second);
    await server.kill();
    await rm(server.data, { recursive: true });
    await server.restart();
    const again = new Consumer(server.clients, name, 'ann');
    await again.has(1);
    await server.store(parent, { text: '4' }, randomUUID());
    await again.has(2);
    expect(again.texts()).toEqual(['3', '4']);
    const { agents: back } = server.clients;
    const diff = DiffAgentSnapshotsRequest.fromPartial({ parent, snapshotId: 'one' });
    expect((await ask(back, back.diffAgentSnapshots, diff, DEADLINE)).changedCount).toBe(0);
    again.cancel();
  }, 240_000);
});
