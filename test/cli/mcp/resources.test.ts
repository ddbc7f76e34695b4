import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type McpHost, REVISIONS, startMcpHost } from './support/mcp-host.ts';

const COUNT = 120;

describe.each(REVISIONS)('resources, revision %s', (revision) => {
  let host: McpHost;
  beforeAll(async () => {
    host = await startMcpHost(revision);
    const memories = Array.from({ length: COUNT }, (_, n) => ({ text: `Parcel ${n} has come.`, tags: ['parcel'] }));
    await host.call('remember', { memories: memories.slice(0, 100) });
    await host.call('remember', { memories: memories.slice(100) });
  });
  afterAll(() => host.close());

  it('lists all memories in pages, newest first, and reads each', async () => {
    const first = await host.client.listResources({ cursor: '' });
    expect([first.resources.length, typeof first.nextCursor]).toEqual([50, 'string']);
    await expect(host.client.listResources({ cursor: 'nonsense' })).rejects.toThrow(/page_token/);
    const { resources } = await host.client.listResources();
    expect(new Set(resources.map(({ uri }) => uri)).size).toBe(COUNT);
    expect(resources[0]).toMatchObject({ title: `Parcel ${COUNT - 1} has come.`, mimeType: 'application/json' });
    const uri = resources[0]?.uri ?? '';
    expect(uri).toMatch(/^mneme:\/\/namespaces\/default\/memories\//);
    const { contents } = await host.client.readResource({ uri });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
      uri,
      text: `Parcel ${COUNT - 1} has come.`,
    });
  });

  it('names the forms of its URIs and completes namespaces and ids', async () => {
    const { resourceTemplates } = await host.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'mneme://namespaces/{namespace}/memories/{id}',
      'mneme://namespaces/{namespace}/recall{?text,filter_text,limit,min_relevance}',
    ]);
    const ref = { type: 'ref/resource' as const, uri: 'mneme://namespaces/{namespace}/memories/{id}' };
    const namespaces = await host.client.complete({ ref, argument: { name: 'namespace', value: 'def' } });
    expect(namespaces.completion.values).toEqual(['default']);
    const { resources } = await host.client.listResources();
    const id = resources[0]?.name ?? '';
    const ids = await host.client.complete({ ref, argument: { name: 'id', value: id.slice(0, -1) } });
    expect(ids.completion.values).toContain(id);
  });

  it('reads a recall as a resource', async () => {
    const uri = 'mneme://namespaces/default/recall?limit=2&filter_text=tags%3Aparcel';
    const { contents } = await host.client.readResource({ uri });
    const answer = JSON.parse((contents[0] as { text: string }).text) as { memories: unknown[] };
    expect([contents[0]?.uri, answer.memories.length]).toEqual([uri, 2]);
  });

  it.each([
    ['mneme://namespaces/default/memories/not-there', /not found|not-there/i],
    ['mneme://elsewhere/x', /not found|elsewhere/i],
    ['mneme://namespaces/default/recall?text=x&limit=0', /limit: expected a whole number from 1 to 100, got "0"/],
    ['mneme://namespaces/default/recall?mood=good', /mood is not a parameter of a recall/],
    ['mneme://namespaces/default/recall?text=', /text: expected a text, or a filter_text/],
  ])('refuses %s', async (uri, received) => {
    await expect(host.client.readResource({ uri })).rejects.toThrow(received);
  });
});
