import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../src/memory/checksum.ts';
import { admits } from '../../../src/memory/evaluate-filter.ts';
import type { Comparison, Operator, Scalar } from '../../../src/memory/filter.ts';
import { pathKey } from '../../../src/memory/values.ts';
import type { ListRead } from '../../../src/storage/memory-store.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { valueWords } from '../../../src/storage/sqlite/migrations/migrate.ts';
import { rowKey } from '../../../src/storage/sqlite/schema.ts';
import { olderFolder } from './older-folder.ts';

const NOW_US = 1_800_000_000_000_000;

/** Values in the rows of `memory_value` of the older schema. */
const VALUES: readonly (readonly [provided: unknown, kept: unknown])[] = [
  ['harbour', 'harbour'],
  ['Hafen 5', 'Hafen 5'],
  ['', ''],
  ['\u{1f600}', '\u{1f600}'],
  [0, 0],
  [-2.5, -2.5],
  [3, 3],
  [null, Buffer.alloc(0)],
  [false, Buffer.of(0)],
  [true, Buffer.of(1)],
  [[], Buffer.of(2)],
];
const MEMORIES = VALUES.map(([provided, kept], at) => ({
  id: `m${at}`,
  kept,
  text: '',
  content: { mediaType: 'application/json', data: Buffer.from(JSON.stringify({ v: provided })) },
}));
const READ: ListRead = {
  namespace: 'n',
  limit: 99,
  bytesMax: 1e6,
  view: 'full',
  nowUs: NOW_US,
  order: 'create_time_asc',
};
const REWARDED = { mediaType: 'application/json', data: Buffer.from('{"reward":7,"metadata":{"surprise":0.25}}') };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-values-migration-'));
  olderFolder(folder, valueWords, [...MEMORIES, { id: 'rewarded', text: '', content: REWARDED }], (insert) => {
    const paths = [['v'], ['reward'], ['metadata', 'surprise']];
    paths.forEach((path, at) => void insert('value_path', { key: at + 1, namespace_key: 1, path: pathKey(path) }));
    const keep = (place: number, path_key: number, value: unknown) =>
      insert('memory_value', { namespace_key: 1, path_key, value, pk: rowKey(1, place + 1) });
    MEMORIES.forEach(({ kept }, at) => void keep(at, 1, kept));
    keep(MEMORIES.length, 2, 7);
    keep(MEMORIES.length, 3, 0.25);
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

function comparison(operator: Operator, ...values: Scalar[]): Comparison {
  return { kind: 'comparison', target: { kind: 'path', path: ['v'] }, operator, values, ignoreCase: false };
}

describe('a folder whose content values are in rows', () => {
  it('opened › filters find by them what the evaluator admits, also when some are changed or erased', async () => {
    const store = await openSqliteStore({ folder });
    try {
      const provided = VALUES.map(([value]) => value).filter((value) => typeof value !== 'object') as Scalar[];
      const operators = ['equals', 'less', 'less_or_equal', 'greater', 'greater_or_equal', 'starts_with'] as const;
      const filters = [
        comparison('exists'),
        comparison('is_null'),
        ...operators.flatMap((operator) => provided.map((value) => comparison(operator, value))),
      ].flatMap((filter) => [filter, { kind: 'not' as const, filter }]);
      for (let round = 0; round < 2; round++) {
        const { memories } = await store.list(READ);
        for (const filter of filters) {
          const page = await store.list({ ...READ, filter });
          const expected = memories.filter((memory) => admits(filter, memory)).map(({ id }) => id);
          expect([filter, page.memories.map(({ id }) => id)]).toEqual([filter, expected]);
        }
        const content = { mediaType: 'application/json', data: Buffer.from('{"v":"harbour lights"}') };
        const changes = { content, checksum: checksumOf('', content) };
        await store.write({ kind: 'update', namespace: 'n', id: 'm5', changes, atUs: NOW_US });
        await store.write({
          kind: 'delete',
          namespace: 'n',
          ids: ['m0', 'm8'],
          cause: 'deleted',
          mustExist: false,
          atUs: NOW_US,
        });
      }
    } finally {
      await store.close();
    }
  });

  it('opened › what counts for importance is known', async () => {
    const store = await openSqliteStore({ folder });
    try {
      const members = await store.members({ namespace: 'n', tier: 'short_term', limit: 99 });
      expect(members.filter(({ reward, surprise }) => reward !== undefined || surprise !== undefined)).toMatchObject([
        { id: 'rewarded', reward: 7, surprise: 0.25 },
      ]);
    } finally {
      await store.close();
    }
  });
});
