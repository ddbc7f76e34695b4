import type { HotEntry } from '../hot-log.ts';
import type { CommandBatch } from './command-batch.ts';
import type { KeyspaceDraft } from './keyspace-state.ts';
import { type LogEntry, stepField } from './log-entries.ts';

/** About how many entries the log of a keyspace keeps, and for how long when the namespace is deleted. */
export interface LogLengths {
  /** Changes of all kinds; a reader that comes later reads the memories themselves. */
  readonly changes: number;
  readonly deletedNamespaceMs: number;
}

const DAY_MS = 86_400_000;

export const LOG_LENGTHS: LogLengths = { changes: 20_000, deletedNamespaceMs: DAY_MS };

/** What a draft appends to the log of a keyspace. */
export function newsOf(draft: KeyspaceDraft, entries: readonly HotEntry[]): readonly LogEntry[] {
  const { deletion, revision, serial } = draft;
  const placed = entries.map((entry) => ({ place: `${entry.revision}-${serial}`, entry }));
  // The last of them may have the same revision.
  const end = deletion && { place: `${revision}-${serial + 1}`, entry: { id: '', kind: deletion, revision } };
  // What a deleted namespace leaves is erased after it, without an entry.
  const isErasing = !draft.state.namespace && !draft.isThere;
  return [...(isErasing ? [] : placed), ...(end ? [end] : [])];
}

/** Revision of the newest entry after that. */
export function endAfter({ state }: KeyspaceDraft, news: readonly LogEntry[]): number {
  return news.at(-1)?.entry.revision ?? state.end ?? -1;
}

/** Each entry names the one before it: a reader notices when some are missing. */
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
    batch.alone('XADD', 'log', place, 'k', entry.kind, 'i', entry.id, ...follows, ...step);
    last = entry.revision;
  }
  // A reader that has not read what came before the deletion of all need not any more.
  if (deletion) batch.alone('XTRIM', 'log', 'MAXLEN', '1');
  else if (news.length > 0) batch.alone('XTRIM', 'log', 'MAXLEN', '~', `${lengths.changes}`);
}

const KEPT = ['room', 'log'];

/** What is left of a deleted namespace has a time to live; made anew it has none. */
export function limitLife(batch: CommandBatch, draft: KeyspaceDraft, { deletedNamespaceMs }: LogLengths): void {
  const { version, namespace } = draft.state;
  if (draft.isThere && version > 0 && !namespace) for (const key of KEPT) batch.alone('PERSIST', key);
  // What is left of its memories is found by the keyspace.
  if (!draft.isThere && draft.count === 0) for (const key of KEPT) batch.alone('PEXPIRE', key, `${deletedNamespaceMs}`);
}
