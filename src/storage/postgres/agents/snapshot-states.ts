import { sql } from '#kysely';
import type { Micros, Scope } from '../../../memory/memory.ts';
import { AGENT_MEMORIES_MAX, type AgentSnapshot } from '../../agent-snapshots.ts';
import {
  type AgentState,
  type AgentStates,
  belongsTo,
  checkAgentCount,
  stateWith,
  vectorOfState,
} from '../../rules/agent-states.ts';
import { memoryOfFormerState, vectorOfFormerState } from '../../rules/former-state.ts';
import { wholeOf } from '../../rules/unreadable-entry.ts';
import { queries, type Session } from '../database.ts';
import { CHANGES, entryOf, type LoadedRow, selectMemories } from '../memory-rows.ts';
import { namespaceOf } from '../namespace-rows.ts';
import type { MemoryRevisionTable, NamespaceTable } from '../schema.ts';

/** The present memories of an agent. Fails with AGENT_TOO_LARGE. */
export async function presentStates(
  session: Session,
  row: NamespaceTable,
  scope: Scope,
  nowUs: Micros,
): Promise<AgentStates> {
  const rows = await session.run(
    selectMemories(row, 'full')
      .where('m.agent', '=', scope.agent)
      .where('m.agent', '<>', '')
      .orderBy('m.sequence')
      .limit(AGENT_MEMORIES_MAX + 1),
  );
  checkAgentCount(rows.length);
  const states = rows.map((each) => stateOf(row, each)).filter((state) => belongsTo(state, scope, nowUs));
  return new Map(states.map((state) => [state.id, state]));
}

/** The memories of an agent at a snapshot, without memories that have expired since. Fails with AGENT_TOO_LARGE. */
export async function statesOfSnapshot(
  session: Session,
  row: NamespaceTable,
  { scope, revision }: AgentSnapshot,
  nowUs: Micros,
): Promise<AgentStates> {
  const candidates: (LoadedRow & { readonly embedding_model?: string })[] = [
    ...(await session.run(presentOrFormer(row, scope.agent, revision))),
    ...(await session.run(erasedSince(row.key, revision))),
  ];
  checkAgentCount(candidates.length);
  const changed = candidates.filter((each) => each.revision > revision).map(({ sequence }) => sequence);
  const former = Map.groupBy(await formerOf(session, row.key, changed), ({ sequence }) => sequence);
  const states = new Map<string, AgentState>();
  for (const each of candidates) {
    const state = stateAt(stateOf(row, each), former.get(each.sequence) ?? [], revision);
    if (state && belongsTo(state, scope, nowUs)) states.set(state.id, state);
  }
  return states;
}

function presentOrFormer(row: NamespaceTable, agent: string, revision: number) {
  // A memory that was changed may have belonged to this agent then, and to another agent now.
  const wasOfAgent = sql<boolean>`EXISTS (SELECT 1 FROM memory_revision r WHERE r.namespace_key = m.namespace_key
    AND r.sequence = m.sequence AND strpos(r.state, '"agent":' || to_json(${agent}::text)::text) > 0)`;
  return selectMemories(row, 'full')
    .where((eb) =>
      eb.or([
        eb('m.agent', '=', agent),
        eb.and([eb('m.change', '=', CHANGES.indexOf('updated')), eb('m.revision', '>', revision), wasOfAgent]),
      ]),
    )
    .orderBy('m.sequence')
    .limit(AGENT_MEMORIES_MAX + 1);
}

function erasedSince(key: number, revision: number) {
  return queries
    .selectFrom('erased_memory as m')
    .leftJoin('memory_body as b', (join) =>
      join.onRef('b.namespace_key', '=', 'm.namespace_key').onRef('b.sequence', '=', 'm.sequence'),
    )
    .selectAll('m')
    .select(['b.text', 'b.media_type', 'b.content', 'b.body_key'])
    .where('m.namespace_key', '=', key)
    .where('m.erased_revision', '>', revision)
    .orderBy('m.sequence')
    .limit(AGENT_MEMORIES_MAX + 1);
}

/** Former states, oldest first. */
async function formerOf(session: Session, key: number, sequences: readonly number[]): Promise<MemoryRevisionTable[]> {
  if (sequences.length === 0) return [];
  return session.run(
    queries
      .selectFrom('memory_revision')
      .selectAll()
      .where('namespace_key', '=', key)
      .where('sequence', '=', sql<number>`any(${sequences}::bigint[])`)
      .orderBy('sequence')
      .orderBy('revision'),
  );
}

/** Fails with CHECKSUM_MISMATCH. */
export function stateOf(row: NamespaceTable, each: LoadedRow & { readonly embedding_model?: string }): AgentState {
  const namespace = namespaceOf(row);
  const { embedding_model: embeddingModel = namespace.embeddingModel } = each;
  const entry = entryOf({ ...namespace, embeddingModel }, each, 'full');
  const memory = wholeOf(entry, 'full') ?? entry.memory;
  return { ...memory, isVectorless: entry.state === 'none' };
}

/** The memory at a revision; `undefined` before it was stored. */
export function stateAt(
  present: AgentState,
  former: readonly MemoryRevisionTable[],
  revision: number,
): AgentState | undefined {
  if (present.revision <= revision) return present;
  const at = former.findLastIndex((state) => state.revision <= revision);
  const found = former[at];
  if (!found) return undefined;
  const { namespace, id } = present;
  // Changes after a snapshot keep the vector that they replace.
  for (const { state } of former.slice(at)) {
    const vector = vectorOfFormerState(namespace, id, state);
    if (vector !== undefined) return stateWith(memoryOfFormerState(namespace, id, found.state), vector);
  }
  return stateWith(memoryOfFormerState(namespace, id, found.state), vectorOfState(present));
}
