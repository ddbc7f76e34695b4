import { sql } from '#kysely';
import { isDamage, memoryDamaged } from '../../memory/errors.ts';
import { isWithin } from '../../memory/scope.ts';
import type { AgentSnapshot } from '../agent-snapshots.ts';
import { snapshotOf } from '../postgres/agents/agent-snapshots.ts';
import { stateAt, stateOf } from '../postgres/agents/snapshot-states.ts';
import { queries, type Session } from '../postgres/database.ts';
import { entryOf, type LoadedRow } from '../postgres/memory-rows.ts';
import type { ErasedMemoryTable, MemoryRevisionTable, NamespaceTable } from '../postgres/schema.ts';
import { vectorOfState } from '../rules/agent-states.ts';
import type { Entry } from '../rules/draft.ts';
import { formerStateOf } from '../rules/former-state.ts';
import {
  type FormerRecord,
  formerWithRevision,
  type KeptRecord,
  type Kind,
  type MemoryRecord,
  MigrationError,
  PAGE_BYTES,
  PAGE_RECORDS,
} from './portable.ts';
import { countWithin, type ReadPage } from './postgres-records.ts';

interface Place {
  readonly namespace_key: number;
  readonly sequence: number;
}
type Sized = Place & { readonly bytes: number };
type NamedRow = LoadedRow & { readonly name: string; readonly embedding_model: string; readonly has_former: boolean };

/** Gets each memory that differs from what was stored; its record is left out then. */
export type OnDamaged = (memory: DamagedRecord) => void;

export interface DamagedRecord {
  readonly namespace: string;
  readonly id: string;
  /** Of an erased memory, snapshots show a state. */
  readonly isErased?: true;
}

type DamageReader<K extends Kind> = (
  ...read: [...Parameters<ReadPage<K>>, onDamaged?: OnDamaged | undefined]
) => ReturnType<ReadPage<K>>;

const refuseDamaged: OnDamaged = ({ namespace, id }) => {
  throw new MigrationError(
    `namespaces/${namespace}/memories/${id} is damaged in PostgreSQL: delete it, or restore PostgreSQL from a backup`,
  );
};

export const readMemories: DamageReader<'memory'> = async (
  session,
  [key = 0, sequence = 0],
  { revisions },
  onDamaged,
) => {
  const from = { namespace_key: Number(key), sequence: Number(sequence) };
  const to = await endOfPage(session, 'memory', from);
  if (!to) return undefined;
  const rows = await session.run(memoriesWithin(from, to));
  const records = rows.flatMap((row) =>
    soundOf(row, onDamaged, () => memoryRecordOf(row, revisions.get(row.name) ?? 0)),
  );
  return { records, place: [to.namespace_key, to.sequence] };
};

function memoryRecordOf(row: NamedRow, offset: number): MemoryRecord {
  const { name, embedding_model: embeddingModel } = row;
  const entry = entryOf({ name, embeddingModel }, row, 'full');
  checkSound(entry, name);
  const { memory, state, resolution } = entry;
  const isPending = state === 'pending';
  return {
    namespace: name,
    sequence: entry.sequence,
    memory: { ...memory, revision: memory.revision + offset },
    tierSinceUs: entry.tierSinceUs,
    embeddingState: state,
    attempts: isPending ? entry.attempts : 0,
    notBeforeUs: isPending ? entry.notBeforeUs : 0,
    resolution,
    hasFormer: row.has_former,
  };
}

interface FormerColumns extends MemoryRevisionTable {
  /** Null where the memory was erased. */
  readonly id: string | null;
  readonly name: string | null;
  readonly replaced_by: number;
  readonly is_oldest: boolean;
}

