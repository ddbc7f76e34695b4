import { afterEach, describe, expect, it } from '@jest/globals';
import type {
  CountMemoriesRequest,
  ForgetMemoriesRequest,
  ListMemoriesRequest,
  SupersedeMemoryRequest,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { cleanUp } from '../client/support/clean-up.ts';
import { bareMemoryMessage, fullMemoryMessage } from '../client/support/proto-memory.ts';
import { unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

describe('mneme get', () => {
  it('a memory › is shown field by field, or as JSON with every field', async () => {
    const get = unary(() => ({ memory: fullMemoryMessage(), revision: 12n }));
    const run = await against({ memory: { getMemory: get } });

    const shown = await run(['get', 'm1']);
    const json = await run(['get', 'm1', '--view', 'full', '--json']);

    expect(shown.stdout).toContain('speaker        Ann\n');
    // JSON is shown as JSON: indented, and numbers as they are written.
    expect(shown.stdout).toMatch(/\n\ntea at five\n\n\{\n {2}"a": 1\.0\n\}\n$/);
    expect(JSON.parse(json.stdout)).toEqual({
      name: 'namespaces/default/memories/m1',
      namespace: 'default',
      id: 'm1',
      compaction: { checksum: 'd'.repeat(64), contentBytes: 90, decimals: 3, droppedKeys: ['debug_info'] },
      type: 'episode',
      text: 'tea at five',
      scope: { project: 'p', agentType: 'planner', agent: 'a', session: 's' },
      step: 9007199254740991,
      eventTime: '2023-11-14T22:13:20.123456Z',
      createTime: '2023-11-14T22:13:21.123456Z',
      updateTime: '2023-11-14T22:13:22.123456Z',
      content: { mediaType: 'application/json', text: '{"a": 1.0}' },
      tags: ['x', 'y'],
      embedding: { model: 'test', dimension: 3, data: fullMemoryMessage().embedding?.dataF32le.toString('base64') },
      place: {
        point: { x: 1, y: 2, z: 3 },
        geo: { latitudeDeg: 52.5, longitudeDeg: 13.4 },
        location: 'harbour',
        room: 'hall',
        region: 'north',
      },
      importance: 0,
      priority: 0.25,
      source: { speaker: 'Ann', uri: 'file:1', origin: 'import' },
      retrievalCount: 3,
      lastAccessTime: '2023-11-14T22:13:23.123456Z',
      expireTime: '2096-10-02T07:06:40.123456Z',
      validFrom: '1969-12-31T23:59:59.123456Z',
      validUntil: '2027-01-15T08:00:00.123456Z',
      supersededBy: 'm2',
      tier: 'short_term',
      checksum: 'c'.repeat(64),
      version: 11,
    });
  });

  it('--revisions › shows each state with the cause of the change', async () => {
    const listRevisions = unary(() => ({
      revisions: [
        { memory: { ...bareMemoryMessage('m1'), text: 'new' }, change: 2 },
        { memory: { ...bareMemoryMessage('m1'), text: 'old' }, change: 1 },
      ],
      nextPageToken: '',
      damagedCount: 0,
    }));
    const run = await against({ memory: { listMemoryRevisions: listRevisions } });

    const { stdout } = await run(['get', 'm1', '--revisions', '--json']);

    const states = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { change: string; memory: { text: string } });
    expect(states.map(({ change, memory }) => [change, memory.text])).toEqual([
      ['updated', 'new'],
      ['stored', 'old'],
    ]);
  });
});

describe('mneme list', () => {
  it('memories › are a text followed by details, in the requested order, up to the limit', async () => {
    const requests: ListMemoriesRequest[] = [];
    const list = unary<ListMemoriesRequest, object>((request) => {
      requests.push(request);
      return { memories: ['m1', 'm2', 'm3'].map(bareMemoryMessage), damaged: [], nextPageToken: 'more', revision: 1n };
    });
    const run = await against({ memory: { listMemories: list } });

    const { stdout } = await run(['list', '--order', 'event_time_asc', '--limit', '4', '--session', 's1']);
    const json = await run(['list', '--limit', '2', '--json']);

    expect(stdout.split('\n').slice(0, 2)).toEqual(['m1', '  2023-11-14 22:13  fact  m1']);
    expect(stdout.trim().split('\n')).toHaveLength(8);
    expect(requests[0]).toMatchObject({ order: 4, pageSize: 4 });
    expect(
      json.stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(['m1', 'm2']);
  });

  it("the server's own records › are left out for people, unless a filter or --json asks for them", async () => {
    const filters: string[] = [];
    const list = unary<ListMemoriesRequest, object>(({ filterText }) => {
      filters.push(filterText);
      return { memories: [], damaged: [], nextPageToken: '', revision: 1n };
    });
    const run = await against({ memory: { listMemories: list } });

    for (const flags of [[], ['--type', 'fact_key'], ['--json']]) await run(['list', ...flags]);

    expect(filters).toEqual([
      'type != "fact_key" AND type != "consolidation" AND type != "extraction_failure"',
      'type IN ("fact_key")',
      '',
    ]);
  });
});

describe('mneme forget', () => {
  it('by ids › erases each; by flags › all that they describe; --dry-run › only counts', async () => {
    const deleted: string[] = [];
    const forgotten: ForgetMemoriesRequest[] = [];
    const run = await against({
      memory: {
        deleteMemory: unary<{ name: string }, object>(({ name }) => {
          deleted.push(name);
          return { revision: 3n };
        }),
        forgetMemories: unary<ForgetMemoriesRequest, object>((request) => {
          forgotten.push(request);
          return { forgottenCount: 1, tiers: [], names: ['namespaces/default/memories/m9'], revision: 4n };
        }),
      },
    });

    expect((await run(['forget', 'm1', 'm2'])).stdout).toBe('forgot 2 memories\n');
    expect((await run(['forget', '--session', 's', '--dry-run'])).stdout).toBe('would forget 1 memory\n');
    const all = await run(['forget', '--all', '--namespace', 'scratch', '--json']);

    expect(deleted).toEqual(['namespaces/default/memories/m1', 'namespaces/default/memories/m2']);
    expect(forgotten).toMatchObject([
      { dryRun: true, all: false, filterText: 'session IN ("s")' },
      { parent: 'namespaces/scratch', dryRun: true, all: true },
      { parent: 'namespaces/scratch', dryRun: false, all: true },
    ]);
    expect(JSON.parse(all.stdout)).toEqual({ forgottenCount: 1, ids: ['m9'], dryRun: false, revision: 4 });
  });
});

describe('mneme count and supersede', () => {
  it('count › prints the number of memories that the flags select', async () => {
    const requests: CountMemoriesRequest[] = [];
    const countMemories = unary<CountMemoriesRequest, object>((request) => {
      requests.push(request);
      return { count: 12, tiers: [], revision: 4n };
    });
    const run = await against({ memory: { countMemories } });
    expect(await run(['count', '--filter', 'step > 3', '--current'])).toMatchObject({ code: 0, stdout: '12\n' });
    const json = await run(['count', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ count: 12, tiers: [], revision: 4 });
    const counted = await run(['count']);
    expect(counted).toMatchObject({ stdout: '12\n', stderr: "12 of the server's own records are left out\n" });
    const withoutRecords = 'type != "fact_key" AND type != "consolidation" AND type != "extraction_failure"';
    expect(requests).toMatchObject([
      { filterText: 'step > 3', includeInvalid: false },
      { filterText: '' },
      { filterText: withoutRecords },
      { filterText: 'type = "fact_key" OR type = "consolidation" OR type = "extraction_failure"' },
    ]);
    expect(requests[1]?.includeInvalid).toBeUndefined();
  });

  it('supersede › sends the new statement, and prints the id of the new memory', async () => {
    const requests: SupersedeMemoryRequest[] = [];
    const receipt = (id: string) => ({ name: `namespaces/default/memories/${id}`, version: 1n });
    const supersedeMemory = unary<SupersedeMemoryRequest, object>((request) => {
      requests.push(request);
      return { memory: receipt('m2'), superseded: receipt('m1'), revision: 4n };
    });
    const run = await against({ memory: { supersedeMemory } });
    expect(await run(['supersede', 'm1', 'In', 'Berlin.', '--if-version', '1'])).toMatchObject({
      code: 0,
      stdout: 'm2\n',
    });
    expect(requests).toMatchObject([
      { name: 'namespaces/default/memories/m1', ifVersion: 1n, memory: { text: 'In Berlin.', scope: undefined } },
    ]);
    expect((await run(['supersede', 'm1'])).code).toBe(2);
  });
});
