import { renewedMemory } from '../../rules/agent-states.ts';
import { presentMemory, stateAt } from '../agents/snapshot-rows.ts';
import { CHANGE, readCompactedRevision, readRevision } from '../change-log.ts';
import type { Command } from '../commands/command.ts';
import { openWritable, type SqliteDatabase } from '../database.ts';
import { FolderError } from '../driver-error.ts';
import { Writer } from '../writer.ts';

/** What was undone to reach an earlier state. */
export interface Rewound {
  /** Revision whose memories the database has now; the writes that undo changes have later ones. */
  readonly revision: number;
  /** Memories that came later, also those of `namespaces`. */
  readonly erasedCount: number;
  readonly restoredCount: number;
  /** Restored memories whose vector of that revision is not kept; they wait for a new one. */
  readonly withoutVectorCount: number;
  /** Namespaces that came later; they are gone. */
  readonly namespaces: readonly string[];
}

export interface RewindOptions {
  readonly until: { readonly revision: number } | { readonly timeMs: number };
  readonly isBesideRedis: boolean;
  readonly nowMs: number;
  /** Name of the writes in the change log; unlike all others. */
  readonly term: string;
}

/** Changes of one memory after the revision. */
interface MemoryChanges {
  readonly pk: number;
  readonly namespaceKey: number;
  readonly id: string;
  isNew: boolean;
  isDeleted: boolean;
  isUpdated: boolean;
}

interface Plan {
  readonly erased: Map<string, string[]>;
  readonly restored: Map<string, number[]>;
  /** Created later, with all of their memories. */
  readonly namespaces: string[];
  readonly ofNamespacesCount: number;
}

const BATCH = 100;
const US_PER_MS = 1000;
/** The database is closed afterwards: no request repeats these writes. */
const RETENTION_US = 1;

/**
 * Undoes all changes of memories after a revision or a time, by their former states in the change log. Tiers, counts of
 * accesses, settings, sessions and subscriptions have no history and stay. Fails with FolderError, which names the
 * reason, where the log does not lead back: memories or namespaces were deleted, or its entries are removed.
 */
export function rewind(file: string, { until, isBesideRedis, nowMs, term }: RewindOptions): Rewound {
  const database = openWritable(file);
  try {
    if (isBesideRedis) throw refused('the folder has copies of memories in Redis, whose revisions are those of Redis');
    const revision = 'revision' in until ? until.revision : revisionAt(database, until.timeMs);
    const plan = planOf(database, revision);
    const isLater = readRevision(database) > revision;
    const withoutVectorCount = isLater ? carryOut(database, plan, { revision, nowMs, term }) : 0;
    database.pragma('wal_checkpoint(TRUNCATE)');
    const count = (lists: Map<string, readonly unknown[]>) =>
      [...lists.values()].reduce((sum, all) => sum + all.length, 0);
    return {
      revision,
      erasedCount: count(plan.erased) + plan.ofNamespacesCount,
      restoredCount: count(plan.restored),
      withoutVectorCount,
      namespaces: plan.namespaces,
    };
  } finally {
    database.close();
  }
}

function refused(reason: string): FolderError {
  return new FolderError(`this state cannot be restored: ${reason}`);
}

/** The last revision before the first change after the time. */
function revisionAt(database: SqliteDatabase, timeMs: number): number {
  const first = database
    .prepare<[number], number | null>('SELECT min(revision) FROM change_log WHERE at_us > ?')
    .pluck()
    .get(timeMs * US_PER_MS);
  const revision = first ? first - 1 : readRevision(database);
  const compacted = readCompactedRevision(database);
  if (compacted === 0 || revision > compacted) return revision;
  throw refused(`the change log begins behind revision ${compacted}, after that time`);
}

function planOf(database: SqliteDatabase, revision: number): Plan {
  const compacted = readCompactedRevision(database);
  if (revision < compacted) throw refused(`the change log begins behind revision ${compacted}`);
  const names = new Map(database.prepare<[], [number, string]>('SELECT key, name FROM namespace').raw().all());
  const { memories, created, isGapped, deletedNamespaces } = readAfter(database, revision);
  if (isGapped) throw refused('the change log has a gap after it');
  const lostNamespaces = deletedNamespaces.filter((key) => !created.has(key));
  if (lostNamespaces.length > 0) {
    throw refused(`${lostNamespaces.length} of its namespaces were deleted later, and a deletion erases for good`);
  }
  const ofKept = memories.filter(({ namespaceKey }) => !created.has(namespaceKey));
  const lost = ofKept.filter(({ isNew, isDeleted }) => !isNew && isDeleted);
  if (lost.length > 0) {
    throw refused(
      `${lost.length} of its memories, such as ${lost[0]?.id}, were deleted later, and a deletion erases for good`,
    );
  }
  const nameOf = ({ namespaceKey }: MemoryChanges) => names.get(namespaceKey) ?? '';
  const present = ofKept.filter(({ isDeleted }) => !isDeleted);
  return {
    erased: listed(
      present.filter(({ isNew }) => isNew),
      nameOf,
      ({ id }) => id,
    ),
    restored: listed(
      present.filter(({ isNew, isUpdated }) => !isNew && isUpdated),
      nameOf,
      ({ pk }) => pk,
    ),
    namespaces: [...created].flatMap((key) => names.get(key) ?? []),
    ofNamespacesCount: memories.filter(({ namespaceKey, isDeleted }) => created.has(namespaceKey) && !isDeleted).length,
  };
}

