import { idSource } from '../../src/server/new-id.ts';
import type { BodyStore } from '../../src/storage/body-store.ts';
import type { ExternalBodies } from '../../src/storage/postgres/external-bodies.ts';
import { RedisBodies } from '../../src/storage/redis/body-store.ts';
import { readDurability } from '../../src/storage/redis/durability.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { PATIENT_REDIS } from './patient-redis.ts';

let prefixes = 0;

/** Bodies under a prefix of their own in a Redis or a cluster. */
export async function openRedisBodies(
  urls: readonly string[],
  prefix = `bodies-${process.pid}-${++prefixes}`,
): Promise<{ readonly bodies: RedisBodies; close(): Promise<void> }> {
  const connection = await openRedis({ ...PATIENT_REDIS, urls });
  const current = await readDurability(connection);
  return { bodies: new RedisBodies(connection, prefix, { current }), close: () => connection.close() };
}

export function externalBodies(store: BodyStore): ExternalBodies {
  return { store, newKey: idSource(), hasUpperTiers: true };
}
