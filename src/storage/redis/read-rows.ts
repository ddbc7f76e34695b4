import { unreadableEntry } from '../rules/unreadable-entry.ts';
import type { RedisConnection, RedisReply } from './connection.ts';
import { decodeEntry, type RowView } from './entry-codec.ts';
import { revisionInIds, sequenceOf } from './keys.ts';
import type { KeyspaceEntry } from './keyspace-entry.ts';

/** Row of a memory in the result of a script. */
export type Row = readonly [number: RedisReply, entry: RedisReply, body: RedisReply, vector: RedisReply];

interface Room {
  readonly connection: RedisConnection;
  readonly name: string;
  /** Common prefix of its keys. */
  readonly keyspace: string;
}

/** Entries from rows of memories with these ids; an unreadable entry is replaced by its value in `ids`. */
export async function entriesIn(
  keyspace: Room,
  rows: readonly Row[],
  view: RowView,
  ids: readonly string[],
): Promise<KeyspaceEntry[]> {
  const entries = rows.map((row, at) => entryIn(keyspace.name, row, view, ids[at]));
  const lostIds = ids.filter((_, at) => !entries[at]);
  const revisions = lostIds.length === 0 ? new Map<string, number>() : await revisionsOf(keyspace, lostIds);
  return ids.map((id, at) => {
    const sequence = sequenceOf(String(rows[at]?.[0]));
    return entries[at] ?? unreadableEntry(keyspace.name, id, sequence, revisions.get(id));
  });
}

/** `undefined` where it is unreadable, or belongs to another memory than the id. */
function entryIn(
  namespace: string,
  [, ...replies]: Row,
  view: RowView,
  id: string | undefined,
): KeyspaceEntry | undefined {
  const decoded = entryOfReplies(namespace, replies, view);
  return decoded?.memory.id === id ? decoded : undefined;
}

async function revisionsOf({ connection, keyspace }: Room, ids: readonly string[]): Promise<Map<string, number>> {
  const replies = (await connection.send(keyspace, ['HMGET', `${keyspace}:ids`, ...ids])) as readonly RedisReply[];
  const revisions = new Map<string, number>();
  for (const [at, id] of ids.entries()) {
    const revision = revisionInIds(String(replies[at] ?? ''));
    if (revision !== undefined) revisions.set(id, revision);
  }
  return revisions;
}

/** Entry, body and vector in their Redis form. */
export function entryOfReplies(
  namespace: string,
  [entry, body, vector]: readonly (RedisReply | undefined)[],
  view: RowView,
): KeyspaceEntry | undefined {
  return decodeEntry(namespace, { entry: bytesOf(entry), body: bytesOf(body), vector: bytesOf(vector) }, view);
}

function bytesOf(reply: RedisReply | undefined): Buffer | undefined {
  return Buffer.isBuffer(reply) ? reply : undefined;
}
