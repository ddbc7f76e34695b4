import { memoryDamaged } from '../../memory/errors.ts';
import type { Memory } from '../../memory/memory.ts';
import { isFull, type Resolution } from '../../memory/resolution/resolution.ts';
import { tierPolicyOf } from '../../memory/tier-settings.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';
import { readWholeRow } from '../sqlite/memory-rows.ts';
import { tierSettings } from '../sqlite/queries/tiers.ts';
import { memoryFromRow, stateOf } from '../sqlite/rows.ts';
import { sequenceOf } from '../sqlite/schema.ts';
import type { PlainValue } from './plain-tables.ts';
import { type Kind, type MemoryRecord, PAGE_RECORDS, type RecordOf, revisionOfFormer } from './portable.ts';

/** Records at a place; none for a row that is passed over. */
export type Rows<K extends Kind> = Iterable<{
  readonly place: readonly PlainValue[];
  readonly bytes: number;
  readonly records: readonly RecordOf<K>[];
}>;

/** The memories of a data folder, without their former states. */
export function* readMemories(database: SqliteDatabase, [after = 0]: readonly PlainValue[]): Rows<'memory'> {
  const rows = database.prepare<[PlainValue], MemoryColumns>(
    `SELECT m.pk, m.id, n.name, m.tier_since_us, m.embedding_state, q.attempts, q.not_before_us,
          b.packed IS NOT NULL OR v.small IS NOT NULL AS isLowered,
          EXISTS (SELECT 1 FROM change_log l WHERE l.pk = m.pk AND l.former IS NOT NULL) AS hasFormer
        FROM memory m JOIN namespace n ON n.key = m.namespace_key LEFT JOIN memory_body b ON b.pk = m.pk
        LEFT JOIN memory_vector v ON v.pk = m.pk * n.vector_sign LEFT JOIN embedding_queue q ON q.pk = m.pk
        WHERE m.pk > ? ORDER BY m.pk LIMIT ${PAGE_RECORDS}`,
  );
  const resolutions = new Map<string, Resolution | undefined>();
  for (const row of rows.all(after)) {
    const whole = readWholeRow(database, row.pk);
    if (!whole) throw memoryDamaged(row.name, row.id);
    const memory = memoryFromRow(whole.namespace, whole);
    const resolution = row.isLowered === 1 ? resolutionOf(database, memory, resolutions) : undefined;
    const isPending = stateOf(row.embedding_state) === 'pending';
    const record: MemoryRecord = {
      namespace: memory.namespace,
      sequence: sequenceOf(row.pk),
      memory,
      tierSinceUs: row.tier_since_us,
      embeddingState: stateOf(row.embedding_state),
      attempts: isPending ? (row.attempts ?? 0) : 0,
      notBeforeUs: isPending ? (row.not_before_us ?? 0) : 0,
      resolution,
      hasFormer: row.hasFormer === 1,
    };
    yield { place: [row.pk], bytes: bytesOfMemory(memory), records: [record] };
  }
}

/** By memory, oldest first: of one memory there may be any number. */
export function* readFormer(
  database: SqliteDatabase,
  [afterPk = 0, afterRevision = 0]: readonly PlainValue[],
): Rows<'former'> {
  const rows = database.prepare<PlainValue[], FormerColumns>(
    `SELECT c.pk, c.revision, c.former, m.id, n.name, NOT EXISTS (SELECT 1 FROM change_log l
          WHERE l.pk = c.pk AND l.former IS NOT NULL AND l.revision < c.revision) AS isOldest
        FROM change_log c INDEXED BY change_log_former
        CROSS JOIN memory m ON m.pk = c.pk CROSS JOIN namespace n ON n.key = m.namespace_key
        WHERE (c.pk, c.revision) > (?, ?) AND c.former IS NOT NULL ORDER BY c.pk, c.revision LIMIT ${PAGE_RECORDS}`,
  );
  for (const { pk, revision: replacedBy, former: state, id, name, isOldest } of rows.iterate(afterPk, afterRevision)) {
    const revision = revisionOfFormer(name, id, state);
    const place = { namespace: name, id, sequence: sequenceOf(pk), revision, replacedBy };
    yield { place: [pk, replacedBy], bytes: state.length, records: [{ ...place, isOldest: isOldest === 1, state }] };
  }
}

/** By the settings of its tier: which resolution a memory was given is not stored. */
function resolutionOf(
  database: SqliteDatabase,
  { namespace, tier }: Memory,
  known: Map<string, Resolution | undefined>,
): Resolution | undefined {
  const name = `${tier} ${namespace}`;
  if (known.has(name)) return known.get(name);
  const policy = tierPolicyOf(tierSettings(database, ''), tierSettings(database, namespace));
  const { resolution } = policy.rules[tier];
  const found = isFull(resolution) ? undefined : resolution;
  known.set(name, found);
  return found;
}

function bytesOfMemory({ text, content, embedding }: Memory): number {
  return text.length + (content?.data.byteLength ?? 0) + 4 * (embedding?.values.length ?? 0);
}

interface MemoryColumns {
  readonly pk: number;
  readonly id: string;
  readonly name: string;
  readonly tier_since_us: number;
  readonly embedding_state: number;
  readonly attempts: number | null;
  readonly not_before_us: number | null;
  readonly isLowered: number;
  readonly hasFormer: number;
}

interface FormerColumns {
  readonly pk: number;
  readonly revision: number;
  readonly former: string;
  readonly id: string;
  readonly name: string;
  readonly isOldest: number;
}
