import { afterEach, describe, expect, it } from '@jest/globals';
import { Namespace, type UpdateNamespaceRequest } from '../../gen/ts/mneme/v1/namespace_service.ts';
import { cleanUp } from '../client/support/clean-up.ts';
import { unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

async function updating() {
  const requests: UpdateNamespaceRequest[] = [];
  const namespace = Namespace.fromPartial({
    name: 'namespaces/a',
    createTime: { seconds: 1_700_000_000n, nanos: 0 },
    memoryLimit: 5,
    settings: { 'short_term.ttl': '2h' },
  });
  const run = await against({
    namespaces: {
      getNamespace: unary(() => ({ namespace })),
      updateNamespace: unary<UpdateNamespaceRequest, object>((request) => {
        requests.push(request);
        return { namespace, revision: 1n };
      }),
    },
  });
  return { run, requests };
}

describe('mneme namespaces update, get', () => {
  it('settings, a limit, a key taken back › are sent, and the namespace is shown', async () => {
    const { run, requests } = await updating();
    const flags = ['--set', 'short_term.ttl=2h', '--set', 'long_term.types=a=b', '--unset', 'long_term.vector'];
    const update = await run(['namespaces', 'update', 'a', ...flags, '--memory-limit', '0', '--allow-demotion']);

    expect(requests).toMatchObject([
      {
        namespace: {
          name: 'namespaces/a',
          memoryLimit: 0,
          settings: { 'short_term.ttl': '2h', 'long_term.types': 'a=b', 'long_term.vector': '' },
        },
        updateMask: ['memory_limit', 'settings'],
        allowDemotion: true,
      },
    ]);
    expect(update.stdout).toContain('short_term.ttl  2h\n');
    expect((await run(['namespaces', 'get', 'a'])).stdout).toBe(update.stdout);
    expect(JSON.parse((await run(['namespaces', 'get', 'a', '--json'])).stdout)).toMatchObject({
      id: 'a',
      settings: { 'short_term.ttl': '2h' },
    });
  });

  it('no key, no value, nothing to change › a wrong command, and nothing is sent', async () => {
    const { run, requests } = await updating();
    for (const provided of ['short_term.ttl', '=2h', 'short_term.ttl=']) {
      const wrong = await run(['namespaces', 'update', 'a', '--set', provided]);
      expect(wrong.code).toBe(2);
      expect(wrong.stderr).toContain('key=value, such as short_term.ttl=2h');
    }
    const nothing = await run(['namespaces', 'update', 'a']);
    expect(nothing.code).toBe(2);
    expect(nothing.stderr).toContain('nothing to change');
    expect(requests).toEqual([]);
  });
});
