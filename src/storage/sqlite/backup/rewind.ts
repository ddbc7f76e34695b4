import { renewedMemory } from '../../rules/agent-states.ts';
import { presentMemory } from '../agents/snapshot-rows.ts';
import { CHANGE, readRevision } from '../change-log.ts';
import type { Command } from '../commands/command.ts';
import { openWritable, type SqliteDatabase } from '../database.ts';
import { sequenceOf } from '../schema.ts';
import { Writer } from '../writer.ts';
import { type KnownLogs, limitsByNamespace } from './postgres-limits.ts';
import { type Limits, type LogChange, limitOfFolder, type Point, refused } from './rewind-limits.ts';

/** What was undone to reach an earlier state. */
export interface Rewound {
  /**
   * Revision whose memories the database has now, in a backup of PostgreSQL that of the named namespace; the writes that
   * undo changes have later ones. Absent for a time in PostgreSQL.
   */
  readonly revision?: number;
  /** For PostgreSQL: the moment of which the memories of all namespaces are. */
  readonly time?: string;
  /** Memories that came later, also those of `namespaces`. */
  readonly erasedCount: number;
  readonly restoredCount: number;
  /** Restored memories whose vector of that revision is not kept; they wait for a new one. */
  readonly withoutVectorCount: number;
  /** Namespaces that came later; they are gone. */
  readonly namespaces: readonly string[];
}

export interface RewindOptions {
  readonly until: Point;
  /** Of the backup, and of the one before the point. */
  readonly logs?: KnownLogs;
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
  isExpired: boolean;
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
export function rewind(file: string, options: RewindOptions): Rewound {
  const database = openWritable(file);
  try {
    const limits = limitsIn(database, options);
    const plan = planOf(database, limits);
    const isLater = readRevision(database) > limits.least;
    const withoutVectorCount = isLater ? carryOut(database, plan, { limits, ...options }) : 0;
    database.pragma('wal_checkpoint(TRUNCATE)');
    const count = (lists: Map<string, readonly unknown[]>) =>
      [...lists.values()].reduce((sum, all) => sum + all.length, 0);
    return {
      ...limits.reached,
      erasedCount: count(plan.erased) + plan.ofNamespacesCount,
      restoredCount: count(plan.restored),
      withoutVectorCount,
      namespaces: plan.namespaces,
    };
  } finally {
    database.close();
  }
}

function limitsIn(database: SqliteDatabase, { until, logs }: RewindOptions): Limits {
  return logs ? limitsByNamespace(database, until, logs) : limitOfFolder(database, until);
}

function planOf(database: SqliteDatabase, limits: Limits): Plan {
  const names = new Map(database.prepare<[], [number, string]>('SELECT key, name FROM namespace').raw().all());
  const { memories, created, isGapped, deletedNamespaces } = readAfter(database, limits);
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
  // An update may have brought the expiry forward.
  const expired = ofKept.filter(({ isNew, isUpdated, isExpired }) => !isNew && isUpdated && isExpired);
  if (expired.length > 0) {
    throw refused(
      `${expired.length} of its memories, such as ${expired[0]?.id}, were updated later and have expired, which erases former states`,
    );
  }
  const nameOf = ({ namespaceKey }: MemoryChanges) => names.get(namespaceKey) ?? '';
  const present = ofKept.filter(({ isDeleted, isExpired }) => !isDeleted && !isExpired);
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
    ofNamespacesCount: [...created].reduce((sum, key) => sum + countIn(database, key), 0),
  };
}

function countIn(database: SqliteDatabase, namespaceKey: number): number {
  const count = database.prepare<[number], number>('SELECT count(*) FROM memory WHERE namespace_key = ?').pluck();
  return count.get(namespaceKey) ?? 0;
}

function listed<T>(
  memories: readonly MemoryChanges[],
  nameOf: (memory: MemoryChanges) => string,
  partOf: (memory: MemoryChanges) => T,
): Map<string, T[]> {
  return new Map([...Map.groupBy(memories, nameOf)].map(([name, all]) => [name, all.map(partOf)]));
}

interface LogRow extends LogChange {
  readonly pk: number;
  readonly id: string;
}

