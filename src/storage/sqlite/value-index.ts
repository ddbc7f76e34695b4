import { sql } from '#kysely';
import type { TermIndex } from './pending-terms.ts';
import { prepared } from './prepared.ts';

const remove = prepared((p: { pk: number }) => sql`DELETE FROM memory_value_words WHERE rowid = ${p.pk}`);
const insert = prepared(
  (p: { pk: number; terms: string }) =>
    sql`INSERT INTO memory_value_words(rowid, terms) VALUES (CAST(${p.pk} AS INTEGER), ${p.terms})`,
);

/** Terms of `value-terms.ts` with spaces between them. */
export const valueIndex: TermIndex<string> = {
  remove: (database, pk) => void remove(database).run({ pk }),
  insert: (database, pk, terms) => void insert(database).run({ pk, terms }),
};
