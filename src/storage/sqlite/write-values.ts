import { sql } from 'kysely';
import type { Content } from '../../memory/memory.ts';
import { parsedContent } from '../../memory/parsed-content.ts';
import { type ContentValue, valuesOf } from '../../memory/values.ts';
import type { Changes } from './changes.ts';
import { prepared, queries } from './prepared.ts';

interface RowKeys {
  namespace_key: number;
  pk: number;
}

type StoredValue = string | number | Uint8Array;

/** Values that one statement writes: eight at once cost a quarter less than one by one. */
const AT_ONCE = 8;
const addValue = prepared((p: RowKeys & { path_key: number; value: StoredValue }) =>
  queries
    .insertInto('memory_value')
    .values({ namespace_key: p.namespace_key, path_key: p.path_key, value: p.value, pk: p.pk }),
);
/** Paths and values by their place: `path0`, `value0`, and so on. */
const addValues = prepared((p: RowKeys & { [place: string]: StoredValue }) => {
  const rows = Array.from({ length: AT_ONCE }, (_, at) => sql`(${p[`path${at}`]}, ${p[`value${at}`]})`);
  return sql`
    INSERT INTO memory_value(namespace_key, path_key, value, pk)
    SELECT ${p.namespace_key}, column1, column2, ${p.pk} FROM (VALUES ${sql.join(rows)})`;
});
const eraseValues = prepared((p: { pk: number }) => queries.deleteFrom('memory_value').where('pk', '=', p.pk));
const addTag = prepared((p: RowKeys & { tag: string }) =>
  queries.insertInto('memory_tag').orIgnore().values({ namespace_key: p.namespace_key, tag: p.tag, pk: p.pk }),
);
const eraseTag = prepared((p: RowKeys & { tag: string }) =>
  queries
    .deleteFrom('memory_tag')
    .where('namespace_key', '=', p.namespace_key)
    .where('tag', '=', p.tag)
    .where('pk', '=', p.pk),
);

/** Writes the values of a JSON content; true when not all of them could be. */
export function writeValues(changes: Changes, namespaceKey: number, pk: number, content: Content | undefined): boolean {
  const json = parsedContent(content);
  if (json === undefined) return false;
  const { values, partial } = valuesOf(json);
  let isPartial = partial;
  const rows: ValueRow[] = [];
  for (const { path, value } of values) {
    const path_key = changes.paths.keyOf(namespaceKey, path);
    if (path_key === undefined) isPartial = true;
    else rows.push({ path_key, value: storedValue(value) });
  }
  addRows(changes, { namespace_key: namespaceKey, pk }, rows);
  return isPartial;
}

interface ValueRow {
  readonly path_key: number;
  readonly value: StoredValue;
}

function addRows({ database }: Changes, keys: RowKeys, rows: readonly ValueRow[]): void {
  let at = 0;
  for (; at + AT_ONCE <= rows.length; at += AT_ONCE) {
    const values: RowKeys & { [place: string]: StoredValue } = { ...keys };
    for (let place = 0; place < AT_ONCE; place++) {
      const row = rows[at + place] as ValueRow;
      values[PATHS[place] as string] = row.path_key;
      values[VALUES[place] as string] = row.value;
    }
    addValues(database).run(values);
  }
  for (const row of rows.slice(at)) addValue(database).run({ ...keys, ...row });
}
const PATHS = Array.from({ length: AT_ONCE }, (_, at) => `path${at}`);
const VALUES = Array.from({ length: AT_ONCE }, (_, at) => `value${at}`);

export function eraseValuesOf(changes: Changes, pk: number): void {
  eraseValues(changes.database).run({ pk });
}

export function writeTags(changes: Changes, namespaceKey: number, pk: number, tags: readonly string[]): void {
  for (const tag of tags) addTag(changes.database).run({ namespace_key: namespaceKey, tag, pk });
}

export function eraseTags(changes: Changes, namespaceKey: number, pk: number, tags: readonly string[]): void {
  for (const tag of tags) eraseTag(changes.database).run({ namespace_key: namespaceKey, tag, pk });
}

const MARKS = { null: new Uint8Array(), false: Uint8Array.of(0), true: Uint8Array.of(1), empty: Uint8Array.of(2) };

/** A value as `memory_value.value` has it; see `schema.ts`. */
export function storedValue(value: ContentValue['value']): StoredValue {
  if (value === null) return MARKS.null;
  if (value === undefined) return MARKS.empty;
  if (typeof value === 'boolean') return value ? MARKS.true : MARKS.false;
  return value;
}
