import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CreateAgentSnapshotRequest,
  DeleteAgentSnapshotRequest,
  DiffAgentSnapshotsRequest,
  ForkAgentSnapshotRequest,
  ListAgentSnapshotsRequest,
  RestoreAgentSnapshotRequest,
} from '../../../../gen/ts/mneme/v1/agent_service.ts';
import {
  DeleteMemoryRequest,
  ListMemoriesRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { systemClock } from '../../../../src/memory/clock.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, json, store } from '../support/memories.ts';
import { SESSION_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import { sessionCalls } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';

let mneme: TestServer;
/** Time of the server, which a test can move on. */
const clock = { aheadUs: 0, nowUs: () => systemClock.nowUs() + clock.aheadUs };

const ada = { agent: 'ada' };

/** Three memories of ada and one of bob. */
async function remembered() {
  const parent = freshNamespace();
  for (const id of ['kept', 'changed', 'erased']) await store(mneme, parent, { text: `${id} then`, scope: ada }, id);
  await store(mneme, parent, { text: 'of bob', scope: { agent: 'bob' } }, 'bobs');
  return parent;
}
const calls = () => {
  const { agents, memories } = mneme;
  return {
    snapshot: (parent: string, snapshotId: string, scope: object = ada) =>
      ask(agents, agents.createAgentSnapshot, CreateAgentSnapshotRequest.fromPartial({ parent, snapshotId, scope })),
    drop: (parent: string, snapshotId: string) =>
      ask(agents, agents.deleteAgentSnapshot, DeleteAgentSnapshotRequest.fromPartial({ parent, snapshotId })),
    diff: async (parent: string, snapshotId: string, to?: DiffAgentSnapshotsRequest['to']) => {
      const request = DiffAgentSnapshotsRequest.fromPartial({ parent, snapshotId, to });
      const { addedNames, removedNames, changedNames } = await ask(agents, agents.diffAgentSnapshots, request);
      const ids = (names: string[]) => names.map((name) => name.split('/').at(-1)).sort();
      return { added: ids(addedNames), removed: ids(removedNames), changed: ids(changedNames) };
    },
    restore: (parent: string, snapshotId: string) =>
      ask(agents, agents.restoreAgentSnapshot, RestoreAgentSnapshotRequest.fromPartial({ parent, snapshotId })),
    fork: (parent: string, snapshotId: string, agent: string) =>
      ask(
        agents,
        agents.forkAgentSnapshot,
        ForkAgentSnapshotRequest.fromPartial({ parent, snapshotId, toScope: { agent } }),
      ),
    texts: async (parent: string, agent: string) => {
      const listed = await ask(memories, memories.listMemories, ListMemoriesRequest.fromPartial({ parent }));
      const own = listed.memories.filter(({ scope }) => scope?.agent === agent);
      return own.map(({ text }) => text).sort();
    },
    change: (name: string, text: string) =>
      ask(
        memories,
        memories.updateMemory,
        UpdateMemoryRequest.fromPartial({
          memory: { name, text, importance: 0.9 },
          updateMask: ['text', 'importance'],
        }),
      ),
    erase: (name: string) => ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name })),
  };
};

async function livedOn(parent: string) {
  const { change, erase } = calls();
  await change(`${parent}/memories/changed`, 'changed once');
  await change(`${parent}/memories/changed`, 'changed twice');
  await erase(`${parent}/memories/erased`);
  await store(mneme, parent, { text: 'later', scope: ada }, 'later');
}

