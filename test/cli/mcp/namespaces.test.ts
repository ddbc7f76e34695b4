import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../../clients/typescript/src/index.ts';
import { serveMneme } from '../support/serve-mneme.ts';
import { type McpHost, REVISIONS, startMcpHost } from './support/mcp-host.ts';

let server: Awaited<ReturnType<typeof serveMneme>>;
beforeAll(async () => {
  server = await serveMneme();
  const mneme = connect(server.address, { namespace: 'bob' });
  await mneme.store({ id: 'door', text: "Bob's name for the door is Gandalf." });
  await mneme.close();
});
afterAll(() => server.stop());

const OTHERS = [
  'mneme://namespaces/bob/recall?text=name',
  'mneme://namespaces/bob/recall?filter_text=type%20exists',
  'mneme://namespaces/b%6Fb/recall?text=name',
  'mneme://namespaces/bob/memories/door',
  'mneme://namespaces/nobody/recall?text=name',
];

describe.each(REVISIONS)('M2 X5 resources of mneme mcp --namespace alice, revision %s', (revision) => {
  let host: McpHost;
  beforeAll(async () => {
    host = await startMcpHost(revision, ['--server', server.address, '--namespace', 'alice']);
    if (revision === REVISIONS[0]) await host.call('remember', { text: 'Alice has a red bicycle.' });
  });
  afterAll(() => host.close());

  it.each(OTHERS)('%s is refused, whether the namespace exists or not', async (uri) => {
    const reason = /this server has the namespace alice only/;
    await expect(host.client.readResource({ uri })).rejects.toThrow(reason);
    if (revision === '2025-11-25' && uri.includes('recall')) {
      await expect(host.client.subscribeResource({ uri })).rejects.toThrow(reason);
    }
  });

  it('lists and completes what is in its namespace alone', async () => {
    const { resources } = await host.client.listResources();
    expect(resources.map(({ title }) => title)).toEqual(['Alice has a red bicycle.']);
    const ref = { type: 'ref/resource' as const, uri: 'mneme://namespaces/{namespace}/memories/{id}' };
    const namespaces = await host.client.complete({ ref, argument: { name: 'namespace', value: '' } });
    expect(namespaces.completion.values).toEqual(['alice']);
    const ids = { ref, argument: { name: 'id', value: '' }, context: { arguments: { namespace: 'bob' } } };
    await expect(host.client.complete(ids)).rejects.toThrow(/alice only/);
  });
});

describe('mneme mcp --all-namespaces', () => {
  it('serves the resources of every namespace', async () => {
    const host = await startMcpHost('2025-11-25', ['--server', server.address, '--all-namespaces']);
    try {
      const { contents } = await host.client.readResource({ uri: 'mneme://namespaces/bob/memories/door' });
      expect(JSON.stringify(contents)).toContain('Gandalf');
    } finally {
      await host.close();
    }
  });
});
