import type { Memory, Tier } from '../../memory/memory.ts';
import type { StoreStatistics } from '../memory-store.ts';
import type { Room } from './draft.ts';

const TIERS: readonly Tier[] = ['short_term', 'intermediate', 'long_term'];
const TYPES_MAX = 100;

export function statisticsOf(rooms: readonly Room[]): StoreStatistics {
  const entries = rooms.flatMap((room) => [...room.entries.values()]);
  const memories = entries.map(({ memory }) => memory);
  const types = Map.groupBy(memories, ({ type }) => type);
  const tiers = Map.groupBy(memories, ({ tier }) => tier);
  return {
    namespaceCount: rooms.length,
    memoryCount: memories.length,
    contentBytes: sum(memories, contentBytes),
    embeddedCount: entries.filter(({ state }) => state === 'there').length,
    embeddingPendingCount: entries.filter(({ state }) => state === 'pending').length,
    importanceMean: memories.length === 0 ? 0 : sum(memories, ({ importance }) => importance) / memories.length,
    retrievalCount: sum(memories, ({ retrievalCount }) => retrievalCount),
    types: [...types]
      .map(([type, ofType]) => ({ type, count: ofType.length }))
      .sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1))
      .slice(0, TYPES_MAX),
    tiers: TIERS.filter((tier) => tiers.has(tier)).map((tier) => {
      const ofTier = tiers.get(tier) ?? [];
      return { tier, count: ofTier.length, contentBytes: sum(ofTier, contentBytes) };
    }),
    diskBytes: 0,
  };
}

function contentBytes({ text, content }: Memory): number {
  return Buffer.byteLength(text) + (content?.data.byteLength ?? 0);
}

function sum(memories: readonly Memory[], of: (memory: Memory) => number): number {
  return memories.reduce((total, memory) => total + of(memory), 0);
}
