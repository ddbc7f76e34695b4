import { type Memory, type Scope, TIERS, type Tier } from '../../../src/memory/memory.ts';
import { compareTexts } from '../../../src/memory/values.ts';
import type { Entry, NamespaceContents } from '../../../src/storage/rules/draft.ts';
import type { MemoryAccess, StoreStatistics } from '../../../src/storage/view.ts';

/** Number of the entries by tier. */
export function countByTier(entries: readonly Entry[]): [Tier, number][] {
  const byTier = Map.groupBy(entries, ({ memory }) => memory.tier);
  return [...byTier].map(([tier, ofTier]) => [tier, ofTier.length]);
}

const PARTS = ['project', 'agentType', 'agent', 'session'] as const;

/** Scopes of memories in the namespace, in order of their parts. */
export function scopesOf(
  contents: NamespaceContents,
  { limit, after }: { limit: number; after?: Scope },
): { scope: Scope; count: number }[] {
  const byScope = Map.groupBy(contents.entries.values(), ({ memory }) =>
    JSON.stringify(PARTS.map((part) => memory.scope[part])),
  );
  return [...byScope.values()]
    .flatMap((entries) => (entries[0] ? [{ scope: entries[0].memory.scope, count: entries.length }] : []))
    .filter(({ scope }) => !after || compareScopes(scope, after) > 0)
    .sort((a, b) => compareScopes(a.scope, b.scope))
    .slice(0, limit);
}

function compareScopes(one: Scope, other: Scope): number {
  for (const part of PARTS) {
    const difference = compareTexts(one[part], other[part]);
    if (difference !== 0) return difference;
  }
  return 0;
}

const TYPES_MAX = 100;
const ACCESSED_MAX = 5;

export function statisticsOf(namespaces: readonly NamespaceContents[]): StoreStatistics {
  const entries = namespaces.flatMap((contents) => [...contents.entries.values()]);
  const memories = entries.map(({ memory }) => memory);
  const types = Map.groupBy(memories, ({ type }) => type);
  const tiers = Map.groupBy(memories, ({ tier }) => tier);
  return {
    namespaceCount: namespaces.length,
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
      const bytes = sum(ofTier, contentBytes);
      const importanceMean = sum(ofTier, ({ importance }) => importance) / ofTier.length;
      return { tier, count: ofTier.length, contentBytes: bytes, storedBytes: bytes, importanceMean };
    }),
    mostAccessed: memories
      .filter(({ retrievalCount }) => retrievalCount > 0)
      .sort((a, b) => b.retrievalCount - a.retrievalCount || b.createdAtUs - a.createdAtUs)
      .slice(0, ACCESSED_MAX)
      .map(accessOf),
    leastAccessed: memories
      .toSorted((a, b) => a.retrievalCount - b.retrievalCount || a.createdAtUs - b.createdAtUs)
      .slice(0, ACCESSED_MAX)
      .map(accessOf),
    diskBytes: 0,
  };
}

function accessOf({ namespace, id, retrievalCount, lastAccessedAtUs }: Memory): MemoryAccess {
  return { namespace, id, retrievalCount, lastAccessedAtUs };
}

function contentBytes({ text, content }: Memory): number {
  return Buffer.byteLength(text) + (content?.data.byteLength ?? 0);
}

function sum(memories: readonly Memory[], of: (memory: Memory) => number): number {
  return memories.reduce((total, memory) => total + of(memory), 0);
}