/** By memory, oldest first: of one memory there may be any number. */
export const readFormer: DamageReader<'former'> = async (session, after, { revisions }, onDamaged) => {
  const [key = 0, sequence = 0, revision = 0] = after;
  const next = sql`FROM memory_revision WHERE (namespace_key, sequence, revision) > (${key}, ${sequence}, ${revision})
    ORDER BY namespace_key, sequence, revision`;
  const sizes = await session.run(
    sql<{ bytes: number }>`SELECT octet_length(state) AS bytes ${next} LIMIT ${PAGE_RECORDS}`,
  );
  const rows = await session.run(
    sql<FormerColumns>`SELECT r.*, m.id, n.name, coalesce((SELECT min(l.revision) FROM memory_revision l
          WHERE l.namespace_key = r.namespace_key AND l.sequence = r.sequence AND l.revision > r.revision), m.revision) AS replaced_by,
        NOT EXISTS (SELECT 1 FROM memory_revision l
          WHERE l.namespace_key = r.namespace_key AND l.sequence = r.sequence AND l.revision < r.revision) AS is_oldest
      FROM (SELECT * ${next} LIMIT ${countWithin(sizes.map(({ bytes }) => bytes))}) r
      LEFT JOIN memory m ON m.namespace_key = r.namespace_key AND m.sequence = r.sequence
      LEFT JOIN namespace n ON n.key = r.namespace_key
      ORDER BY r.namespace_key, r.sequence, r.revision`,
  );
  const last = rows.at(-1);
  if (!last) return undefined;
  const records = rows.flatMap(({ name, id, ...row }): FormerRecord[] => {
    if (name === null || id === null) return [];
    const offset = revisions.get(name) ?? 0;
    const at = row.revision + offset;
    return soundOf({ name, id }, onDamaged, () => ({
      namespace: name,
      id,
      sequence: row.sequence,
      revision: at,
      replacedBy: row.replaced_by + offset,
      isOldest: row.is_oldest,
      state: formerWithRevision(name, id, row.state, at),
    }));
  });
  return { records, place: [last.namespace_key, last.sequence, last.revision] };
};

type NamedErased = ErasedMemoryTable & LoadedRow & { readonly name: string };

/** The state of each erased memory at each snapshot that shows it. */
export const readKept: DamageReader<'kept'> = async (session, [key = 0, sequence = 0], { revisions }, onDamaged) => {
  const from = { namespace_key: Number(key), sequence: Number(sequence) };
  const to = await endOfPage(session, 'erased_memory', from);
  if (!to) return undefined;
  const rows = await session.run(
    sql<NamedErased>`SELECT m.*, b.text, b.media_type, b.content, b.body_key, n.name FROM erased_memory m
      JOIN namespace n ON n.key = m.namespace_key
      LEFT JOIN memory_body b ON b.namespace_key = m.namespace_key AND b.sequence = m.sequence
      WHERE ${within(from, to)} ORDER BY m.namespace_key, m.sequence`,
  );
  const past = Map.groupBy(await session.run(formerWithin(from, to)), placeOf);
  const keys = [...new Set(rows.map((row) => row.namespace_key))];
  const snapshots = Map.groupBy(await session.run(snapshotsOf(keys)), (row) => row.namespace_key);
  const records = rows.flatMap((row) => {
    const among = (snapshots.get(row.namespace_key) ?? []).map(snapshotOf);
    const read = () => keptStatesOf(row, past.get(placeOf(row)) ?? [], among, revisions.get(row.name) ?? 0);
    return soundOf({ ...row, isErased: true }, onDamaged, read).flat();
  });
  return { records, place: [to.namespace_key, to.sequence] };
};

function keptStatesOf(
  row: NamedErased,
  past: readonly MemoryRevisionTable[],
  snapshots: readonly AgentSnapshot[],
  offset: number,
): KeptRecord[] {
  const present = stateOf({ name: row.name, settings: '{}' } as NamespaceTable, row);
  return snapshots.flatMap((snapshot) => {
    if (snapshot.revision >= row.erased_revision) return [];
    const found = stateAt(present, past, snapshot.revision);
    if (!found || !isWithin(found.scope, snapshot.scope)) return [];
    const state = { ...found, revision: found.revision + offset };
    const json = formerStateOf(state, vectorOfState(state));
    return [{ namespace: row.name, snapshot: snapshot.id, id: row.id, state: json }];
  });
}

/** An erased memory has a record with its vector for each snapshot that shows it. */
const COPIES = {
  memory: sql`1`,
  erased_memory: sql`greatest(1, (SELECT count(*) FROM agent_snapshot s
    WHERE s.namespace_key = m.namespace_key AND s.revision < m.erased_revision))`,
} as const;
const VECTOR_BYTES = { memory: sql`0`, erased_memory: sql`coalesce(octet_length(m.vector), 0)` } as const;

