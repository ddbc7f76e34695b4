import type { MemoryField } from '../../memory/filter.ts';
import type { Memory } from '../../memory/memory.ts';
import type { ContentValue } from '../../memory/values.ts';

/** Fields that have one value at most and are read as a column. */
export type ColumnField = Exclude<MemoryField, 'id' | 'tag' | 'text' | 'media_type'>;

type Namespace = { readonly key: number; readonly name: string };

/**
 * What filters compare, read from the store by columns: rows of all memories, at most `limit` of them at once. Values of
 * a memory whose upkeep is still to be written are missing in `pathColumn`: a first page is read where none is.
 */
export interface FilterRows {
  /** Values of a field from a key on, in the order of keys: times in microseconds, `null` where it is not set. */
  fieldColumn(
    namespace: Namespace,
    field: ColumnField,
    fromKey: number,
    limit: number,
  ): readonly { readonly key: number; readonly value: string | number | null }[];
  /** Tags with the keys of their memories, after one of them, in the order of tags. */
  tagColumn(
    namespace: Namespace,
    after: { readonly tag: string; readonly key: number },
    limit: number,
  ): readonly { readonly tag: string; readonly key: number }[];
  /** Whether a value at the path, as `pathKey` writes it, was ever indexed. */
  hasPath(namespace: Namespace, path: string): boolean;
  /** The longer paths that begin with one, as `pathKey` writes them. */
  pathsIn(namespace: Namespace, path: readonly string[], limit: number): readonly string[];
  /** Indexed values at a path with the keys of their memories, after one of them, in the order of their terms. */
  pathColumn(
    namespace: Namespace,
    path: string,
    after: { readonly term: string; readonly key: number },
    limit: number,
  ): readonly { readonly term: string; readonly key: number; readonly value: ContentValue['value'] }[];
  /** Keys of memories whose values are not all indexed. */
  partialKeys(namespace: Namespace): readonly number[];
  /** A memory without text, content, tags and source; and whether its values are not all indexed. */
  fields(namespace: Namespace, key: number): { readonly memory: Memory; readonly isPartial: boolean } | undefined;
}
