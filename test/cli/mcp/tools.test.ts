import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type McpHost, startMcpHost } from './support/mcp-host.ts';

let host: McpHost;
beforeAll(async () => {
  host = await startMcpHost('2025-11-25');
});
afterAll(() => host.close());

const idOf = ({ structured }: { structured: Record<string, unknown> }) =>
  (structured as { memories: { id: string }[] }).memories[0]?.id ?? '';

describe('the tools', () => {
  it('have schemas of input and output, and hints whether they change and delete data', async () => {
    const { tools } = await host.client.listTools();
    const hints = tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]);
    expect(hints).toEqual([
      ['remember', false, false],
      ['recall', true, false],
      ['forget', false, true],
      ['update', false, true],
      ['supersede', false, false],
      ['search_procedures', true, false],
      ['record_outcome', false, false],
      ['reflect', true, false],
      ['get_memory_stats', true, false],
      ['working_memory_set', false, true],
      ['working_memory_get', true, false],
      ['working_memory_list', true, false],
      ['working_memory_delete', false, true],
      ['notes_add', false, false],
      ['notes_list', true, false],
    ]);
    for (const { inputSchema, outputSchema, description } of tools) {
      expect([inputSchema.type, outputSchema?.type, description !== undefined]).toEqual(['object', 'object', true]);
    }
  });

  it('remember stores several memories with all their fields; recall filters and bounds by relevance', async () => {
    const { structured, text } = await host.call('remember', {
      memories: [
        { text: 'The orchestra rehearses on Mondays.', tags: ['music'], type: 'fact', importance: 0.9 },
        { text: 'The boiler was serviced.', event_time: '2026-11-01', valid_until: '2027-11-01T00:00:00Z' },
      ],
    });
    expect((structured['memories'] as unknown[]).length).toBe(2);
    expect(text).toMatch(/^Remembered 2 memories: /);
    const tagged = await host.call('recall', { filter_text: 'tags:music', limit: 5 });
    expect(tagged.structured).toMatchObject({
      memories: [{ text: 'The orchestra rehearses on Mondays.', importance: 0.9, type: 'fact', tags: ['music'] }],
    });
    const none = await host.call('recall', { text: 'What is the capital of Peru?' });
    expect(none.structured).toMatchObject({ memories: [], nothing_relevant: true, low_relevance_count: 2 });
    expect(none.text).toBe('Nothing relevant is remembered. Use min_relevance 0 to get the nearest memories (2).');
    const all = await host.call('recall', { text: 'What is the capital of Peru?', min_relevance: 0 });
    expect((all.structured['memories'] as unknown[]).length).toBe(2);
    const boiler = await host.call('recall', { filter_text: 'text:boiler' });
    expect(boiler.structured).toMatchObject({
      memories: [{ event_time: expect.stringMatching(/^2026-11-01T/), valid_until: expect.stringMatching(/^2027/) }],
    });
  });

  it('update changes the fields that are set, keeps the rest and clears', async () => {
    const id = idOf(
      await host.call('remember', { text: 'Ada plays the violin.', speaker: 'Ada', tags: ['music', 'ada'] }),
    );
    const updated = await host.call('update', { id, text: 'Ada plays the viola.', session: 's1', clear: ['tags'] });
    expect(updated.isError).toBe(false);
    const { contents } = await host.client.readResource({ uri: String(updated.structured['uri']) });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
      text: 'Ada plays the viola.',
      speaker: 'Ada',
      session: 's1',
      tags: [],
    });
  });

  it('supersede replaces a memory, which as_of still finds', async () => {
    const id = idOf(await host.call('remember', { text: 'Bea lives in Lyon.', valid_from: '2026-01-01' }));
    const newer = await host.call('supersede', { id, text: 'Bea lives in Berlin.', valid_from: '2026-10-01' });
    expect(newer.structured).toMatchObject({ superseded_id: id });
    const now = await host.call('recall', { filter_text: 'text:Bea' });
    expect(now.structured['memories']).toMatchObject([{ text: 'Bea lives in Berlin.' }]);
    const then = await host.call('recall', { filter_text: 'text:Bea', as_of: '2026-06-01' });
    expect(then.structured['memories']).toMatchObject([
      { text: 'Bea lives in Lyon.', superseded_by: expect.any(String) },
    ]);
    const again = await host.call('supersede', { id, text: 'Bea lives in Rome.' });
    expect([again.isError, again.text]).toEqual([true, expect.stringMatching(/superseded/)]);
  });

  it('forget lists the memories that it would delete, then deletes them, by id and by filter', async () => {
    const id = idOf(await host.call('remember', { text: 'A parcel has come.', tags: ['parcel'] }));
    const dry = await host.call('forget', { ids: [id, 'nothing-has-this-id'] });
    expect(dry.structured).toMatchObject({
      dry_run: true,
      forgotten_count: 1,
      ids: [id],
      missing_ids: ['nothing-has-this-id'],
    });
    expect(dry.text).toMatch(/^Would erase 1 memory\. Nothing is erased yet.*\n- A parcel has come\.\n/);
    const erased = await host.call('forget', { filter_text: 'tags:parcel', dry_run: false });
    expect(erased.structured).toMatchObject({
      dry_run: false,
      forgotten_count: 1,
      memories: [{ text: 'A parcel has come.' }],
    });
    expect((await host.call('recall', { filter_text: 'tags:parcel' })).structured).toMatchObject({ memories: [] });
    expect((await host.call('forget', { ids: [id], dry_run: false })).structured).toMatchObject({ forgotten_count: 0 });
  });

  it('reflect tells how many episodes there are, and the patterns that are clearer than chance', async () => {
    const { text, structured } = await host.call('reflect', { task: 'deploy' });
    expect(structured).toMatchObject({ episode_count: 0, insights: [] });
    expect(text).toBe('0 episodes, 0 succeeded, 0 failed.\nNo pattern is clearer than chance.');
    const memories = Array.from({ length: 12 }, (_, at) => ({
      text: 'deploy the shop',
      type: 'episode',
      tags: at % 2 === 0 ? ['success', 'tested'] : ['failure'],
    }));
    await host.call('remember', { memories });
    const after = await host.call('reflect', { task: 'deploy' });
    expect(after.structured).toMatchObject({ episode_count: 12, success_count: 6 });
    expect(after.text).toMatch(/- learning: Episodes with the tag “tested” succeed more often: 6 of 6 .* \(ids /);
  });

  it('working memory sets, reads, lists and deletes keys, and keeps notes in order', async () => {
    const session = 'trip-to-lyon';
    const plan = { steps: ['pack', 'leave'], done: false };
    const set = await host.call('working_memory_set', { session, key: 'plan', value: plan, ttl_seconds: 3600 });
    expect(set.structured).toMatchObject({ key: 'plan', expire_time: expect.any(String) });
    await host.call('working_memory_set', { session, key: 'none', value: null });
    const read = await host.call('working_memory_get', { session, keys: ['plan', 'none', 'other'] });
    expect(read.structured).toMatchObject({
      values: [{ key: 'plan', value: plan }, { value: null }],
      missing: ['other'],
    });
    const stale = await host.call('working_memory_set', { session, key: 'plan', value: 1, if_version: 0 });
    expect([stale.isError, stale.text]).toEqual([true, expect.stringMatching(/version/)]);
    expect((await host.call('working_memory_list', { session, pattern: 'pl*' })).structured).toMatchObject({
      keys: [{ key: 'plan' }],
      has_more: false,
    });
    expect((await host.call('working_memory_delete', { session, keys: ['plan', 'other'] })).structured).toEqual({
      deleted: ['plan'],
      missing: ['other'],
    });
    await host.call('notes_add', { session, notes: ['packed', 'left the house'] });
    expect((await host.call('notes_list', { session, limit: 1 })).structured).toMatchObject({
      notes: [{ text: 'left the house' }],
    });
    expect((await host.call('notes_list', { session })).text).toBe('1. packed\n2. left the house');
  });
});

