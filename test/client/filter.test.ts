import { readFileSync } from 'node:fs';
import { createFileRegistry, type DescMessage, fromBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { afterEach, describe, expect, it } from '@jest/globals';
import { allOf, anyOf, type Filter, negate, path, where, within } from '../../clients/typescript/src/index.ts';
import { Filter as FilterMessage, MemoryField, Operator } from '../../gen/ts/mneme/v1/filter.ts';
import type { ListMemoriesRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { cleanUp, serve } from './support/clean-up.ts';
import { unary } from './support/start-service.ts';

afterEach(cleanUp);

const image = fromBinary(FileDescriptorSetSchema, readFileSync('gen/image.binpb'));
const FILTER = createFileRegistry(image).getMessage('mneme.v1.Filter') as DescMessage;

/** The filter as a server gets it. */
async function sent(filter: Filter): Promise<unknown> {
  const requests: ListMemoriesRequest[] = [];
  const list = unary<ListMemoriesRequest, object>((request) => {
    requests.push(request);
    return { memories: [], damaged: [], nextPageToken: '', revision: 1n };
  });
  const { mneme } = await serve({ memory: { listMemories: list } });
  await mneme.listPage({ filter });
  const message = requests[0]?.filter;
  return message && toJson(FILTER, fromBinary(FILTER, FilterMessage.encode(message).finish()));
}

const field = (name: string, operator: string, values: unknown[], ignoreCase?: boolean) => ({
  comparison: { field: `MEMORY_FIELD_${name}`, op: `OPERATOR_${operator}`, ...some({ values, ignoreCase }) },
});
const some = ({ values, ignoreCase }: { values: unknown[]; ignoreCase: boolean | undefined }) => ({
  ...(values.length > 0 && { values }),
  ...(ignoreCase && { ignoreCase }),
});

describe('client filters › received by the server', () => {
  it('a tree of every node › is the tree that was written', async () => {
    const filter = allOf(
      where.type.equals('fact'),
      anyOf(where.speaker.contains('ann', { ignoreCase: true }), where.tag.isIn(['a', 'b'])),
      negate(where.supersededBy.exists()),
      where.importance.greaterOrEqual(0.5),
      where.eventTime.less(new Date('2024-01-02T03:04:05.006Z')),
      path('position.room').isNull(),
      path('done').equals(true),
    );

    expect(await sent(filter)).toEqual({
      all: {
        filters: [
          field('TYPE', 'EQUALS', [{ stringValue: 'fact' }]),
          {
            any: {
              filters: [
                field('SPEAKER', 'CONTAINS', [{ stringValue: 'ann' }], true),
                field('TAG', 'IN', [{ stringValue: 'a' }, { stringValue: 'b' }]),
              ],
            },
          },
          { negate: field('SUPERSEDED_BY', 'EXISTS', []) },
          field('IMPORTANCE', 'GREATER_OR_EQUAL', [{ numberValue: 0.5 }]),
          field('EVENT_TIME', 'LESS', [{ timeValue: '2024-01-02T03:04:05.006Z' }]),
          { comparison: { path: 'position.room', op: 'OPERATOR_IS_NULL' } },
          { comparison: { path: 'done', op: 'OPERATOR_EQUALS', values: [{ boolValue: true }] } },
        ],
      },
    });
  });

  it.each([
    [{ point: { x: 1, y: 2 }, radius: 3 }, { pointRadius: { center: { x: 1, y: 2 }, radius: 3 } }],
    [{ low: { x: 0, y: 0 }, high: { x: 1, y: 1, z: 1 } }, { pointBox: { low: {}, high: { x: 1, y: 1, z: 1 } } }],
    [
      { geo: { latitudeDeg: 52, longitudeDeg: 13 }, radiusM: 500 },
      { geoRadius: { center: { latitudeDeg: 52, longitudeDeg: 13 }, radiusM: 500 } },
    ],
    [
      { southWest: { latitudeDeg: 1, longitudeDeg: 2 }, northEast: { latitudeDeg: 3, longitudeDeg: 4 } },
      { geoBox: { southWest: { latitudeDeg: 1, longitudeDeg: 2 }, northEast: { latitudeDeg: 3, longitudeDeg: 4 } } },
    ],
  ])('an area %j › is the area that was written', async (area, expected) => {
    expect(await sent(within(area))).toEqual({ place: expected });
  });
});

describe('client filters › completeness', () => {
  it('every field and operator of the API › can be written', () => {
    const x = path('x');
    const filters = [
      ...Object.values(where).map((target) => target.exists()),
      ...[x.equals(1), x.less(1), x.lessOrEqual(1), x.greater(1), x.greaterOrEqual(1), x.isIn([1]), x.isNull()],
      ...[x.contains('a'), x.startsWith('a'), x.matches('a'), x.exists()],
    ];
    const comparisons = filters.flatMap(({ node }) => (node?.$case === 'comparison' ? [node.value] : []));
    const used = (all: Readonly<Record<string, number>>) => Object.values(all).filter((code) => code > 0);

    const fields = comparisons.flatMap(({ target }) => (target?.$case === 'field' ? [target.value] : []));
    expect([...new Set(fields)].sort((a, b) => a - b)).toEqual(used(MemoryField).sort((a, b) => a - b));
    expect([...new Set(comparisons.map(({ op: operator }) => operator))].sort((a, b) => a - b)).toEqual(
      used(Operator).sort((a, b) => a - b),
    );
  });
});
