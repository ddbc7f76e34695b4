import { sql } from '#kysely';
import type { Idempotency } from '../../memory/call.ts';
import type { Clock } from '../../memory/clock.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import type { PendingEmbedding } from '../records.ts';
import type { PostgresDatabase, Session } from './database.ts';

/** Writes with a request id between two deletions of expired outcomes. */
const PRUNE_EVERY = 64;

/** Work in the background, one at a time. */
export class Upkeep {
  private readonly database: PostgresDatabase;
  private readonly clock: Clock;
  private readonly onFailure: (error: unknown) => void;
  private keptCount = 0;
  private working: Promise<void> | undefined;
  private isEnded = false;

  constructor(database: PostgresDatabase, clock: Clock, onFailure: (error: unknown) => void) {
    this.database = database;
    this.clock = clock;
    this.onFailure = onFailure;
  }

  /** Resolves when no work runs. */
  get settled(): Promise<void> | undefined {
    return this.working;
  }

  /** Not begun after `end`. */
  run(work: () => Promise<void>): void {
    if (this.isEnded) return;
    this.working = (this.working ?? Promise.resolve()).then(work).catch((error: unknown) => {
      if (!this.isEnded) this.onFailure(error);
    });
  }

  /** A step of long work. Fails after `end`: the next start goes on with the work. */
  readonly step = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
    this.isEnded ? Promise.reject(new MnemeError('DRAINING', 'the store is closing')) : this.database.read(work);

  /** To be called for each write: outcomes whose retention is over are deleted now and then. */
  noted(idempotency: Idempotency | undefined): Idempotency | undefined {
    if (idempotency && ++this.keptCount % PRUNE_EVERY === 0) {
      this.run(() => this.database.read((session) => pruneOutcomes(session, this.clock.nowUs())));
    }
    return idempotency;
  }

  /** Resolves when the step in progress has ended. */
  async end(): Promise<void> {
    this.isEnded = true;
    await this.working;
  }
}

/** Returns memories to the end of the embedding queue. */
export async function postpone(
  session: Session,
  items: readonly PendingEmbedding[],
  notBeforeUs: Micros,
): Promise<void> {
  const [namespaces, ids] = [items.map(({ namespace }) => namespace), items.map(({ id }) => id)];
  const attempts = items.map((item) => item.attempts + 1);
  // Rows are locked in one order, so that two such writes never deadlock.
  await session.run(sql`WITH item AS (
      SELECT n.key, m.id, i.attempts
      FROM unnest(${namespaces}::text[], ${ids}::text[], ${attempts}::integer[]) AS i(name, id, attempts)
      JOIN namespace n ON n.name = i.name JOIN memory m ON m.namespace_key = n.key AND m.id = i.id
      WHERE m.embedding_state = 1 ORDER BY n.key, m.id FOR UPDATE OF m)
    UPDATE memory m SET attempts = item.attempts, not_before_us = ${notBeforeUs}
    FROM item WHERE m.namespace_key = item.key AND m.id = item.id`);
}

/** Maximum outcomes that one statement deletes. */
const PRUNED_MAX = 1000;

/** Deletes outcomes whose retention is over. */
async function pruneOutcomes(session: Session, nowUs: Micros): Promise<void> {
  await session.run(sql`DELETE FROM idempotency WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM idempotency WHERE expires_at_us <= ${nowUs} ORDER BY expires_at_us
    LIMIT ${PRUNED_MAX} FOR UPDATE SKIP LOCKED))`);
}
