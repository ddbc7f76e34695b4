import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeleteMemoryRequest, UpdateMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ListScopePoliciesRequest, SetScopePolicyRequest } from '../../../../gen/ts/mneme/v1/scope_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import type { TestServer } from '../support/test-server.ts';

let mneme: TestServer;

type Policy = NonNullable<Parameters<typeof SetScopePolicyRequest.fromPartial>[0]['policy']>;

const set = (parent: string, policy: Policy) =>
  ask(mneme.scopes, mneme.scopes.setScopePolicy, SetScopePolicyRequest.fromPartial({ parent, policy }));
const list = async (parent: string) =>
  (await ask(mneme.scopes, mneme.scopes.listScopePolicies, ListScopePoliciesRequest.fromPartial({ parent }))).policies;

async function seen(parent: string, scope?: object) {
  const recall = RecallRequest.fromPartial({
    minRelevance: 0,
    parent,
    text: 'tea',
    limit: 100,
    ...(scope ? { scope } : {}),
  });
  const { hits } = await ask(mneme.recalls, mneme.recalls.recall, recall);
  return hits.map(({ memory }) => memory?.name.split('/').at(-1)).sort();
}

async function family() {
  const parent = freshNamespace();
  const members = {
    everybody: {},
    project: { project: 'p' },
    ada: { project: 'p', agent: 'ada' },
    bob: { project: 'p', agent: 'bob' },
  };
  for (const [id, scope] of Object.entries(members)) await store(mneme, parent, { text: `tea of ${id}`, scope }, id);
  return parent;
}
const ada = { project: 'p', agent: 'ada' };

describe.each(MEMORY_BACKENDS)('a policy of a scope, with memories in %s', (backend) => {
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
  });
  afterAll(() => mneme.stop());

  it('private › callers outside do not see its memories, callers inside do', async () => {
    const parent = await family();
    await set(parent, { scope: ada, isPrivate: true });

    expect(await seen(parent)).toEqual(['bob', 'everybody', 'project']);
    expect(await seen(parent, { project: 'p' })).toEqual(['bob', 'everybody', 'project']);
    expect(await seen(parent, { ...ada, session: 's' })).toEqual(['ada', 'everybody', 'project']);
  });

  it('isolated › callers inside do not see memories of its ancestors', async () => {
    const parent = await family();
    await set(parent, { scope: { project: 'p' }, isolated: true });

    expect(await seen(parent, ada)).toEqual(['ada', 'project']);
    expect(await seen(parent)).toEqual(['ada', 'bob', 'everybody', 'project']);
  });

  it('read-only › its memories and those of its descendants cannot be stored, changed, moved or deleted', async () => {
    const parent = await family();
    await set(parent, { scope: { project: 'p' }, readOnly: true });
    const { memories } = mneme;
    const update = (id: string, memory: object, updateMask: string[]) =>
      ask(
        memories,
        memories.updateMemory,
        UpdateMemoryRequest.fromPartial({ memory: { name: `${parent}/memories/${id}`, ...memory }, updateMask }),
      );
    const refused = [
      store(mneme, parent, { text: 'tea', scope: ada }),
      update('ada', { text: 'more' }, ['text']),
      update('everybody', { scope: { project: 'p' } }, ['scope.project']),
      ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name: `${parent}/memories/project` })),
    ];

    for (const call of refused) {
      expect(await refusal(call)).toMatchObject({
        code: 'FAILED_PRECONDITION',
        reason: 'SCOPE_READ_ONLY',
        metadata: { scope: 'p' },
      });
    }
    await update('everybody', { text: 'tea for all' }, ['text']);
  });

  it('that allows everything › removes the policy', async () => {
    const parent = await family();
    await set(parent, { scope: ada, isPrivate: true, isolated: true });
    await set(parent, { scope: { project: 'p' }, readOnly: true });
    expect((await list(parent)).map(({ scope }) => scope?.agent)).toEqual(['', 'ada']);
    await set(parent, { scope: ada });

    expect(await list(parent)).toMatchObject([
      { scope: { project: 'p', agent: '' }, readOnly: true, isPrivate: false },
    ]);
    expect(await seen(parent)).toEqual(['ada', 'bob', 'everybody', 'project']);
  });

  it('of no scope, or in a namespace that is not there › is refused', async () => {
    const parent = await family();

    expect((await refusal(set(parent, { scope: {}, isPrivate: true }))).fields).toEqual(['policy.scope']);
    expect(await refusal(set(freshNamespace(), { scope: ada, isPrivate: true }))).toMatchObject({
      reason: 'NAMESPACE_NOT_FOUND',
    });
    expect(await list(freshNamespace())).toEqual([]);
  });
});
