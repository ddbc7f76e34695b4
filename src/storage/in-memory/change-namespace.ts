import { changed } from '../../memory/tier-settings.ts';
import { checkRevision } from '../check-revision.ts';
import type { NamespaceOutcome, NamespaceUpdate } from '../memory-store.ts';
import type { Draft } from './draft.ts';

/** Changes what an update names; the rest stays. Fails with ETAG_MISMATCH. */
export function changeNamespace(draft: Draft, write: NamespaceUpdate): NamespaceOutcome {
  const before = draft.namespace;
  const { expectedRevision, description, memoryLimit, settings = [], atUs } = write;
  checkRevision(`namespaces/${before.name}`, expectedRevision, before.revision);
  draft.namespace = {
    ...before,
    description: description ?? before.description,
    memoryLimit: memoryLimit ?? before.memoryLimit,
    settings: Object.fromEntries(changed(new Map(Object.entries(before.settings)), settings)),
    updatedAtUs: atUs,
    revision: ++draft.revision,
  };
  return { revision: draft.revision, namespace: draft.namespace };
}
