import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '#kysely';
import { isDraining, isNamespaceMissing, MnemeError } from '../../memory/errors.ts';
import { TIERS } from '../../memory/memory.ts';
import { outsideSpans } from '../../search/threads/span.ts';
import type { Body, BodyCopies, BodyOwner } from '../body-store.ts';
import { outsideCall } from '../current-call.ts';
import type { PostgresDatabase, Session } from './database.ts';
import type { BodyFallback, OwnedBody } from './external-bodies.ts';
import type { LostBodies } from './lost-bodies.ts';
import { inRow } from './move-bodies-back.ts';

/** Bodies of one page of a pass. */
const LOOKED_AT = 500;
/** Bodies of one transaction: a body may have some megabytes. */
const AT_ONCE = 16;
/** Pause between transactions, for other work of Redis and PostgreSQL. */
const PAUSE_MS = 5;
/** Wait before the next pass while bodies are lost: at least this, and longer than a pass takes by this factor. */
const AGAIN_MS = 10_000;
const AGAIN_FACTOR = 20;
/** Keys that reads have noted; a pass finds more. */
const NOTED_MAX = 1000;

interface BodyRow extends BodyOwner {
  /** Under another name than the column, which would have the body read. */
  readonly key: string;
  readonly tier: number;
  readonly id: string;
  readonly namespace: string;
}

export interface RestorerOptions {
  readonly database: PostgresDatabase;
  readonly lost: LostBodies;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Puts bodies that the other store has lost back from the copies in a view. A pass compares all bodies that rows name
 * with the store, and begins again later as long as some are lost. Each body is put while its row is locked, so that
 * none is put that its memory no longer has. Several servers may do this at a time, and a process that dies has left
 * nothing behind.
 */
export class BodyRestorer implements BodyFallback {
  private readonly options: RestorerOptions;
  private copies: BodyCopies | undefined;
  private readonly noted = new Set<string>();
  private isPassDue = false;
  private waitMs = AGAIN_MS;
  private working: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isEnded = false;

  constructor(options: RestorerOptions) {
    this.options = options;
  }

  /** Resolves when no work runs. */
  get settled(): Promise<void> | undefined {
    return this.working;
  }

  begin(copies: BodyCopies): void {
    this.copies = copies;
    this.look();
  }

  /** Compares all bodies with the store; to be called when it may have lost some. */
  look(): void {
    this.isPassDue = true;
    this.work();
  }

  async find(rows: readonly OwnedBody[]): Promise<(Body | undefined)[]> {
    return this.copies?.bodies(rows) ?? [];
  }

  note(rows: readonly OwnedBody[]): void {
    if (rows.length === 0 || !this.copies) return;
    // A pass that is to come finds the other bodies that were lost with these.
    this.isPassDue ||= this.timer === undefined && this.working === undefined;
    for (const row of rows) {
      this.options.lost.add(row);
      if (this.noted.size < NOTED_MAX) this.noted.add(row.body_key);
    }
    this.work();
  }

  async end(): Promise<void> {
    this.isEnded = true;
    clearTimeout(this.timer);
    await this.working;
  }

  private work(): void {
    if (this.working || this.isEnded || !this.copies) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    const { onFailure } = this.options;
    const working = outsideCall(() => outsideSpans(() => this.carryOut()));
    this.working = working
      .catch((error: unknown) => {
        if (!this.isEnded && !isDraining(error)) onFailure(error);
      })
      .finally(() => {
        this.working = undefined;
        this.workAgain();
      });
  }

