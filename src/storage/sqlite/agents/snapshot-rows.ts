import { sql } from '#kysely';
import { isDamage, MnemeError } from '../../../memory/errors.ts';
import type { Embedding, Memory, Scope } from '../../../memory/memory.ts';
import { isWithin } from '../../../memory/scope.ts';
import type { AgentSnapshot } from '../../agent-snapshots.ts';
import type { SqliteDatabase } from '../database.ts';
import { formerStateOf, memoryOfFormerState, vectorOfFormerState, type WithoutVector } from '../former-state.ts';
import { readWholeRow, type WholeRow } from '../memory-rows.ts';
import { prepared } from '../prepared.ts';
import { memoryFromRow, memoryOrRest, stateOf } from '../rows.ts';

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
    sql<{ id: string; state: string }>`SELECT id, state FROM agent_snapshot_memory
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
const firstVector = prepared(
  (p: { pk: number; revision: number }) =>
    sql<{ former: string }>`SELECT former FROM change_log
      WHERE pk = ${p.pk} AND former IS NOT NULL AND revision > ${p.revision}
        AND json_type(former, '$.vector') IS NOT NULL ORDER BY revision LIMIT 1`,
);
const anySnapshot = prepared(
  (p: { namespace_key: number }) =>
    sql<{ id: string }>`SELECT id FROM agent_snapshot WHERE namespace_key = ${p.namespace_key} LIMIT 1`,
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
  throw new MnemeError('SNAPSHOT_NOT_FOUND', `there is no snapshot ${JSON.stringify(id)} of an agent`, {
    metadata: { snapshot: id },
  });
}

/** A memory at some moment. */
export type AgentState = Memory & {
  /** True where it was without a vector and waited for none. */
  readonly isVectorless: boolean;
};

export function presentState(row: WholeRow): AgentState {
  return { ...memoryFromRow(row.namespace, row), isVectorless: stateOf(row.embedding_state) === 'none' };
}

/** `undefined`: nothing is known of its vector, which is made again where the server makes vectors. */
export function stateWith(memory: Memory, vector: Embedding | WithoutVector | undefined): AgentState {
  if (vector === undefined || typeof vector === 'string') return { ...memory, isVectorless: vector === 'none' };
  return { ...memory, embedding: vector, isVectorless: false };
}

/** The memory as it was at a revision, from its present state and the states that it had; `undefined` before it was. */
export function stateAt(
  database: SqliteDatabase,
  pk: number,
  present: AgentState,
  revision: number,
): AgentState | undefined {
  if (present.revision <= revision) return present;
  const former = firstFormer(database).get({ pk, revision })?.former;
  const state = former === undefined ? undefined : memoryOfFormerState(present.namespace, present.id, former);
  return state && state.revision <= revision ? withVectorAt(database, pk, { present, state, revision }) : undefined;
}

/** Changes that a snapshot has behind it keep the vector that they take away. */
function withVectorAt(
  database: SqliteDatabase,
  pk: number,
  { present, state, revision }: { present: AgentState; state: Memory; revision: number },
): AgentState {
  const former = firstVector(database).get({ pk, revision })?.former;
  const { namespace, id } = present;
  return stateWith(state, former === undefined ? vectorOf(present) : vectorOfFormerState(namespace, id, former));
}

function vectorOf({ embedding, isVectorless }: AgentState): Embedding | WithoutVector {
  return embedding ?? (isVectorless ? 'none' : 'pending');
}

export function hasSnapshots(database: SqliteDatabase, namespaceKey: number): boolean {
  return anySnapshot(database).get({ namespace_key: namespaceKey }) !== undefined;
}

/** Called before a memory is erased: keeps it for the snapshots that have it. */
export function keepForSnapshots(database: SqliteDatabase, namespaceKey: number, pk: number): void {
  const snapshots = snapshotsOf(database).all({ namespace_key: namespaceKey });
  if (snapshots.length === 0) return;
  const row = readWholeRow(database, pk);
  if (!row) return;
  for (const snapshot of snapshots.map(snapshotOf)) {
    const kept = stateToKeep(database, row, snapshot);
    if (!kept || !isWithin(kept.scope, snapshot.scope)) continue;
    keep(database).run({ namespace_key: namespaceKey, snapshot: snapshot.id, id: row.id, state: kept.json });
  }
}

/** What it was like at a snapshot; of one whose bytes are damaged that it was there, which whoever reads the snapshot is told. */
function stateToKeep(
  database: SqliteDatabase,
  row: WholeRow,
  { revision, createdAtUs }: AgentSnapshot,
): { readonly scope: Scope; readonly json: string } | undefined {
  try {
    const state = stateAt(database, row.pk, presentState(row), revision);
    return state && { scope: state.scope, json: formerStateOf(state, vectorOf(state)) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    const { scope, createdAtUs: storedAtUs } = memoryOrRest(row.namespace, row).memory;
    return storedAtUs <= createdAtUs ? { scope, json: '' } : undefined;
  }
}

/** What a namespace that is deleted leaves behind. */
export function eraseSnapshotsOf(database: SqliteDatabase, namespaceKey: number): void {
  eraseSnapshots(database).run({ namespace_key: namespaceKey });
  eraseAllKept(database).run({ namespace_key: namespaceKey });
}
