import { utf8BodyBytesOf } from '../../memory/checksum.ts';
import type { Scope } from '../../memory/memory.ts';
import type { HotEntry } from '../hot-log.ts';
import type { Entry } from '../in-memory/draft.ts';
import { entriesOfDraft } from '../in-memory/entry-log.ts';
import { CommandBatch, type RedisCommand } from './command-batch.ts';
import { cardOf, placesOfCard } from './entry-card.ts';
import { type EntryStrings, encodeEntry, isBesideIn } from './entry-codec.ts';
import { memberOf, type Place, placesOf } from './entry-indexes.ts';
import { endsAfter, type LogLengths, limitLife, newsOf, tellLogs } from './log-commands.ts';
import type { RoomEntry } from './room-entry.ts';
import type { RoomDraft, RoomState } from './room-state.ts';
import { encodePast } from './whole-copies.ts';

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

/** What is to be added to sums of a room, by group: the first of a group counts memories, and without any the others are nothing. */
type SumChanges = Map<string, Map<string, number>>;

/** Adds what statistics and limits are made of, of one memory. */
function addSums(sums: SumChanges, entry: RoomEntry | undefined, sign: 1 | -1): void {
  if (!entry) return;
  const { memory, state } = entry;
  const { tier, type, scope, importance, retrievalCount } = memory;
  const names = namesOf(tier, type, scope);
  const bytes = (entry.isDamaged && entry.card?.bytes) || utf8BodyBytesOf(memory);
  const add = (group: string, name: string, value: number) => {
    const known = sums.get(group);
    if (known) known.set(name, (known.get(name) ?? 0) + sign * value);
    else sums.set(group, new Map([[name, sign * value]]));
  };
  add(names.count, names.count, 1);
  add(names.count, names.bytes, bytes);
  add(names.scope, names.scope, 1);
  add('embedded', 'embedded', state === 'there' ? 1 : 0);
  add('pending', 'pending', state === 'pending' ? 1 : 0);
  add('retrievals', 'retrievals', retrievalCount);
  // In millionths: whole numbers add up exactly.
  add('importance', 'importance', Math.round(importance * 1e6));
}

/** One command for each group (`commit.lua`): what comes to nothing goes, and so do all sums of a room that holds nothing. */
function tellSums(batch: CommandBatch, sums: SumChanges, isEmpty: boolean): void {
  if (isEmpty) batch.erase('sums');
  else {
    for (const group of sums.values()) {
      const values = [...group];
      if (values.every(([, value]) => value === 0)) continue;
      batch.alone('SUM', 'sums', ...values.flatMap(([name, value]) => [name, `${value}`]));
    }
  }
}

interface SumNames {
  readonly count: string;
  readonly bytes: string;
  readonly scope: string;
}

const NAMES_KEPT = 1000;
/** To put the names together costs more than to look them up. */
const sumNames = new Map<string, SumNames>();

function namesOf(tier: string, type: string, scope: Scope): SumNames {
  const { project, agentType, agent, session } = scope;
  const lengths = `${type.length} ${project.length} ${agentType.length} ${agent.length}`;
  const name = `${tier} ${lengths} ${type}${project}${agentType}${agent}${session}`;
  const known = sumNames.get(name);
  if (known) return known;
  const total = JSON.stringify([tier, agent, type]);
  // In an order of its own: another one would be another name.
  const ordered = JSON.stringify({ project, agentType, agent, session });
  const names = { count: `count ${total}`, bytes: `bytes ${total}`, scope: `scope ${ordered}` };
  if (sumNames.size >= NAMES_KEPT) sumNames.clear();
  sumNames.set(name, names);
  return names;
}
