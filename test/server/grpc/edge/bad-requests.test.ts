import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Filter, MemoryField } from '../../../../gen/ts/mneme/v1/filter.ts';
import {
  BatchGetMemoriesRequest,
  DeleteMemoryRequest,
  ForgetMemoriesRequest,
  GetMemoryRequest,
  ListMemoriesRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
const parent = 'namespaces/bad';
const name = `${parent}/memories/here`;
beforeAll(async () => {
  mneme = await startTestServer();
  await store(mneme, parent, { text: 'here' }, 'here');
});
afterAll(() => mneme.stop());

type FilterInput = Parameters<typeof Filter.fromPartial>[0];
type Comparison = NonNullable<Extract<NonNullable<FilterInput['node']>, { $case: 'comparison' }>['value']>;
type Area = NonNullable<Extract<NonNullable<FilterInput['node']>, { $case: 'place' }>['value']>;

const text = (value: string) => ({ kind: { $case: 'stringValue' as const, value } });
const comparison = (value: Comparison): FilterInput => ({ node: { $case: 'comparison', value } });
const equals = (part: Comparison = {}): FilterInput =>
  comparison({ target: { $case: 'field', value: 6 }, op: 1, values: [text('x')], ...part });
const not = (value: FilterInput): FilterInput => ({ node: { $case: 'negate', value } });
const any = (filters: FilterInput[]): FilterInput => ({ node: { $case: 'any', value: { filters } } });
const place = (value: Area): FilterInput => ({ node: { $case: 'place', value } });
const deep = (levels: number): FilterInput => (levels === 1 ? equals() : not(deep(levels - 1)));
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

const FILTERS: readonly (readonly [string, FilterInput, string, string])[] = [
  ['no node', {}, 'filter', 'must have one of'],
  ['a level too many', deep(17), `filter${'.negate'.repeat(16)}`, 'at most 16 levels'],
  ['a node too many', any(times(16, any(times(16, equals())))), 'filter.any.filters[15]', 'at most 256'],
  ['an empty list', any([]), 'filter.any.filters', '1 to 64, got 0'],
  ['a list over the limit', any(times(65, equals())), 'filter.any.filters', '1 to 64, got 65'],
  ['no operator', equals({ op: 0 }), 'filter.comparison.op', '1 (equals), '],
  ['an unknown operator', equals({ op: 99 as never }), 'filter.comparison.op', ', got 99'],
  ['no target', comparison({ op: 1, values: [text('x')] }), 'filter.comparison', 'one of field and path'],
  ['an unknown field', equals({ target: { $case: 'field', value: -1 } }), 'filter.comparison.field', 'enum, got -1'],
  [
    'a tier that is none',
    equals({ target: { $case: 'field', value: MemoryField.MEMORY_FIELD_TIER } }),
    'filter.comparison.values[0]',
    'must be one of short_term',
  ],
  ['an empty path', equals({ target: { $case: 'path', value: '' } }), 'filter.comparison.path', 'not be empty'],
  [
    'a path over the limit',
    equals({ target: { $case: 'path', value: 'a'.repeat(513) } }),
    'filter.comparison.path',
    '512 bytes',
  ],
  [
    'a path of too many parts',
    equals({ target: { $case: 'path', value: times(33, 'a').join('.') } }),
    'filter.comparison.path',
    'at most 32 parts, got 33',
  ],
  [
    'a path that ends in a backslash',
    equals({ target: { $case: 'path', value: 'a\\' } }),
    'filter.comparison.path',
    'after a backslash',
  ],
  ['no value', equals({ values: [] }), 'filter.comparison.values', 'must be 1 for equals, got 0'],
  [
    'a value too many',
    equals({ values: [text('a'), text('b')] }),
    'filter.comparison.values',
    'must be 1 for equals, got 2',
  ],
  ['values for exists', equals({ op: 9 }), 'filter.comparison.values', 'must be 0 for exists, got 1'],
  [
    'too many values in one list',
    equals({ op: 2, values: times(1001, text('a')) }),
    'filter.comparison.values',
    '1 to 1000',
  ],
  [
    'too many values in all',
    any(times(2, equals({ op: 2, values: times(600, text('a')) }))),
    'filter.any.filters[1].comparison.values',
    '1000 values',
  ],
  ['an empty value', equals({ values: [{}] }), 'filter.comparison.values[0]', 'must have one of'],
  [
    'a text over the limit',
    equals({ values: [text('x'.repeat(4097))] }),
    'filter.comparison.values[0].string_value',
    '4096 bytes',
  ],
  [
    'a number that is none',
    equals({ values: [{ kind: { $case: 'numberValue', value: Number.NaN } }] }),
    'filter.comparison.values[0].number_value',
    'finite',
  ],
  [
    'a number to be contained',
    equals({ op: 7, values: [{ kind: { $case: 'numberValue', value: 1 } }] }),
    'filter.comparison.values[0]',
    'must be a text for contains',
  ],
  [
    'a time out of range',
    equals({ values: [{ kind: { $case: 'timeValue', value: { seconds: 10n ** 12n } } }] }),
    'filter.comparison.values[0].time_value',
    'the years 1 to 9999',
  ],
  ['a place without area', place({}), 'filter.place', 'must have one of'],
  [
    'a circle without centre',
    place({ area: { $case: 'geoRadius', value: { radiusM: 1 } } }),
    'filter.place.geo_radius.center',
    'is required',
  ],
  [
    'a negative radius',
    place({ area: { $case: 'pointRadius', value: { center: { x: 0, y: 0 }, radius: -1 } } }),
    'filter.place.point_radius.radius',
    'of at least 0',
  ],
  [
    'a box upside down',
    place({ area: { $case: 'pointBox', value: { low: { x: 1, y: 0 }, high: { x: 0, y: 0 } } } }),
    'filter.place.point_box.low',
    'not exceed high',
  ],
  [
    'a box that is south of itself',
    place({ area: { $case: 'geoBox', value: { southWest: { latitudeDeg: 1 }, northEast: {} } } }),
    'filter.place.geo_box.south_west',
    'north of',
  ],
];

describe('a filter', () => {
  it.each(FILTERS)('when it has %s › FILTER_INVALID names the node and the limit', async (_, filter, field, part) => {
    const calls = [
      ask(mneme.memories, mneme.memories.listMemories, ListMemoriesRequest.fromPartial({ parent, filter })),
      ask(mneme.memories, mneme.memories.forgetMemories, ForgetMemoriesRequest.fromPartial({ parent, filter })),
      ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial({ parent, filter })),
    ];
    for (const refused of await Promise.all(calls.map(refusal))) {
      expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'FILTER_INVALID' });
      expect(refused.fields).toContain(field);
      expect(refused.descriptions[refused.fields.indexOf(field)]).toContain(part);
    }
    const list = await ask(mneme.memories, mneme.memories.listMemories, ListMemoriesRequest.fromPartial({ parent }));
    expect(list.memories).toHaveLength(1);
  });

  it('when it is as deep and as wide as allowed › it is accepted', async () => {
    const filter = any([deep(15), ...times(3, any(times(60, equals())))]);
    await ask(mneme.memories, mneme.memories.listMemories, ListMemoriesRequest.fromPartial({ parent, filter }));
  });

  it('when it is too deep to be decoded › INVALID_ARGUMENT', async () => {
    const call = ask(
      mneme.memories,
      mneme.memories.listMemories,
      ListMemoriesRequest.fromPartial({ parent, filter: deep(300) }),
    );

    expect(await refusal(call)).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'MESSAGE_MALFORMED' });
  });
});

