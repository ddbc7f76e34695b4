import type { Idempotency } from '../../memory/call.ts';
import type { Micros } from '../../memory/memory.ts';
import { keptOutcome as outcomeOfKept } from '../rules/kept-outcome.ts';
import { prepared, queries, type SqliteDatabase } from './database.ts';
import type { Pending } from './upkeep.ts';

/** Maximum expired records that one write deletes. */
const PRUNED_MAX = 256;

interface RecordKey {
  readonly namespace: string;
  readonly request_id: string;
}

/** A request with its first outcome, as JSON. */
export interface KeptRecord extends RecordKey {
  readonly fingerprint: string;
  readonly outcome: string;
  readonly expires_at_us: Micros;
}

const recordOf = prepared((p: RecordKey) =>
  queries
    .selectFrom('idempotency')
    .select(['fingerprint', 'outcome', 'expires_at_us'])
    .where('request_id', '=', p.request_id)
    .where('namespace', '=', p.namespace)
    .orderBy('key', 'desc')
    .limit(1),
);
const keep = prepared((p: KeptRecord) =>
  queries.insertInto('idempotency').values({
    namespace: p.namespace,
    request_id: p.request_id,
    fingerprint: p.fingerprint,
    outcome: p.outcome,
    expires_at_us: p.expires_at_us,
  }),
);
/** The oldest records, which expire first: all have the same retention. */
const oldest = prepared((p: { limit: number }) =>
  queries.selectFrom('idempotency').select(['key', 'expires_at_us']).orderBy('key').limit(p.limit),
);
const drop = prepared((p: { key: number }) => queries.deleteFrom('idempotency').where('key', '<=', p.key));

/** Outcome of the first write with this request id, or `undefined`. Fails with REQUEST_ID_REUSED. */
export function keptOutcome(
  database: SqliteDatabase,
  namespace: string,
  idempotency: Idempotency,
  nowUs: Micros = 0,
): { readonly outcome: unknown } | undefined {
  return outcomeIn(recordOf(database).get({ namespace, request_id: idempotency.requestId }), idempotency, nowUs);
}

/** The same from a record with this request id. */
export function outcomeIn(
  record: Pick<KeptRecord, 'fingerprint' | 'outcome' | 'expires_at_us'> | undefined,
  idempotency: Idempotency,
  nowUs: Micros,
): { readonly outcome: unknown } | undefined {
  if (!record) return undefined;
  const { fingerprint, outcome, expires_at_us: expiresAtUs } = record;
  return outcomeOfKept({ fingerprint, outcome: JSON.parse(outcome), expiresAtUs }, idempotency, nowUs);
}

export function recordFor(
  namespace: string,
  { requestId, fingerprint }: Idempotency,
  outcome: unknown,
  expiresAtUs: Micros,
): KeptRecord {
  const json = JSON.stringify(outcome ?? null);
  return { namespace, request_id: requestId, fingerprint, outcome: json, expires_at_us: expiresAtUs };
}

export function keepRecord(database: SqliteDatabase, record: KeptRecord): void {
  keep(database).run(record);
}

/**
 * Records are deleted in order: a record with a longer retention, from before a change of the setting, delays later
 * ones.
 */
export function pruneOutcomes(database: SqliteDatabase, nowUs: Micros): void {
  const isOver = (record: { expires_at_us: number } | undefined) =>
    record !== undefined && record.expires_at_us <= nowUs;
  if (!isOver(oldest(database).get({ limit: 1 }))) return;
  const records = oldest(database).all({ limit: PRUNED_MAX });
  const count = records.findIndex((record) => !isOver(record));
  const last = records.at(count < 0 ? -1 : count - 1);
  if (last) drop(database).run({ key: last.key });
}

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
