import type { HotEntry } from '../hot-log.ts';
import type { CommandBatch } from './command-batch.ts';
import type { KeyspaceDraft } from './keyspace-state.ts';
import { type LogEntry, stepField } from './log-entries.ts';

/** Approximate number of entries in the log of a keyspace, and its time to live after the namespace is deleted. */
export interface LogLengths {
  /** Entries of all kinds; a reader that is further behind reads the memories themselves. */
  readonly changes: number;
  readonly deletedNamespaceMs: number;
}

const DAY_MS = 86_400_000;

export const LOG_LENGTHS: LogLengths = { changes: 20_000, deletedNamespaceMs: DAY_MS };

/** The entries that a draft appends to the log of a keyspace. */
export function newsOf(draft: KeyspaceDraft, entries: readonly HotEntry[]): readonly LogEntry[] {
  const { deletion, revision, serial, atUs } = draft;
  const time = atUs > 0 && { atUs };
  const placed = entries.map((entry) => ({ place: `${entry.revision}-${serial}`, entry: { ...entry, ...time } }));
  // The last of them may have the same revision.
  const end = deletion && { place: `${revision}-${serial + 1}`, entry: { id: '', kind: deletion, revision } };
  // Leftovers of a deleted namespace are erased after it, without an entry.
  const isErasing = !draft.state.namespace && !draft.isThere;
  return [...(isErasing ? [] : placed), ...(end ? [end] : [])];
}

/** Revision of the newest entry after these. */
export function endAfter({ state }: KeyspaceDraft, news: readonly LogEntry[]): number {
  return news.at(-1)?.entry.revision ?? state.end ?? -1;
}

/** Each entry names its predecessor, so that a reader detects missing entries. */
export function appendToLog(
  batch: CommandBatch,
  { state, deletion }: KeyspaceDraft,
  news: readonly LogEntry[],
  lengths: LogLengths,
): void {
  let last = state.end ?? -1;
  for (const { place, entry } of news) {
    const follows = last < 0 ? [] : ['p', `${last}`];
    const step = entry.step ? ['t', stepField(entry.step)] : [];
    const time = entry.atUs === undefined ? [] : ['a', `${entry.atUs}`];
    batch.alone('XADD', 'log', place, 'k', entry.kind, 'i', entry.id, ...follows, ...step, ...time);
    last = entry.revision;
  }
  // After a complete deletion, a reader needs no earlier entries.
  if (deletion) batch.alone('XTRIM', 'log', 'MAXLEN', '1');
  else if (news.length > 0) batch.alone('XTRIM', 'log', 'MAXLEN', '~', `${lengths.changes}`);
}

const KEPT = ['room', 'log'];

/** Leftovers of a deleted namespace have a time to live; a new namespace of the name has none. */
export function limitLife(batch: CommandBatch, draft: KeyspaceDraft, { deletedNamespaceMs }: LogLengths): void {
  const { version, namespace } = draft.state;
  if (draft.isThere && version > 0 && !namespace) for (const key of KEPT) batch.alone('PERSIST', key);
  // The rest of its memories is found by the keyspace.
  if (!draft.isThere && draft.count === 0) for (const key of KEPT) batch.alone('PEXPIRE', key, `${deletedNamespaceMs}`);
}
