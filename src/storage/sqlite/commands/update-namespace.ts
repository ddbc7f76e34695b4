import { checkRevision } from '../../../memory/check-revision.ts';
import type { NamespaceOutcome, NamespaceUpdate } from '../../memory-store.ts';
import type { Changes } from '../changes.ts';
import { namespaceFromRow } from '../namespace-rows.ts';
import { prepared, queries } from '../prepared.ts';
import { writeTierSettings } from './tier-settings.ts';

const setRow = prepared(
  (p: { key: number; description: string; memory_limit: number; updated_at_us: number; revision: number }) =>
    queries
      .updateTable('namespace')
      .set({
        description: p.description,
        memory_limit: p.memory_limit,
        updated_at_us: p.updated_at_us,
        revision: p.revision,
      })
      .where('key', '=', p.key),
);

export function updateNamespace(changes: Changes, write: NamespaceUpdate): NamespaceOutcome {
  const row = changes.namespace(write.name);
  checkRevision(`namespaces/${row.name}`, write.expectedRevision, row.revision);
  const revision = changes.log.append('namespaceUpdated', { namespaceKey: row.key, id: row.name, atUs: write.atUs });
  setRow(changes.database).run({
    key: row.key,
    description: write.description ?? row.description,
    memory_limit: write.memoryLimit ?? row.memory_limit,
    updated_at_us: write.atUs,
    revision,
  });
  writeTierSettings(changes, row.key, write.settings ?? []);
  changes.forgetNamespace(row.name);
  return { revision, namespace: namespaceFromRow(changes.database, changes.namespace(row.name)) };
}
