import type { Micros } from '../../../../src/memory/memory.ts';
import { globOf } from '../../../../src/memory/pattern.ts';
import { type Entry, isExpired } from '../../../../src/memory/session.ts';
import { compareTexts } from '../../../../src/memory/values.ts';
import type { EntryListRead, EntryPage } from '../../../../src/storage/session-store.ts';

/** A page of entries that are all in memory, in any order. */
export function pageOfEntries(
  entries: Iterable<Entry>,
  read: Omit<EntryListRead, 'namespace' | 'session'>,
): Omit<EntryPage, 'revision'> {
  const { pattern, afterKey, limit, bytesMax, withValues, nowUs } = read;
  const glob = pattern === undefined ? undefined : globOf(pattern);
  const wanted = [...entries]
    .filter((entry) => isWanted(entry, nowUs) && (!glob || glob.matches(entry.key)))
    .sort((one, other) => compareTexts(one.key, other.key));
  let bytes = 0;
  const end = wanted.findIndex((entry, at) => {
    bytes += withValues ? entry.bytes : 0;
    return at >= limit || (at > 0 && bytes > bytesMax);
  });
  const page = end < 0 ? wanted : wanted.slice(0, end);
  const nextAfter = end < 0 ? undefined : page.at(-1)?.key;
  return {
    entries: withValues ? page : page.map(({ content: _, ...head }) => head),
    nextAfter,
  };

  function isWanted(entry: Entry, now: Micros): boolean {
    return !isExpired(entry, now) && (afterKey === undefined || compareTexts(entry.key, afterKey) > 0);
  }
}
