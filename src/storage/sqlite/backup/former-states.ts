import type { AgentState } from '../../rules/agent-states.ts';
import { stateBefore } from '../agents/snapshot-rows.ts';
import { CHANGE } from '../change-log.ts';
import type { SqliteDatabase } from '../database.ts';
import { type LogChange, refused } from './rewind-limits.ts';

/** Revision by which clients know a change: that of Redis for a copy, negative where the copy had no entry of its own. */
export function revisionOf({ revision, origin }: Pick<LogChange, 'revision' | 'origin'>): number {
  return origin === 0 ? revision : Math.abs(origin);
}

/** What the log says of a memory. */
interface MemoryLog {
  /** Revision of its last change that stays. */
  kept: number | undefined;
  /** Place in the log of its first update that is undone. */
  undone: number | undefined;
  /** A change that stays is behind one that is undone. */
  isMixed: boolean;
}

interface MemoryRow extends LogChange {
  readonly pk: number;
}

/** States of memories before the changes that are undone, by their places in the log. */
export class FormerStates {
  private readonly database: SqliteDatabase;
  private readonly isKept: (row: LogChange) => boolean;
  private logs: ReadonlyMap<number, MemoryLog> | undefined;

  constructor(database: SqliteDatabase, isKept: (row: LogChange) => boolean) {
    this.database = database;
    this.isKept = isKept;
  }

  /** The state of a memory before its first update that is undone; `undefined` where that was not kept. */
  before(pk: number, present: AgentState): AgentState | undefined {
    const { undone } = this.logOf(pk);
    return undone === undefined ? present : stateBefore(this.database, pk, present, undone);
  }

  /** The same, which has to be the state that the last change that stays has made. */
  linked(pk: number, present: AgentState): AgentState | undefined {
    const { kept, isMixed } = this.logOf(pk);
    const state = isMixed ? undefined : this.before(pk, present);
    return kept === undefined || kept === state?.revision ? state : undefined;
  }

  /** Fails where the copy of a memory is older than a change that stays: the memory was erased before it was copied. */
  checkCopied(): void {
    const rows = this.database.prepare<[number], MemoryRow & { readonly id: string }>(
      `SELECT c.revision, c.origin, c.kind, c.namespace_key, c.pk, c.at_us, c.id FROM change_log c JOIN memory m ON m.pk = c.pk
        WHERE c.kind = ? AND c.former IS NULL AND c.origin > m.revision`,
    );
    for (const row of rows.iterate(CHANGE.updated)) {
      if (this.isKept(row)) throw refused(`a change of memory ${row.id} was not copied before the memory was erased`);
    }
  }

  private logOf(pk: number): MemoryLog {
    this.logs ??= this.read();
    return this.logs.get(pk) ?? { kept: undefined, undone: undefined, isMixed: false };
  }

  private read(): ReadonlyMap<number, MemoryLog> {
    const logs = new Map<number, MemoryLog>();
    const rows = this.database.prepare<[number, number], MemoryRow>(
      `SELECT revision, origin, kind, namespace_key, pk, at_us FROM change_log WHERE kind IN (?, ?) AND pk > 0
        ORDER BY revision`,
    );
    for (const row of rows.iterate(CHANGE.stored, CHANGE.updated)) {
      const log = logs.get(row.pk) ?? { kept: undefined, undone: undefined, isMixed: false };
      logs.set(row.pk, log);
      if (!this.isKept(row)) {
        if (row.kind === CHANGE.updated) log.undone ??= row.revision;
      } else {
        log.kept = revisionOf(row);
        if (log.undone !== undefined) log.isMixed = true;
      }
    }
    return logs;
  }
}
