import { MnemeError } from '../../../memory/errors.ts';
import { namespaceHoldsSessions } from '../../../memory/session.ts';
import type { DeleteOutcome } from '../../records.ts';
import { erasePoliciesOf } from '../agents/policy-rows.ts';
import { eraseSnapshotsOf } from '../agents/snapshot-rows.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries } from '../database.ts';
import { endReembedding } from '../namespace-rows.ts';
import { tierOf } from '../rows.ts';
import { eraseSessionsOf } from '../sessions/erase-session.ts';
import type { Commands } from './command.ts';
import { deleteSubscriptionsOf } from './subscriptions.ts';

const countByTier = prepared((p: { namespace_key: number; now_us: number }) =>
  queries
    .selectFrom('memory')
    .select((eb) => ['tier', eb.fn.countAll<number>().as('count')])
    .where('namespace_key', '=', p.namespace_key)
    .where((eb) => eb.or([eb('expires_at_us', 'is', null), eb('expires_at_us', '>', p.now_us)]))
    .groupBy('tier')
    .orderBy('tier'),
);
const anySession = prepared((p: { namespace: string }) =>
  queries.selectFrom('session').select('key').where('namespace', '=', p.namespace).limit(1),
);
const deleteRow = prepared((p: { key: number }) => queries.deleteFrom('namespace').where('key', '=', p.key));
const dropSettings = prepared((p: { key: number }) =>
  queries.deleteFrom('tier_setting').where('namespace_key', '=', p.key),
);
const dropMaintenance = prepared((p: { key: number }) =>
  queries.deleteFrom('tier_maintenance').where('namespace_key', '=', p.key),
);
const dropMirror = prepared((p: { key: number }) => queries.deleteFrom('mirror').where('namespace_key', '=', p.key));
const leaveRows = prepared((p: { key: number }) =>
  queries.insertInto('namespace_erasure').values({ namespace_key: p.key }),
);

/** Deletes the namespace at once; its unreachable rows are erased later by `eraseLeftovers`. */
export function deleteNamespace(changes: Changes, write: Commands['deleteNamespace']['write']): DeleteOutcome {
  const { key, name } = changes.namespace(write.name);
  const counts = countByTier(changes.database).all({ namespace_key: key, now_us: write.atUs });
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (total > 0 && !write.force) throw notEmpty(`namespaces/${name}`, total);
  if (!write.force && anySession(changes.database).get({ namespace: name })) throw namespaceHoldsSessions(name);
  deleteRow(changes.database).run({ key });
  dropSettings(changes.database).run({ key });
  dropMaintenance(changes.database).run({ key });
  dropMirror(changes.database).run({ key });
  leaveRows(changes.database).run({ key });
  deleteSubscriptionsOf(changes.database, key);
  endReembedding(changes.database).run({ namespace_key: key });
  eraseSessionsOf(changes, name);
  eraseSnapshotsOf(changes.database, key);
  erasePoliciesOf(changes.database, key);
  changes.forgetNamespace(name);
  const revision = changes.log.append('namespaceDeleted', { namespaceKey: key, id: name, atUs: write.atUs });
  return { revision, deletedIds: [], tiers: counts.map(({ tier, count }) => [tierOf(tier), count] as const) };
}

function notEmpty(name: string, memories: number): MnemeError {
  return new MnemeError('NAMESPACE_NOT_EMPTY', `${name} still holds ${memories} memories`, {
    metadata: { name, memories: String(memories) },
  });
}
