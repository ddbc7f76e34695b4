import { type Insertable, sql } from '#kysely';
import type { TierStep } from '../tiers.ts';
import { prepared, queries, type SqliteDatabase } from './database.ts';
import { tierNumber } from './rows.ts';
import type { ChangeLogTable } from './schema.ts';

/** Numbers of `change_log.kind`. */
export const CHANGE = {
  stored: 1,
  updated: 2,
  deleted: 3,
  expired: 4,
  embedded: 5,
  touched: 6,
  namespaceCreated: 7,
  namespaceUpdated: 8,
  namespaceDeleted: 9,
  vectorsReplaced: 10,
  moved: 11,
  resized: 12,
  vectorResized: 13,
  gap: 14,
} as const;

export type ChangeKind = keyof typeof CHANGE;

const append = prepared((p: Insertable<ChangeLogTable>) =>
  queries.insertInto('change_log').values({
    revision: p.revision,
    kind: p.kind,
    namespace_key: p.namespace_key,
    pk: p.pk,
    id: p.id,
    at_us: p.at_us,
    former: p.former,
    origin: p.origin,
    copied_revision: p.copied_revision,
    tier_from: p.tier_from,
    tier_to: p.tier_to,
  }),
);
const eraseFormer = prepared((p: { pk: number }) =>
  queries.updateTable('change_log').set({ former: null }).where('pk', '=', p.pk).where('former', 'is not', null),
);
/** Entries of new memories may be newer than the head; see `upkeep.ts`. */
const newestRevision = prepared(
  (_: object) => sql<{ value: number }>`
    SELECT max(value, (SELECT ifnull(max(revision), 0) FROM change_log)) AS value FROM meta WHERE key = 'revision'`,
);
const settledQuery = prepared((_: object) =>
  queries.selectFrom('meta').select('value').where('key', '=', 'settled_revision'),
);
const compactedQuery = prepared((_: object) =>
  queries.selectFrom('meta').select('value').where('key', '=', 'compacted_revision'),
);
const setHead = prepared((p: { value: number }) =>
  queries.updateTable('meta').set({ value: p.value }).where('key', 'in', ['revision', 'settled_revision']),
);

/** What an entry in a view is copied from; neither: the view alone has the entry. */
export interface LogSource {
  /** Revision of the entry in the log of the records. */
  readonly origin?: number;
  /** Revision of a state that was copied without an entry of that log. */
  readonly copiedRevision?: number;
}

/** The change log as the writer appends to it. Its head is written at most once per transaction, by `save`. */
export class ChangeLog {
  /** Newest revision in use. */
  revision: number;
  private saved: number;
  /** The written head. */
  private head: number;
  /** True once the transaction has anything but entries of new memories. */
  private hasOthers = false;
  private readonly database: SqliteDatabase;
  private readonly term: string;
  private isInTerm = false;

  /** `term`: name of the writes of this opening of the folder. */
  constructor(database: SqliteDatabase, term: string) {
    this.database = database;
    this.term = term;
    this.revision = readRevision(database);
    this.saved = this.revision;
    this.head = readSettledRevision(database);
  }

  /** Returns the revision of the new entry. */
  append(
    kind: ChangeKind,
    entry: {
      namespaceKey: number;
      pk?: number;
      id?: string;
      atUs: number;
      former?: string;
      step?: TierStep;
    } & LogSource,
  ): number {
    const { step, origin, copiedRevision } = entry;
    const revision = ++this.revision;
    if (kind !== 'stored') this.hasOthers = true;
    append(this.database).run({
      revision,
      kind: CHANGE[kind],
      namespace_key: entry.namespaceKey,
      pk: entry.pk ?? 0,
      id: entry.id ?? '',
      at_us: entry.atUs,
      former: entry.former ?? null,
      origin: origin ?? null,
      copied_revision: copiedRevision ?? null,
      tier_from: step ? tierNumber(step.from) : null,
      tier_to: step ? tierNumber(step.to) : null,
    });
    return revision;
  }

  /** Erases the former states of a memory. */
  forget(pk: number): void {
    eraseFormer(this.database).run({ pk });
  }

