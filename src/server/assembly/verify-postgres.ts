import { countRecords } from '../../storage/migration/copy-records.ts';
import { NO_OFFSETS } from '../../storage/migration/offsets.ts';
import { KINDS } from '../../storage/migration/portable.ts';
import { snapshotOfRecords } from '../../storage/migration/postgres-place.ts';
import { PostgresSource } from '../../storage/migration/postgres-source.ts';
import type { Session } from '../../storage/postgres/database.ts';
import type { DamagedMemory, Verification } from '../../storage/sqlite/damage/verify.ts';
import { type RedisOfCommand, withBodies } from './bodies-of-command.ts';
import { migrationDatabase, migrationFailure, type PostgresOfMigration, placeOf } from './migrate-store.ts';

type OnProgress = (done: number, total: number) => void;

export interface PostgresVerification extends Verification {
  /** Address and schema, without user and password. */
  readonly place: string;
}

/**
 * Reads all records in PostgreSQL as a backup does, from one snapshot beside servers, and compares memories with their
 * checksums.
 */
export async function verifyPostgres(
  config: PostgresOfMigration & RedisOfCommand,
  onProgress?: OnProgress,
): Promise<PostgresVerification> {
  const database = migrationDatabase(config);
  try {
    const found = await snapshotOfRecords(database, (session) =>
      withBodies(config, database, session, () => readAll(session, onProgress)),
    );
    return { ...found, place: placeOf(config) };
  } catch (error) {
    throw migrationFailure(error, config, 'postgres');
  } finally {
    await database.close();
  }
}

async function readAll(session: Session, onProgress?: OnProgress): Promise<Verification> {
  const damaged = new Map<string, DamagedMemory>();
  const source = new PostgresSource({
    read: (work) => work(session),
    identity: '',
    offsets: NO_OFFSETS,
    onDamaged: (memory) => {
      damaged.set(`${memory.namespace}/${memory.id}/${memory.isErased ?? false}`, memory);
    },
  });
  const total = await countRecords(source);
  let done = 0;
  for (const kind of KINDS) {
    for await (const { records } of source.pages(kind)) {
      done += records.length;
      onProgress?.(Math.min(done, total), total);
    }
  }
  const memories = [...damaged.values()];
  const lostCount = memories.filter(({ isErased }) => !isErased).length;
  return { tables: [], sessions: [], memories, soundCount: (await source.count('memory')) - lostCount };
}
