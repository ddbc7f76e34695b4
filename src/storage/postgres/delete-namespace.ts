import { sql } from '#kysely';
import { MnemeError } from '../../memory/errors.ts';
import { type Micros, TIERS, type Tier } from '../../memory/memory.ts';
import { namespaceHoldsSessions } from '../../memory/session.ts';
import type { DeleteOutcome, NamespaceDeletion } from '../records.ts';
import { queries, type Session } from './database.ts';
import type { LoadedNamespace, NamespaceDraft } from './loaded-namespace.ts';
import { erasingSessionsOf } from './sessions/erase-sessions.ts';

/** The first step hides the namespace; its rows are erased later (`erase-leftovers.ts`). */
export async function deleteNamespace(
  { name, force, atUs }: NamespaceDeletion,
  draft: NamespaceDraft,
  session: Session,
  { row }: LoadedNamespace,
): Promise<DeleteOutcome> {
  if (!row) throw new Error('a missing namespace cannot be deleted');
  const tiers = await countsOf(session, row.key, atUs);
  const memories = tiers.reduce((sum, [, count]) => sum + count, 0);
  if (memories > 0 && !force) {
    const full = `namespaces/${name}`;
    const metadata = { name: full, memories: String(memories) };
    throw new MnemeError('NAMESPACE_NOT_EMPTY', `${full} still holds ${memories} memories`, { metadata });
  }
  if (!force && (await hasSessions(session, name))) throw namespaceHoldsSessions(name);
  draft.isThere = false;
  draft.revision++;
  const { revision } = draft;
  await session.run(queries.deleteFrom('namespace').where('key', '=', row.key));
  await session.run(queries.deleteFrom('subscription').where('namespace_key', '=', row.key));
  await session.run(queries.deleteFrom('agent_snapshot').where('namespace_key', '=', row.key));
  await session.runAll(erasingSessionsOf(name));
  await session.run(queries.insertInto('namespace_erasure').values({ namespace_key: row.key }));
  await session.run(
    queries.updateTable('meta').set({ revision_floor: sql<number>`greatest(revision_floor, ${revision}::bigint)` }),
  );
  return { revision, deletedIds: [], tiers };
}

async function hasSessions(session: Session, namespace: string): Promise<boolean> {
  const query = queries.selectFrom('session').select('key').where('namespace', '=', namespace).limit(1);
  return (await session.run(query)).length > 0;
}

/** Number of unexpired memories by tier. */
async function countsOf(session: Session, key: number, nowUs: Micros): Promise<(readonly [Tier, number])[]> {
  const rows = await session.run(
    queries
      .selectFrom('memory')
      .select((eb) => ['tier', eb.fn.countAll<number>().as('count')])
      .where('namespace_key', '=', key)
      .where((eb) => eb.or([eb('expires_at_us', 'is', null), eb('expires_at_us', '>', nowUs)]))
      .groupBy('tier')
      .orderBy('tier'),
  );
  return rows.map(({ tier, count }) => [TIERS[tier] ?? 'short_term', count] as const);
}
