import { randomUUID } from 'node:crypto';
import type { ServiceError } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { ChangeKind as Kind } from '../../gen/ts/mneme/v1/change.ts';
import { Tier } from '../../gen/ts/mneme/v1/memory.ts';
import {
  DeleteMemoryRequest,
  DemoteMemoriesRequest,
  ForgetMemoriesRequest,
  UpdateMemoryRequest,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { DeleteNamespaceRequest, ListNamespacesRequest } from '../../gen/ts/mneme/v1/namespace_service.ts';
import { ask, refusal, refusalOf } from '../grpc/support/ask.ts';
import { freshNamespace, get } from '../grpc/support/memories.ts';
import type { Replica } from './replicas.ts';
import { pairOfBlock } from './replicas-of-test.ts';

const DEADLINE = { deadlineMs: 30_000 };
const { pair, command } = pairOfBlock({ appendonly: 'yes', appendfsync: 'everysec' });

async function demote({ clients: { memories } }: Replica, parent: string, ids: readonly string[]): Promise<void> {
  const names = ids.map((id) => `${parent}/memories/${id}`);
  await ask(
    memories,
    memories.demoteMemories,
    DemoteMemoriesRequest.fromPartial({ parent, names, toTier: Tier.TIER_LONG_TERM }),
    DEADLINE,
  );
}

async function update({ clients: { memories } }: Replica, name: string, text: string): Promise<void> {
  const request = UpdateMemoryRequest.fromPartial({ memory: { name, text }, updateMask: ['text'] });
  await ask(memories, memories.updateMemory, request, DEADLINE);
}

/** Two servers that hold the same memories in long-term memory, each its own. */
async function bothHolding(...held: string[]) {
  const [here, there] = pair();
  const parent = freshNamespace();
  const ids = held.map(() => randomUUID());
  for (const [at, text] of held.entries()) await here.store(parent, { text }, ids[at] ?? '');
  expect(await there.texts(parent)).toEqual(held.toSorted());
  await demote(here, parent, ids);
  expect(await there.texts(parent)).toEqual(held.toSorted());
  expect(await command('HLEN', `mneme:{${parent.slice('namespaces/'.length)}}:ids`)).toBe(0);
  return { here, there, parent, names: ids.map((id) => `${parent}/memories/${id}`) };
}

describe('a memory that two servers hold below Redis', () => {
  it('deleted at one, by id or by a filter › is deleted at both, and a watcher of the other receives it', async () => {
    const { here, there, parent, names } = await bothHolding('one', 'two', 'three');
    const watching = await there.watch({ parent }).live();
    const { memories } = here.clients;
    await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name: names[0] ?? '' }), DEADLINE);
    expect(await refusal(get(there.clients, names[0] ?? ''))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    const all = ForgetMemoriesRequest.fromPartial({ parent, all: true });
    expect((await ask(memories, memories.forgetMemories, all, DEADLINE)).forgottenCount).toBe(2);
    for (const replica of [there, here]) expect(await replica.texts(parent)).toEqual([]);
    await watching.until(() => watching.changes().length >= 3);
    watching.cancel();
    expect(watching.changes().map(({ kind, name }) => [kind, name])).toEqual(
      names.map((name) => [Kind.CHANGE_KIND_DELETED, name]),
    );
  }, 240_000);

  it('updated at both by turns › is the same at both, and stays in long-term memory', async () => {
    const { here, there, parent, names } = await bothHolding('one', 'two');
    const name = names[0] ?? '';
    for (const [at, replica] of [here, there, here, there].entries()) {
      await update(replica, name, `state ${at}`);
      for (const other of [here, there]) {
        const memory = await get(other.clients, name);
        expect(memory.text).toBe(`state ${at}`);
      }
    }
    for (const replica of [here, there]) expect(await replica.texts(parent)).toEqual(['state 3', 'two']);
    expect(await command('HLEN', `mneme:{${parent.slice('namespaces/'.length)}}:ids`)).toBe(0);
  }, 240_000);

  it('updated at both at once › both reach the same state, which is an acknowledged one', async () => {
    const { here, there, parent, names } = await bothHolding('one');
    const written = Array.from({ length: 20 }, (_, at) => `state ${at}`);
    const acknowledged: string[] = [];
    const writing = written.map(async (text, at) => {
      try {
        await update(at % 2 === 0 ? here : there, names[0] ?? '', text);
        acknowledged.push(text);
      } catch (error) {
        // Concurrent writes came in between too often, which either of two layers detects: the caller may retry.
        const { reason } = refusalOf(error as ServiceError);
        expect(['VERSION_MISMATCH', 'OVERLOADED']).toContain(reason);
      }
    });
    await Promise.all(writing);
    const [one, two] = [await here.texts(parent), await there.texts(parent)];
    expect(one).toEqual(two);
    expect(acknowledged).toContain(one[0]);
  }, 240_000);

  it('changed while the other is down › it follows when it is back, also after it was killed in the middle of it', async () => {
    const { here, there, parent, names } = await bothHolding('one', 'two', 'three');
    await there.kill();
    const { memories } = here.clients;
    await update(here, names[1] ?? '', 'two, changed');
    await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name: names[0] ?? '' }), DEADLINE);
    await there.restart();
    const killed = there.texts(parent).catch(() => []);
    await there.restart();
    await killed;
    expect(await there.texts(parent)).toEqual(['three', 'two, changed']);
    expect(await refusal(get(there.clients, names[0] ?? ''))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
  }, 240_000);

  it('deleted at one that is killed during it › both have all of them or both have none', async () => {
    const held = Array.from({ length: 40 }, (_, at) => `text ${at}`);
    const { here, there, parent } = await bothHolding(...held);
    const { memories } = here.clients;
    const all = ForgetMemoriesRequest.fromPartial({ parent, all: true });
    const forgetting = ask(memories, memories.forgetMemories, all, DEADLINE).catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    await here.restart();
    await forgetting;
    const left = await here.texts(parent);
    expect(await there.texts(parent)).toEqual(left);
    expect([0, held.length]).toContain(left.length);
  }, 240_000);
});

