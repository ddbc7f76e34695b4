import type { Tier } from '../../../memory/memory.ts';
import type { HotEntry, MirroredMemory } from '../../hot-log.ts';
import type { TierStep } from '../../tier-store.ts';
import type { Changes } from '../changes.ts';
import type { NamespaceRow } from '../namespace-rows.ts';
import { prepared, queries } from '../prepared.ts';

const toldOf = prepared((p: { key: number; origin: number }) =>
  queries
    .selectFrom('change_log')
    .select('revision')
    .where('namespace_key', '=', p.key)
    .where('origin', '=', p.origin)
    .where('origin', '>', 0)
    .where('tier_to', 'is not', null)
    .limit(1),
);

/**
 * What the readers of the log are to be told of a move that is followed: nothing where they were, since entries come again when one
 * with them could not be followed, and nothing where only the home of the memory is another.
 */
export function untoldStep(
  { database, log }: Changes,
  { key }: NamespaceRow,
  { step }: HotEntry,
  from: Tier,
  copy: MirroredMemory | undefined,
): TierStep | undefined {
  if (toldOf(database).get({ key, origin: log.origin })) return undefined;
  const to = copy?.memory.tier ?? from;
  return step ?? (from === to ? undefined : { from, to });
}
