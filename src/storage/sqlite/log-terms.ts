import type { SqliteDatabase } from './database.ts';
import { prepared, queries } from './prepared.ts';

/**
 * A term is what one opening of the folder has written into the change log. Copies of a folder that are opened each for itself
 * write different terms, so the name of a term and a revision in it tell what all that came before was.
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
/** One that starts at the same revision has written nothing, and nobody was told of it. */
const insertTerm = prepared((p: { start: number; id: string }) =>
  queries.replaceInto('log_term').values({ start_revision: p.start, id: p.id }),
);
const deleteBefore = prepared((p: { start: number }) =>
  queries.deleteFrom('log_term').where('start_revision', '<', p.start),
);

/** The term that a revision was written in; '' for the revision before all others, which every log has. */
export function termOf(database: SqliteDatabase, revision: number): string {
  return termBefore(database).get({ revision })?.id ?? '';
}

/** Last revision of a term, of the newest one `newest`; `undefined` for a term that is not of this log. */
export function endOfTerm(database: SqliteDatabase, id: string, newest: number): number | undefined {
  const start = startOf(database).get({ id })?.start_revision;
  if (start === undefined) return undefined;
  return nextStart(database).get({ start })?.start_revision ?? newest;
}

export function beginTerm(database: SqliteDatabase, id: string, startRevision: number): void {
  insertTerm(database).run({ id, start: startRevision });
}

/** Forgets terms that no place after the compacted revision, or at it, is of. */
export function forgetTerms(database: SqliteDatabase, compactedRevision: number): void {
  const start = termBefore(database).get({ revision: compactedRevision })?.start_revision;
  if (start !== undefined) deleteBefore(database).run({ start });
}
