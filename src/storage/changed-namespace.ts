import { checkRevision } from '../memory/check-revision.ts';
import { changed } from '../memory/tier-settings.ts';
import type { Namespace, NamespaceUpdate, NamespaceWrite } from './memory-store.ts';

/** A namespace as it is made. */
export function newNamespace(
  { name, description, memoryLimit, settings = [], atUs }: NamespaceWrite,
  revision: number,
): Namespace {
  return {
    name,
    description,
    memoryLimit,
    createdAtUs: atUs,
    updatedAtUs: atUs,
    embeddingModel: '',
    embeddingDimension: 0,
    settings: Object.fromEntries(changed(new Map(), settings)),
    revision,
  };
}

/** The namespace with what an update names; the rest stays. Fails with VERSION_MISMATCH. */
export function changedNamespace(before: Namespace, write: NamespaceUpdate, revision: number): Namespace {
  const { expectedRevision, description, memoryLimit, settings = [], atUs } = write;
  checkRevision(`namespaces/${before.name}`, expectedRevision, before.revision);
  return {
    ...before,
    description: description ?? before.description,
    memoryLimit: memoryLimit ?? before.memoryLimit,
    settings: Object.fromEntries(changed(new Map(Object.entries(before.settings)), settings)),
    updatedAtUs: atUs,
    revision,
  };
}
