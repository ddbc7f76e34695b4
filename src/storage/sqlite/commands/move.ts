import type { Tier } from '../../../memory/memory.ts';
import type { MoveOutcome, MoveWrite } from '../../tier-store.ts';
import type { Changes } from '../changes.ts';
import { updateMemoryRow } from '../memory-rows.ts';
import { resize, sizedById } from '../resize-memory.ts';
import { tierNumber, tierOf } from '../rows.ts';

export function move(changes: Changes, write: MoveWrite): MoveOutcome {
  const { database } = changes;
  const { to, from, atUs } = write;
  const { key: namespace_key } = changes.namespace(write.namespace);
  const moved: { id: string; from: Tier; to: Tier }[] = [];
  const damagedIds: string[] = [];
  for (const id of write.ids) {
    const row = sizedById(database).get({ namespace_key, id });
    if (!row || (row.expires_at_us !== null && row.expires_at_us <= atUs)) continue;
    const tier = tierOf(row.tier);
    if (tier === to || (from && !from.includes(tier))) continue;
    const kind = resize(database, row, write.resolution);
    if (kind === 'damaged') {
      damagedIds.push(id);
      continue;
    }
    changes.totals.replace(row, { ...row, tier: tierNumber(to) });
    updateMemoryRow(database, row.pk, { tier: tierNumber(to), tier_since_us: atUs });
    changes.log.append(kind, { namespaceKey: namespace_key, pk: row.pk, id, atUs, step: { from: tier, to } });
    moved.push({ id, from: tier, to });
  }
  return { revision: changes.log.revision, moved, damagedIds };
}
