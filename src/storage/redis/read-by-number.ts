import type { MemoryView } from '../../memory/memory.ts';
import type { Entry } from '../in-memory/draft.ts';
import type { RedisArgument, RedisConnection, RedisReply } from './connection.ts';
import { decodeOrId, FIELDS } from './entry-codec.ts';
import { memberOf } from './entry-indexes.ts';

type Row = readonly RedisReply[];

/**
 * Those of the memories that have these numbers still, by id, and what is kept of the room. Each is as it was at some moment:
 * a number that is another memory's now, or nobody's, or cannot be read, leaves its id out.
 */
export async function readByNumber(
  { connection, room, name }: { readonly connection: RedisConnection; readonly room: string; readonly name: string },
  sequences: ReadonlyMap<string, number>,
  view: MemoryView,
): Promise<{ readonly head: Row; readonly entries: Map<string, Entry> }> {
  const commands: RedisArgument[][] = [];
  for (const sequence of sequences.values())
    commands.push(['HMGET', `${room}:m:${memberOf(sequence)}`, ...FIELDS[view]]);
  // The room last: it is as new as the newest of the memories.
  commands.push(['HMGET', `${room}:room`, 'version', 'room']);
  const rows = (await connection.sendAll(room, commands)) as readonly Row[];
  const entries = new Map<string, Entry>();
  let at = 0;
  for (const id of sequences.keys()) {
    const row = rows[at++] ?? [];
    const entry = row[0] === null ? undefined : decodeOrId(name, id, row, view);
    if (entry?.memory.id === id && !entry.isUnreadable) entries.set(id, entry);
  }
  return { head: rows[at] ?? [], entries };
}
