import { sql } from 'kysely';
import { MnemeError } from '../../../memory/errors.ts';
import type { Memory } from '../../../memory/memory.ts';
import { isWithin } from '../../../memory/scope.ts';
import type { AgentSnapshot } from '../../agent-snapshots.ts';
import type { SqliteDatabase } from '../database.ts';
import { formerStateOf, memoryOfFormerState } from '../former-state.ts';
import { readWholeRow } from '../memory-rows.ts';
import { prepared } from '../prepared.ts';
import { memoryFromRow } from '../rows.ts';

export interface SnapshotRow {
  readonly namespace_key: number;
  readonly id: string;
  readonly project: string;
  readonly agent_type: string;
  readonly agent: string;
  readonly description: string;
  readonly created_at_us: number;
  readonly revision: number;
}

export const insertSnapshot = prepared(
  (p: SnapshotRow) =>
    sql`INSERT INTO agent_snapshot VALUES (${p.namespace_key}, ${p.id}, ${p.project}, ${p.agent_type}, ${p.agent},
      ${p.description}, ${p.created_at_us}, ${p.revision})`,
);
export const readSnapshot = prepared(
  (p: { namespace_key: number; id: string }) =>
    sql<SnapshotRow>`SELECT * FROM agent_snapshot WHERE namespace_key = ${p.namespace_key} AND id = ${p.id}`,
);
export const snapshotsAfter = prepared(
  (p: { namespace_key: number; id: string; limit: number }) =>
    sql<SnapshotRow>`SELECT * FROM agent_snapshot WHERE namespace_key = ${p.namespace_key} AND id > ${p.id}
      ORDER BY id LIMIT ${p.limit}`,
);
export const deleteSnapshot = prepared(
  (p: { namespace_key: number; id: string }) =>
    sql`DELETE FROM agent_snapshot WHERE namespace_key = ${p.namespace_key} AND id = ${p.id}`,
);
export const deleteKept = prepared(
  (p: { namespace_key: number; snapshot: string }) =>
    sql`DELETE FROM agent_snapshot_memory WHERE namespace_key = ${p.namespace_key} AND snapshot = ${p.snapshot}`,
);
export const readKept = prepared(
  (p: { namespace_key: number; snapshot: string }) =>
    sql<{ state: string }>`SELECT state FROM agent_snapshot_memory
      WHERE namespace_key = ${p.namespace_key} AND snapshot = ${p.snapshot}`,
);
const snapshotsOf = prepared(
  (p: { namespace_key: number }) =>
    sql<SnapshotRow>`SELECT * FROM agent_snapshot WHERE namespace_key = ${p.namespace_key}`,
);
const keep = prepared(
  (p: { namespace_key: number; snapshot: string; id: string; state: string }) =>
    sql`INSERT OR IGNORE INTO agent_snapshot_memory VALUES (${p.namespace_key}, ${p.snapshot}, ${p.id}, ${p.state})`,
);
const firstFormer = prepared(
  (p: { pk: number; revision: number }) =>
    sql<{ former: string }>`SELECT former FROM change_log
      WHERE pk = ${p.pk} AND former IS NOT NULL AND revision > ${p.revision} ORDER BY revision LIMIT 1`,
);
const eraseSnapshots = prepared(
  (p: { namespace_key: number }) => sql`DELETE FROM agent_snapshot WHERE namespace_key = ${p.namespace_key}`,
);
const eraseAllKept = prepared(
  (p: { namespace_key: number }) => sql`DELETE FROM agent_snapshot_memory WHERE namespace_key = ${p.namespace_key}`,
);

export function snapshotOf(row: SnapshotRow): AgentSnapshot {
  const { id, project, agent_type, agent, description, created_at_us, revision } = row;
  const scope = { project, agentType: agent_type, agent, session: '' };
  return { id, scope, description, createdAtUs: created_at_us, revision };
}

export function findSnapshot(database: SqliteDatabase, namespaceKey: number, id: string): AgentSnapshot {
  const row = readSnapshot(database).get({ namespace_key: namespaceKey, id });
  if (row) return snapshotOf(row);
  throw new MnemeError('CHECKPOINT_NOT_FOUND', `there is no snapshot ${JSON.stringify(id)} of an agent`, {
    metadata: { checkpoint: id },
  });
}

/** The memory as it was at a revision, from its present state and the states that it had; `undefined` before it was. */
export function stateAt(database: SqliteDatabase, pk: number, present: Memory, revision: number): Memory | undefined {
  if (present.revision <= revision) return present;
  const former = firstFormer(database).get({ pk, revision })?.former;
  const state = former === undefined ? undefined : memoryOfFormerState(present.namespace, former);
  return state && state.revision <= revision ? state : undefined;
}

/** Called before a memory is erased: keeps it for the snapshots that have it. */
export function keepForSnapshots(database: SqliteDatabase, namespaceKey: number, pk: number): void {
  const snapshots = snapshotsOf(database).all({ namespace_key: namespaceKey });
  if (snapshots.length === 0) return;
  const row = readWholeRow(database, pk);
  if (!row) return;
  const present = memoryFromRow(row.namespace, row);
  for (const { id, scope, revision } of snapshots.map(snapshotOf)) {
    const state = stateAt(database, pk, present, revision);
    if (!state || !isWithin(state.scope, scope)) continue;
    keep(database).run({ namespace_key: namespaceKey, snapshot: id, id: state.id, state: formerStateOf(state) });
  }
}

/** What a namespace that is deleted leaves behind. */
export function eraseSnapshotsOf(database: SqliteDatabase, namespaceKey: number): void {
  eraseSnapshots(database).run({ namespace_key: namespaceKey });
  eraseAllKept(database).run({ namespace_key: namespaceKey });
}
