import type { RedisConnection, RedisReply } from './connection.ts';
import { readCard } from './entry-card.ts';
import { decodeEntry, type RowView } from './entry-codec.ts';
import { sequenceOf } from './entry-indexes.ts';
import { type RoomEntry, unreadableEntry } from './room-entry.ts';

/** What scripts give of a memory. */
export type Row = readonly [number: RedisReply, entry: RedisReply, body: RedisReply, vector: RedisReply];

interface Room {
  readonly connection: RedisConnection;
  readonly name: string;
  /** What its keys begin with. */
  readonly room: string;
}

/**
 * Entries of rows. In place of what cannot be read there is what its card tells; nothing in place of numbers that nobody has, as
 * far as can be told.
 */
export async function entriesIn(
  room: Room,
  rows: readonly Row[],
  view: RowView,
  ids?: readonly string[],
): Promise<(RoomEntry | undefined)[]> {
  const entries = rows.map((row, at) => entryIn(room.name, row, view, ids?.[at]));
  const lost = rows.flatMap((_, at) => (entries[at] && !entries[at].isDamaged ? [] : [at]));
  if (lost.length === 0) return entries;
  const numbers = lost.map((at) => String(rows[at]?.[0]));
  const cards = await cardsOf(room, numbers);
  for (const [place, at] of lost.entries()) {
    const card = cards[place];
    const entry = entries[at];
    const id = ids?.[at] ?? card?.id;
    if (entry) entries[at] = { ...entry, ...(card && { card }) };
    else if (id !== undefined) entries[at] = unreadableEntry(room.name, id, sequenceOf(numbers[place] ?? ''), card);
  }
  return entries;
}

/** Nothing where it cannot be read, or is another's than the one with the id or the number. */
function entryIn(
  namespace: string,
  [number, ...replies]: Row,
  view: RowView,
  id: string | undefined,
): RoomEntry | undefined {
  const decoded = entryOfReplies(namespace, replies, view);
  const isMeant = id === undefined ? decoded?.sequence === sequenceOf(String(number)) : decoded?.memory.id === id;
  return isMeant ? decoded : undefined;
}

/** What Redis gives as entry, body and vector. */
export function entryOfReplies(
  namespace: string,
  [entry, body, vector]: readonly (RedisReply | undefined)[],
  view: RowView,
): RoomEntry | undefined {
  return decodeEntry(namespace, { entry: bytesOf(entry), body: bytesOf(body), vector: bytesOf(vector) }, view);
}

function bytesOf(reply: RedisReply | undefined): Buffer | undefined {
  return Buffer.isBuffer(reply) ? reply : undefined;
}

async function cardsOf({ connection, room }: Room, numbers: readonly string[]) {
  const keys = numbers.map((number) => `${room}:i:${number}`);
  const replies = (await connection.send(room, ['MGET', ...keys])) as readonly RedisReply[];
  return replies.map(readCard);
}
