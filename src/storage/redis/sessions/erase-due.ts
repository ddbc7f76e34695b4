import type { Micros } from '../../../memory/memory.ts';
import { isExpired, type SessionKey } from '../../../memory/session.ts';
import { eraseExpiredIn } from '../../sessions/erase-expired.ts';
import type { RedisConnection } from '../connection.ts';
import { type Loaded, listOf, type Wanted } from './loaded.ts';
import { eraseScript } from './scripts.ts';
import { namespaceKeys, namespacesKey, sessionKeys } from './session-keys.ts';
import type { SessionRoom, SessionRooms } from './session-rooms.ts';
import { RedisSessionView } from './session-view.ts';
import { commit, load } from './write-session.ts';

export interface DueErased {
  count: number;
  readonly sessions: SessionKey[];
}

/** Erases sessions, keys and checkpoints whose time has come, of sessions that are noted as due. */
export async function eraseDue(
  redis: RedisConnection,
  rooms: SessionRooms,
  prefix: string,
  { nowUs, limit }: { readonly nowUs: Micros; readonly limit: number },
): Promise<DueErased> {
  const erased: DueErased = { count: 0, sessions: [] };
  const all = namespacesKey(prefix);
  for (const namespace of listOf(await redis.send(all, ['SMEMBERS', all])).map(String)) {
    const { due } = namespaceKeys(prefix, namespace);
    const room = rooms.of(namespace);
    const args = ['ZRANGEBYSCORE', due, '-inf', `${nowUs}`, 'LIMIT', '0', `${limit}`];
    for (const session of listOf(await room.read(args)).map(String)) {
      if (erased.count >= limit) return erased;
      erased.count += await eraseIn(room, prefix, { namespace, session }, nowUs, limit);
      erased.sessions.push({ namespace, session });
    }
  }
  return erased;
}

/** A session that is written to meanwhile stays due, and is gone through next time. */
async function eraseIn(
  redis: SessionRoom,
  prefix: string,
  key: SessionKey,
  nowUs: Micros,
  limit: number,
): Promise<number> {
  const keys = sessionKeys(prefix, key);
  const reading = { what: new Set<Wanted>(['A', 'C']), keys: [], checkpoints: new Set<string>() };
  const loaded = await load(redis, keys, reading, { isNeeded: false });
  const { record } = loaded;
  if (!record || isExpired(record, nowUs)) {
    await redis.run(eraseScript, [keys.base, keys.id, keys.index, keys.due, keys.idle]);
    return record ? 1 : 0;
  }
  const view = new RedisSessionView(keys, loaded, { ...record }, nowUs);
  const count = eraseExpiredIn(view, nowUs, limit);
  if (count === 0) view.record.revision = record.revision;
  const isDone = await commit(redis, keys, loaded, view, [dueCommand(keys, loaded, record.expiresAtUs)]);
  return isDone ? count : 0;
}

/** When something of the session is due next, from what is left of it. */
function dueCommand({ due, id }: { due: string; id: string }, loaded: Loaded, expiresAtUs = Infinity): string[] {
  let next = expiresAtUs;
  for (const entry of loaded.entries.values()) next = Math.min(next, entry?.expiresAtUs ?? Infinity);
  for (const checkpoint of loaded.checkpoints.values()) next = Math.min(next, checkpoint.expiresAtUs ?? Infinity);
  return next === Infinity ? ['ZREM', due, id] : ['ZADD', due, `${next}`, id];
}