describe('a namespace with memories below Redis', () => {
  it('deleted at one › is deleted at the other; created again, it has only later memories', async () => {
    const { here, there, parent } = await bothHolding('one', 'two');
    await here.store(parent, { text: 'hot' }, randomUUID());
    const { namespaces } = here.clients;
    await ask(
      namespaces,
      namespaces.deleteNamespace,
      DeleteNamespaceRequest.fromPartial({ name: parent, force: true }),
    );
    const list = ListNamespacesRequest.fromPartial({});
    const listed = await ask(there.clients.namespaces, there.clients.namespaces.listNamespaces, list, DEADLINE);
    expect(listed.namespaces.map(({ name }) => name)).not.toContain(parent);
    expect(await there.texts(parent)).toEqual([]);
    await there.store(parent, { text: 'after' }, randomUUID());
    for (const replica of [here, there]) expect(await replica.texts(parent)).toEqual(['after']);
  }, 240_000);

  it('deleted and created again while the other is stopped › the other has only later memories', async () => {
    const { here, there, parent, names } = await bothHolding('one', 'two');
    await there.kill();
    const { namespaces } = here.clients;
    await ask(
      namespaces,
      namespaces.deleteNamespace,
      DeleteNamespaceRequest.fromPartial({ name: parent, force: true }),
    );
    await here.store(parent, { text: 'after' }, randomUUID());
    await there.restart();
    expect(await there.texts(parent)).toEqual(['after']);
    expect(await refusal(get(there.clients, names[0] ?? ''))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    await there.restart();
    expect(await there.texts(parent)).toEqual(['after']);
  }, 240_000);
});
