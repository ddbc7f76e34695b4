import { sql } from '#kysely';
import { type Memory, type Micros, TIERS } from '../../memory/memory.ts';
import { vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import type { StoredBody } from '../body-store.ts';
import { type Entry, entriesOfDraft } from '../rules/draft.ts';
import { formerStateOf, replacedVector } from '../rules/former-state.ts';
import { erasing } from './agents/erased-memories.ts';
import { notification } from './change-listener.ts';
import { type Query, queries, type Session } from './database.ts';
import { type ExternalBodies, isExternal } from './external-bodies.ts';
import type { LoadedNamespace, NamespaceDraft } from './loaded-namespace.ts';
import { CHANGES, rowOf, spaceOf } from './memory-rows.ts';
import { bodiesToMoveBack } from './move-bodies-back.ts';
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
  'vectors_replaced',
] as const;

/** Rows of one statement: it has at most 65,535 parameters, and a memory some 15. */
const ROWS_MAX = 2000;

/**
 * Writes the difference between a namespace as loaded and its draft, its log entries, and the outcomes, and wakes
 * followers when the transaction commits. Resolves to whether bodies in another store may have lost their rows.
 */
export async function writeDraft(
  session: Session,
  loaded: LoadedNamespace,
  draft: NamespaceDraft,
  atUs: Micros,
  bodies?: ExternalBodies,
): Promise<boolean> {
  const changedIds = changedIn(loaded.entries, draft.entries);
  const logged = entriesOfDraft(draft, changedIds);
  const statements: Query<unknown>[] = [];
  let putting: Promise<void> | undefined;
  let leavesBodies = false;
  const isOtherRow = draft.namespace !== loaded.namespace || draft.policies !== loaded.policies;
  if (draft.isThere && (isOtherRow || draft.revision > loaded.revision)) {
    const key = loaded.row?.key ?? (await insertNamespace(session, draft));
    if (loaded.row) statements.push(updateNamespace(key, loaded, draft));
    const erased = {
      key,
      sequences: replacedIn(loaded.entries, draft.entries, changedIds),
      hasSnapshots: hasSnapshots(loaded),
      model: loaded.namespace?.embeddingModel ?? '',
      revision: loaded.revision + 1,
      space: spaceOf({ key, vector_sign: signOf(loaded) }),
    };
    statements.push(...erasing(erased));
    const rows = rowsOf(key, loaded, draft, { changedIds, bodies });
    if (bodies && rows.lowered.length > 0) rows.bodies.push(...(await bodiesToMoveBack(session, key, rows.lowered)));
    // At the same time as the statements; the commit waits for both.
    if (bodies && rows.external.length > 0) putting = bodies.store.put(rows.external);
    putting?.catch(() => undefined);
    leavesBodies = bodies !== undefined && (erased.sequences.length > 0 || rows.replacesBodies);
    statements.push(...writing(rows));
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
    for (const rows of inParts(entries)) statements.push(queries.insertInto('change_log').values(rows));
  }
  statements.push(...keeping(draft));
  if (draft.revision > loaded.revision) statements.push(notification(draft.name));
  await session.runAll(statements);
  await putting;
  return leavesBodies;
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

function columnsOfDraft(draft: NamespaceDraft) {
  return {
    ...columnsOf(draft.namespace),
    log_revision: draft.revision,
    next_sequence: draft.nextSequence,
    memory_count: draft.count,
  };
}

function updateNamespace(key: number, { policies }: LoadedNamespace, draft: NamespaceDraft): Query<unknown> {
  const isOther = draft.policies !== policies;
  const values = { ...columnsOfDraft(draft), ...(isOther && { policies: JSON.stringify(draft.policies) }) };
  return queries.updateTable('namespace').set(values).where('key', '=', key);
}

/** Returns the key of the namespace. */
async function insertNamespace(session: Session, draft: NamespaceDraft): Promise<number> {
  const values = { ...columnsOfDraft(draft), policies: JSON.stringify(draft.policies), maintained_at_us: null };
  const [created] = await session.run(queries.insertInto('namespace').values(values).returning('key'));
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

interface ChangedRows {
  /** Of vectors. */
  readonly space: number;
  readonly memories: MemoryTable[];
  readonly bodies: MemoryBodyTable[];
  /** Bodies for the other store. */
  readonly external: StoredBody[];
  /** Numbers of memories that have left the upper tiers with the same body. */
  readonly lowered: number[];
  /** Bodies of memories that were there before are replaced, or moved back into their rows. */
  replacesBodies: boolean;
  readonly vectors: MemoryVectorTable[];
  /** Numbers of memories that have lost their vector. */
  readonly withoutVector: number[];
  readonly states: MemoryRevisionTable[];
}

function rowsOf(
  key: number,
  loaded: LoadedNamespace,
  draft: NamespaceDraft,
  { changedIds, bodies }: { readonly changedIds: readonly string[]; readonly bodies: ExternalBodies | undefined },
): ChangedRows {
  const space = spaceOf({ key, vector_sign: signOf(loaded) });
  const common = { external: [], lowered: [], replacesBodies: false };
  const rows: ChangedRows = { space, memories: [], bodies: [], ...common, vectors: [], withoutVector: [], states: [] };
  for (const id of changedIds) {
    const entry = draft.entries.get(id);
    if (!entry) continue;
    const known = loaded.entries.get(id);
    const before = known?.sequence === entry.sequence ? known : undefined;
    const place = { namespace_key: key, sequence: entry.sequence };
    rows.memories.push(rowOf(key, entry));
    if (!before || isOtherBody(before, entry)) {
      rows.bodies.push({ ...place, ...bodyRow(entry.memory, rows.external, bodies) });
      rows.replacesBodies ||= before !== undefined;
    } else if (entry.memory.tier === 'long_term' && before.memory.tier !== 'long_term') {
      rows.lowered.push(entry.sequence);
      rows.replacesBodies = true;
    }
    const { embedding } = entry.memory;
    if (embedding && embedding !== before?.memory.embedding) {
      rows.vectors.push({ ...place, namespace_key: rows.space, data: vectorToBytes(embedding.values) });
    }
    if (before?.state === 'there' && entry.state !== 'there') rows.withoutVector.push(entry.sequence);
    // Former states of the loaded memory are not loaded: these are all new, and the last one is of the loaded memory.
    const vector = before && hasSnapshots(loaded) ? replacedVector(before, entry) : undefined;
    for (const [at, { memory, change }] of entry.past.entries()) {
      rows.states.push({
        ...place,
        revision: memory.revision,
        change: CHANGES.indexOf(change),
        state: formerStateOf(memory, at === entry.past.length - 1 ? vector : undefined),
      });
    }
  }
  return rows;
}

/** Of a namespace that is created: 1. */
function signOf({ row }: LoadedNamespace): number {
  return row?.vector_sign ?? 1;
}

function hasSnapshots({ row }: LoadedNamespace): boolean {
  return row !== undefined && row.snapshot_count > 0;
}

/** A damaged body is replaced only by a whole one: writes that would keep it have failed. */
function isOtherBody({ memory: one, isDamaged }: Entry, { memory: other }: Entry): boolean {
  return isDamaged === true || one.text !== other.text || one.content !== other.content;
}

/** A body for the other store is added to `external`. */
function bodyRow(
  { tier, text, content }: Memory,
  external: StoredBody[],
  bodies: ExternalBodies | undefined,
): Omit<MemoryBodyTable, 'namespace_key' | 'sequence'> {
  const data = content ? Buffer.from(content.data) : null;
  if (!isExternal(bodies, tier, text)) {
    return { text, media_type: content?.mediaType ?? null, content: data, body_key: null, body_bytes: null };
  }
  const key = bodies.newKey();
  external.push({ key, body: { text, ...(content && { content }) } });
  const bytes = Buffer.byteLength(text) + (data?.length ?? 0);
  return { text: '', media_type: null, content: null, body_key: key, body_bytes: bytes };
}

function writing({ space, memories, bodies, vectors, withoutVector, states }: ChangedRows): Query<unknown>[] {
  const statements: Query<unknown>[] = [
    ...inParts(memories).map(putMemories),
    ...inParts(bodies).map(putBodies),
    ...inParts(vectors).map(putVectors),
    ...inParts(states).map((rows) => queries.insertInto('memory_revision').values(rows)),
  ];
  if (withoutVector.length === 0) return statements;
  const dropped = queries
    .deleteFrom('memory_vector')
    .where('namespace_key', '=', space)
    .where('sequence', '=', sql<number>`any(${withoutVector})`);
  return [...statements, dropped];
}

function putMemories(rows: readonly MemoryTable[]): Query<unknown> {
  const columns = Object.keys(rows[0] ?? {}) as (keyof MemoryTable)[];
  const others = columns.filter((column) => column !== 'namespace_key' && column !== 'id');
  return queries
    .insertInto('memory')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['namespace_key', 'id'])
        .doUpdateSet((eb) => Object.fromEntries(others.map((column) => [column, eb.ref(`excluded.${column}`)]))),
    );
}

