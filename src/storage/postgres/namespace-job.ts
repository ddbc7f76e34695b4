import type { Idempotency } from '../../memory/call.ts';
import { newNamespace } from '../changed-memory.ts';
import type { NamespaceWrite } from '../memory-store.ts';
import type { NamespaceDraft } from './loaded-namespace.ts';
import { BYTES_AROUND } from './write-bytes.ts';

/** Creates the namespace in the draft. */
export function fill(draft: NamespaceDraft, write: NamespaceWrite): void {
  draft.isThere = true;
  draft.namespace = newNamespace(write, ++draft.revision);
}

/** The parts that all writes of a namespace itself have. */
export function namespaceJob(atUs: number, idempotency?: Idempotency) {
  return { ids: [], atUs, idempotency, bytes: BYTES_AROUND };
}
