import type { AgentDiff, AgentDiffRead } from '../../agent-snapshots.ts';
import { branchOf, comparedScope, compareStates } from '../../rules/agent-states.ts';
import type { SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { findSnapshot, presentStates, statesOfSnapshot } from './snapshot-rows.ts';

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
