import { prepared, queries } from '../prepared.ts';

/** The row of a memory that is there, expired or not. */
export const memoryKey = prepared((p: { namespace: string; id: string }) =>
  queries
    .selectFrom('namespace')
    .innerJoin('memory', 'memory.namespace_key', 'namespace.key')
    .select('memory.pk')
    .where('namespace.name', '=', p.namespace)
    .where('memory.id', '=', p.id),
);
