import { TIERS } from '../../memory/memory.ts';
import type { StoreStatistics } from '../view.ts';

const TYPES_MAX = 100;
const ACCESSED_MAX = 5;

/** Statistics of several namespaces from those of each. */
export function sumOfStatistics(parts: readonly StoreStatistics[]): StoreStatistics {
  const sum = (of: (part: StoreStatistics) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const memoryCount = sum((part) => part.memoryCount);
  const accessed = (of: 'mostAccessed' | 'leastAccessed', sign: 1 | -1) =>
    parts
      .flatMap((part) => part[of] ?? [])
      .sort((one, other) => sign * (one.retrievalCount - other.retrievalCount))
      .slice(0, ACCESSED_MAX);
  const degraded = parts.flatMap((part) => part.degraded ?? []);
  return {
    namespaceCount: parts.length,
    memoryCount,
    contentBytes: sum((part) => part.contentBytes),
    embeddedCount: sum((part) => part.embeddedCount),
    embeddingPendingCount: sum((part) => part.embeddingPendingCount),
    importanceMean: memoryCount === 0 ? 0 : sum((part) => part.importanceMean * part.memoryCount) / memoryCount,
    retrievalCount: sum((part) => part.retrievalCount),
    types: sumOfTypes(parts),
    tiers: TIERS.flatMap((tier) => sumOfTier(parts, tier)),
    mostAccessed: accessed('mostAccessed', -1),
    leastAccessed: accessed('leastAccessed', 1),
    diskBytes: Math.max(0, ...parts.map((part) => part.diskBytes)),
    ...(degraded.length > 0 && { degraded: [...new Set(degraded)].join('; ') }),
  };
}

/** Of more than 100 types of a namespace, those with fewest memories are missing in it. */
function sumOfTypes(parts: readonly StoreStatistics[]): StoreStatistics['types'] {
  const counts = new Map<string, number>();
  for (const { types } of parts) for (const { type, count } of types) counts.set(type, (counts.get(type) ?? 0) + count);
  return [...counts]
    .map(([type, count]) => ({ type, count }))
    .sort((one, other) => other.count - one.count || (one.type < other.type ? -1 : 1))
    .slice(0, TYPES_MAX);
}

function sumOfTier(
  parts: readonly StoreStatistics[],
  tier: (typeof TIERS)[number],
): StoreStatistics['tiers'][number][] {
  const all = parts.flatMap(({ tiers }) => tiers.filter((each) => each.tier === tier));
  if (all.length === 0) return [];
  const sum = (of: (one: (typeof all)[number]) => number): number => all.reduce((total, one) => total + of(one), 0);
  const count = sum((one) => one.count);
  return [
    {
      tier,
      count,
      contentBytes: sum((one) => one.contentBytes),
      storedBytes: sum((one) => one.storedBytes ?? one.contentBytes),
      importanceMean: sum((one) => (one.importanceMean ?? 0) * one.count) / count,
    },
  ];
}
