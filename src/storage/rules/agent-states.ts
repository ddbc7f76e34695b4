import { isDeepStrictEqual } from 'node:util';
import { branchId } from '../../memory/derived-id.ts';
import { invalidFields, MnemeError } from '../../memory/errors.ts';
import type { Embedding, Memory, Micros, Scope } from '../../memory/memory.ts';
import { isWithin } from '../../memory/scope.ts';
import { AGENT_MEMORIES_MAX, type AgentDiff, type AgentDiffRead, type AgentSnapshot } from '../agent-snapshots.ts';
import { hasEqualFields } from '../changed-memory.ts';
import type { NewMemory } from '../records.ts';
import type { WithoutVector } from './former-state.ts';

/** A memory at one instant. */
export type AgentState = Memory & {
  /** True where the memory had no vector and none was pending. */
  readonly isVectorless: boolean;
};

/** Memories of an agent, by id. */
export type AgentStates = ReadonlyMap<string, AgentState>;

/** `undefined`: the vector is unknown; a server with an embedder computes it again. */
export function stateWith(memory: Memory, vector: Embedding | WithoutVector | undefined): AgentState {
  if (vector === undefined || typeof vector === 'string') return { ...memory, isVectorless: vector === 'none' };
  return { ...memory, embedding: vector, isVectorless: false };
}

export function vectorOfState({ embedding, isVectorless }: AgentState): Embedding | WithoutVector {
  return embedding ?? (isVectorless ? 'none' : 'pending');
}

/** Fails with AGENT_TOO_LARGE. */
export function checkAgentCount(count: number): void {
  if (count <= AGENT_MEMORIES_MAX) return;
  throw new MnemeError('AGENT_TOO_LARGE', `the agent has more than ${AGENT_MEMORIES_MAX} memories`, {
    metadata: { limit: String(AGENT_MEMORIES_MAX) },
  });
}

export function snapshotExists(id: string): MnemeError {
  return new MnemeError('SNAPSHOT_EXISTS', `there is a snapshot ${JSON.stringify(id)} of an agent already`, {
    metadata: { snapshot: id },
  });
}

/** Whether a state belongs to the scope of an agent, and has not expired. */
export function belongsTo({ scope: own, expiresAtUs }: Memory, scope: Scope, nowUs: Micros): boolean {
  return isWithin(own, scope) && (expiresAtUs === undefined || expiresAtUs > nowUs);
}

/** The scope that a snapshot is compared with; `undefined`: another snapshot. */
export function comparedScope({ scope }: AgentSnapshot, to: AgentDiffRead['to']): Scope | undefined {
  if (to && 'snapshot' in to) return undefined;
  return to?.scope ?? scope;
}

/** Agent of the copies that the memories of a snapshot are compared with; `undefined`: they are of the same agent. */
export function branchOf({ scope }: AgentSnapshot, to: AgentDiffRead['to']): string | undefined {
  return to && 'scope' in to && to.scope.agent !== scope.agent ? to.scope.agent : undefined;
}

/** The differences; with `branch`, to the copies of the agent of that name. */
export function compareStates(before: AgentStates, after: AgentStates, branch: string | undefined): AgentDiff {
  const idThere = (of: string) => (branch === undefined ? of : branchId(of, branch));
  const paired = new Set<string>();
  const removed: string[] = [];
  const changed: string[] = [];
  for (const memory of before.values()) {
    const there = idThere(memory.id);
    const other = after.get(there);
    paired.add(there);
    if (!other) removed.push(memory.id);
    else if (!isSame(memory, other, branch !== undefined)) changed.push(memory.id);
  }
  return { added: [...after.keys()].filter((one) => !paired.has(one)), removed, changed };
}

/** A branch has its own scope, and its copies name one another by their own ids. */
function isSame(one: AgentState, other: AgentState, isBranch: boolean): boolean {
  const { embedding: _, ...rest } = other;
  const { supersededBy: __, ...unlinked } = rest;
  const compared = isBranch ? { ...unlinked, scope: one.scope } : rest;
  const { supersededBy: ___, ...bare } = one;
  if (!hasEqualFields(isBranch ? bare : one, { ...compared, embeddingPending: false })) return false;
  return hasSameVector(one, other, isBranch);
}

/** A vector that is not computed yet, or that another model has recomputed, is no change of the agent's memory. */
function hasSameVector(one: AgentState, other: AgentState, isBranch: boolean): boolean {
  const [before, after] = [one.embedding, other.embedding];
  if (before && after) return before.model !== after.model || isDeepStrictEqual(before.values, after.values);
  return isBranch || !((before && other.isVectorless) || (after && one.isVectorless));
}

export interface Renewal {
  readonly embedsLater: boolean;
  /** Model of the namespace's vectors. */
  readonly model: string;
  readonly atUs: Micros;
}

/** Restores the vector bit for bit. A vector of another model is computed again where the server has an embedder. */
export function renewedMemory(memory: AgentState, { embedsLater, model, atUs }: Renewal): NewMemory {
  const { namespace: _, revision: __, embedding, isVectorless, ...fields } = memory;
  const kept = embedding?.model === model ? { embedding } : {};
  return {
    ...fields,
    ...kept,
    updatedAtUs: atUs,
    embeddingPending: !kept.embedding && !isVectorless && embedsLater && memory.text !== '',
  };
}

/** Copies of the memories of a snapshot for another agent; empty parts of `to` keep their values. Fails with FIELD_INVALID. */
export function branchedMemories({ scope }: AgentSnapshot, former: AgentStates, to: Scope, as: Renewal): NewMemory[] {
  if (to.agent === scope.agent) {
    throw invalidFields([{ field: 'to_scope.agent', description: 'must be another agent than the snapshot is of' }]);
  }
  return [...former.values()].map((memory) => ({
    ...renewedMemory(memory, as),
    id: branchId(memory.id, to.agent),
    ...(memory.supersededBy && former.has(memory.supersededBy)
      ? { supersededBy: branchId(memory.supersededBy, to.agent) }
      : {}),
    scope: {
      project: to.project || memory.scope.project,
      agentType: to.agentType || memory.scope.agentType,
      agent: to.agent,
      session: memory.scope.session,
    },
  }));
}
