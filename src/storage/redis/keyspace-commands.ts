import { type Entry, entriesOfDraft } from '../rules/draft.ts';
import { CommandBatch, type RedisCommand } from './command-batch.ts';
import { type EntryStrings, encodeEntry, isBesideIn } from './entry-codec.ts';
import { idsValue, numberOf } from './keys.ts';
import type { KeyspaceEntry } from './keyspace-entry.ts';
import type { KeyspaceDraft, KeyspaceState } from './keyspace-state.ts';
import { appendToLog, endAfter, type LogLengths, limitLife, newsOf } from './log-commands.ts';
import { encodePast } from './whole-copies.ts';

/** The commands that turn the loaded state of a keyspace into that of the draft. */
export function commandsOf(
  keyspace: string,
  before: { readonly state: KeyspaceState; readonly entries: ReadonlyMap<string, KeyspaceEntry> },
  draft: KeyspaceDraft,
  lengths: LogLengths,
): RedisCommand[] {
  const changes = changedIds(before.entries, draft.entries);
  const batch = new CommandBatch(keyspace);
  for (const id of changes) changeEntry(batch, before.entries.get(id), draft.entries.get(id));
  // Counts log entries, so it runs before the keyspace is written.
  const news = newsOf(draft, entriesOfDraft(draft, [...new Set([...changes, ...draft.erasedIds.keys()])]));
  draft.logEntries = news;
  draft.end = endAfter(draft, news);
  const after = draft.after();
  const { version: _, stamp, ...rest } = after;
  if (draft.isEmptied) batch.erase('ids');
  const isAltered =
    changes.length > 0 ||
    draft.isEmptied ||
    JSON.stringify(rest) !== JSON.stringify({ ...before.state, version: undefined, stamp: undefined });
  if (!isAltered) return [];
  batch.alone('HSET', 'room', 'version', stamp, 'room', JSON.stringify(rest));
  appendToLog(batch, draft, news, lengths);
  limitLife(batch, draft, lengths);
  return batch.commands();
}

function changedIds(before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): string[] {
  const ids = [...after].filter(([id, entry]) => before.get(id) !== entry).map(([id]) => id);
  for (const id of before.keys()) if (!after.has(id)) ids.push(id);
  return ids;
}

function changeEntry(batch: CommandBatch, before: KeyspaceEntry | undefined, after: Entry | undefined): void {
  const isSame = before?.sequence === after?.sequence;
  if (before && !isSame) remove(batch, before);
  if (after) write(batch, isSame ? before : undefined, after);
}

function remove(batch: CommandBatch, { memory: { id }, sequence }: KeyspaceEntry): void {
  batch.take('HDEL', 'ids', id);
  for (const key of ['e', 'b', 'u', 'h']) batch.erase(`${key}:${numberOf(sequence)}`);
}

function write(batch: CommandBatch, before: KeyspaceEntry | undefined, after: Entry): void {
  const { id, revision } = after.memory;
  const number = numberOf(after.sequence);
  writeStrings(batch, number, encodeEntry(after, before), before, after);
  // Former states of an existing memory are not loaded: all of them in the draft are new.
  if (after.past.length > 0) batch.alone('LPUSH', `h:${number}`, ...after.past.map(encodePast).reverse());
  if (before?.memory.revision !== revision) batch.put('HSET', 'ids', id, idsValue(after.sequence, revision));
}

function writeStrings(
  batch: CommandBatch,
  number: string,
  { entry, body, vector }: EntryStrings,
  before: KeyspaceEntry | undefined,
  after: Entry,
): void {
  batch.set(`e:${number}`, entry);
  if (body) batch.set(`b:${number}`, body);
  else if ((before?.isBodyBeside || before?.isDamaged) && !isBesideIn(entry)) batch.erase(`b:${number}`);
  if (vector) batch.set(`u:${number}`, vector);
  else if ((before?.memory.embedding || before?.isDamaged) && !after.memory.embedding) batch.erase(`u:${number}`);
}
