import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CreateAgentSnapshotRequest,
  DiffAgentSnapshotsRequest,
  ForkAgentSnapshotRequest,
  RestoreAgentSnapshotRequest,
} from '../../../../gen/ts/mneme/v1/agent_service.ts';
import { MemoryView } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  DeleteMemoryRequest,
  ListMemoriesRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask } from '../support/ask.ts';
import { freshNamespace, get, store, vector } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import type { TestServer } from '../support/test-server.ts';

let mneme: TestServer;
const ada = { agent: 'ada' };
const FIRST = vector(0.1, -0.2, 1 / 3);
const OTHER = vector(3, 1e-30, -7);
const THIRD = vector(0.5, 0.5, 0.5);

const snapshot = (parent: string, snapshotId: string) =>
  ask(
    mneme.agents,
    mneme.agents.createAgentSnapshot,
    CreateAgentSnapshotRequest.fromPartial({ parent, snapshotId, scope: ada }),
  );
const restore = (parent: string, snapshotId: string) =>
  ask(mneme.agents, mneme.agents.restoreAgentSnapshot, RestoreAgentSnapshotRequest.fromPartial({ parent, snapshotId }));
const fork = (parent: string, snapshotId: string, agent: string) =>
  ask(
    mneme.agents,
    mneme.agents.forkAgentSnapshot,
    ForkAgentSnapshotRequest.fromPartial({ parent, snapshotId, toScope: { agent } }),
  );
async function changedSince(parent: string, snapshotId: string, agent?: string): Promise<string[]> {
  const to = agent === undefined ? undefined : { $case: 'toScope' as const, value: { agent } };
  const request = DiffAgentSnapshotsRequest.fromPartial({ parent, snapshotId, to });
  const { changedNames } = await ask(mneme.agents, mneme.agents.diffAgentSnapshots, request);
  return changedNames.map((name) => name.split('/').at(-1) ?? '').sort();
}
const setVector = (name: string, embedding: typeof FIRST | undefined, text?: string) =>
  ask(
    mneme.memories,
    mneme.memories.updateMemory,
    UpdateMemoryRequest.fromPartial({
      memory: { name, embedding, text },
      updateMask: text === undefined ? ['embedding'] : ['embedding', 'text'],
    }),
  );
const erase = (name: string) =>
  ask(mneme.memories, mneme.memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name }));
async function vectorsOf(parent: string, agent: string): Promise<Record<string, string>> {
  const request = ListMemoriesRequest.fromPartial({ parent, view: MemoryView.MEMORY_VIEW_FULL });
  const { memories } = await ask(mneme.memories, mneme.memories.listMemories, request);
  const own = memories.filter(({ scope }) => scope?.agent === agent);
  return Object.fromEntries(own.map(({ text, embedding }) => [text, hex(embedding?.dataF32le)]));
}
const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');

/** Three memories with vectors of the caller. */
async function remembered(): Promise<string> {
  const parent = freshNamespace();
  for (const id of ['kept', 'changed', 'erased']) {
    await store(mneme, parent, { text: id, scope: ada, embedding: FIRST }, id);
  }
  return parent;
}
const ALL_FIRST = { kept: hex(FIRST.dataF32le), changed: hex(FIRST.dataF32le), erased: hex(FIRST.dataF32le) };

describe.each(MEMORY_BACKENDS)('vectors supplied by callers (%s)', (backend) => {
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
  });
  afterAll(() => mneme.stop());

  it('forked › the branch has them bit for bit, at once, and is found by them', async () => {
    const parent = await remembered();
    await snapshot(parent, 's');
    await fork(parent, 's', 'eve');

    expect(await vectorsOf(parent, 'eve')).toEqual(ALL_FIRST);
    expect(await changedSince(parent, 's', 'eve')).toEqual([]);
    const cue = RecallRequest.fromPartial({ parent, scope: { agent: 'eve' }, embedding: FIRST, limit: 3 });
    const { hits } = await ask(mneme.recalls, mneme.recalls.recall, cue);
    expect(hits.map(({ memory }) => memory?.text).sort()).toEqual(['changed', 'erased', 'kept']);
  });

  it('forked after changes and deletions › the branch has the vectors of the snapshot', async () => {
    const parent = await remembered();
    await snapshot(parent, 's');
    await setVector(`${parent}/memories/changed`, OTHER);
    await setVector(`${parent}/memories/changed`, THIRD, 'with another text');
    await setVector(`${parent}/memories/erased`, OTHER);
    await erase(`${parent}/memories/erased`);
    await fork(parent, 's', 'eve');

    expect(await vectorsOf(parent, 'eve')).toEqual(ALL_FIRST);
  });

  it('changed, removed or added since › are listed by diff and reverted by restore', async () => {
    const parent = await remembered();
    await store(mneme, parent, { text: 'bare', scope: ada }, 'bare');
    const had = await vectorsOf(parent, 'ada');
    await snapshot(parent, 's');
    await setVector(`${parent}/memories/kept`, undefined);
    await setVector(`${parent}/memories/changed`, OTHER);
    await setVector(`${parent}/memories/bare`, OTHER);

    expect(await changedSince(parent, 's')).toEqual(['bare', 'changed', 'kept']);
    expect(await restore(parent, 's')).toMatchObject({ restoredCount: 3, erasedCount: 0 });
    expect(await vectorsOf(parent, 'ada')).toEqual(had);
    expect(await changedSince(parent, 's')).toEqual([]);
  });

  it('of two snapshots › each brings back its own', async () => {
    const parent = await remembered();
    await snapshot(parent, 'one');
    await setVector(`${parent}/memories/changed`, OTHER);
    await snapshot(parent, 'two');
    await setVector(`${parent}/memories/changed`, THIRD);
    for (const [id, expected] of [
      ['one', FIRST],
      ['two', OTHER],
      ['one', FIRST],
    ] as const) {
      await restore(parent, id);
      const { embedding } = await get(mneme, `${parent}/memories/changed`);
      expect(hex(embedding?.dataF32le)).toBe(hex(expected.dataF32le));
    }
  });
});