function putBodies(rows: readonly MemoryBodyTable[]): Query<unknown> {
  return queries
    .insertInto('memory_body')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['namespace_key', 'sequence']).doUpdateSet((eb) => ({
        text: eb.ref('excluded.text'),
        media_type: eb.ref('excluded.media_type'),
        content: eb.ref('excluded.content'),
        body_key: eb.ref('excluded.body_key'),
        body_bytes: eb.ref('excluded.body_bytes'),
      })),
    );
}

export function putVectors(rows: readonly MemoryVectorTable[]): Query<unknown> {
  return queries
    .insertInto('memory_vector')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['namespace_key', 'sequence']).doUpdateSet((eb) => ({ data: eb.ref('excluded.data') })),
    );
}

function keeping(draft: NamespaceDraft): Query<unknown>[] {
  const rows = [...draft.outcomes].map(([requestId, { fingerprint, outcome, expiresAtUs }]) => ({
    namespace: draft.name,
    request_id: requestId,
    fingerprint,
    outcome: JSON.stringify(outcome ?? null),
    expires_at_us: expiresAtUs,
  }));
  if (rows.length === 0) return [];
  const statement = queries
    .insertInto('idempotency')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['namespace', 'request_id']).doUpdateSet((eb) => ({
        fingerprint: eb.ref('excluded.fingerprint'),
        outcome: eb.ref('excluded.outcome'),
        expires_at_us: eb.ref('excluded.expires_at_us'),
      })),
    );
  return [statement];
}

export function inParts<R>(rows: readonly R[]): R[][] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_MAX) }, (_, at) =>
    rows.slice(at * ROWS_MAX, (at + 1) * ROWS_MAX),
  );
}
