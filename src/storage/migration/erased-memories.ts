import { vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import { rowOf } from '../postgres/memory-rows.ts';
import type { ErasedMemoryTable, MemoryBodyTable, MemoryRevisionTable } from '../postgres/schema.ts';
import { memoryOfFormerState, vectorOfFormerState } from '../rules/former-state.ts';
import { type KeptRecord, MigrationError } from './portable.ts';

interface KeptOfNamespace {
  readonly key: number;
  readonly namespace: string;
  readonly records: readonly KeptRecord[];
  /** Of the snapshots, by id. */
  readonly revisions: ReadonlyMap<string, number>;
  readonly nextSequence: number;
}

export interface ErasedRows {
  readonly memories: ErasedMemoryTable[];
  readonly bodies: MemoryBodyTable[];
  readonly states: MemoryRevisionTable[];
}

/**
 * Rows of erased memories: PostgreSQL keeps an erased memory once for all snapshots that show it, a data folder has its
 * state for each snapshot. The state at the newest snapshot becomes the memory, earlier ones its former states.
 */
export function erasedMemories({ key, namespace, records, revisions, nextSequence }: KeptOfNamespace): ErasedRows {
  const rows: ErasedRows = { memories: [], bodies: [], states: [] };
  const lives = Map.groupBy(
    records.map((record) => {
      if (record.state === '') {
        throw new MigrationError(
          `namespaces/${namespace}/memories/${record.id} was damaged when it was deleted, and snapshot ${record.snapshot} shows it: delete that snapshot`,
        );
      }
      const { isVectorless: _, ...memory } = {
        isVectorless: false,
        ...memoryOfFormerState(namespace, record.id, record.state),
      };
      return { record, memory, shownAt: revisions.get(record.snapshot) ?? 0 };
    }),
    // An id may have been used again.
    ({ record, memory }) => `${record.id} ${memory.createdAtUs}`,
  );
  let sequence = nextSequence;
  for (const life of lives.values()) {
    const ordered = life.toSorted((one, other) => one.shownAt - other.shownAt);
    const last = ordered.at(-1);
    if (!last) continue;
    const { memory, record } = last;
    const place = { namespace_key: key, sequence: sequence++ };
    const vector = vectorOfFormerState(namespace, record.id, record.state) ?? 'none';
    const isThere = typeof vector !== 'string';
    const entry = {
      memory,
      sequence: place.sequence,
      state: isThere ? ('there' as const) : vector,
      attempts: 0,
      notBeforeUs: 0,
      tierSinceUs: memory.updatedAtUs,
      change: 'updated' as const,
      past: [],
    };
    rows.memories.push({
      ...rowOf(key, entry),
      embedding_model: isThere ? vector.model : '',
      vector: isThere ? vectorToBytes(vector.values) : null,
      // Shown by the snapshots up to the last one.
      erased_revision: last.shownAt + 1,
    });
    const { text, content } = memory;
    rows.bodies.push({
      ...place,
      text,
      media_type: content?.mediaType ?? null,
      content: content ? Buffer.from(content.data) : null,
    });
    const former = new Map(ordered.map((each) => [each.memory.revision, each.record.state]));
    former.delete(memory.revision);
    for (const [revision, state] of former) rows.states.push({ ...place, revision, change: 1, state });
  }
  return rows;
}
