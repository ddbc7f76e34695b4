import { sql } from '#kysely';
import { isDamage } from '../../../memory/errors.ts';
import type { Memory, Micros, Scope } from '../../../memory/memory.ts';
import { isWithin } from '../../../memory/scope.ts';
import {
  AGENT_MEMORIES_MAX,
  type AgentDiff,
  type AgentDiffRead,
  type AgentSnapshot,
  snapshotNotFound,
} from '../../agent-snapshots.ts';
import {
  type AgentState,
  belongsTo,
  branchOf,
  checkAgentCount,
  comparedScope,
  compareStates,
  stateWith,
  vectorOfState,
} from '../../rules/agent-states.ts';
import { formerStateOf, memoryOfFormerState, vectorOfFormerState } from '../../rules/former-state.ts';
import { prepared, type SqliteDatabase } from '../database.ts';
import { readWholeRow, type WholeRow } from '../memory-rows.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { isSettled, memoryFromRow, memoryOrRest, stateOf } from '../rows.ts';

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
const readKept = prepared(
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
  throw snapshotNotFound(id);
}

function presentState(row: WholeRow): AgentState {
  return { ...memoryFromRow(row.namespace, row), isVectorless: stateOf(row.embedding_state) === 'none' };
}

/** The memory at a revision, from its present state and its former states; `undefined` before it was stored. */
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

/** Changes after a snapshot keep the vector that they remove. */
function withVectorAt(
  database: SqliteDatabase,
  pk: number,
  { present, state, revision }: { present: AgentState; state: Memory; revision: number },
): AgentState {
  const former = firstVector(database).get({ pk, revision })?.former;
  const { namespace, id } = present;
  return stateWith(state, former === undefined ? vectorOfState(present) : vectorOfFormerState(namespace, id, former));
}

export function hasSnapshots(database: SqliteDatabase, namespaceKey: number): boolean {
  return anySnapshot(database).get({ namespace_key: namespaceKey }) !== undefined;
}

/** Called before a memory is erased: keeps its state for the snapshots that contain it. */
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

/** The state at a snapshot. Of a damaged state only the id is kept, and readers of the snapshot get a notice. */
function stateToKeep(
  database: SqliteDatabase,
  row: WholeRow,
  { revision, createdAtUs }: AgentSnapshot,
): { readonly scope: Scope; readonly json: string } | undefined {
  try {
    const state = stateAt(database, row.pk, presentState(row), revision);
    return state && { scope: state.scope, json: formerStateOf(state, vectorOfState(state)) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    const { scope, createdAtUs: storedAtUs } = memoryOrRest(row.namespace, row).memory;
    return storedAtUs <= createdAtUs ? { scope, json: '' } : undefined;
  }
}

/** Erases the snapshots of a deleted namespace. */
export function eraseSnapshotsOf(database: SqliteDatabase, namespaceKey: number): void {
  eraseSnapshots(database).run({ namespace_key: namespaceKey });
  eraseAllKept(database).run({ namespace_key: namespaceKey });
}

const keysOfAgent = prepared(
  (p: { namespace_key: number; agent: string; limit: number }) =>
    sql<{ pk: number }>`SELECT pk FROM memory WHERE namespace_key = ${p.namespace_key} AND agent = ${p.agent}
      AND agent <> '' AND ${isSettled} LIMIT ${p.limit}`,
);
const keysChangedSince = prepared(
  (p: { namespace_key: number; revision: number }) =>
    sql<{ pk: number }>`SELECT DISTINCT pk FROM change_log
      WHERE revision > ${p.revision} AND namespace_key = ${p.namespace_key} AND former IS NOT NULL`,
);

type States = Map<string, AgentState>;

/** The present memories of an agent, by id. */
export function presentStates(database: SqliteDatabase, namespaceKey: number, scope: Scope, nowUs: Micros): States {
  const states: States = new Map();
  for (const pk of keysOf(database, namespaceKey, scope)) {
    const memory = presentMemory(database, pk);
    if (memory && belongsTo(memory, scope, nowUs)) states.set(memory.id, memory);
  }
  return states;
}

/** The memories of an agent at a snapshot, by id, without memories that have expired since. */
export function statesOfSnapshot(
  database: SqliteDatabase,
  namespaceKey: number,
  { id: snapshot, scope, revision }: AgentSnapshot,
  namespace: string,
  nowUs: Micros,
): States {
  const states: States = new Map();
  const take = (state: AgentState | undefined) => {
    if (state && belongsTo(state, scope, nowUs)) states.set(state.id, state);
  };
  // A memory that was changed may have belonged to this agent then, and to another agent now.
  const changed = keysChangedSince(database).all({ namespace_key: namespaceKey, revision });
  const keys = new Set([...keysOf(database, namespaceKey, scope), ...changed.map(({ pk }) => pk)]);
  for (const pk of keys) {
    const present = presentMemory(database, pk);
    if (present) take(stateAt(database, pk, present, revision));
  }
  for (const { id, state } of readKept(database).all({ namespace_key: namespaceKey, snapshot })) {
    take(stateWith(memoryOfFormerState(namespace, id, state), vectorOfFormerState(namespace, id, state)));
  }
  checkAgentCount(states.size);
  return states;
}

export function presentMemory(database: SqliteDatabase, pk: number): AgentState | undefined {
  const row = readWholeRow(database, pk);
  return row && presentState(row);
}

function keysOf(database: SqliteDatabase, namespaceKey: number, { agent }: Scope): number[] {
  const rows = keysOfAgent(database).all({ namespace_key: namespaceKey, agent, limit: AGENT_MEMORIES_MAX + 1 });
  checkAgentCount(rows.length);
  return rows.map(({ pk }) => pk);
}

/** Changes between a snapshot and another snapshot, the present, or a branch of it. */
export function diffAgent(database: SqliteDatabase, { namespace, id, to, nowUs }: AgentDiffRead): AgentDiff {
  const { key } = namespaceOf(database, namespace);
  const snapshot = findSnapshot(database, key, id);
  const before = statesOfSnapshot(database, key, snapshot, namespace, nowUs);
  const scope = comparedScope(snapshot, to);
  const other = to && 'snapshot' in to ? findSnapshot(database, key, to.snapshot) : snapshot;
  const after = scope
    ? presentStates(database, key, scope, nowUs)
    : statesOfSnapshot(database, key, other, namespace, nowUs);
  return compareStates(before, after, branchOf(snapshot, to));
}