  private workAgain(): void {
    if (this.isEnded || !(this.isPassDue || !this.options.lost.isEmpty)) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.look();
    }, this.waitMs);
    this.timer.unref();
  }

  private async carryOut(): Promise<void> {
    while (this.isPassDue || this.noted.size > 0) {
      await this.restoreNoted();
      if (!this.isPassDue) continue;
      await this.passOnce();
    }
  }

  private async restoreNoted(): Promise<void> {
    const keys = [...this.noted];
    this.noted.clear();
    for (const some of inBatches(keys)) await this.restore(some);
  }

  private async passOnce(): Promise<void> {
    const startedMs = performance.now();
    this.isPassDue = false;
    try {
      await this.pass();
    } catch (error) {
      this.isPassDue = true;
      throw error;
    }
    this.waitMs = Math.max(AGAIN_MS, AGAIN_FACTOR * (performance.now() - startedMs));
  }

  private async pass(): Promise<void> {
    const { lost } = this.options;
    lost.beginPass();
    for (let after = ''; ; ) {
      const rows = await this.step((session) => session.run(bodiesAfter(after)));
      const last = rows.at(-1);
      if (!last) break;
      after = last.key;
      await this.restoreNoted();
      await this.compare(rows);
    }
    lost.endPass();
  }

  private async compare(rows: readonly BodyRow[]): Promise<void> {
    const { lost, database } = this.options;
    const missing = new Set(await database.bodies?.store.missing(rows.map(({ key }) => key)));
    const [gone, there] = [rows.filter(({ key }) => missing.has(key)), rows.filter(({ key }) => !missing.has(key))];
    for (const { key, ...owner } of gone) lost.add({ ...owner, body_key: key });
    lost.remove(there.map(({ key }) => key));
    for (const some of inBatches(gone)) await this.restore(some.map(({ key }) => key));
    await this.renew(there);
  }

  /** Puts the bodies back that a copy has. */
  private async restore(keys: readonly string[]): Promise<void> {
    const { database, lost } = this.options;
    const restored = await this.transaction(async (session) => {
      const rows = await session.run(lockedBodies(keys));
      const bodies = (await this.copies?.bodies(rows)) ?? [];
      const found = rows.flatMap((row, at) => {
        const body = bodies[at];
        return body ? [{ ...row, body }] : [];
      });
      // A memory has left the upper tiers while its body was lost.
      const lowered = found.filter(({ tier }) => TIERS[tier] === 'long_term');
      for (const { key, body } of lowered) await session.run(inRow(key, body));
      await database.bodies?.store.put(found.filter((each) => !lowered.includes(each)));
      return found.map(({ key }) => key);
    });
    lost.remove(restored);
    const left = keys.filter((key) => !restored.includes(key));
    if (left.length > 0) {
      const named = new Set((await this.step((session) => session.run(namedAmong(left)))).map(({ key }) => key));
      lost.remove(left.filter((key) => !named.has(key)));
    }
    await pause(PAUSE_MS, undefined, { ref: false });
  }

  /** Gives copies that were made without their bodies the bodies that are there again. */
  private async renew(rows: readonly BodyRow[]): Promise<void> {
    const bare = (await this.copies?.withoutBody(rows)) ?? [];
    for (const [namespace, some] of Map.groupBy(bare, (row) => row.namespace)) {
      for (const batch of inBatches(some)) {
        try {
          const ids = batch.map(({ id }) => id);
          await this.copies?.renew(namespace, String(batch[0]?.namespace_key), ids);
        } catch (error) {
          if (!isNamespaceMissing(error)) throw error;
        }
      }
    }
  }

  private step<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.isEnded ? Promise.reject(draining()) : this.options.database.read(work);
  }

  private transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.isEnded ? Promise.reject(draining()) : this.options.database.transaction(work);
  }
}

function draining(): MnemeError {
  return new MnemeError('DRAINING', 'the store is closing');
}

function inBatches<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, at) =>
    all.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
}

/** Of memories that exist: their namespace may be deleted, with rows that are erased later. */
const OWNED = sql`memory_body b JOIN memory m ON m.namespace_key = b.namespace_key AND m.sequence = b.sequence
  JOIN namespace n ON n.key = b.namespace_key`;
const BODIES = sql`SELECT b.body_key AS key, b.namespace_key, b.sequence, m.checksum, m.tier, m.id, n.name AS namespace
  FROM ${OWNED}`;

function bodiesAfter(key: string) {
  return sql<BodyRow>`${BODIES} WHERE b.body_key > ${key} ORDER BY b.body_key LIMIT ${LOOKED_AT}`;
}

/** Without bodies that a transaction is about to replace or erase: the next pass finds those that are left. */
function lockedBodies(keys: readonly string[]) {
  return sql<BodyRow>`${BODIES} WHERE b.body_key = ANY(${keys}::text[]) FOR SHARE OF b SKIP LOCKED`;
}

function namedAmong(keys: readonly string[]) {
  return sql<{ key: string }>`SELECT b.body_key AS key FROM ${OWNED} WHERE b.body_key = ANY(${keys}::text[])`;
}
