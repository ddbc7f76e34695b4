import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  connect,
  type Mneme,
  MnemeError,
  path,
  type RecallPreset,
  type RecallQuery,
  where,
} from '../../../../clients/typescript/src/index.ts';
import { PATIENT_CLIENT } from '../../../support/patient.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let mneme: Mneme;

const NOW = new Date('2024-07-17T14:30:00Z');
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);

beforeAll(async () => {
  server = await startTestServer({ embedder: 'hashing' });
  mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: 'presets' });
  const run = { agent: 'walker' };
  await mneme.batchStore([
    {
      id: 's1',
      scope: run,
      type: 'state',
      step: 1,
      eventTime: hoursAgo(30),
      content: { room: 'hall', health: 90 },
      tags: ['calm'],
    },
    {
      id: 's2',
      scope: run,
      type: 'state',
      step: 2,
      eventTime: hoursAgo(20),
      content: { room: 'attic', health: 70 },
      importance: 0.9,
    },
    {
      id: 's3',
      scope: run,
      type: 'state',
      step: 3,
      eventTime: hoursAgo(1),
      content: { room: 'hall', health: 40 },
      tags: ['danger'],
    },
    {
      id: 'a1',
      scope: run,
      type: 'action',
      step: 3,
      eventTime: hoursAgo(0.5),
      text: 'opened the old oak door in the hall',
    },
    {
      id: 'o1',
      scope: { agent: 'other' },
      type: 'state',
      step: 3,
      eventTime: hoursAgo(0.2),
      content: { room: 'garden' },
    },
  ]);
  while ((await mneme.admin.getServerStatistics()).embeddingPendingCount > 0) await mneme.list().next();
});

afterAll(async () => {
  void mneme.close();
  await server.stop();
});

async function idsOf(preset: RecallPreset, query: Omit<RecallQuery, 'preset'> = {}): Promise<string[]> {
  const { hits } = await mneme.recall({ ...query, preset: { now: NOW, ...preset } });
  return hits.map(({ memory }) => memory.id);
}

async function refusedFields(query: RecallQuery): Promise<readonly string[]> {
  const error = await mneme.recall(query).then(
    () => new Error('it was answered'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof MnemeError) || error.code !== 'INVALID_ARGUMENT') throw error;
  return error.violations.map(({ field }) => field);
}

