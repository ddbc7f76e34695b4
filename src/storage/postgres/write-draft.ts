import { sql } from '#kysely';
import { type Memory, type Micros, TIERS } from '../../memory/memory.ts';
import { vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import { type Entry, entriesOfDraft } from '../rules/draft.ts';
import { formerStateOf } from '../rules/former-state.ts';
import { queries, type Session } from './database.ts';
import type { LoadedNamespace, NamespaceDraft } from './loaded-namespace.ts';
import { CHANGES, rowOf } from './memory-rows.ts';
import { columnsOf } from './namespace-rows.ts';
import type { ChangeLogTable, MemoryBodyTable, MemoryRevisionTable, MemoryTable, MemoryVectorTable } from './schema.ts';

/** A released kind keeps its place. */
export const LOGGED_KINDS = [
  'stored',
  'updated',
  'deleted',
  'expired',
  'moved',
  'embedded',
  'touched',
  'namespace_created',
  'namespace_updated',
] as const;

/** Rows of one statement: it has at most 65,535 parameters, and a memory some 15. */
const ROWS_MAX = 2000;

/** Writes the difference between a namespace as loaded and its draft, its log entries, and the outcomes. */
export async function writeDraft(
  session: Session,
  loaded: LoadedNamespace,
  draft: NamespaceDraft,
  atUs: Micros,
): Promise<void> {
  const changedIds = changedIn(loaded.entries, draft.entries);
  const logged = entriesOfDraft(draft, changedIds);
  const isOtherRow = draft.namespace !== loaded.namespace || draft.policies !== loaded.policies;
  if (draft.isThere && (isOtherRow || draft.revision > loaded.revision)) {
    const key = await writeNamespace(session, loaded, draft);
    await eraseRows(session, key, replacedIn(loaded.entries, draft.entries, changedIds));
    await writeRows(session, rowsOf(key, loaded, draft, changedIds));
    const entries: ChangeLogTable[] = logged.map(({ id, kind, revision, step }) => ({
      namespace_key: key,
      revision,
      kind: numberOf(kind),
      id,
      at_us: draft.writtenAtUs.get(id) ?? atUs,
      tier_from: step ? TIERS.indexOf(step.from) : null,
      tier_to: step ? TIERS.indexOf(step.to) : null,
    }));
    const own = draft.namespace.revision;
    if (own > loaded.revision) {
      const kind = numberOf(loaded.row ? 'namespace_updated' : 'namespace_created');
      entries.push({ namespace_key: key, revision: own, kind, id: '', at_us: atUs, tier_from: null, tier_to: null });
    }
    for (const rows of inParts(entries)) await session.run(queries.insertInto('change_log').values(rows));
  }
  await writeOutcomes(session, draft);
}

function numberOf(kind: string): number {
  const number = LOGGED_KINDS.findIndex((known) => known === kind);
  if (number < 0) throw new Error(`a change of kind ${kind} cannot be logged`);
  return number;
}

function changedIn(before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): string[] {
  const changed = [...after].filter(([id, entry]) => before.get(id) !== entry).map(([id]) => id);
  for (const id of before.keys()) if (!after.has(id)) changed.push(id);
  return changed;
}

/** Returns the key of the namespace. */
async function writeNamespace(
  session: Session,
  { row, policies }: LoadedNamespace,
  draft: NamespaceDraft,
): Promise<number> {
  const values = {
    ...columnsOf(draft.namespace),
    log_revision: draft.revision,
    next_sequence: draft.nextSequence,
    memory_count: draft.count,
    ...(draft.policies !== policies && { policies: JSON.stringify(draft.policies) }),
  };
  if (row) {
    await session.run(queries.updateTable('namespace').set(values).where('key', '=', row.key));
    return row.key;
  }
  const [created] = await session.run(
    queries
      .insertInto('namespace')
      .values({ ...values, maintained_at_us: null } as never)
      .returning('key'),
  );
  if (!created) throw new Error('a new namespace has no key');
  return created.key;
}

/** Numbers of memories that were erased, also where another memory has their id now. */
function replacedIn(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
  changedIds: readonly string[],
): number[] {
  return changedIds.flatMap((id) => {
    const [former, present] = [before.get(id), after.get(id)];
    return former && former.sequence !== present?.sequence ? [former.sequence] : [];
  });
}

async function eraseRows(session: Session, key: number, sequences: readonly number[]): Promise<void> {
  if (sequences.length === 0) return;
  for (const table of ['memory', 'memory_body', 'memory_vector', 'memory_revision'] as const) {
    await session.run(
      queries.deleteFrom(table).where('namespace_key', '=', key).where('sequence', '=', sql<number>`any(${sequences})`),
    );
  }
}

interface ChangedRows {
  readonly key: number;
  readonly memories: MemoryTable[];
  readonly bodies: MemoryBodyTable[];
  readonly vectors: MemoryVectorTable[];
  /** Numbers of memories that have lost their vector. */
  readonly withoutVector: number[];
  readonly states: MemoryRevisionTable[];
}

function rowsOf(
  key: number,
  loaded: LoadedNamespace,
  draft: NamespaceDraft,
  changedIds: readonly string[],
): ChangedRows {
  const rows: ChangedRows = { key, memories: [], bodies: [], vectors: [], withoutVector: [], states: [] };
  for (const id of changedIds) {
    const entry = draft.entries.get(id);
    if (!entry) continue;
    const known = loaded.entries.get(id);
    const before = known?.sequence === entry.sequence ? known : undefined;
    const place = { namespace_key: key, sequence: entry.sequence };
    rows.memories.push(rowOf(key, entry));
    if (!before || isOtherBody(before, entry)) rows.bodies.push({ ...place, ...bodyOf(entry.memory) });
    const { embedding } = entry.memory;
    if (embedding && embedding !== before?.memory.embedding) {
      rows.vectors.push({ ...place, data: vectorToBytes(embedding.values) });
    }
    if (before?.state === 'there' && entry.state !== 'there') rows.withoutVector.push(entry.sequence);
    // Former states of the loaded memory are not loaded: these are all new.
    for (const { memory, change } of entry.past) {
      rows.states.push({
        ...place,
        revision: memory.revision,
        change: CHANGES.indexOf(change),
        state: formerStateOf(memory),
      });
    }
  }
  return rows;
}

/** A damaged body is replaced only by a whole one: writes that would keep it have failed. */
function isOtherBody({ memory: one, isDamaged }: Entry, { memory: other }: Entry): boolean {
  return isDamaged === true || one.text !== other.text || one.content !== other.content;
}

function bodyOf({ text, content }: Memory): Pick<MemoryBodyTable, 'text' | 'media_type' | 'content'> {
  return { text, media_type: content?.mediaType ?? null, content: content ? Buffer.from(content.data) : null };
}

async function writeRows(
  session: Session,
  { key, memories, bodies, vectors, withoutVector, states }: ChangedRows,
): Promise<void> {
  for (const rows of inParts(memories)) {
    const [first] = rows;
    if (!first) continue;
    const columns = Object.keys(first) as (keyof MemoryTable)[];
    const others = columns.filter((column) => column !== 'namespace_key' && column !== 'id');
    await session.run(
      queries
        .insertInto('memory')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['namespace_key', 'id'])
            .doUpdateSet((eb) => Object.fromEntries(others.map((column) => [column, eb.ref(`excluded.${column}`)]))),
        ),
    );
  }
  for (const rows of inParts(bodies)) {
    await session.run(
      queries
        .insertInto('memory_body')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['namespace_key', 'sequence']).doUpdateSet((eb) => ({
            text: eb.ref('excluded.text'),
            media_type: eb.ref('excluded.media_type'),
            content: eb.ref('excluded.content'),
          })),
        ),
    );
  }
  for (const rows of inParts(vectors)) {
    await session.run(
      queries
        .insertInto('memory_vector')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['namespace_key', 'sequence']).doUpdateSet((eb) => ({ data: eb.ref('excluded.data') })),
        ),
    );
  }
  if (withoutVector.length > 0) {
    await session.run(
      queries
        .deleteFrom('memory_vector')
        .where('namespace_key', '=', key)
        .where('sequence', '=', sql<number>`any(${withoutVector})`),
    );
  }
  for (const rows of inParts(states)) await session.run(queries.insertInto('memory_revision').values(rows));
}

async function writeOutcomes(session: Session, draft: NamespaceDraft): Promise<void> {
  const rows = [...draft.outcomes].map(([requestId, { fingerprint, outcome, expiresAtUs }]) => ({
    namespace: draft.name,
    request_id: requestId,
    fingerprint,
    outcome: JSON.stringify(outcome ?? null),
    expires_at_us: expiresAtUs,
  }));
  if (rows.length === 0) return;
  await session.run(
    queries
      .insertInto('idempotency')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['namespace', 'request_id']).doUpdateSet((eb) => ({
          fingerprint: eb.ref('excluded.fingerprint'),
          outcome: eb.ref('excluded.outcome'),
          expires_at_us: eb.ref('excluded.expires_at_us'),
        })),
      ),
  );
}

function inParts<R>(rows: readonly R[]): R[][] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_MAX) }, (_, at) =>
    rows.slice(at * ROWS_MAX, (at + 1) * ROWS_MAX),
  );
}