/** Former states of memories are records of their own. */
const STATES_BYTES = {
  memory: sql`0`,
  erased_memory: sql`coalesce((SELECT sum(octet_length(r.state)) FROM memory_revision r
    WHERE r.namespace_key = m.namespace_key AND r.sequence = m.sequence), 0)`,
} as const;

/** The last memory of the page behind a place: as many as have about `PAGE_BYTES`. */
async function endOfPage(session: Session, table: 'memory' | 'erased_memory', from: Place): Promise<Place | undefined> {
  const sized = await session.run(
    sql<Sized>`SELECT m.namespace_key, m.sequence, (${COPIES[table]} * (octet_length(m.fields)
        + ${VECTOR_BYTES[table]} + coalesce(b.body_bytes, 0) + coalesce(octet_length(b.text), 0)
        + coalesce(octet_length(b.content), 0) + 4096)
        + ${STATES_BYTES[table]})::bigint AS bytes
      FROM (SELECT * FROM ${sql.table(table)} WHERE (namespace_key, sequence) > (${from.namespace_key}, ${from.sequence})
        ORDER BY namespace_key, sequence LIMIT ${PAGE_RECORDS}) m
      LEFT JOIN memory_body b ON b.namespace_key = m.namespace_key AND b.sequence = m.sequence
      ORDER BY m.namespace_key, m.sequence`,
  );
  let sum = 0;
  const last = sized.findIndex(({ bytes }) => {
    sum += bytes;
    return sum >= PAGE_BYTES;
  });
  return sized.at(last);
}

function within(from: Place, to: Place, name = 'm') {
  const place = sql`(${sql.ref(`${name}.namespace_key`)}, ${sql.ref(`${name}.sequence`)})`;
  return sql`${place} > (${from.namespace_key}, ${from.sequence}) AND ${place} <= (${to.namespace_key}, ${to.sequence})`;
}

function memoriesWithin(from: Place, to: Place) {
  return sql<NamedRow>`SELECT m.*, b.text, b.media_type, b.content, b.body_key, v.data AS vector, n.name, n.embedding_model, EXISTS (SELECT 1
      FROM memory_revision r WHERE r.namespace_key = m.namespace_key AND r.sequence = m.sequence) AS has_former
    FROM memory m JOIN namespace n ON n.key = m.namespace_key
    LEFT JOIN memory_body b ON b.namespace_key = m.namespace_key AND b.sequence = m.sequence
    LEFT JOIN memory_vector v ON v.namespace_key = n.key * n.vector_sign AND v.sequence = m.sequence
    WHERE ${within(from, to)} ORDER BY m.namespace_key, m.sequence`;
}

/** Oldest first. */
function formerWithin(from: Place, to: Place) {
  return sql<MemoryRevisionTable>`SELECT r.* FROM memory_revision r WHERE ${within(from, to, 'r')}
    ORDER BY r.namespace_key, r.sequence, r.revision`;
}

function snapshotsOf(keys: readonly number[]) {
  return queries
    .selectFrom('agent_snapshot')
    .selectAll()
    .where('namespace_key', '=', sql<number>`any(${keys}::bigint[])`)
    .orderBy('namespace_key')
    .orderBy('id');
}

function placeOf({ namespace_key, sequence }: Place): string {
  return `${namespace_key} ${sequence}`;
}

function checkSound({ memory: { id }, isDamaged, isUnreadable }: Entry, namespace: string): void {
  if (isDamaged || isUnreadable) throw memoryDamaged(namespace, id);
}

/** What is read, or nothing where it is damaged. */
function soundOf<T>(
  { name, id, isErased }: { readonly name: string; readonly id: string; readonly isErased?: true },
  onDamaged: OnDamaged = refuseDamaged,
  read: () => T,
): T[] {
  try {
    return [read()];
  } catch (error) {
    if (!isDamage(error)) throw error;
    onDamaged({ namespace: name, id, ...(isErased && { isErased }) });
    return [];
  }
}