describe('Recall by preset', () => {
  it.each<[string, object, string[]]>([
    ['recent', {}, ['o1', 'a1', 's3', 's2', 's1']],
    ['oldest', { memory_type: 'state' }, ['s1', 's2', 's3', 'o1']],
    ['by_step', { step: 3, memory_type: 'action' }, ['a1']],
    ['step_range', { start_step: 1, end_step: 2 }, ['s1', 's2']],
    ['last_hours', { hours: 2 }, ['o1', 'a1', 's3']],
    ['last_minutes', { minutes: 31 }, ['o1', 'a1']],
    ['last_days', { days: 1 }, ['o1', 'a1', 's3', 's2']],
    ['window', { last_hours: 1 }, ['o1', 'a1']],
    ['tag', { tag: 'calm' }, ['s1']],
    ['importance', { min_importance: 0.9 }, ['s2']],
    ['attribute', { query: 'hall', content_fields: ['content.room'] }, ['s3', 's1']],
    ['attributes', { attributes: { room: 'hall', health: 40 } }, ['s3']],
    ['path', { path: 'content.room', regex: '^at+ic$' }, ['s2']],
    ['compound', { field: 'content.health', value: 50, comparison: 'greater_than' }, ['s2', 's1']],
    ['step_based', { reference_step: 2, step_range: 0 }, ['s2']],
    ['temporal', { timestamp: '2024-07-16', memory_type: 'state' }, ['s1', 's2']],
    ['content', { query: 'old doors' }, ['a1']],
    ['sequence', { reference_id: 's2' }, ['s1', 's2', 's3', 'o1']],
    ['similarity', { query: '' }, []],
    [
      'combined',
      { strategies: { tag: { parameters: { tag: 'danger' } }, importance: { parameters: { min_importance: 0.9 } } } },
      ['s3', 's2'],
    ],
  ])('%s %j', async (name, parameters, expected) => {
    expect(await idsOf({ name, parameters: { ...parameters } })).toEqual(expected);
  });

  it('scores likeness by the cosine and leaves the memory asked about out', async () => {
    const text = { query: 'opened the old oak door in the hall', min_score: 0.99 };
    const { hits } = await mneme.recall({ preset: { name: 'similarity', parameters: text } });
    expect(hits.map(({ memory }) => memory.id)).toEqual(['a1']);
    expect(hits[0]?.score).toBeCloseTo(1, 3);
    const like = await idsOf({ name: 'similarity', parameters: { memory_id: 's1', min_score: -1 } });
    expect(like).not.toContain('s1');
    expect(like[0]).toBe('s3');
  });

  it('finds by example, and by vector and attributes together', async () => {
    expect((await idsOf({ name: 'match', parameters: { example: { room: 'attic' }, min_score: 0.1 } }))[0]).toBe('s2');
    const state = { query_state: { room: 'garden', health: 70 }, fields: ['health'], attribute_weight: 2 };
    const { hits } = await mneme.recall({ preset: { name: 'hybrid', parameters: state }, explain: true });
    expect(hits[0]?.memory.id).toBe('s2');
    expect(hits[0]?.components.map(({ name }) => name)).toContain('attributes');
  });

  it('narrows by the filter and the scope of the request, and cuts to its limit', async () => {
    expect(await idsOf({ name: 'recent' }, { scope: { agent: 'walker' }, limit: 2 })).toEqual(['a1', 's3']);
    expect(await idsOf({ name: 'recent' }, { filter: where.step.equals(1) })).toEqual(['s1']);
    expect(
      await idsOf(
        { name: 'custom_filter', parameters: { order: 'oldest' } },
        { filter: where.step.greater(1), limit: 1 },
      ),
    ).toEqual(['s2']);
    expect(await idsOf({ name: 'importance', parameters: { top_n: 1 } }, { limit: 5 })).toEqual(['s2']);
  });

  it('returns the neighbours of each memory of a sequence in its session', async () => {
    const session = { agent: 'talker', session: 'talk' };
    for (const id of ['t1', 't2', 't3']) await mneme.store({ id, type: 'turn', scope: session, text: `turn ${id}` });
    const { hits } = await mneme.recall({
      preset: { name: 'sequence', parameters: { reference_id: 't2', sequence_size: 1 } },
      neighborCount: 1,
    });
    const around = hits.map(({ before, memory, after }) => [...before, memory, ...after].map(({ id }) => id));
    expect(around).toEqual([['t1', 't2', 't3']]);
    for (const id of ['t1', 't2', 't3']) await mneme.delete(id);
  });

  it('ranks by nearness too where it looks by lanes', async () => {
    const nearest = async (step: number): Promise<string[]> =>
      idsOf({ name: 'content', parameters: { query: 'hall attic' } }, { nearTime: { step, stepScale: 1 } });
    expect((await nearest(2))[0]).toBe('s2');
    expect((await nearest(1))[0]).toBe('s1');
  });

  it('counts retrievals of its hits on request', async () => {
    await mneme.recall({ preset: { name: 'tag', parameters: { tag: 'calm' } }, touch: true });
    expect([(await mneme.get('s1')).retrievalCount, (await mneme.get('s2')).retrievalCount]).toEqual([1, 0]);
  });
});

