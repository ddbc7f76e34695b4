import { sql } from '#kysely';
import type { BodyStore } from '../body-store.ts';
import type { PostgresDatabase, Session } from './database.ts';
import type { Read } from './erase-leftovers.ts';
import { isLockHeld } from './servers-lock.ts';

const KEYS_AT_ONCE = 500;
/** Age of a body that no row names, from which no transaction that may still name it runs. */
const UNNAMED_AFTER_MS = 3_600_000;
/** Hexadecimal digits of the time in a UUID of version 7. */
const TIME_DIGITS = 12;

const LOCK = sql<bigint>`hashtextextended(current_schema() || '/body_erasure', 0)`;

/** Erases the bodies that no row names any more. False where a backup reads them (`holdingBodies`): they stay until later. */
export async function eraseBodies(read: Read, store: BodyStore): Promise<boolean> {
  for (;;) {
    const count = await read((session) => eraseSome(session, store));
    if (count < KEYS_AT_ONCE) return count >= 0;
  }
}

/** The number of erased ones, or -1 while they are held. Several servers may do so at a time. */
async function eraseSome(session: Session, store: BodyStore): Promise<number> {
  const rows = await session.run(sql<{ key: string }>`SELECT body_key AS key FROM body_erasure LIMIT ${KEYS_AT_ONCE}`);
  const keys = rows.map(({ key }) => key);
  if (keys.length === 0) return 0;
  // After the rows were read: a backup that begins from here on sees that nothing names these bodies.
  if (await isLockHeld(session, LOCK)) return -1;
  await store.erase(keys);
  await session.run(sql`DELETE FROM body_erasure WHERE body_key = ANY(${keys}::text[])`);
  return keys.length;
}

/** Erases bodies of servers that ended before they committed the rows. */
export async function eraseUnnamedBodies(read: Read, store: BodyStore, nowMs: number): Promise<void> {
  for await (const keys of store.keys()) {
    const old = keys.filter((key) => putAtMs(key) < nowMs - UNNAMED_AFTER_MS);
    if (old.length === 0) continue;
    const named = await read((session) =>
      session.run(
        sql<{ key: string }>`SELECT body_key AS key FROM memory_body WHERE body_key = ANY(${old}::text[])
          UNION ALL SELECT body_key FROM body_erasure WHERE body_key = ANY(${old}::text[])`,
      ),
    );
    const known = new Set(named.map(({ key }) => key));
    await store.erase(old.filter((key) => !known.has(key)));
  }
}

function putAtMs(key: string): number {
  return Number.parseInt(key.replaceAll('-', '').slice(0, TIME_DIGITS), 16);
}

/** Runs work during which no body is erased: what a snapshot of the rows names stays. */
export function holdingBodies<T>(database: PostgresDatabase, work: () => Promise<T>): Promise<T> {
  return database.read(async (session) => {
    // The connection waits for the work.
    await session.run(sql`SET idle_session_timeout = 0`);
    await session.run(sql`SELECT pg_advisory_lock_shared(${LOCK})`);
    try {
      return await work();
    } finally {
      await session.run(sql`SELECT pg_advisory_unlock_shared(${LOCK})`);
    }
  });
}
