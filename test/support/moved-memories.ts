import type { Tier } from '../../src/memory/memory.ts';
import { FULL_RESOLUTION, type Resolution } from '../../src/memory/resolution/resolution.ts';
import type { NewMemory } from '../../src/storage/memory-store.ts';
import type { TieredMemoryStore } from '../../src/storage/tiered/memory-store.ts';
import { NOW_US, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from './new-memory.ts';

export const LOW: Resolution = { ...FULL_RESOLUTION, abstractBytesMax: 64, compressionLevel: 3, vector: 'bf16' };
export const VALUES = Float32Array.of(0.1, -0.25, 1e-7, 3);

/** A memory that lower tiers reduce. */
export function longMemory(id: string): NewMemory {
  return newMemory({
    id,
    text: `${id} ${'has a long text, longer than its abstract. '.repeat(5)}`,
    embedding: { model: 'm', values: VALUES },
  });
}

export function moveTo({ tiers }: TieredMemoryStore, to: Tier, ids: readonly string[]) {
  const resolution = to === 'short_term' ? FULL_RESOLUTION : LOW;
  return tiers.move({ namespace: SPACE, ids, to, resolution, atUs: NOW_US });
}
