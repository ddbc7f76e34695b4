import type { Tier } from '../../../memory/memory.ts';
import type { MoveOutcome, MoveWrite } from '../../tier-store.ts';
import type { Changes } from '../changes.ts';
import { updateMemoryRow } from '../memory-rows.ts';
import { prepared, queries } from '../prepared.ts';
import { resize } from '../resize-memory.ts';
import { tierNumber, tierOf } from '../rows.ts';

const tierRow = prepared((p: { namespace_key: number; id: string; at_us: number }) =>
  queries
    .selectFrom('memory')
    .select(['pk', 'namespace_key', 'tier', 'agent', 'type', 'content_bytes'])
    .where('namespace_key', '=', p.namespace_key)
    .where('id', '=', p.id)
    .where((eb) => eb.or([eb('expires_at_us', 'is', null), eb('expires_at_us', '>', p.at_us)])),
);

export function move(changes: Changes, write: MoveWrite): MoveOutcome {
  const { database } = changes;
  const { to, from, atUs } = write;
  const { key: namespace_key, vector_sign } = changes.namespace(write.namespace);
  const moved: { id: string; from: Tier; to: Tier }[] = [];
  const damagedIds: string[] = [];
  for (const id of write.ids) {
    const row = tierRow(database).get({ namespace_key, id, at_us: atUs });
    const tier = row && tierOf(row.tier);
    if (!tier || tier === to || (from && !from.includes(tier))) continue;
    const kind = resize(database, { pk: row.pk, vectorKey: row.pk * vector_sign }, write.resolution);
    if (kind === 'damaged') {
      damagedIds.push(id);
      continue;
    }
    changes.totals.replace(row, { ...row, tier: tierNumber(to) });
    updateMemoryRow(database, row.pk, { tier: tierNumber(to), tier_since_us: atUs });
    changes.log.append(kind, { namespaceKey: namespace_key, pk: row.pk, id, atUs });
    moved.push({ id, from: tier, to });
  }
  return { revision: changes.log.revision, moved, damagedIds };
}