function readAfter(database: SqliteDatabase, { least, isKept, created: known }: Limits) {
  const changed = new ChangedMemories();
  const created = new Set(known);
  const deletedNamespaces: number[] = [];
  let isGapped = false;
  const rows = database.prepare<[number], LogRow>(
    `SELECT revision, kind, namespace_key, pk, id, at_us FROM change_log WHERE revision > ? ORDER BY revision`,
  );
  for (const row of rows.iterate(least)) {
    const { kind, namespace_key: namespaceKey, pk } = row;
    if (isKept(row)) continue;
    if (kind === CHANGE.namespaceCreated) created.add(namespaceKey);
    if (kind === CHANGE.namespaceDeleted) deletedNamespaces.push(namespaceKey);
    if (kind === CHANGE.gap) isGapped = true;
    if (pk !== 0) changed.add(row);
  }
  // Those of a deleted namespace have no entries of their own.
  const present = database.prepare<[number], number>('SELECT 1 FROM memory WHERE pk = ?').pluck();
  const memories = changed.all.filter((one) => one.isDeleted || one.isExpired || present.get(one.pk) !== undefined);
  return { memories, created, deletedNamespaces, isGapped };
}

class ChangedMemories {
  readonly all: MemoryChanges[] = [];
  private readonly byKey = new Map<number | string, MemoryChanges>();

  add({ kind, namespace_key: namespaceKey, pk, id }: LogRow): void {
    // All erased memories that a migration has copied have one key; an id may have been used again.
    const isNumbered = sequenceOf(pk) > 0;
    const key = isNumbered ? pk : `${namespaceKey} ${id}`;
    const known = this.byKey.get(key) ?? {
      pk,
      namespaceKey,
      id,
      isNew: false,
      isDeleted: false,
      isUpdated: false,
      isExpired: false,
    };
    if (!this.byKey.has(key)) this.all.push(known);
    this.byKey.set(key, known);
    if (kind === CHANGE.stored) known.isNew = true;
    if (kind === CHANGE.updated) known.isUpdated = true;
    if (kind === CHANGE.deleted) known.isDeleted = true;
    if (kind === CHANGE.expired) known.isExpired = true;
    if (!isNumbered && (kind === CHANGE.deleted || kind === CHANGE.expired)) this.byKey.delete(key);
  }
}

/** Returns how many restored memories wait for a vector. */
function carryOut(
  database: SqliteDatabase,
  { erased, restored, namespaces }: Plan,
  { limits, nowMs, term }: { limits: Limits; nowMs: number; term: string },
): number {
  const atUs = nowMs * US_PER_MS;
  // Read before the first write: an update adds a former state.
  const states = [...restored].flatMap(([namespace, pks]) =>
    batches(pks).map((some) => statesOf(database, namespace, some, limits)),
  );
  const writer = new Writer(database, { retentionUs: RETENTION_US, term });
  const run = (command: Command): void => {
    const [answer] = writer.execute([command]).answers;
    if (answer && 'thrown' in answer) throw refused(answer.thrown.message);
  };
  for (const [namespace, all] of erased) {
    for (const ids of batches(all)) {
      run({ kind: 'delete', namespace, ids, cause: 'deleted', mustExist: false, atUs });
    }
  }
  for (const name of namespaces) run({ kind: 'deleteNamespace', name, force: true, atUs });
  for (const { namespace, memories, vectorless } of states) {
    for (const id of vectorless) {
      run({ kind: 'update', namespace, id, changes: { embedding: null, embeddingPending: false }, atUs });
    }
    // A later change may have left all fields but the times.
    const restoring = { createNamespace: false, onConflict: 'replace', replacesEqual: true } as const;
    run({ kind: 'store', namespace, memories, ...restoring, atUs });
  }
  return states.reduce(
    (sum, { memories }) => sum + memories.filter(({ embeddingPending }) => embeddingPending).length,
    0,
  );
}

/** The memories as they were at the revision, and the ids of those that had no vector and have one now. */
function statesOf(database: SqliteDatabase, namespace: string, pks: readonly number[], limits: Limits) {
  const model = database
    .prepare<[string], string>('SELECT embedding_model FROM namespace WHERE name = ?')
    .pluck()
    .get(namespace);
  const found = pks.map((pk) => {
    const present = presentMemory(database, pk);
    const state = present && limits.stateOf(pk, present);
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
