import type { Micros } from '../../memory/memory.ts';
import { globOf } from '../../memory/pattern.ts';
import { type Entry, isExpired, type Note } from '../../memory/session.ts';
import { compareTexts } from '../../memory/values.ts';
import type { EntryListRead, EntryPage, NoteListRead } from '../session-store.ts';

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

/** A page of notes that are in memory in the requested order. */
export function pageOfNotes(
  ordered: readonly Note[],
  { limit, bytesMax }: Pick<NoteListRead, 'limit' | 'bytesMax'>,
): { notes: readonly Note[]; isLast: boolean } {
  let bytes = 0;
  const end = ordered.findIndex(({ content }, at) => {
    bytes += content.data.byteLength;
    return at >= limit || (at > 0 && bytes > bytesMax);
  });
  return { notes: end < 0 ? ordered : ordered.slice(0, end), isLast: end < 0 };
}
