import { isDeepStrictEqual } from 'node:util';
import { sql } from '#kysely';
import type { ScopePolicy } from '../../../memory/scope.ts';
import { changedPolicies } from '../../rules/changed-policies.ts';
import type { ScopePolicies } from '../../scope-policies.ts';
import type { Changes } from '../changes.ts';
import { prepared, type SqliteDatabase } from '../database.ts';
import { readNamespace } from '../namespace-rows.ts';

interface PolicyRow {
  readonly project: string;
  readonly agent_type: string;
  readonly agent: string;
  readonly session: string;
  readonly is_private: number;
  readonly is_read_only: number;
  readonly is_isolated: number;
}

const policiesOf = prepared(
  (p: { key: number }) =>
    sql<PolicyRow>`SELECT * FROM scope_policy WHERE namespace_key = ${p.key}
      ORDER BY project, agent_type, agent, session`,
);
const setPolicy = prepared(
  (p: PolicyRow & { key: number }) =>
    sql`INSERT OR REPLACE INTO scope_policy VALUES (${p.key}, ${p.project}, ${p.agent_type}, ${p.agent}, ${p.session},
      ${p.is_private}, ${p.is_read_only}, ${p.is_isolated})`,
);
const dropPolicy = prepared(
  (p: { key: number; project: string; agent_type: string; agent: string; session: string }) =>
    sql`DELETE FROM scope_policy WHERE namespace_key = ${p.key} AND project = ${p.project}
      AND agent_type = ${p.agent_type} AND agent = ${p.agent} AND session = ${p.session}`,
);
const dropAll = prepared((p: { key: number }) => sql`DELETE FROM scope_policy WHERE namespace_key = ${p.key}`);

export function readPolicies(database: SqliteDatabase, namespaceKey: number): ScopePolicy[] {
  return policiesOf(database).all({ key: namespaceKey }).map(policyOf);
}

export function policiesByName(database: SqliteDatabase, namespace: string): ScopePolicy[] {
  const row = readNamespace(database, namespace);
  return row ? readPolicies(database, row.key) : [];
}

export function setScopePolicy(
  changes: Changes,
  { namespace, policy }: Parameters<ScopePolicies['set']>[0],
): ScopePolicy {
  const { database } = changes;
  const { key } = changes.namespace(namespace);
  const policies = changedPolicies(namespace, readPolicies(database, key), policy);
  const { project, agentType, agent, session } = policy.scope;
  const place = { key, project, agent_type: agentType, agent, session };
  dropPolicy(database).run(place);
  if (!policies.some((one) => isDeepStrictEqual(one, policy))) return policy;
  const { isPrivate, isReadOnly, isIsolated } = policy;
  const flags = {
    is_private: Number(isPrivate),
    is_read_only: Number(isReadOnly),
    is_isolated: Number(isIsolated),
  };
  setPolicy(database).run({ ...place, ...flags });
  return policy;
}

/** Erases the policies of a deleted namespace. */
export function erasePoliciesOf(database: SqliteDatabase, namespaceKey: number): void {
  dropAll(database).run({ key: namespaceKey });
}

function policyOf(row: PolicyRow): ScopePolicy {
  const { project, agent_type, agent, session, is_private, is_read_only, is_isolated } = row;
  return {
    scope: { project, agentType: agent_type, agent, session },
    isPrivate: is_private === 1,
    isReadOnly: is_read_only === 1,
    isIsolated: is_isolated === 1,
  };
}
