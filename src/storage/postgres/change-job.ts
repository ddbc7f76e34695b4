import { MnemeError } from '../../memory/errors.ts';
import type { MemoryView } from '../../memory/memory.ts';
import { idsOfStore, newNamespace } from '../changed-memory.ts';
import type { Change, ChangeKind, NamespaceWrite, Outcome } from '../records.ts';
import { changeDraft, type DraftKind, requestOf } from '../rules/change-draft.ts';
import { idsOfUpdate } from '../rules/write-in-scopes.ts';
import type { NamespaceDraft } from './loaded-namespace.ts';
import type { Job } from './namespace-lane.ts';
import { bytesOf } from './write-bytes.ts';

/** Kinds of changes that the draft of one namespace has. */
type JobKind = DraftKind | 'createNamespace';

/** The job of the lane of a namespace that carries out a change. */
export function jobOf(change: Change<JobKind>): Job<Outcome<ChangeKind>> {
  const { ids, parts, view } = concernOf(change);
  return {
    ids,
    bytes: bytesOf(parts),
    ...requestOf(change),
    ...(view && { view }),
    createsNamespace: change.kind === 'createNamespace' || (change.kind === 'store' && change.createNamespace),
    run: (draft) => run(draft, change),
  };
}

interface Concern {
  readonly ids: readonly string[];
  /** The parts that take space in the queue. */
  readonly parts: readonly (string | object)[];
  /** Data that the change needs of its memories. Absent: all. */
  readonly view?: MemoryView;
}

function concernOf(change: Change<JobKind>): Concern {
  switch (change.kind) {
    case 'store':
      return { ids: idsOfStore(change), parts: change.memories };
    case 'update': {
      const { changes, successor } = change;
      return { ids: idsOfUpdate(change), parts: successor ? [changes, successor] : [changes] };
    }
    case 'setEmbeddings':
      return { ids: change.vectors.map(({ id }) => id), parts: change.vectors, view: 'metadata' };
    case 'delete':
    case 'touch':
    case 'move':
      return { ids: change.ids, parts: change.ids, view: 'metadata' };
    default:
      return { ids: [], parts: [change.kind] };
  }
}

function run(draft: NamespaceDraft, change: Change<JobKind>): Outcome<ChangeKind> {
  if (change.kind === 'createNamespace') {
    if (draft.isThere) {
      const name = `namespaces/${change.name}`;
      throw new MnemeError('NAMESPACE_EXISTS', `${name} already exists`, { metadata: { name } });
    }
    fill(draft, change);
    return { revision: draft.revision, namespace: draft.namespace };
  }
  if (change.kind === 'store' && !draft.isThere) {
    fill(draft, { name: change.namespace, description: '', memoryLimit: 0, atUs: change.atUs });
  }
  return changeDraft(draft, change);
}

/** Creates the namespace in the draft. */
function fill(draft: NamespaceDraft, write: NamespaceWrite): void {
  draft.isThere = true;
  draft.namespace = newNamespace(write, ++draft.revision);
}
