import type { Micros } from '../../../memory/memory.ts';
import { idsOfStore } from '../../changed-memory.ts';
import type {
  DeleteOutcome,
  DeleteWrite,
  EmbeddingsWrite,
  StoreWrite,
  TouchWrite,
  UpdateWrite,
  WriteOutcome,
} from '../../records.ts';
import { stepOf } from '../../rules/memory-rules.ts';
import { deleteInScopes, idsOfUpdate, storeInScopes, updateInScopes } from '../../rules/write-in-scopes.ts';
import { embedLater, moveMemories, touchMemories } from '../../rules/write-memories.ts';
import type { MoveOutcome, MoveWrite } from '../../tiers.ts';
import type { Changes } from '../changes.ts';
import { type Load, loadChecksum, loadFields, loadWhole } from '../load-memories.ts';
import type { NamespaceRow } from '../namespace-rows.ts';
import { type Resized, resized } from '../resize-memory.ts';
import { writeByDraft } from '../write-draft.ts';
import { insertNamespace } from './namespaces.ts';

export function store(changes: Changes, write: StoreWrite): WriteOutcome {
  return writeByDraft(changes, namespaceOfStore(changes, write), {
    ids: idsOfStore(write),
    load: loadWhole,
    atUs: write.atUs,
    run: (draft) => storeInScopes(draft, write),
  });
}

function namespaceOfStore(changes: Changes, { namespace: name, createNamespace, atUs }: StoreWrite): NamespaceRow {
  if (!createNamespace || changes.findNamespace(name)) return changes.namespace(name);
  return insertNamespace(changes, { name, description: '', memoryLimit: 0, atUs });
}

export function update(changes: Changes, write: UpdateWrite): WriteOutcome {
  return writeByDraft(changes, changes.namespace(write.namespace), {
    ids: idsOfUpdate(write),
    load: loadWhole,
    atUs: write.atUs,
    run: (draft) => updateInScopes(draft, write),
  });
}

export function deleteMemories(changes: Changes, write: DeleteWrite): DeleteOutcome {
  return writeByDraft(changes, changes.namespace(write.namespace), {
    ids: write.ids,
    load: loadFields,
    atUs: write.atUs,
    run: (draft) => deleteInScopes(draft, write),
  });
}

export function touch(changes: Changes, { namespace, ids, atUs }: TouchWrite): { revision: number } {
  return writeByDraft(changes, changes.namespace(namespace), {
    ids,
    load: loadFields,
    atUs,
    run: (draft) => touchMemories(draft, ids, atUs),
  });
}

export function setEmbeddings(
  changes: Changes,
  { namespace, vectors, atUs }: EmbeddingsWrite & { readonly atUs: Micros },
): { revision: number } {
  return writeByDraft(changes, changes.namespace(namespace), {
    ids: vectors.map(({ id }) => id),
    load: loadChecksum,
    atUs,
    run: (draft) => embedLater(draft, vectors),
  });
}

/** A memory that cannot be given the form of the tier is damaged. */
export function move(changes: Changes, write: MoveWrite): MoveOutcome {
  const forms = new Map<string, Resized>();
  const load: Load = (_, namespace, id) => {
    const entry = loadFields(changes, namespace, id);
    if (!entry || !stepOf(entry.memory, write)) return entry;
    const form = resized(changes.database, namespace, entry.sequence, write.resolution);
    if (!form) return { ...entry, isDamaged: true };
    forms.set(id, form);
    return entry;
  };
  return writeByDraft(changes, changes.namespace(write.namespace), {
    ids: write.ids,
    load,
    resized: forms,
    atUs: write.atUs,
    run: (draft) => moveMemories(draft, write),
  });
}
