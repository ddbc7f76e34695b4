import { parsedContent } from '../../memory/derive-text.ts';
import type { Content } from '../../memory/memory.ts';
import { rewardIn, surpriseIn } from '../../memory/tier-policy.ts';
import { valuesOf } from '../../memory/values.ts';
import type { Changes } from './changes.ts';
import type { MemoryTable } from './schema.ts';
import { valueTerm } from './value-terms.ts';

/** What is kept of a JSON content beside it. */
export interface ContentValues {
  readonly columns: Pick<MemoryTable, 'values_partial' | 'reward' | 'surprise'>;
  /** For the index of values; `undefined` where there are none. */
  readonly terms: string | undefined;
}

const NONE: ContentValues = { columns: { values_partial: 0, reward: 0, surprise: 0 }, terms: undefined };

/** Paths that the namespace has not had before are written down. */
export function contentValues(changes: Changes, namespaceKey: number, content: Content | undefined): ContentValues {
  const json = parsedContent(content);
  if (json === undefined) return NONE;
  const { values, partial } = valuesOf(json);
  let isPartial = partial;
  let terms: string | undefined;
  for (const { path, value } of values) {
    const prefix = changes.paths.prefixOf(namespaceKey, path);
    if (prefix === undefined) isPartial = true;
    else terms = `${terms === undefined ? '' : `${terms} `}${prefix}${valueTerm(value)}`;
  }
  const columns = { values_partial: isPartial ? 1 : 0, reward: rewardIn(json), surprise: surpriseIn(json) };
  return { columns, terms };
}