describe('Recall by preset › bad input', () => {
  it.each<[string, RecallQuery, string]>([
    ['an unknown preset', { preset: { name: 'nearest' } }, 'preset.name'],
    ['no name', { preset: { name: '' } }, 'preset.name'],
    ['an unknown parameter', { preset: { name: 'recent', parameters: { count: 3 } } }, 'preset.parameters.count'],
    ['a text beside it', { preset: { name: 'recent' }, text: 'door' }, 'text'],
    ['weights beside it', { preset: { name: 'recent' }, weights: { keyword: 1 } }, 'weights'],
    [
      'nearness beside a form that scores by itself',
      { preset: { name: 'recent' }, nearTime: { step: 1 } },
      'near_time',
    ],
    ['no filter where one is needed', { preset: { name: 'custom_filter' } }, 'filter'],
    [
      'relative and absolute bounds',
      { preset: { name: 'window', parameters: { last_hours: 1, start_time: '2024-01-01', end_time: '2024-01-02' } } },
      'preset.parameters.last_hours',
    ],
    [
      'an example without fields',
      { preset: { name: 'match', parameters: { example: {} } } },
      'preset.parameters.example',
    ],
    [
      'weights that sum to nothing',
      { preset: { name: 'hybrid', parameters: { query_state: { a: 1 }, vector_weight: 0, attribute_weight: 0 } } },
      'preset.parameters.vector_weight',
    ],
  ])('%s', async (_, query, field) => {
    expect(await refusedFields(query)).toEqual([field]);
  });

  it('an unknown preset with a text beside it › the name comes first', async () => {
    expect(await refusedFields({ preset: { name: 'nearest' }, text: 'door' })).toEqual(['preset.name', 'text']);
  });

  it('names the errors of parameters that are not a JSON object', async () => {
    const ask = (parameters: unknown) =>
      refusedFields({ preset: { name: 'recent', parameters: parameters as object as Record<string, unknown> } });
    expect(await ask([1])).toEqual(['preset.parameters']);
  });

  it('refuses a vector of another dimension or model by its parameter', async () => {
    const preset = { name: 'similarity', parameters: { query: [1, 2, 3] } };
    await expect(mneme.recall({ preset })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'DIMENSION_MISMATCH',
      violations: [{ field: 'preset.parameters.query' }],
    });
  });

  it('names a missing memory', async () => {
    const recalled = mneme.recall({ preset: { name: 'sequence', parameters: { reference_id: 'gone' } } });
    await expect(recalled).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'MEMORY_NOT_FOUND' });
  });
});

describe('a filter with a regular expression', () => {
  it('admits its matches, and refuses a pattern beyond RE2 with the field', async () => {
    const { hits } = await mneme.recall({ filter: path('room').matches('^h.ll$') });
    expect(hits.map(({ memory }) => memory.id).sort()).toEqual(['s1', 's3']);
    const field = 'filter.comparison.values[0].string_value';
    expect(await refusedFields({ filter: where.text.matches('(a)\\1') })).toEqual([field]);
  });

  it('that would keep other engines busy for ever › answers in time that grows with the text alone', async () => {
    const text = `${'a'.repeat(5000)}!`;
    await mneme.store({ id: 'hostile', type: 'note', text });
    const asked = { filter: where.text.matches('^(a+)+$') };
    const { hits } = await mneme.recall(asked, { timeoutMs: 30_000 });
    expect(hits).toEqual([]);
    await mneme.delete('hostile');
  });
});

describe('ListRecallPresets', () => {
  it('lists every form with its parameters, their types, defaults and limits', async () => {
    const presets = await mneme.listRecallPresets();
    const names = presets.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    for (const name of [
      'similarity',
      'temporal',
      'attribute',
      'step_based',
      'sequence',
      'match',
      'window',
      'path',
      'importance',
      'compound',
      'combined',
      'content',
      'hybrid',
    ]) {
      expect(names).toContain(name);
    }
    const attribute = presets.find(({ name }) => name === 'attribute');
    expect(attribute?.parameters).toContainEqual({
      name: 'scoring_method',
      description: expect.any(String),
      type: 'string',
      defaultJson: '"length_ratio"',
      limits: 'one of length_ratio, term_frequency, bm25, binary',
      required: false,
    });
  });
});
