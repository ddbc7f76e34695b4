import type { HotEntry } from '../hot-log.ts';
import type { Entry } from '../rules/draft.ts';
import type { CommandBatch } from './command-batch.ts';
import type { RedisArgument } from './connection.ts';
import { encodeEntry } from './entry-codec.ts';
import type { KeyspaceDraft, LogEnds } from './keyspace-state.ts';
import { type LogEntry, revisionIn, stepField } from './log-entries.ts';

/** About how many entries the logs of a keyspace keep, and for how long when the namespace is deleted. */
export interface LogLengths {
  /** Changes of all kinds; who comes later reads the memories themselves. */
  readonly changes: number;
  /** Of what the memories do not tell to who comes later: above all deletions. */
  readonly deletions: number;
  /** States that updates left of memories that the long-term store owns. */
  readonly updates: number;
  /** After that a server that was away finds nothing to tell it of the deletion. */
  readonly deletedNamespaceMs: number;
}

const DAY_MS = 86_400_000;

export const LOG_LENGTHS: LogLengths = {
  changes: 20_000,
  deletions: 100_000,
  updates: 10_000,
  deletedNamespaceMs: 30 * DAY_MS,
};

/** What a draft appends to the logs of a keyspace. */
export interface LogNews {
  readonly log: readonly LogEntry[];
  /** Those of them that say what has become of memories that are not in the keyspace any more, or never were. */
  readonly below: readonly LogEntry[];
}

export function newsOf(draft: KeyspaceDraft, entries: readonly HotEntry[]): LogNews {
  const { deletion, revision, serial } = draft;
  const placed = entries.map((entry) => ({ place: `${entry.revision}-${serial}`, entry }));
  // The last of them may have the same revision.
  const end = deletion && { place: `${revision}-${serial + 1}`, entry: { id: '', kind: deletion, revision } };
  const ends: readonly LogEntry[] = end ? [end] : [];
  // What a deleted namespace leaves is erased after it, without a word.
  const isErasing = !draft.state.namespace && !draft.isThere;
  const below = draft.state.namespace ? placed.filter(({ entry }) => isToldBelow(draft, entry)) : [];
  return {
    log: [...(isErasing ? [] : placed), ...ends],
    below: deletion === 'namespace_deleted' ? ends : [...below, ...ends],
  };
}

function isToldBelow(draft: KeyspaceDraft, { id, kind }: HotEntry): boolean {
  // When one expires that was never changed all know who have it.
  if (kind === 'expired') return draft.before.get(id)?.change !== 'stored';
  return kind === 'deleted' || kind === 'rewritten';
}

/** Revisions of the newest entries after that. */
export function endsAfter(draft: KeyspaceDraft, { log, below }: LogNews): LogEnds {
  const ends = endsBefore(draft);
  return { log: log.at(-1)?.entry.revision ?? ends.log, below: below.at(-1)?.entry.revision ?? ends.below };
}

/** Of a keyspace of a former version the ends of its logs are not known, and `below` is empty. */
function endsBefore({ state }: KeyspaceDraft): LogEnds {
  return state.ends ?? { log: -1, below: state.revision };
}

export function appendToLogs(
  batch: CommandBatch,
  draft: KeyspaceDraft,
  { log, below }: LogNews,
  lengths: LogLengths,
): void {
  const ends = endsBefore(draft);
  const { deletedAt, namespace: before } = draft.state;
  if (draft.isThere && !before && deletedAt) {
    // Readers need nothing that came before it.
    append(batch, 'below', [{ place: deletedAt, entry: deletionAt(deletedAt) }], 0, () => []);
  }
  const states = new Map(draft.rewritten.map((entry) => [entry.memory.revision, fieldsOf(entry)]));
  append(batch, 'log', log, ends.log, ({ revision }) => states.get(revision) ?? []);
  // The log alone has it until the namespace is made anew.
  if (draft.deletion !== 'namespace_deleted') append(batch, 'below', below, ends.below, () => []);
  for (const { place, entry } of below) {
    const { kind, id, revision } = entry;
    const state = states.get(revision);
    if (state) batch.alone('XADD', 'states', place, 'k', kind, 'i', id, ...state);
  }
  // Whoever has not read what came before the deletion of all need not any more.
  if (draft.deletion) batch.alone('XTRIM', 'log', 'MAXLEN', '1');
  else if (log.length > 0) batch.alone('XTRIM', 'log', 'MAXLEN', '~', `${lengths.changes}`);
  if (draft.deletion === 'namespace_deleted') {
    for (const key of ['below', 'states']) batch.erase(key);
  } else if (below.length > 0) batch.alone('XTRIM', 'below', 'MAXLEN', '~', `${lengths.deletions}`);
  if (states.size > 0) batch.alone('XTRIM', 'states', 'MAXLEN', '~', `${lengths.updates}`);
}

/** What is left of a deleted namespace has a time to live; made anew it has none. */
export function limitLife(batch: CommandBatch, draft: KeyspaceDraft, { deletedNamespaceMs }: LogLengths): void {
  const { version, namespace } = draft.state;
  const told = ['room', 'log', 'below', 'states'];
  if (draft.isThere && version > 0 && !namespace) for (const key of told) batch.alone('PERSIST', key);
  // What is left of its memories is found by the keyspace.
  if (!draft.isThere && draft.count === 0) for (const key of told) batch.alone('PEXPIRE', key, `${deletedNamespaceMs}`);
}

function deletionAt(place: string): HotEntry {
  return { id: '', kind: 'namespace_deleted', revision: revisionIn(place) };
}

/** Each entry names the one before it: who reads them notices when some are missing. */
function append(
  batch: CommandBatch,
  log: keyof LogNews,
  entries: readonly LogEntry[],
  end: number,
  stateOf: (entry: HotEntry) => readonly RedisArgument[],
): void {
  let last = end;
  for (const { place, entry } of entries) {
    const follows = last < 0 ? [] : ['p', `${last}`];
    const step = entry.step ? ['t', stepField(entry.step)] : [];
    batch.alone('XADD', log, place, 'k', entry.kind, 'i', entry.id, ...follows, ...step, ...stateOf(entry));
    last = entry.revision;
  }
}

/** What the logs have of a memory that the long-term store owns: nothing else in Redis has it. */
function fieldsOf(entry: Entry): RedisArgument[] {
  const { entry: whole, body, vector } = encodeEntry(entry);
  return ['e', whole, ...(body ? ['b', body] : []), ...(vector ? ['u', vector] : [])];
}
