import type { MemoryView } from '../../memory/memory.ts';
import type { RedisConnection, RedisReply } from './connection.ts';
import { memberOf } from './entry-indexes.ts';
import { entryOfReplies } from './read-rows.ts';
import type { RoomEntry } from './room-entry.ts';

/**
 * Those of the memories that have these numbers still, by id, and what is kept of the room. They are as they were at one moment:
 * a number that is another memory's now, or nobody's, leaves its id out, and so does all that is not whole or lies beside the entry.
 */
export async function readByNumber(
  { connection, room, name }: { readonly connection: RedisConnection; readonly room: string; readonly name: string },
  sequences: ReadonlyMap<string, number>,
  view: MemoryView,
): Promise<{ readonly head: readonly RedisReply[]; readonly entries: Map<string, RoomEntry> }> {
  const isFull = view === 'full';
  const ask = ['MGET'];
  for (const sequence of sequences.values()) {
    const member = memberOf(sequence);
    ask.push(`${room}:e:${member}`);
    if (isFull) ask.push(`${room}:u:${member}`);
  }
  // The room last: it is as new as the newest of the memories.
  const answers = await connection.sendAll(room, [ask, ['HMGET', `${room}:room`, 'version', 'room']]);
  const [values = [], head = []] = answers as readonly (readonly RedisReply[])[];
  const entries = new Map<string, RoomEntry>();
  let at = 0;
  for (const id of sequences.keys()) {
    const strings = [values[at++], undefined, isFull ? values[at++] : undefined];
    const entry = entryOfReplies(name, strings, view);
    if (entry?.memory.id === id && !entry.isDamaged) entries.set(id, entry);
  }
  return { head, entries };
}
