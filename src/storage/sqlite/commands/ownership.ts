import { ownerChanged } from '../../../memory/errors.ts';
import type { Mirror } from '../../mirror-store.ts';
import type { Claim } from '../../tier-store.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { currentRow } from '../memory-rows.ts';
import { reembeddingOf } from '../namespace-rows.ts';
import { tierNumber } from '../rows.ts';
import type { MemoryTable } from '../schema.ts';

/**
 * Ownership of memories beside a hot store. `memory.hot_ownership` is 0 where this store owns the memory. Otherwise the
 * hot store owns it, or may: the value is a number that no other ownership of the memory has. Copies get one when they
 * are made, and `claim` sets one before the hot store adopts the memory. `disclaim` ends the ownership with a number,
 * not a later one.
 */

const claimable = prepared((p: { namespace_key: number; id: string }) =>
  queries
    .selectFrom('memory')
    .select('pk')
    .where('namespace_key', '=', p.namespace_key)
    .where('id', '=', p.id)
    .where('hot_ownership', '=', 0)
    .where('tier', '<>', tierNumber('long_term')),
);
const setOwnership = prepared((p: { pk: number; ownership: number }) =>
  queries.updateTable('memory').set({ hot_ownership: p.ownership }).where('pk', '=', p.pk),
);
const endOwnership = prepared((p: { namespace_key: number; id: string; ownership: number }) =>
  queries
    .updateTable('memory')
    .set({ hot_ownership: 0 })
    .where('namespace_key', '=', p.namespace_key)
    .where('id', '=', p.id)
    .where('hot_ownership', '=', p.ownership),
);
const anyOwned = prepared((p: { namespace_key: number }) =>
  queries
    .selectFrom('memory')
    .select('id')
    .where('namespace_key', '=', p.namespace_key)
    .where('hot_ownership', '<>', 0)
    .limit(1),
);
const ownershipRow = prepared((p: { namespace: string; id: string }) =>
  queries
    .selectFrom('namespace')
    .innerJoin('memory', 'memory.namespace_key', 'namespace.key')
    .select('memory.hot_ownership')
    .where('namespace.name', '=', p.namespace)
    .where('memory.id', '=', p.id),
);
const ownedIdsQuery = prepared((p: { namespace: string; limit: number }) =>
  queries
    .selectFrom('namespace')
    .innerJoin('memory', 'memory.namespace_key', 'namespace.key')
    .select('memory.id')
    .where('namespace.name', '=', p.namespace)
    .where('memory.hot_ownership', '<>', 0)
    .limit(p.limit),
);

export function claim(changes: Changes, { namespace, ids }: Parameters<Mirror['claim']>[0]): Claim[] {
  const { database } = changes;
  const { key: namespace_key } = changes.namespace(namespace);
  // Recomputed vectors are this store's.
  if (reembeddingOf(database).get({ namespace_key })) return [];
  return ids.flatMap((id) => {
    const row = claimable(database).get({ namespace_key, id });
    if (!row) return [];
    const ownership = changes.nextOwnership();
    setOwnership(database).run({ pk: row.pk, ownership });
    return [{ id, ownership }];
  });
}

export function disclaim(changes: Changes, { namespace, claims }: Parameters<Mirror['disclaim']>[0]): undefined {
  const namespace_key = changes.findNamespace(namespace)?.key;
  if (namespace_key === undefined) return;
  for (const { id, ownership } of claims) endOwnership(changes.database).run({ namespace_key, id, ownership });
}

/** Marks a copy as owned by the hot store, unless it is marked already. */
export function markCopy(changes: Changes, row: { readonly pk: number; readonly hot_ownership: number }): void {
  if (row.hot_ownership === 0) setOwnership(changes.database).run({ pk: row.pk, ownership: changes.nextOwnership() });
}

/** Fails where the write needs memories of this store, and the hot store owns the memory. */
export function checkOwner(
  namespace: string,
  { mustOwn }: { readonly mustOwn?: boolean },
  row: Pick<MemoryTable, 'hot_ownership'>,
): void {
  if (mustOwn && row.hot_ownership !== 0) throw ownerChanged(namespace);
}

/** Fails where the hot store owns one of the memories. */
export function checkOwned(changes: Changes, namespace: string, ids: readonly string[]): void {
  const { key: namespace_key } = changes.namespace(namespace);
  for (const id of ids) {
    const row = currentRow(changes.database).get({ namespace_key, id });
    if (row) checkOwner(namespace, { mustOwn: true }, row);
  }
}

/** The same for all memories of a namespace. */
export function checkOwnerOfAll(changes: Changes, namespace: string): void {
  const { key } = changes.namespace(namespace);
  if (anyOwned(changes.database).get({ namespace_key: key })) throw ownerChanged(namespace);
}

export function ownershipsOf(
  database: SqliteDatabase,
  { namespace, ids }: Parameters<Mirror['ownerships']>[0],
): Claim[] {
  return ids.flatMap((id) => {
    const ownership = ownershipRow(database).get({ namespace, id })?.hot_ownership ?? 0;
    return ownership === 0 ? [] : [{ id, ownership }];
  });
}

export function hotOwnedIds(
  database: SqliteDatabase,
  { namespace, limit }: Parameters<Mirror['hotOwnedIds']>[0],
): string[] {
  return ownedIdsQuery(database)
    .all({ namespace, limit })
    .map(({ id }) => id);
}
