import type { Idempotency } from '../../memory/call.ts';
import type { Micros } from '../../memory/memory.ts';
import { changed } from '../../memory/tier-settings.ts';
import { changedNamespace } from '../changed-memory.ts';
import type { Change, ChangeKind, Outcome } from '../records.ts';
import type { Draft } from './draft.ts';
import { deleteInScopes, storeInScopes, updateInScopes } from './write-in-scopes.ts';
import { embedLater, moveMemories, touchMemories } from './write-memories.ts';

/** Kinds of changes of an existing namespace and its memories. */
export type DraftKind = Exclude<
  ChangeKind,
  'createNamespace' | 'deleteNamespace' | 'postponeEmbedding' | 'setMaintained'
>;

/** Name of the namespace that is changed; '' for a change that concerns several. */
export function namespaceOf(change: Change): string {
  if (change.kind === 'postponeEmbedding') return '';
  return 'namespace' in change ? change.namespace : change.name;
}

/** The request of a change: with an id, it has one effect. */
export interface ChangeRequest {
  readonly idempotency: Idempotency | undefined;
  /** Outcome to keep for the id; absent: that of the change. */
  readonly toKeep: unknown;
  readonly atUs: Micros;
}

export function requestOf(change: Change): ChangeRequest {
  return {
    idempotency: 'idempotency' in change ? change.idempotency : undefined,
    toKeep: change.kind === 'delete' ? change.outcomeToKeep : undefined,
    atUs: 'atUs' in change ? change.atUs : 0,
  };
}

/** Changes a draft by the rule of the change. */
export function changeDraft(draft: Draft, change: Change<DraftKind>): Outcome<DraftKind> {
  switch (change.kind) {
    case 'store':
      return storeInScopes(draft, change);
    case 'update':
      return updateInScopes(draft, change);
    case 'delete':
      return deleteInScopes(draft, change);
    case 'touch':
      return touchMemories(draft, change.ids, change.atUs);
    case 'move':
      return moveMemories(draft, change);
    case 'setEmbeddings':
      return embedLater(draft, change.vectors);
    case 'updateNamespace':
      draft.namespace = { ...changedNamespace(draft.namespace, change), revision: ++draft.revision };
      return { revision: draft.revision, namespace: draft.namespace };
    case 'setTierSettings': {
      const settings = changed(new Map(Object.entries(draft.namespace.settings)), change.settings);
      draft.namespace = { ...draft.namespace, settings: Object.fromEntries(settings) };
      return undefined;
    }
  }
}