describe.each(SESSION_BACKENDS)('a snapshot of an agent (%s)', (backend) => {
  beforeAll(async () => {
    clock.aheadUs = 0;
    mneme = await startSessionServer(backend, {}, { clock });
  });
  afterAll(() => mneme.stop());

  it('restored › restores changed and deleted memories, deletes later ones, and leaves others unchanged', async () => {
    const { snapshot, diff, restore, texts } = calls();
    const parent = await remembered();
    await snapshot(parent, 'before');
    await livedOn(parent);
    const changes = await diff(parent, 'before');
    const restored = await restore(parent, 'before');

    expect(changes).toEqual({ added: ['later'], removed: ['erased'], changed: ['changed'] });
    expect(restored).toMatchObject({ restoredCount: 2, erasedCount: 1 });
    expect(await texts(parent, 'ada')).toEqual(['changed then', 'erased then', 'kept then']);
    expect(await texts(parent, 'bob')).toEqual(['of bob']);
    expect(await diff(parent, 'before')).toEqual({ added: [], removed: [], changed: [] });
  });

  it('restored twice, and after deleting restored memories again › has the same result', async () => {
    const { snapshot, restore, erase, texts } = calls();
    const parent = await remembered();
    await snapshot(parent, 'before');
    for (let round = 0; round < 2; round++) {
      await erase(`${parent}/memories/erased`);
      await restore(parent, 'before');
      expect(await texts(parent, 'ada')).toEqual(['changed then', 'erased then', 'kept then']);
    }
  });

  it('of two moments › are compared, and either can be restored', async () => {
    const { snapshot, diff, restore, texts } = calls();
    const parent = await remembered();
    await snapshot(parent, 'first');
    await livedOn(parent);
    await snapshot(parent, 'second');

    expect(await diff(parent, 'first', { $case: 'toSnapshotId', value: 'second' })).toEqual({
      added: ['later'],
      removed: ['erased'],
      changed: ['changed'],
    });
    await restore(parent, 'first');
    await restore(parent, 'second');
    expect(await texts(parent, 'ada')).toEqual(['changed twice', 'kept then', 'later']);
  });

  it('forked › the branch has its own copies; a comparison pairs them with their originals', async () => {
    const { snapshot, diff, fork, change, texts } = calls();
    const parent = await remembered();
    await snapshot(parent, 'before');
    const first = await fork(parent, 'before', 'eve');
    const second = await fork(parent, 'before', 'eve');
    const toScope = {
      $case: 'toScope',
      value: { namespace: '', project: '', agentType: '', agent: 'eve', session: '' },
    };
    const untouched = await diff(parent, 'before', toScope as DiffAgentSnapshotsRequest['to']);
    await change(`${parent}/memories/changed`, 'by ada');
    await store(mneme, parent, { text: 'by eve', scope: { agent: 'eve' } }, 'own');

    expect([first.copiedCount, second.copiedCount]).toEqual([3, 0]);
    expect(untouched).toEqual({ added: [], removed: [], changed: [] });
    expect(await diff(parent, 'before', toScope as DiffAgentSnapshotsRequest['to'])).toMatchObject({ added: ['own'] });
    expect(await texts(parent, 'eve')).toEqual(['by eve', 'changed then', 'erased then', 'kept then']);
  });

  it('when a memory has expired since › it is not brought back', async () => {
    const { snapshot, restore, texts, erase } = calls();
    const parent = freshNamespace();
    const expireTime = { seconds: BigInt(Math.ceil(Date.now() / 1000) + 1), nanos: 0 };
    await store(mneme, parent, { text: 'short', scope: ada, expireTime }, 'short');
    await store(mneme, parent, { text: 'long', scope: ada, content: json({ a: 1 }) }, 'long');
    await snapshot(parent, 'before');
    await erase(`${parent}/memories/long`);
    clock.aheadUs = 10_000_000;
    await restore(parent, 'before');

    expect(await texts(parent, 'ada')).toEqual(['long']);
  });

  it('taken by a pause › is restored by the resume', async () => {
    const { texts } = calls();
    const { spawn, pause, resume } = sessionCalls(mneme);
    const parent = await remembered();
    const { session } = await spawn({ parent, scope: ada });
    const name = session?.name ?? '';
    const paused = await pause({ session: name, includeMemories: true });
    await livedOn(parent);
    await resume({ session: name, restoreMemories: true });

    expect(paused.session?.agentSnapshotId).not.toBe('');
    expect(await texts(parent, 'ada')).toEqual(['changed then', 'erased then', 'kept then']);
  });

  it('bad requests › are refused with the field or the reason', async () => {
    const { snapshot, fork, restore, drop, diff } = calls();
    const parent = await remembered();
    await snapshot(parent, 'one');

    expect(await refusal(snapshot(parent, 'one'))).toMatchObject({
      code: 'ALREADY_EXISTS',
      reason: 'SNAPSHOT_EXISTS',
    });
    expect((await refusal(snapshot(parent, 'a b', { session: 's' }))).fields).toEqual([
      'scope.agent',
      'scope.session',
      'snapshot_id',
    ]);
    expect((await refusal(fork(parent, 'one', 'ada'))).fields).toEqual(['to_scope.agent']);
    for (const call of [() => restore(parent, 'none'), () => diff(parent, 'none'), () => drop(parent, 'none')]) {
      expect(await refusal(call())).toMatchObject({ code: 'NOT_FOUND', reason: 'SNAPSHOT_NOT_FOUND' });
    }
    const { spawn, pause, resume } = sessionCalls(mneme);
    const { session } = await spawn({ parent });
    const name = session?.name ?? '';
    expect((await refusal(pause({ session: name, includeMemories: true }))).fields).toEqual(['include_memories']);
    await pause({ session: name });
    expect((await refusal(resume({ session: name, restoreMemories: true }))).fields).toEqual(['restore_memories']);
  });

  it('deleted › is no longer listed, and its retained data is deleted', async () => {
    const { snapshot, drop, erase, restore } = calls();
    const parent = await remembered();
    for (const id of ['a', 'b', 'c']) await snapshot(parent, id);
    await erase(`${parent}/memories/erased`);
    await drop(parent, 'b');
    const { agents } = mneme;
    const list = (pageToken: string) =>
      ask(agents, agents.listAgentSnapshots, ListAgentSnapshotsRequest.fromPartial({ parent, pageSize: 1, pageToken }));
    const first = await list('');
    const second = await list(first.nextPageToken);

    expect([...first.snapshots, ...second.snapshots].map(({ id }) => id)).toEqual(['a', 'c']);
    expect(second.nextPageToken).toBe('');
    expect((await restore(parent, 'a')).restoredCount).toBe(1);
  });
});
