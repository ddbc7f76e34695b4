import type { Micros } from '../../../memory/memory.ts';
import type { ScopePolicy } from '../../../memory/scope.ts';
import type { SessionKey } from '../../../memory/session.ts';
import type { AgentForked, AgentRestored, AgentSnapshot, AgentSnapshots } from '../../agent-snapshots.ts';
import type { LifecycleEvents } from '../../lifecycle-events.ts';
import type {
  DeleteOutcome,
  DeleteWrite,
  MemoryStore,
  NamespaceOutcome,
  NamespaceUpdate,
  NamespaceWrite,
  StoreWrite,
  UpdateWrite,
  WriteOutcome,
} from '../../memory-store.ts';
import type { CopiesWrite } from '../../record-copies.ts';
import type { ReembeddingStore } from '../../reembedding-store.ts';
import type { ScopePolicies, SeenKeyspaces } from '../../scope-policies.ts';
import type { SessionOutcome, SessionWrite } from '../../session-store.ts';
import type {
  CursorMove,
  SubscriptionOutcome,
  SubscriptionStore,
  SubscriptionWrite,
} from '../../subscription-store.ts';
import type { MoveOutcome, TierStore } from '../../tier-store.ts';
import type { ExpiredErased } from './erase-leftovers.ts';

/** Every write of the store: its request and its outcome. */
export interface Commands {
  store: { write: StoreWrite; outcome: WriteOutcome };
  update: { write: UpdateWrite; outcome: WriteOutcome };
  delete: { write: DeleteWrite; outcome: DeleteOutcome };
  touch: { write: Parameters<MemoryStore['touch']>[0]; outcome: { revision: number } };
  setEmbeddings: {
    write: Parameters<MemoryStore['setEmbeddings']>[0] & { atUs: Micros };
    outcome: { revision: number };
  };
  postponeEmbedding: { write: Parameters<MemoryStore['postponeEmbedding']>[0]; outcome: undefined };
  createNamespace: { write: NamespaceWrite; outcome: NamespaceOutcome };
  updateNamespace: { write: NamespaceUpdate; outcome: NamespaceOutcome };
  deleteNamespace: {
    write: Parameters<MemoryStore['deleteNamespace']>[0];
    outcome: DeleteOutcome;
  };
  beginReembedding: { write: Parameters<ReembeddingStore['beginReembedding']>[0]; outcome: boolean };
  setReembedded: { write: Parameters<ReembeddingStore['setReembedded']>[0]; outcome: undefined };
  finishReembedding: { write: Parameters<ReembeddingStore['finishReembedding']>[0]; outcome: boolean };
  writeSession: { write: SessionWrite; outcome: SessionOutcome };
  eraseSession: { write: SessionKey; outcome: boolean };
  eraseSessionsOfNamespace: { write: { namespace: string }; outcome: undefined };
  eraseExpiredSessions: { write: { nowUs: Micros; limit: number }; outcome: ExpiredErased };
  setScopePolicy: { write: Parameters<ScopePolicies['set']>[0]; outcome: ScopePolicy };
  takeSnapshot: { write: Parameters<AgentSnapshots['take']>[0]; outcome: AgentSnapshot };
  dropSnapshot: { write: Parameters<AgentSnapshots['drop']>[0]; outcome: undefined };
  restoreAgent: { write: Parameters<AgentSnapshots['restore']>[0]; outcome: AgentRestored };
  forkAgent: { write: Parameters<AgentSnapshots['fork']>[0]; outcome: AgentForked };
  appendLifecycleEvent: { write: Parameters<LifecycleEvents['append']>[0]; outcome: number };
  acknowledgeLifecycle: { write: Parameters<LifecycleEvents['acknowledge']>[0]; outcome: number };
  eraseLifecycleEvents: { write: Parameters<LifecycleEvents['erase']>[0]; outcome: number };
  eraseLifecycleOf: { write: { namespace: string }; outcome: undefined };
  move: { write: Parameters<TierStore['move']>[0]; outcome: MoveOutcome };
  setTierSettings: { write: Parameters<TierStore['setTierSettings']>[0]; outcome: undefined };
  setMaintained: { write: Parameters<TierStore['setMaintained']>[0]; outcome: undefined };
  applyCopies: { write: CopiesWrite; outcome: { revision: number } };
  seeKeyspace: { write: Parameters<SeenKeyspaces['see']>[0]; outcome: undefined };
  /** Compacts a part of the change log; returns whether the log is compacted up to the revision. */
  compactLog: { write: { throughRevision: number; limit: number }; outcome: boolean };
  createSubscription: { write: SubscriptionWrite; outcome: SubscriptionOutcome };
  deleteSubscription: { write: Parameters<SubscriptionStore['deleteSubscription']>[0]; outcome: { revision: number } };
  moveCursors: { write: { cursors: readonly CursorMove[]; atUs: Micros }; outcome: undefined };
  forgetConsumers: { write: { atUs: Micros }; outcome: number };
  /** Writes the upkeep that earlier transactions have left; see `upkeep.ts`. */
  writeUpkeep: { write: undefined; outcome: undefined };
  /** Writes a slice of it; no other command is in its transaction. */
  settleSome: { write: undefined; outcome: undefined };
  /** Erases a part of the rows of deleted namespaces. */
  eraseLeftovers: { write: undefined; outcome: { isDone: boolean } };
}

export type Verb = keyof Commands;

export type Command = {
  readonly [V in Verb]: { readonly verb: V; readonly write: Commands[V]['write'] };
}[Verb];
