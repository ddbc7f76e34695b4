import { checksumOf } from '../../src/memory/checksum.ts';
import type { NewMemory } from '../../src/storage/records.ts';

/** A valid memory; fields that a test does not set are irrelevant to it. */
export function newMemory(changes: Partial<NewMemory> & { readonly id: string }): NewMemory {
  const text = changes.text ?? `memory ${changes.id}`;
  return {
    scope: { project: '', agentType: '', agent: '', session: '' },
    type: 'fact',
    eventAtUs: 1_700_000_000_000_000,
    text,
    textDerived: false,
    tags: [],
    importance: 0.5,
    priority: 1,
    source: { speaker: '', uri: '', origin: '' },
    createdAtUs: 1_700_000_000_000_000,
    updatedAtUs: 1_700_000_000_000_000,
    retrievalCount: 0,
    tier: 'short_term',
    checksum: checksumOf(text, changes.content),
    embeddingPending: false,
    ...changes,
  };
}
