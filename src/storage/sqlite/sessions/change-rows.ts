import type { SessionChangeKind } from '../../../memory/session.ts';
import { prepared, queries } from '../prepared.ts';

interface Change {
  session_key: number;
  revision: number;
  part: number;
  kind: SessionChangeKind;
  key: string;
  at_us: number;
}

export const appendChange = prepared((p: Change) =>
  queries.insertInto('session_change').values({
    session_key: p.session_key,
    revision: p.revision,
    part: p.part,
    kind: p.kind,
    key: p.key,
    at_us: p.at_us,
  }),
);
export const changesAfter = prepared((p: { session_key: number; revision: number; limit: number }) =>
  queries
    .selectFrom('session_change')
    .select(['revision', 'part', 'kind', 'key', 'at_us'])
    .where('session_key', '=', p.session_key)
    .where('revision', '>', p.revision)
    .orderBy('revision')
    .orderBy('part')
    .limit(p.limit),
);
/** What is left of one write. */
export const changesOf = prepared((p: { session_key: number; revision: number; part: number }) =>
  queries
    .selectFrom('session_change')
    .select(['revision', 'part', 'kind', 'key', 'at_us'])
    .where('session_key', '=', p.session_key)
    .where('revision', '=', p.revision)
    .where('part', '>', p.part)
    .orderBy('part'),
);
export const dropChanges = prepared((p: { session_key: number; revision: number }) =>
  queries.deleteFrom('session_change').where('session_key', '=', p.session_key).where('revision', '<=', p.revision),
);
