import { sql } from '#kysely';
import type { TermIndex } from './pending-terms.ts';
import { prepared } from './prepared.ts';

/** What the full-text index takes in of a memory; see `word-terms.ts`. */
export interface Words {
  readonly body: string;
  readonly meta: string;
}

const remove = prepared((p: { pk: number }) => sql`DELETE FROM memory_words WHERE rowid = ${p.pk}`);
const insert = prepared(
  (p: Words & { pk: number }) =>
    sql`INSERT INTO memory_words(rowid, body, meta) VALUES (CAST(${p.pk} AS INTEGER), ${p.body}, ${p.meta})`,
);

export const wordIndex: TermIndex<Words> = {
  remove: (database, pk) => void remove(database).run({ pk }),
  insert: (database, pk, { body, meta }) => void insert(database).run({ pk, body, meta }),
};
