import { afterEach, describe, expect, it } from '@jest/globals';
import { agentTools, callAgentTool, InvalidArgumentError, services } from '../../clients/typescript/src/index.ts';
import { Procedure } from '../../gen/ts/mneme/v1/knowledge_service.ts';
import { startTestServer } from '../server/grpc/support/test-server.ts';
import { cleanUp, client, onCleanUp } from './support/clean-up.ts';

afterEach(cleanUp);

async function open() {
  const server = await startTestServer();
  onCleanUp(() => server.stop());
  return client(server.address, { namespace: 'tools' });
}

describe('tools for the function calling of a model', () => {
  it('have names, descriptions and schemas of their arguments', async () => {
    const mneme = await open();
    const tools = agentTools(mneme);
    expect(tools.map(({ name, readOnly }) => [name, readOnly])).toEqual([
      ['remember', false],
      ['recall', true],
      ['forget', false],
      ['search_procedures', true],
      ['record_outcome', false],
      ['reflect', true],
      ['get_memory_stats', true],
    ]);
    for (const { description, inputSchema } of tools) {
      expect(description.length).toBeGreaterThan(20);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
    expect(agentTools(mneme, ['recall']).map(({ name }) => name)).toEqual(['recall']);
  });

  it('store, find, count and erase; a namespace that is not there is empty', async () => {
    const mneme = await open();
    const run = async (name: string, args: object) => callAgentTool(mneme, name, args);
    expect(await run('recall', { text: 'Who plays?' })).toEqual({ memories: [], nothing_relevant: true });
    expect(await run('get_memory_stats', {})).toMatchObject({ memory_count: 0, types: [] });
    const stored = await run('remember', {
      memories: [
        { text: 'Ada plays the cello.', speaker: 'Ada', tags: ['music'], event_time: '2026-11-01' },
        { text: 'To tune a cello, start with the A string.', type: 'procedure' },
      ],
    });
    const [id = ''] = (stored['memories'] as { id: string }[]).map((one) => one.id);

    expect(await run('recall', { text: 'Who plays the cello?', limit: 1 })).toMatchObject({
      memories: [{ id, text: 'Ada plays the cello.', speaker: 'Ada', event_time: '2026-11-01T00:00:00.000Z' }],
      nothing_relevant: false,
    });
    expect(await run('search_procedures', { situation: 'How do I tune a cello?' })).toMatchObject({
      procedures: [{ text: 'To tune a cello, start with the A string.' }],
    });
    expect(await run('get_memory_stats', {})).toMatchObject({ memory_count: 2 });
    expect(await run('forget', { ids: [id] })).toMatchObject({ dry_run: true, forgotten_count: 1 });
    expect(await run('forget', { ids: [id], dry_run: false })).toMatchObject({ dry_run: false, ids: [id] });
    expect(await run('recall', { filter_text: 'tags:music' })).toMatchObject({ memories: [], nothing_relevant: true });
  });

  it('record how a procedure went', async () => {
    const mneme = await open();
    const procedure = Procedure.fromPartial({
      title: 'Tune a cello',
      situation: 'a cello is out of tune',
      steps: ['A'],
    });
    const { procedure: recorded } = await mneme.raw(services.KnowledgeService.recordProcedure, {
      parent: 'namespaces/tools',
      procedure,
    });
    const id = recorded?.name.split('/').at(-1);
    const [found] = (await callAgentTool(mneme, 'search_procedures', { situation: 'the cello is out of tune' }))[
      'procedures'
    ] as { id: string }[];
    expect(found?.id).toBe(id);
    expect(await callAgentTool(mneme, 'record_outcome', { procedure_id: id, outcome: 'success' })).toMatchObject({
      id,
      success_count: 1,
      failure_count: 0,
    });
  });

  it('find the procedure that succeeds first, and those that were only remembered', async () => {
    const mneme = await open();
    const situation = 'the search index of the shop is stale';
    const { procedure: failing } = await mneme.procedures.record({
      title: 'rebuild the index',
      situation,
      steps: ['rebuild'],
    });
    const { procedure: good } = await mneme.procedures.record({
      title: 'restart the index',
      situation,
      steps: ['restart'],
    });
    for (let n = 0; n < 3; n++) await mneme.procedures.recordOutcome(failing.id, 'failure', { note: 'too slow' });
    await mneme.procedures.recordOutcome(good.id, 'success');
    const { id: note } = await mneme.store({
      type: 'procedure',
      text: 'When the search index is stale, wait a minute.',
    });
    const { procedures } = (await callAgentTool(mneme, 'search_procedures', { situation })) as {
      procedures: { id: string; notes?: string[]; success_rate: number }[];
    };
    expect(procedures.map(({ id }) => id).sort()).toEqual([failing.id, good.id, note].sort());
    expect(procedures[0]).toMatchObject({
      id: good.id,
      text: `restart the index\nWhen: ${situation}\n1. restart`,
      ...{ success_rate: 2 / 3, success_count: 1, failure_count: 0 },
    });
    expect(procedures.find(({ id }) => id === failing.id)).toMatchObject({
      failure_count: 3,
      notes: ['too slow', 'too slow', 'too slow'],
    });
    expect((await callAgentTool(mneme, 'search_procedures', { situation, limit: 1 }))['procedures']).toHaveLength(1);
  });

  it('reflect on episodes; without any there is nothing', async () => {
    const mneme = await open();
    const nothing = { episode_count: 0, success_count: 0, failure_count: 0, partial_count: 0, insights: [] };
    expect(await callAgentTool(mneme, 'reflect', {})).toEqual(nothing);
    const recorded: string[] = [];
    for (let n = 0; n < 12; n++) {
      const isTested = n % 3 !== 0;
      const { id } = await mneme.episodes.record({
        ...{ task: 'deploy the shop', outcome: isTested ? 'success' : 'failure' },
        actions: isTested ? ['ran the tests', 'pushed'] : ['pushed'],
      });
      recorded.push(id);
    }
    const answer = await callAgentTool(mneme, 'reflect', { task: 'deploy', limit: 2, since: '2026-01-01' });
    expect(answer).toMatchObject({ episode_count: 12, success_count: 8, failure_count: 4 });
    const insights = answer['insights'] as { kind: string; text: string; episode_ids: string[] }[];
    expect(insights.map(({ kind }) => kind)).toEqual(['recommendation', 'learning']);
    expect(insights[0]?.text).toContain('“ran the tests”');
    for (const { episode_ids: ids } of insights) {
      expect(ids.length).toBeGreaterThan(0);
      expect(recorded).toEqual(expect.arrayContaining(ids));
    }
    expect(await callAgentTool(mneme, 'reflect', { task: 'plants' })).toEqual(nothing);
  });

  it.each([
    ['remember', {}, 'arguments.text'],
    ['remember', { text: 'a', memories: [{ text: 'b' }] }, 'arguments.text'],
    ['remember', { text: '' }, 'arguments.text'],
    ['remember', { text: 'a', importance: 2 }, 'arguments.importance'],
    ['remember', { text: 'a', tags: [1] }, 'arguments.tags[0]'],
    ['remember', { text: 'a', event_time: 'soon' }, 'arguments.event_time'],
    ['remember', { text: 'a', expire_time: '2020-11-01' }, 'arguments.expire_time'],
    ['remember', { memories: [{ text: 'a', colour: 'red' }] }, 'arguments.memories[0].colour'],
    ['recall', { text: 'a', limit: 1.5 }, 'arguments.limit'],
    ['recall', { text: 'a', namespace: 'other' }, 'arguments.namespace'],
    ['forget', { ids: [] }, 'arguments.ids'],
    ['search_procedures', {}, 'arguments.situation'],
    ['get_memory_stats', [], 'arguments'],
    ['record_outcome', { procedure_id: 'p', outcome: 'good' }, 'arguments.outcome'],
    ['reflect', { limit: 51 }, 'arguments.limit'],
    ['reflect', { since: 'soon' }, 'arguments.since'],
    ['reflect', { since: '2026-02-30' }, 'arguments.since'],
    ['reboot', {}, 'name'],
  ] as const)('%s of %j › refused: %s', async (name, args, field) => {
    const failure = await callAgentTool(client('127.0.0.1:1'), name, args).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidArgumentError);
    expect((failure as InvalidArgumentError).violations[0]?.field).toBe(field);
  });
});
