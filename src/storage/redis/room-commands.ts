import type { HotEntry } from '../hot-log.ts';
import type { Entry } from '../in-memory/draft.ts';
import { entriesOfDraft } from '../in-memory/draft-entries.ts';
import { CommandBatch, type RedisCommand } from './command-batch.ts';
import { cardOf, placesOfCard } from './entry-card.ts';
import { type EntryStrings, encodeEntry, isBesideIn } from './entry-codec.ts';
import { memberOf, type Place, placesOf } from './entry-indexes.ts';
import { endsAfter, type LogLengths, limitLife, newsOf, tellLogs } from './log-commands.ts';
import { encodePast } from './past-codec.ts';
import type { RoomEntry } from './room-entry.ts';
import type { RoomDraft, RoomState } from './room-state.ts';
import { addSums, type SumChanges, tellSums } from './room-sums.ts';

/** The commands that bring a room from what was loaded of it to what the draft made of it. */
export function commandsOf(
  room: string,
  before: { readonly state: RoomState; readonly entries: ReadonlyMap<string, RoomEntry> },
  draft: RoomDraft,
  lengths: LogLengths,
): RedisCommand[] {
  const changes = changedIds(before.entries, draft.entries);
  const batch = new CommandBatch(room);
  const sums: SumChanges = new Map();
  for (const id of changes) {
    const [former, latter] = [before.entries.get(id), draft.entries.get(id)];
    changeEntry(batch, former, latter);
    addSums(sums, former, -1);
    addSums(sums, latter, 1);
  }
  const isEmpty = draft.count === 0 && (sums.size > 0 || draft.deletion !== undefined || draft.isEmptied);
  tellSums(batch, sums, isEmpty);
  // Counts what the log tells: to be known before the room is written.
  const rewritings = draft.rewritten.map(
    ({ memory: { id, revision } }): HotEntry => ({ id, kind: 'rewritten', revision }),
  );
  const entries = entriesOfDraft(draft, [...new Set([...changes, ...draft.erasedIds.keys()])], rewritings);
  const news = newsOf(draft, entries);
  draft.told = news.log;
  draft.ends = endsAfter(draft, news);
  const after = draft.after();
  const { version: _, stamp, ...rest } = after;
  for (const member of draft.strays) erase(batch, member, placesOfCard(undefined));
  if (draft.isEmptied) batch.erase('ids');
  const isAltered =
    changes.length + draft.strays.length > 0 ||
    draft.isEmptied ||
    JSON.stringify(rest) !== JSON.stringify({ ...before.state, version: undefined, stamp: undefined });
  if (!isAltered) return [];
  batch.alone('HSET', 'room', 'version', stamp, 'room', JSON.stringify(rest));
  tellLogs(batch, draft, news, lengths);
  limitLife(batch, draft, lengths);
  return batch.commands();
}

function changedIds(before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): string[] {
  const ids = [...after].filter(([id, entry]) => before.get(id) !== entry).map(([id]) => id);
  for (const id of before.keys()) if (!after.has(id)) ids.push(id);
  return ids;
}

function changeEntry(batch: CommandBatch, before: RoomEntry | undefined, after: Entry | undefined): void {
  const isSame = before?.sequence === after?.sequence;
  if (before && !isSame) remove(batch, before);
  if (after) write(batch, isSame ? before : undefined, after);
}

function remove(batch: CommandBatch, entry: RoomEntry): void {
  batch.take('HDEL', 'ids', entry.memory.id);
  erase(batch, memberOf(entry.sequence), placesBefore(entry));
}

function erase(batch: CommandBatch, member: string, places: readonly Place[]): void {
  for (const key of ['e', 'b', 'u', 'i', 'h']) batch.erase(`${key}:${member}`);
  for (const place of places) leave(batch, place, member);
}

/** What is damaged has lost the values that it is found by: its card has them. */
function placesBefore(entry: RoomEntry): Place[] {
  return entry.isDamaged && (entry.card || entry.isUnreadable) ? placesOfCard(entry.card) : placesOf(entry);
}

function leave(batch: CommandBatch, { index, score }: Place, member: string): void {
  batch.take(score === undefined ? 'SREM' : 'ZREM', index, member);
}

function write(batch: CommandBatch, before: RoomEntry | undefined, after: Entry): void {
  const member = memberOf(after.sequence);
  const places = placesOf(after);
  writeStrings(batch, member, encodeEntry(after, before), before, after);
  batch.set(`i:${member}`, cardOf(after, places));
  // Of one that is there the former states were not loaded: those it has here are new.
  if (after.past.length > 0) batch.alone('LPUSH', `h:${member}`, ...after.past.map(encodePast).reverse());
  if (!before) batch.put('HSET', 'ids', after.memory.id, member);
  const former = before && new Map(placesBefore(before).map((place) => [place.index, place]));
  for (const { index, score } of places) {
    const known = former?.get(index);
    if (!known || known.score !== score) {
      if (score === undefined) batch.put('SADD', index, member);
      else batch.put('ZADD', index, `${score}`, member);
    }
    former?.delete(index);
  }
  if (former) for (const place of former.values()) leave(batch, place, member);
}

function writeStrings(
  batch: CommandBatch,
  member: string,
  { entry, body, vector }: EntryStrings,
  before: RoomEntry | undefined,
  after: Entry,
): void {
  batch.set(`e:${member}`, entry);
  if (body) batch.set(`b:${member}`, body);
  else if ((before?.isBodyBeside || before?.isDamaged) && !isBesideIn(entry)) batch.erase(`b:${member}`);
  if (vector) batch.set(`u:${member}`, vector);
  else if ((before?.memory.embedding || before?.isDamaged) && !after.memory.embedding) batch.erase(`u:${member}`);
}