  save(): void {
    this.hasOthers = false;
    if (this.revision === this.saved && this.revision === this.head) return;
    if (!this.isInTerm) this.enterTerm();
    setHead(this.database).run({ value: this.revision });
    this.saved = this.revision;
    this.head = this.revision;
  }

  /**
   * Whether the entries since the last `save` alone show what has changed: entries of new memories, in a term that has
   * begun.
   */
  get isOfNewMemories(): boolean {
    return this.isInTerm && !this.hasOthers;
  }

  /** Saves an earlier head: the entries after it are of new memories without upkeep. */
  saveUpTo(revision: number): void {
    setHead(this.database).run({ value: revision });
    this.head = revision;
    this.saved = this.revision;
  }

  /** Newest revision of the transactions before this one. */
  get savedRevision(): number {
    return this.saved;
  }

  /** Leaves the head to a later `save`. */
  saveLater(): void {
    this.saved = this.revision;
  }

  /** The first revision creates it: starting writes nothing, so a full disk cannot prevent the start. */
  private enterTerm(): void {
    const { database, saved, term } = this;
    if (termOf(database, saved) !== term) beginTerm(database, term, saved);
    this.isInTerm = true;
  }

  /** Reads the head again after a transaction was undone. */
  reload(): void {
    this.isInTerm = false;
    this.hasOthers = false;
    this.revision = readRevision(this.database);
    this.saved = this.revision;
    this.head = readSettledRevision(this.database);
  }
}

export function readRevision(database: SqliteDatabase): number {
  return Number(newestRevision(database).get({})?.value ?? 0);
}

/** The entries after it are of new memories alone, whose upkeep is not written yet; see `upkeep.ts`. */
export function readSettledRevision(database: SqliteDatabase): number {
  return Number(settledQuery(database).get({})?.value ?? 0);
}

/** Entries up to this revision are compacted, except former states of memories. */
export function readCompactedRevision(database: SqliteDatabase): number {
  return Number(compactedQuery(database).get({})?.value ?? 0);
}

/**
 * A term is the part of the change log that one opening of the folder has written. Copies of a folder that are opened
 * separately write different terms, so the name of a term and a revision in it identify the whole history before that
 * revision.
 */
const termBefore = prepared((p: { revision: number }) =>
  queries
    .selectFrom('log_term')
    .select(['start_revision', 'id'])
    .where('start_revision', '<', p.revision)
    .orderBy('start_revision', 'desc')
    .limit(1),
);
const startOf = prepared((p: { id: string }) =>
  queries.selectFrom('log_term').select('start_revision').where('id', '=', p.id),
);
const nextStart = prepared((p: { start: number }) =>
  queries
    .selectFrom('log_term')
    .select('start_revision')
    .where('start_revision', '>', p.start)
    .orderBy('start_revision')
    .limit(1),
);
/** A term that starts at the same revision has no entries, so no reader knows it. */
const insertTerm = prepared((p: { start: number; id: string }) =>
  queries.replaceInto('log_term').values({ start_revision: p.start, id: p.id }),
);
const deleteBefore = prepared((p: { start: number }) =>
  queries.deleteFrom('log_term').where('start_revision', '<', p.start),
);

/** The term in which a revision was written; '' for the revision before all others, which every log has. */
export function termOf(database: SqliteDatabase, revision: number): string {
  return termBefore(database).get({ revision })?.id ?? '';
}

/** Last revision of a term (of the newest term: `newest`); `undefined` for a term that is not in this log. */
export function endOfTerm(database: SqliteDatabase, id: string, newest: number): number | undefined {
  const start = startOf(database).get({ id })?.start_revision;
  if (start === undefined) return undefined;
  return nextStart(database).get({ start })?.start_revision ?? newest;
}

function beginTerm(database: SqliteDatabase, id: string, startRevision: number): void {
  insertTerm(database).run({ id, start: startRevision });
}

/** Deletes the terms that end before the compacted revision: no valid place refers to them. */
export function forgetTerms(database: SqliteDatabase, compactedRevision: number): void {
  const start = termBefore(database).get({ revision: compactedRevision })?.start_revision;
  if (start !== undefined) deleteBefore(database).run({ start });
}
