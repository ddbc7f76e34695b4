import type { Changes } from './changes.ts';
import { prepared, queries } from './prepared.ts';

interface TagRow {
  namespace_key: number;
  pk: number;
  tag: string;
}

const addTag = prepared((p: TagRow) =>
  queries.insertInto('memory_tag').orIgnore().values({ namespace_key: p.namespace_key, tag: p.tag, pk: p.pk }),
);
const eraseTag = prepared((p: TagRow) =>
  queries
    .deleteFrom('memory_tag')
    .where('namespace_key', '=', p.namespace_key)
    .where('tag', '=', p.tag)
    .where('pk', '=', p.pk),
);

export function writeTags(changes: Changes, namespaceKey: number, pk: number, tags: readonly string[]): void {
  for (const tag of tags) addTag(changes.database).run({ namespace_key: namespaceKey, tag, pk });
}

export function eraseTags(changes: Changes, namespaceKey: number, pk: number, tags: readonly string[]): void {
  for (const tag of tags) eraseTag(changes.database).run({ namespace_key: namespaceKey, tag, pk });
}
