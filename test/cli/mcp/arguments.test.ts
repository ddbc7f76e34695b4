import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentTools, connect, type Mneme } from '../../../clients/typescript/src/index.ts';
import { serveMneme } from '../support/serve-mneme.ts';
import { type McpHost, startMcpHost } from './support/mcp-host.ts';

let server: Awaited<ReturnType<typeof serveMneme>>;
let host: McpHost;
let mneme: Mneme;
beforeAll(async () => {
  server = await serveMneme();
  host = await startMcpHost('2025-11-25', ['--server', server.address, '--namespace', 'arguments']);
  mneme = connect(server.address, { namespace: 'arguments' });
});
afterAll(async () => {
  await host.close();
  await mneme.close();
  await server.stop();
});

const firstId = ({ structured }: { structured: Record<string, unknown> }) =>
  (structured as { memories: { id: string }[] }).memories[0]?.id ?? '';

describe('M1 arguments of MCP tools that are not set', () => {
  it('null and the empty text are not set, in every optional argument of remember', async () => {
    const stored = await host.call('remember', {
      text: 'Buy oats.',
      memories: null,
      type: null,
      tags: null,
      importance: null,
      speaker: '',
      session: null,
      event_time: null,
      valid_from: '',
      valid_until: null,
      expire_time: null,
    });
    expect(stored.isError).toBe(false);
    const memory = await mneme.get(firstId(stored));
    expect([memory.text, memory.tags, memory.source.speaker ?? '', memory.scope.session ?? '']).toEqual([
      'Buy oats.',
      [],
      '',
      '',
    ]);
  });

  it('null inside of a list of memories is not set; a text in the list is a memory', async () => {
    const stored = await host.call('remember', {
      memories: [{ text: 'Rye is in the left bin.', tags: null, importance: '0.25' }, 'Barley is in the right bin.'],
    });
    expect(stored.isError).toBe(false);
    const memory = await mneme.get(firstId(stored));
    expect([memory.tags, memory.importance]).toEqual([[], 0.25]);
  });

  it.each([
    ['recall', { text: 'oats', limit: null, filter_text: '', min_relevance: null, as_of: null }],
    ['recall', { text: null, filter_text: 'text:oats', limit: '3' }],
    ['forget', { ids: null, filter_text: 'text:nothing-has-this', dry_run: null }],
    ['forget', { ids: [], filter_text: 'text:nothing-has-this', dry_run: 'true' }],
    ['search_procedures', { situation: 'bake bread', limit: null }],
    ['reflect', { task: null, since: '', until: null, limit: null }],
    ['get_memory_stats', { verbose: null }],
    ['working_memory_set', { session: 's', key: 'plan', value: 1, ttl_seconds: null, if_version: null }],
    ['working_memory_list', { session: 's', pattern: null }],
    ['notes_add', { session: 's', notes: 'one note' }],
    ['notes_list', { session: 's', limit: '5' }],
  ])('%s %j succeeds', async (tool, args) => {
    expect(await host.call(tool, args)).toMatchObject({ isError: false });
  });

  it('null is a value where any JSON value may be set', async () => {
    await host.call('working_memory_set', { session: 's', key: 'nothing', value: null });
    const read = await host.call('working_memory_get', { session: 's', keys: ['nothing'] });
    expect(read.structured).toMatchObject({ values: [{ key: 'nothing', value: null }], missing: [] });
  });

  it('a required argument that is null is named', async () => {
    const refused = await host.call('supersede', { id: 'x', text: null });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(/text/)]);
    const unknown = await host.call('remember', { text: 'x', colour: 'red' });
    expect([unknown.isError, unknown.text]).toEqual([true, expect.stringMatching(/colour/)]);
  });

  it('recall takes query and question for text, and refuses two questions', async () => {
    for (const name of ['query', 'question', 'text']) {
      const found = await host.call('recall', { [name]: 'What do I need to buy, oats?', limit: 1 });
      expect(found.structured).toMatchObject({ memories: [{ text: 'Buy oats.' }] });
    }
    expect(await host.call('recall', { query: 'oats', text: 'rye' })).toMatchObject({ isError: true });
  });

  it('arguments of the call itself may be null, absent, or JSON as text', async () => {
    const call = (args: unknown) =>
      host.client.request({
        method: 'tools/call',
        params: { name: 'get_memory_stats', ...(args !== undefined && { arguments: args as never }) },
      } as never) as Promise<{ isError?: boolean }>;
    for (const args of [undefined, null, '{}', '']) expect((await call(args)).isError ?? false).toBe(false);
  });
});

describe('M1 arguments of the tools for function calling', () => {
  it('take null, numbers as text, JSON as text, and query', async () => {
    const tools = Object.fromEntries(agentTools(mneme).map((tool) => [tool.name, tool]));
    await tools['remember']?.run('{"text": "Paul owns a sailing boat.", "tags": null, "importance": "0.5"}');
    const found = await tools['recall']?.run({ query: 'Who owns a boat?', text: null, limit: '1', as_of: '' });
    expect(found).toMatchObject({ memories: [{ text: 'Paul owns a sailing boat.' }] });
    await expect(tools['recall']?.run({ text: 'x', limit: 'many' })).rejects.toThrow(
      /arguments\.limit: must be integer/,
    );
  });
});
