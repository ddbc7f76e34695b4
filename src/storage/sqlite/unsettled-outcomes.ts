import { prepared, queries, type SqliteDatabase } from './database.ts';
import { type KeptRecord, keepRecord } from './idempotency.ts';
import type { Pending } from './upkeep.ts';

const setRequest = prepared((p: { revision: number; request: string | null }) =>
  queries.updateTable('change_log').set({ request: p.request }).where('revision', '=', p.revision),
);

interface Unsettled {
  /** Entry of the change log that has the record. */
  readonly revision: number;
  readonly record: KeptRecord;
}

/**
 * Outcomes of stores that have left their upkeep: each is in the change log, with an entry of its memories, until it
 * gets a row of its own.
 */
export class UnsettledOutcomes implements Pending {
  private readonly database: SqliteDatabase;
  private readonly outcomes: Unsettled[] = [];

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  add(revision: number, record: KeptRecord): void {
    setRequest(this.database).run({ revision, request: JSON.stringify(record) });
    this.outcomes.push({ revision, record });
  }

  /** As `add`, for a record that is in the log. */
  restore(revision: number, request: string): void {
    this.outcomes.push({ revision, record: JSON.parse(request) as KeptRecord });
  }

  find(namespace: string, requestId: string): KeptRecord | undefined {
    const isOfRequest = ({ record }: Unsettled) => record.request_id === requestId && record.namespace === namespace;
    return this.outcomes.findLast(isOfRequest)?.record;
  }

  get count(): number {
    return this.outcomes.length;
  }

  keepFirst(count: number): void {
    this.outcomes.length = count;
  }

  write(count = this.count): void {
    for (const { revision, record } of this.outcomes.splice(0, count)) {
      keepRecord(this.database, record);
      setRequest(this.database).run({ revision, request: null });
    }
  }
}
