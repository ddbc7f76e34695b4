import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GetMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { DeleteNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { SetScopePolicyRequest } from '../../../../gen/ts/mneme/v1/scope_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { callingFrom, type ScopedClients } from '../support/calling-from.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import type { TestServer } from '../support/test-server.ts';

type Policy = NonNullable<Parameters<typeof SetScopePolicyRequest.fromPartial>[0]['policy']>;
type CallerName = 'ada' | 'bob' | 'nobody' | 'operator';

const ada = { project: 'p', agent: 'ada' };
const HEADERS: Record<CallerName, string> = {
  ada: 'project=p&agent=ada',
  bob: 'project=p&agent=bob',
  nobody: '',
  operator: '*',
};

describe.each(MEMORY_BACKENDS)('a namespace with policies, with memories in %s', (backend) => {
  let mneme: TestServer;
  const callers = {} as Record<CallerName, ScopedClients>;
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
    for (const [name, header] of Object.entries(HEADERS)) callers[name as CallerName] = callingFrom(mneme, header);
  });
  afterAll(async () => {
    for (const caller of Object.values(callers)) caller.close();
    await mneme.stop();
  });

  const set = (parent: string, policy: Policy, { scopes } = callers.ada) =>
    ask(scopes, scopes.setScopePolicy, SetScopePolicyRequest.fromPartial({ parent, policy }));
  const remove = ({ namespaces }: ScopedClients, name: string, more: object = {}) =>
    ask(namespaces, namespaces.deleteNamespace, DeleteNamespaceRequest.fromPartial({ name, force: true, ...more }));
  const read = ({ memories }: ScopedClients, parent: string) =>
    ask(memories, memories.getMemory, GetMemoryRequest.fromPartial({ name: `${parent}/memories/ada` }));

  async function ofAda(policy: Policy): Promise<string> {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'tea of ada', scope: ada }, 'ada');
    await set(parent, policy);
    return parent;
  }

  it('private to one agent › DeleteNamespace with force by others is refused, and everything is left', async () => {
    const parent = await ofAda({ scope: ada, isPrivate: true });

    for (const caller of [callers.bob, callers.nobody]) {
      expect(await refusal(remove(caller, parent))).toMatchObject({
        code: 'PERMISSION_DENIED',
        reason: 'SCOPE_PRIVATE',
        metadata: { name: parent },
      });
    }
    expect((await read(callers.ada, parent)).memory?.text).toBe('tea of ada');
    expect((await remove(callers.operator, parent)).forgottenCount).toBe(1);
  });

  it('isolated agent › may not delete the namespace, of which it sees a part only', async () => {
    const parent = await ofAda({ scope: ada, isolated: true });

    expect(await refusal(remove(callers.ada, parent))).toMatchObject({ reason: 'SCOPE_PRIVATE' });
    await remove(callers.bob, parent);
  });

  it('with a read-only memory › no caller deletes it, an operator neither, until the policy is removed', async () => {
    const parent = await ofAda({ scope: { project: 'p' }, readOnly: true });

    for (const caller of Object.values(callers)) {
      expect(await refusal(remove(caller, parent))).toMatchObject({
        code: 'FAILED_PRECONDITION',
        reason: 'SCOPE_READ_ONLY',
        metadata: { scope: 'p' },
      });
    }
    expect((await read(callers.ada, parent)).memory?.text).toBe('tea of ada');
    await set(parent, { scope: { project: 'p' } });
    await remove(callers.ada, parent);
  });

  it('with a read-only scope without memories › is deleted; repeated, the answer is the first one', async () => {
    const parent = await ofAda({ scope: { agent: 'eve' }, readOnly: true });
    const first = await remove(callers.nobody, parent, { requestId: 'once' });
    await store(mneme, parent, { text: 'later tea', scope: ada }, 'ada');
    await set(parent, { scope: ada, isPrivate: true });

    expect(await remove(callers.nobody, parent, { requestId: 'once' })).toEqual(first);
    expect((await read(callers.ada, parent)).memory?.text).toBe('later tea');
  });

  it('a policy of another agent › is neither lifted nor replaced from outside its scope', async () => {
    const parent = await ofAda({ scope: ada, isPrivate: true, readOnly: true });

    expect(await refusal(set(parent, { scope: ada }, callers.bob))).toMatchObject({ reason: 'SCOPE_PRIVATE' });
    expect(await refusal(read(callers.bob, parent))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    await set(parent, { scope: ada }, callers.ada);
    await read(callers.bob, parent);
  });
});
