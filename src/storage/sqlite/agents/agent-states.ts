import { sql } from '#kysely';
import { MnemeError } from '../../../memory/errors.ts';
import type { Memory, Micros, Scope } from '../../../memory/memory.ts';
import { isWithin } from '../../../memory/scope.ts';
import { AGENT_MEMORIES_MAX, type AgentSnapshot } from '../../agent-snapshots.ts';
import type { SqliteDatabase } from '../database.ts';
import { memoryOfFormerState, vectorOfFormerState } from '../former-state.ts';
import { readWholeRow } from '../memory-rows.ts';
import { prepared } from '../prepared.ts';
import { type AgentState, presentState, readKept, stateAt, stateWith } from './snapshot-rows.ts';

const keysOfAgent = prepared(
  (p: { namespace_key: number; agent: string; limit: number }) =>
    sql<{ pk: number }>`SELECT pk FROM memory WHERE namespace_key = ${p.namespace_key} AND agent = ${p.agent}
      AND agent <> '' LIMIT ${p.limit}`,
);
const keysChangedSince = prepared(
  (p: { namespace_key: number; revision: number }) =>
    sql<{ pk: number }>`SELECT DISTINCT pk FROM change_log
      WHERE revision > ${p.revision} AND namespace_key = ${p.namespace_key} AND former IS NOT NULL`,
);

type States = Map<string, AgentState>;

/** What an agent remembers now, by id. */
export function presentStates(database: SqliteDatabase, namespaceKey: number, scope: Scope, nowUs: Micros): States {
  const states: States = new Map();
  for (const pk of keysOf(database, namespaceKey, scope)) {
    const memory = presentMemory(database, pk);
    if (memory && isWithin(memory.scope, scope) && isThere(memory, nowUs)) states.set(memory.id, memory);
  }
  return states;
}

/** What an agent remembered at a snapshot, by id; what has expired since is left out. */
export function statesOfSnapshot(
  database: SqliteDatabase,
  namespaceKey: number,
  { id: snapshot, scope, revision }: AgentSnapshot,
  namespace: string,
  nowUs: Micros,
): States {
  const states: States = new Map();
  const take = (state: AgentState | undefined) => {
    if (state && isWithin(state.scope, scope) && isThere(state, nowUs)) states.set(state.id, state);
  };
  // Those that were changed may have belonged to the agent then, and to another one now.
  const changed = keysChangedSince(database).all({ namespace_key: namespaceKey, revision });
  const keys = new Set([...keysOf(database, namespaceKey, scope), ...changed.map(({ pk }) => pk)]);
  for (const pk of keys) {
    const present = presentMemory(database, pk);
    if (present) take(stateAt(database, pk, present, revision));
  }
  for (const { id, state } of readKept(database).all({ namespace_key: namespaceKey, snapshot })) {
    take(stateWith(memoryOfFormerState(namespace, id, state), vectorOfFormerState(namespace, id, state)));
  }
  checkCount(states.size);
  return states;
}

function presentMemory(database: SqliteDatabase, pk: number): AgentState | undefined {
  const row = readWholeRow(database, pk);
  return row && presentState(row);
}

function isThere({ expiresAtUs }: Memory, nowUs: Micros): boolean {
  return expiresAtUs === undefined || expiresAtUs > nowUs;
}

function keysOf(database: SqliteDatabase, namespaceKey: number, { agent }: Scope): number[] {
  const rows = keysOfAgent(database).all({ namespace_key: namespaceKey, agent, limit: AGENT_MEMORIES_MAX + 1 });
  checkCount(rows.length);
  return rows.map(({ pk }) => pk);
}

function checkCount(count: number): void {
  if (count <= AGENT_MEMORIES_MAX) return;
  throw new MnemeError('AGENT_TOO_LARGE', `the agent has more than ${AGENT_MEMORIES_MAX} memories`, {
    metadata: { limit: String(AGENT_MEMORIES_MAX) },
  });
}