describe('bad input is an error of the tool that names field, problem and limit', () => {
  const LONG = 'x'.repeat(200);
  it.each([
    ['remember', {}, /text: expected a text, or memories/],
    ['remember', { text: 'a', memories: [{ text: 'b' }] }, /text: expected a text, or memories.*, and not both/],
    ['remember', { text: 'a', importance: 3 }, /importance: .*<=1/],
    ['remember', { text: 'a', valid_from: 'yesterday' }, /valid_from: expected a time such as 2026-11-21T09:00:00Z/],
    [
      'remember',
      { text: 'a', expire_time: '2020-11-01' },
      /expire_time: expected a time in the future; it is \d{4}-\d\d-\d\dT[\d:.]+Z now/,
    ],
    [
      'remember',
      { memories: [{ text: 'a' }, { text: 'b', expire_time: '2020-11-01T08:00:00Z' }] },
      /memories\.1\.expire_time: expected a time in the future/,
    ],
    ['supersede', { id: 'x', text: 'a', expire_time: '2020-11-01' }, /expire_time: expected a time in the future/],
    ['remember', { text: 'a', mood: 'good' }, /Unrecognized key: "mood"/],
    [
      'remember',
      { text: 'a', session: LONG },
      /^session: must be at most 128 bytes of UTF-8, got 200\. \(FIELD_INVALID\)$/,
    ],
    [
      'remember',
      { memories: [{ text: 'a' }, { text: 'b', session: LONG }] },
      /^memories\[1\]\.session: must be at most 128 /,
    ],
    ['remember', { text: 'a'.repeat(1_048_577) }, /^text: must be at most 1048576 bytes/],
    ['remember', { memories: Array(101).fill({ text: 'a' }) }, /memories: .*<=100/],
    ['recall', {}, /text: expected a text, or a filter_text/],
    ['recall', { text: 'a', limit: 101 }, /limit: .*<=100/],
    ['recall', { text: 'a', min_relevance: -1 }, /min_relevance: .*>=0/],
    ['recall', { text: 'a', filter_text: 'tags = = x' }, /^filter_text: column 8: .*\(FILTER_INVALID\)$/],
    ['forget', {}, /ids: expected ids or a filter_text, and not both/],
    [
      'recall',
      { text: 'a', filter_text: 'tgs = 1' },
      / there is no field tgs; did you mean tags\? \(FILTER_INVALID\)$/,
    ],
    ['forget', { filter_text: 'nonsense' }, /^filter_text: .*\(FILTER_INVALID\)$/],
    ['update', { id: 'x' }, /id: expected a change with it/],
    ['update', { id: 'not-there', text: 'a' }, /not-there.*\(MEMORY_NOT_FOUND\)$/],
    ['supersede', { id: 'not-there', text: 'a' }, /not-there.*\(MEMORY_NOT_FOUND\)$/],
    ['working_memory_set', { session: LONG, key: 'k', value: 1 }, /session/],
    ['working_memory_get', { session: 's', keys: [] }, /keys: .*>=1/],
  ])('%s %#', async (name, args, received) => {
    const { isError, text } = await host.call(name, args);
    expect([isError, text]).toEqual([true, expect.stringMatching(received)]);
  });

  it('an unknown tool is an error of the protocol', async () => {
    await expect(host.call('dance', {})).rejects.toThrow('dance');
  });
});
