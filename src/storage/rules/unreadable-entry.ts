import { memoryDamaged } from '../../memory/errors.ts';
import type { Memory, MemoryView } from '../../memory/memory.ts';
import type { Entry } from './draft.ts';

/** Placeholder for an unreadable memory, with its revision where that is known. */
export function unreadableEntry(namespace: string, id: string, sequence: number, revision = 0): Entry {
  return {
    memory: {
      namespace,
      id,
      type: '',
      tier: 'short_term',
      scope: { project: '', agentType: '', agent: '', session: '' },
      importance: 0,
      priority: 0,
      retrievalCount: 0,
      revision,
      eventAtUs: 0,
      createdAtUs: 0,
      updatedAtUs: 0,
      text: '',
      textDerived: false,
      tags: [],
      checksum: '',
      source: { speaker: '', uri: '', origin: '' },
    },
    sequence,
    state: 'none',
    attempts: 0,
    notBeforeUs: 0,
    tierSinceUs: 0,
    past: [],
    change: 'updated',
    isDamaged: true,
    isUnreadable: true,
  };
}

/** Fails with CHECKSUM_MISMATCH where damaged data belongs to the view. */
export function wholeOf(entry: Entry | undefined, view: MemoryView): Memory | undefined {
  if (entry?.isDamaged && (view !== 'metadata' || entry.isUnreadable))
    throw memoryDamaged(entry.memory.namespace, entry.memory.id);
  return entry?.memory;
}