function listed<T>(
  memories: readonly MemoryChanges[],
  nameOf: (memory: MemoryChanges) => string,
  partOf: (memory: MemoryChanges) => T,
): Map<string, T[]> {
  return new Map([...Map.groupBy(memories, nameOf)].map(([name, all]) => [name, all.map(partOf)]));
}

interface LogRow {
  readonly kind: number;
  readonly namespace_key: number;
  readonly pk: number;
  readonly id: string;
}

/** An expired memory would have expired in the restored state as well: it counts as no change. */
function readAfter(database: SqliteDatabase, revision: number) {
  const memories = new Map<number, MemoryChanges>();
  const created = new Set<number>();
  const deletedNamespaces: number[] = [];
  let isGapped = false;
  const rows = database.prepare<[number], LogRow>(
    'SELECT kind, namespace_key, pk, id FROM change_log WHERE revision > ? ORDER BY revision',
  );
  for (const { kind, namespace_key: namespaceKey, pk, id } of rows.iterate(revision)) {
    if (kind === CHANGE.namespaceCreated) created.add(namespaceKey);
    if (kind === CHANGE.namespaceDeleted) deletedNamespaces.push(namespaceKey);
    if (kind === CHANGE.gap) isGapped = true;
    if (pk === 0) continue;
    const known = memories.get(pk) ?? { pk, namespaceKey, id, isNew: false, isDeleted: false, isUpdated: false };
    memories.set(pk, known);
    if (kind === CHANGE.stored) known.isNew = true;
    if (kind === CHANGE.updated) known.isUpdated = true;
    if (kind === CHANGE.deleted) known.isDeleted = true;
  }
  const present = database.prepare<[number], number>('SELECT 1 FROM memory WHERE pk = ?').pluck();
  const unexpired = [...memories.values()].filter(({ pk, isDeleted }) => isDeleted || present.get(pk) !== undefined);
  return { memories: unexpired, created, deletedNamespaces, isGapped };
}

/** Returns how many restored memories wait for a vector. */
function carryOut(
  database: SqliteDatabase,
  { erased, restored, namespaces }: Plan,
  { revision, nowMs, term }: { revision: number; nowMs: number; term: string },
): number {
  const atUs = nowMs * US_PER_MS;
  // Read before the first write: an update adds a former state.
  const states = [...restored].flatMap(([namespace, pks]) =>
    batches(pks).map((some) => statesOf(database, namespace, some, revision)),
  );
  const writer = new Writer(database, { retentionUs: RETENTION_US, term });
  const run = (command: Command): void => {
    const [answer] = writer.execute([command]).answers;
    if (answer && 'thrown' in answer) throw refused(answer.thrown.message);
  };
  for (const [namespace, all] of erased) {
    for (const ids of batches(all)) {
      run({ verb: 'delete', write: { namespace, ids, cause: 'deleted', mustExist: false, atUs } });
    }
  }
  for (const name of namespaces) run({ verb: 'deleteNamespace', write: { name, force: true, atUs } });
  for (const { namespace, memories, vectorless } of states) {
    for (const id of vectorless) {
      run({ verb: 'update', write: { namespace, id, changes: { embedding: null, embeddingPending: false }, atUs } });
    }
    run({ verb: 'store', write: { namespace, memories, createNamespace: false, onConflict: 'replace', atUs } });
  }
  return states.reduce(
    (sum, { memories }) => sum + memories.filter(({ embeddingPending }) => embeddingPending).length,
    0,
  );
}

/** The memories as they were at the revision, and the ids of those that had no vector and have one now. */
function statesOf(database: SqliteDatabase, namespace: string, pks: readonly number[], revision: number) {
  const model = database
    .prepare<[string], string>('SELECT embedding_model FROM namespace WHERE name = ?')
    .pluck()
    .get(namespace);
  const found = pks.map((pk) => {
    const present = presentMemory(database, pk);
    const state = present && stateAt(database, pk, present, revision);
    if (!state) throw refused(`a former state of a memory in namespaces/${namespace} was not kept`);
    // Without a snapshot of its agent, the log has no vectors: that of another text is none of this one.
    const isKnown = state.embedding !== present.embedding || state.checksum === present.checksum || !model;
    const { embedding: _, ...bare } = state;
    const known = isKnown ? state : { ...bare, isVectorless: false };
    return { state: known, hadNoVector: known.isVectorless && present.embedding !== undefined };
  });
  return {
    namespace,
    memories: found.map(({ state }) => ({
      ...renewedMemory(state, { embedsLater: true, model: model ?? '', atUs: 0 }),
      updatedAtUs: state.updatedAtUs,
    })),
    vectorless: found.filter(({ hadNoVector }) => hadNoVector).map(({ state }) => state.id),
  };
}

function batches<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH));
}