describe('a request', () => {
  const get = (request: object) => ask(mneme.memories, mneme.memories.getMemory, GetMemoryRequest.fromPartial(request));
  const batch = (names: string[]) =>
    ask(mneme.memories, mneme.memories.batchGetMemories, BatchGetMemoriesRequest.fromPartial({ parent, names }));
  const list = (request: object) =>
    ask(mneme.memories, mneme.memories.listMemories, ListMemoriesRequest.fromPartial({ parent, ...request }));
  const recall = (request: object) =>
    ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial({ parent, text: 'x', ...request }));

  it.each<readonly [string, () => Promise<unknown>, string]>([
    ['Get without name', () => get({}), 'name'],
    ['Get of something else', () => get({ name: parent }), 'name'],
    ['Get of an id over the limit', () => get({ name: `${parent}/memories/${'x'.repeat(129)}` }), 'name'],
    ['Get with an unknown view', () => get({ name, view: 99 }), 'view'],
    ['Get with a negative revision', () => get({ name, minRevision: -1n }), 'min_revision'],
    [
      'Delete of nothing',
      () => ask(mneme.memories, mneme.memories.deleteMemory, DeleteMemoryRequest.fromPartial({})),
      'name',
    ],
    ['BatchGet of nothing', () => batch([]), 'names'],
    ['BatchGet of too many', () => batch(times(1001, name)), 'names'],
    ['BatchGet of another namespace', () => batch([name, 'namespaces/other/memories/x']), 'names[1]'],
    ['List with an unknown order', () => list({ order: 99 }), 'order'],
    ['List with a negative page', () => list({ pageSize: -1 }), 'page_size'],
    ['Recall of nothing', () => recall({ text: '' }), 'text'],
    ['Recall of a text over the limit', () => recall({ text: 'x'.repeat(1_048_577) }), 'text'],
    ['Recall of a text with NUL', () => recall({ text: '\0' }), 'text'],
    ['Recall with a negative limit', () => recall({ limit: -1 }), 'limit'],
    ['Recall with a limit over the limit', () => recall({ limit: 1001 }), 'limit'],
    [
      'Recall of a zero vector',
      () => recall({ embedding: { dataF32le: Buffer.alloc(4), dimension: 1, model: 'm' } }),
      'embedding.data_f32le',
    ],
    ['Recall like a memory elsewhere', () => recall({ similarTo: 'namespaces/other/memories/x' }), 'similar_to'],
    ['Recall of an empty example', () => recall({ example: {} }), 'example'],
    ['Recall with a negative weight', () => recall({ weights: { keyword: -1 } }), 'weights.keyword'],
    ['Recall with a weight that is no number', () => recall({ weights: { session: Number.NaN } }), 'weights.session'],
    [
      'Recall with all weights 0',
      () => recall({ weights: { keyword: 0, vector: 0, recency: 0, importance: 0, session: 0 } }),
      'weights',
    ],
    ['Recall at no time', () => recall({ referenceTime: { seconds: 1n << 50n } }), 'reference_time'],
    ['Recall without half-life', () => recall({ recencyHalfLife: {} }), 'recency_half_life'],
    [
      'Recall with a half-life over the limit',
      () => recall({ recencyHalfLife: { seconds: 36_501n * 86_400n } }),
      'recency_half_life',
    ],
    ['Recall with too many neighbours', () => recall({ neighborCount: 6 }), 'neighbor_count'],
    ['Recall with an endless least score', () => recall({ minScore: Infinity }), 'min_score'],
    ['Recall with a diversity over 1', () => recall({ diversity: 1.01 }), 'diversity'],
    ['Recall with a diversity below 0', () => recall({ diversity: -0.1 }), 'diversity'],
    ['Recall with a diversity that is no number', () => recall({ diversity: Number.NaN }), 'diversity'],
    ['Recall with a similarity over 1', () => recall({ minSimilarity: 1.5 }), 'min_similarity'],
  ])('%s › FIELD_INVALID names the field', async (_, call, field) => {
    expect(await refusal(call())).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID', fields: [field] });
  });

  it('when the namespace is unknown › a read is empty, and NOT_FOUND of a change names it', async () => {
    const unknown = { parent: 'namespaces/unknown' };
    const names = ['namespaces/unknown/memories/x'];
    const { memories } = mneme;
    const read = BatchGetMemoriesRequest.fromPartial({ ...unknown, names });
    expect(await list(unknown)).toMatchObject({ memories: [] });
    expect(await recall(unknown)).toMatchObject({ hits: [] });
    expect(await ask(memories, memories.batchGetMemories, read)).toMatchObject({ memories: [], missing: names });
    const forget = ForgetMemoriesRequest.fromPartial({ ...unknown, all: true });
    expect(await refusal(ask(memories, memories.forgetMemories, forget))).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'NAMESPACE_NOT_FOUND',
      metadata: { name: unknown.parent },
    });
  });
});
