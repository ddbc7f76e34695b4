import { TIERS, type Tier } from '../../memory/memory.ts';
import type { StoreStatistics } from '../store-statistics.ts';

const TYPES_MAX = 100;

/** Statistics from the sums of rooms. */
export function statisticsOf(rooms: readonly ReadonlyMap<string, number>[]): StoreStatistics {
  const sumOf = (name: string) => rooms.reduce((sum, room) => sum + (room.get(name) ?? 0), 0);
  const types = new Map<string, number>();
  const tiers = new Map<Tier, { count: number; contentBytes: number }>();
  for (const [name, value] of rooms.flatMap((room) => [...room])) {
    const [what, total] = [name.slice(0, 'count'.length), name.slice('count '.length)];
    if ((what !== 'count' && what !== 'bytes') || value === 0) continue;
    const [tier, , type] = JSON.parse(total) as [Tier, string, string];
    const sums = tiers.get(tier) ?? { count: 0, contentBytes: 0 };
    if (what === 'count') types.set(type, (types.get(type) ?? 0) + value);
    tiers.set(tier, {
      count: sums.count + (what === 'count' ? value : 0),
      contentBytes: sums.contentBytes + (what === 'bytes' ? value : 0),
    });
  }
  const counted = TIERS.flatMap((tier) => {
    const sums = tiers.get(tier);
    return sums && sums.count > 0 ? [{ tier, ...sums }] : [];
  });
  const memoryCount = counted.reduce((sum, { count }) => sum + count, 0);
  return {
    namespaceCount: rooms.length,
    memoryCount,
    contentBytes: counted.reduce((sum, { contentBytes }) => sum + contentBytes, 0),
    embeddedCount: sumOf('embedded'),
    embeddingPendingCount: sumOf('pending'),
    importanceMean: memoryCount === 0 ? 0 : sumOf('importance') / 1e6 / memoryCount,
    retrievalCount: sumOf('retrievals'),
    types: [...types]
      .map(([type, count]) => ({ type, count }))
      .sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1))
      .slice(0, TYPES_MAX),
    tiers: counted,
    diskBytes: 0,
  };
}
