import { sql } from '#kysely';
import type { Scope } from '../../../memory/memory.ts';
import type { SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { prepareOnce } from '../prepared.ts';

interface ScopeRow {
  readonly project: string;
  readonly agent_type: string;
  readonly agent: string;
  readonly session: string;
  readonly count: number;
}

/** Scopes that memories have, those that expired and are not erased yet included. Fails with NAMESPACE_NOT_FOUND. */
export function listScopes(
  database: SqliteDatabase,
  { namespace, limit, after }: { namespace: string; limit: number; after?: Scope },
): { scope: Scope; count: number }[] {
  const { key } = namespaceOf(database, namespace);
  const parts = sql`project, agent_type, agent, session`;
  const beyond = after
    ? sql`AND (${parts}) > (${after.project}, ${after.agentType}, ${after.agent}, ${after.session})`
    : sql``;
  const query = sql<ScopeRow>`
    SELECT ${parts}, count(*) AS count FROM memory WHERE namespace_key = ${key} ${beyond}
    GROUP BY ${parts} ORDER BY ${parts} LIMIT ${limit}`;
  return prepareOnce(database, query)
    .all({})
    .map(({ project, agent_type: agentType, agent, session, count }) => ({
      scope: { project, agentType, agent, session },
      count,
    }));
}
