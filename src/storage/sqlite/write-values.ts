import type { Content } from '../../memory/memory.ts';
import { parsedContent } from '../../memory/parsed-content.ts';
import { type ContentValue, valuesOf } from '../../memory/values.ts';
import type { Changes } from './changes.ts';
import { prepared, queries } from './prepared.ts';

interface RowKeys {
  namespace_key: number;
  pk: number;
}

const addValue = prepared((p: RowKeys & { path_key: number; value: string | number | Uint8Array }) =>
  queries
    .insertInto('memory_value')
    .values({ namespace_key: p.namespace_key, path_key: p.path_key, value: p.value, pk: p.pk }),
);
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
  const statement = addValue(changes.database);
  for (const { path, value } of values) {
    const pathKey = changes.paths.keyOf(namespaceKey, path);
    if (pathKey === undefined) isPartial = true;
    else statement.run({ namespace_key: namespaceKey, path_key: pathKey, value: storedValue(value), pk });
  }
  return isPartial;
}

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
export function storedValue(value: ContentValue['value']): string | number | Uint8Array {
  if (value === null) return MARKS.null;
  if (value === undefined) return MARKS.empty;
  if (typeof value === 'boolean') return value ? MARKS.true : MARKS.false;
  return value;
}
