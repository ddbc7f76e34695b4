import { readCompactedRevision } from '../change-log.ts';
import type { Changes } from '../changes.ts';
import { forgetTerms } from '../log-terms.ts';
import { prepared, queries } from '../prepared.ts';
import type { Commands } from './command.ts';

/** Counts all entries, so that a stretch of former states does not make one command long. */
const lastOf = prepared((p: { after: number; through: number; limit: number }) =>
  queries
    .selectFrom((eb) =>
      eb
        .selectFrom('change_log')
        .select('revision')
        .where('revision', '>', p.after)
        .where('revision', '<=', p.through)
        .orderBy('revision')
        .limit(p.limit)
        .as('stretch'),
    )
    .select((eb) => [eb.fn.max('revision').as('revision'), eb.fn.countAll<number>().as('count')]),
);
const deleteEntries = prepared((p: { after: number; through: number }) =>
  queries
    .deleteFrom('change_log')
    .where('revision', '>', p.after)
    .where('revision', '<=', p.through)
    .where('former', 'is', null),
);
const setCompacted = prepared((p: { revision: number }) =>
  queries.updateTable('meta').set({ value: p.revision }).where('key', '=', 'compacted_revision'),
);

/**
 * Forgets the oldest entries. Those with the former state of a memory are that memory's history: they stay until it is
 * erased, but nobody follows the log through them any more.
 */
export function compactLog({ database, log }: Changes, write: Commands['compactLog']['write']): boolean {
  const after = readCompactedRevision(database);
  const through = Math.min(write.throughRevision, log.revision);
  if (through <= after) return true;
  const { revision, count } = lastOf(database).get({ after, through, limit: write.limit }) ?? {
    revision: null,
    count: 0,
  };
  const isDone = Number(count) < write.limit || Number(revision) >= through;
  const reached = isDone ? through : Number(revision);
  deleteEntries(database).run({ after, through: reached });
  setCompacted(database).run({ revision: reached });
  forgetTerms(database, reached);
  return isDone;
}
