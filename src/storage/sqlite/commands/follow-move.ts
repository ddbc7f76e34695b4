import type { Micros } from '../../../memory/memory.ts';
import { FULL_RESOLUTION } from '../../../memory/resolution/resolution.ts';
import type { MirroredMove } from '../../hot-log.ts';
import type { TierStep } from '../../tier-store.ts';
import type { Changes } from '../changes.ts';
import { updateMemoryRow } from '../memory-rows.ts';
import type { NamespaceRow } from '../namespace-rows.ts';
import { resize, sizedById } from '../resize-memory.ts';
import { stateNumber, tierNumber, tierOf } from '../rows.ts';

/**
 * Brings the copy of a memory to the tier that it was moved to. False, and nothing is done, where the copy is not what was moved: it
 * is missing, of another state, at home here, damaged or there already. `step`: what the entry says of the move, if it says so.
 */
export function followMove(
  changes: Changes,
  namespace: NamespaceRow,
  { id, revision, embedding, tier, resolution = FULL_RESOLUTION, ...move }: MirroredMove,
  atUs: Micros,
  step?: TierStep,
): boolean {
  const { database, log, totals } = changes;
  const row = sizedById(database).get({ namespace_key: namespace.key, id });
  const isCopy = row?.revision === revision && row.embedding_state === stateNumber(embedding);
  if (!isCopy || row.tier === tierNumber(tier) || row.tier === tierNumber('long_term')) return false;
  const kind = resize(database, row, resolution);
  if (kind === 'damaged') return false;
  const { pk } = row;
  totals.replace(row, { ...row, tier: tierNumber(tier) });
  updateMemoryRow(database, pk, {
    tier: tierNumber(tier),
    tier_since_us: move.tierSinceUs,
    retrieval_count: move.retrievalCount,
    last_accessed_at_us: move.lastAccessedAtUs ?? null,
  });
  log.append(kind, { namespaceKey: namespace.key, pk, id, atUs, step: step ?? { from: tierOf(row.tier), to: tier } });
  return true;
}
