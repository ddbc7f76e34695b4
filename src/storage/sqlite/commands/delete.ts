import { checkRevision } from '../../../memory/check-revision.ts';
import { memoryNotFound } from '../../../memory/errors.ts';
import type { Scope, Tier } from '../../../memory/memory.ts';
import { checkWritable } from '../../../memory/scope.ts';
import type { DeleteOutcome, DeleteWrite } from '../../memory-store.ts';
import { readPolicies } from '../agents/policy-rows.ts';
import type { Changes } from '../changes.ts';
import { eraseMemory } from '../erase-memory.ts';
import { currentRow, readWholeRow } from '../memory-rows.ts';
import { memoryOrRest, tierOf } from '../rows.ts';

export function deleteMemories(changes: Changes, write: DeleteWrite): DeleteOutcome {
  const namespace = changes.namespace(write.namespace);
  const { cause, atUs, mustExist, expectedRevision, onlyIn } = write;
  const policies = cause === 'expired' ? [] : readPolicies(changes.database, namespace.key);
  const deletedIds: string[] = [];
  const tiers = new Map<Tier, number>();
  for (const id of write.ids) {
    const row = currentRow(changes.database).get({ namespace_key: namespace.key, id });
    const isExpired = row !== undefined && row.expires_at_us !== null && row.expires_at_us <= atUs;
    if (mustExist && (!row || isExpired)) throw memoryNotFound(namespace.name, id);
    // One that is to go because it expired may have got a later time since it was found.
    if (!row || (cause === 'expired' && !isExpired)) continue;
    if (onlyIn && tierOf(row.tier) !== onlyIn) continue;
    checkRevision(`namespaces/${namespace.name}/memories/${id}`, expectedRevision, row.revision);
    if (policies.length > 0) checkWritable(policies, scopeAt(changes, row.pk));
    eraseMemory(changes, namespace.key, row.pk);
    changes.log.append(cause, { namespaceKey: namespace.key, pk: row.pk, id, atUs });
    deletedIds.push(id);
    const tier = tierOf(row.tier);
    tiers.set(tier, (tiers.get(tier) ?? 0) + 1);
  }
  return { revision: changes.log.revision, deletedIds, tiers: [...tiers] };
}

function scopeAt(changes: Changes, pk: number): Scope {
  const row = readWholeRow(changes.database, pk);
  if (!row) throw new Error(`memory ${pk} has a row but no body`);
  return memoryOrRest(row.namespace, row).memory.scope;
}
