import { changedNamespace } from '../changed-namespace.ts';
import type { NamespaceOutcome, NamespaceUpdate } from '../memory-store.ts';
import type { Draft } from './draft.ts';

/** Changes what an update names; the rest stays. Fails with VERSION_MISMATCH. */
export function changeNamespace(draft: Draft, write: NamespaceUpdate): NamespaceOutcome {
  draft.namespace = changedNamespace(draft.namespace, write, draft.revision + 1);
  draft.revision++;
  return { revision: draft.revision, namespace: draft.namespace };
}
