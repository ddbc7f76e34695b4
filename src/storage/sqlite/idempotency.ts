import type { Idempotency } from '../../memory/call.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import type { SqliteDatabase } from './database.ts';
import { prepared, queries } from './prepared.ts';

/** Records that a batch takes away at most when their time is over. */
const PRUNED_MAX = 256;

interface RecordKey {
  namespace: string;
  request_id: string;
}

const recordOf = prepared((p: RecordKey) =>
  queries
    .selectFrom('idempotency')
    .select(['fingerprint', 'outcome', 'expires_at_us'])
    .where('namespace', '=', p.namespace)
    .where('request_id', '=', p.request_id),
);
const keep = prepared((p: RecordKey & { fingerprint: string; outcome: string; expires_at_us: number }) =>
  queries.replaceInto('idempotency').values({
    namespace: p.namespace,
    request_id: p.request_id,
    fingerprint: p.fingerprint,
    outcome: p.outcome,
    expires_at_us: p.expires_at_us,
  }),
);
const overdue = prepared((p: { now_us: number }) =>
  queries
    .selectFrom('idempotency')
    .select(['namespace', 'request_id'])
    .where('expires_at_us', '<=', p.now_us)
    .orderBy('expires_at_us')
    .limit(PRUNED_MAX),
);
const drop = prepared((p: RecordKey) =>
  queries.deleteFrom('idempotency').where('namespace', '=', p.namespace).where('request_id', '=', p.request_id),
);

/** Outcome of the first write with this request id, or `undefined`. Fails with REQUEST_ID_REUSED. */
export function keptOutcome(
  database: SqliteDatabase,
  namespace: string,
  { requestId, fingerprint }: Idempotency,
  nowUs: Micros = 0,
): { readonly outcome: unknown } | undefined {
  const record = recordOf(database).get({ namespace, request_id: requestId });
  if (!record || record.expires_at_us <= nowUs) return undefined;
  if (record.fingerprint !== fingerprint) {
    throw new MnemeError('REQUEST_ID_REUSED', `request_id "${requestId}" was used for another request`, {
      metadata: { request_id: requestId },
    });
  }
  return { outcome: JSON.parse(record.outcome) };
}

export function keepOutcome(
  database: SqliteDatabase,
  namespace: string,
  { requestId, fingerprint }: Idempotency,
  outcome: unknown,
  expiresAtUs: Micros,
): void {
  keep(database).run({
    namespace,
    request_id: requestId,
    fingerprint,
    outcome: JSON.stringify(outcome ?? null),
    expires_at_us: expiresAtUs,
  });
}

export function pruneOutcomes(database: SqliteDatabase, nowUs: Micros): void {
  for (const key of overdue(database).all({ now_us: nowUs })) drop(database).run(key);
}
