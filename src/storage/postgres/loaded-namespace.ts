import { sql } from '#kysely';
import type { Idempotency } from '../../memory/call.ts';
import type { MemoryView, Micros } from '../../memory/memory.ts';
import type { Entry } from '../rules/draft.ts';
import type { Kept } from '../rules/kept-outcome.ts';
import { type PartialContents, PartialDraft } from '../rules/partial-draft.ts';
import { queries, type Session } from './database.ts';
import { entryOf, type LoadedRow, selectMemories } from './memory-rows.ts';
import { namespaceOf, policiesIn } from './namespace-rows.ts';
import type { NamespaceTable } from './schema.ts';

/** A namespace that this transaction alone may change, with the memories and outcomes that its writes concern. */
export interface LoadedNamespace extends PartialContents {
  readonly name: string;
  /** Absent when the namespace does not exist. */
  readonly row: NamespaceTable | undefined;
  /** Newest revision: later ones are higher. */
  readonly revision: number;
  readonly entries: Map<string, Entry>;
  readonly kept: Map<string, Kept>;
}

export interface LoadRequest {
  readonly ids: readonly string[];
  readonly requestIds: readonly string[];
  readonly view: MemoryView;
}

/** Locks a namespace, or its name where it does not exist, until the end of the transaction. */
export async function loadForWriting(session: Session, name: string, request: LoadRequest): Promise<LoadedNamespace> {
  const row = (await lockRow(session, name)) ?? (await lockName(session, name));
  const namespace = row && namespaceOf(row);
  // Sent together: the lock is held, so that all of them see the same state.
  const [rows, kept, floor] = await Promise.all([
    row ? memoriesIn(session, row, request) : [],
    keptIn(session, name, request.requestIds),
    row ? row.log_revision : revisionFloor(session),
  ]);
  const entries = new Map(
    namespace ? rows.map((each) => [each.id, entryOf(namespace, each, request.view)] as const) : [],
  );
  return {
    name,
    row,
    namespace,
    revision: floor,
    entries,
    nextSequence: row?.next_sequence ?? 1,
    count: row?.memory_count ?? 0,
    kept,
    policies: policiesIn(row),
  };
}

async function memoriesIn(session: Session, row: NamespaceTable, { ids, view }: LoadRequest): Promise<LoadedRow[]> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return [];
  return session.run(selectMemories(row, view).where('m.id', '=', sql<string>`any(${distinct})`));
}

async function lockRow(session: Session, name: string): Promise<NamespaceTable | undefined> {
  const [row] = await session.run(queries.selectFrom('namespace').selectAll().where('name', '=', name).forUpdate());
  return row;
}

/** The row, if another transaction has created the namespace meanwhile. */
async function lockName(session: Session, name: string): Promise<NamespaceTable | undefined> {
  await session.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '/' || ${name}, 0))`);
  return lockRow(session, name);
}

async function revisionFloor(session: Session): Promise<number> {
  const [row] = await session.run(queries.selectFrom('meta').select('revision_floor'));
  return row?.revision_floor ?? 0;
}

async function keptIn(session: Session, namespace: string, requestIds: readonly string[]): Promise<Map<string, Kept>> {
  if (requestIds.length === 0) return new Map();
  const rows = await session.run(selectOutcomes(namespace, requestIds));
  return new Map(rows.map((row) => [row.request_id, keptOf(row)]));
}

export function selectOutcomes(namespace: string, requestIds: readonly string[]) {
  return queries
    .selectFrom('idempotency')
    .select(['request_id', 'fingerprint', 'outcome', 'expires_at_us'])
    .where('namespace', '=', namespace)
    .where('request_id', '=', sql<string>`any(${[...new Set(requestIds)]})`);
}

export function keptOf(row: {
  readonly fingerprint: string;
  readonly outcome: string;
  readonly expires_at_us: Micros;
}): Kept {
  return { fingerprint: row.fingerprint, outcome: JSON.parse(row.outcome), expiresAtUs: row.expires_at_us };
}

/** A loaded namespace during the writes of one transaction. */
export class NamespaceDraft extends PartialDraft {
  /** Outcomes to store, by request id. */
  readonly outcomes = new Map<string, Kept>();
  /** Instant of the last write of each memory. */
  readonly writtenAtUs = new Map<string, Micros>();

  /** `floor`: new revisions are above it. */
  constructor(loaded: LoadedNamespace, floor: number) {
    super(loaded.name, loaded, Math.max(loaded.revision, floor));
  }

  keep({ requestId, fingerprint }: Idempotency, outcome: unknown, expiresAtUs: Micros): void {
    this.outcomes.set(requestId, { fingerprint, outcome, expiresAtUs });
  }
}
