import { isDeepStrictEqual } from 'node:util';
import { branchId } from '../../../memory/derived-id.ts';
import type { AgentDiff, AgentDiffRead } from '../../agent-snapshots.ts';
import { hasEqualFields } from '../../changed-memory.ts';
import type { SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { type AgentState, findSnapshot, presentStates, statesOfSnapshot } from './snapshot-rows.ts';

/** Changes between a snapshot and another snapshot, the present, or a branch of it. */
export function diffAgent(database: SqliteDatabase, { namespace, id, to, nowUs }: AgentDiffRead): AgentDiff {
  const { key } = namespaceOf(database, namespace);
  const snapshot = findSnapshot(database, key, id);
  const before = statesOfSnapshot(database, key, snapshot, namespace, nowUs);
  const after =
    to && 'snapshot' in to
      ? statesOfSnapshot(database, key, findSnapshot(database, key, to.snapshot), namespace, nowUs)
      : presentStates(database, key, to?.scope ?? snapshot.scope, nowUs);
  const branch = to && 'scope' in to && to.scope.agent !== snapshot.scope.agent ? to.scope.agent : undefined;
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
