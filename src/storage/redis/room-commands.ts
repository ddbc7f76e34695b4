import type { Entry } from '../in-memory/draft.ts';
import type { RedisArgument } from './connection.ts';
import { encodeEntry, encodePast } from './entry-codec.ts';
import { memberOf, placesOf } from './entry-indexes.ts';
import type { RoomDraft, RoomState } from './room-state.ts';

export type RedisCommand = readonly RedisArgument[];

/** About as many changes are kept in the log; who comes later reads the memories themselves. */
export const LOG_LENGTH = 10_000;

/** The commands that bring a room from what was loaded of it to what the draft made of it. */
export function commandsOf(
  room: string,
  before: { readonly state: RoomState; readonly entries: ReadonlyMap<string, Entry> },
  draft: RoomDraft,
): RedisCommand[] {
  const changes = changedIds(before.entries, draft.entries);
  const commands = changes.flatMap((id) => entryCommands(room, before.entries.get(id), draft.entries.get(id)));
  const after = draft.after();
  const { version, ...rest } = after;
  const isAltered =
    commands.length > 0 || JSON.stringify(rest) !== JSON.stringify({ ...before.state, version: undefined });
  if (!isAltered) return [];
  commands.push(['HSET', `${room}:room`, 'version', `${version}`, 'room', JSON.stringify(rest)]);
  for (const id of changes) {
    const kind = draft.releasedIds.has(id) ? 'released' : kindOf(before.entries.get(id), draft.entries.get(id));
    const place = `${after.revision}-*`;
    commands.push(['XADD', `${room}:log`, 'MAXLEN', '~', `${LOG_LENGTH}`, place, 'k', kind, 'i', id]);
  }
  return commands;
}

function changedIds(before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): string[] {
  const ids = [...after].filter(([id, entry]) => before.get(id) !== entry).map(([id]) => id);
  for (const id of before.keys()) if (!after.has(id)) ids.push(id);
  return ids;
}

function kindOf(before: Entry | undefined, after: Entry | undefined): string {
  if (!after) return 'deleted';
  if (!before) return 'stored';
  if (before.memory.revision !== after.memory.revision) return 'updated';
  if (before.memory.tier !== after.memory.tier) return 'moved';
  return before.state !== after.state ? 'embedded' : 'touched';
}

function entryCommands(room: string, before: Entry | undefined, after: Entry | undefined): RedisCommand[] {
  const isSame = before?.sequence === after?.sequence;
  return [
    ...(before && !isSame ? removal(room, before) : []),
    ...(after ? writing(room, isSame ? before : undefined, after) : []),
    ...countCommands(room, before, after),
  ];
}

function removal(room: string, entry: Entry): RedisCommand[] {
  const member = memberOf(entry.sequence);
  return [
    ['DEL', `${room}:m:${member}`, `${room}:h:${member}`],
    ['HDEL', `${room}:ids`, entry.memory.id],
    ...placesOf(entry).map(({ index, score }): RedisCommand => leave(room, index, score, member)),
  ];
}

function writing(room: string, before: Entry | undefined, after: Entry): RedisCommand[] {
  const member = memberOf(after.sequence);
  const key = `${room}:m:${member}`;
  const fields = Object.entries(encodeEntry(after)).filter(
    ([name]) => name === 'd' || !before || !hasSameBytes(before, after),
  );
  const set = fields.flatMap(([name, value]) => (value ? [name, value] : []));
  const cleared = before ? fields.filter(([, value]) => !value).map(([name]) => name) : [];
  // Of one that is there the former states were not loaded: those it has here are new.
  const past = after.past.map(encodePast).reverse();
  const places = new Map(placesOf(after).map(({ index, score }) => [index, score]));
  const former = new Map((before ? placesOf(before) : []).map(({ index, score }) => [index, score]));
  return [
    ['HSET', key, ...set],
    ...(cleared.length > 0 ? [['HDEL', key, ...cleared]] : []),
    ...(past.length > 0 ? [['LPUSH', `${room}:h:${member}`, ...past]] : []),
    ...(before ? [] : [['HSET', `${room}:ids`, after.memory.id, member]]),
    ...[...former].filter(([index]) => !places.has(index)).map(([index, score]) => leave(room, index, score, member)),
    ...[...places]
      .filter(([index, score]) => !former.has(index) || former.get(index) !== score)
      .map(([index, score]): RedisCommand => enter(room, index, score, member)),
  ];
}

/** Objects are replaced, never changed: what is the same object has the same bytes. */
function hasSameBytes({ memory: one, ...before }: Entry, { memory: other, ...after }: Entry): boolean {
  const isSameText = one.text === other.text && one.content === other.content;
  return isSameText && one.embedding === other.embedding && before.resolution === after.resolution;
}

function enter(room: string, index: string, score: number | undefined, member: string): RedisCommand {
  return score === undefined ? ['SADD', `${room}:${index}`, member] : ['ZADD', `${room}:${index}`, `${score}`, member];
}

function leave(room: string, index: string, score: number | undefined, member: string): RedisCommand {
  return [score === undefined ? 'SREM' : 'ZREM', `${room}:${index}`, member];
}

/** Keeps the sums that statistics and limits are made of. */
function countCommands(room: string, before: Entry | undefined, after: Entry | undefined): RedisCommand[] {
  const sums = new Map<string, number>();
  for (const [entry, sign] of [
    [before, -1],
    [after, 1],
  ] as const) {
    if (!entry) continue;
    for (const [name, value] of sumsOf(entry)) sums.set(name, (sums.get(name) ?? 0) + sign * value);
  }
  return [...sums]
    .filter(([, value]) => value !== 0)
    .map(([name, value]) =>
      Number.isInteger(value)
        ? ['HINCRBY', `${room}:sums`, name, `${value}`]
        : ['HINCRBYFLOAT', `${room}:sums`, name, value.toFixed(9)],
    );
}

function sumsOf({ memory, state }: Entry): [string, number][] {
  const { tier, type, scope, text, content, importance, retrievalCount } = memory;
  const total = JSON.stringify([tier, scope.agent, type]);
  const bytes = Buffer.byteLength(text) + (content?.data.byteLength ?? 0);
  return [
    [`count ${total}`, 1],
    [`bytes ${total}`, bytes],
    [`scope ${JSON.stringify(scope)}`, 1],
    ['embedded', state === 'there' ? 1 : 0],
    ['pending', state === 'pending' ? 1 : 0],
    ['retrievals', retrievalCount],
    // In millionths: whole numbers add up exactly.
    ['importance', Math.round(importance * 1e6)],
  ];
}
