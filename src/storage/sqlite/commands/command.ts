import type { Micros } from '../../../memory/memory.ts';
import type { ScopePolicy } from '../../../memory/scope.ts';
import type { SessionKey } from '../../../memory/session.ts';
import type { AgentForked, AgentRestored, AgentSnapshot, AgentSnapshots } from '../../agent-snapshots.ts';
import type { LifecycleEvents } from '../../lifecycle-events.ts';
import type { CopiesWrite } from '../../record-copies.ts';
import type { Writes } from '../../records.ts';
import type { ReembeddingStore } from '../../reembedding-store.ts';
import type { ScopePolicies, SeenKeyspaces } from '../../scope-policies.ts';
import type { SessionOutcome, SessionWrite } from '../../session-store.ts';
import type {
  CursorMove,
  SubscriptionOutcome,
  SubscriptionStore,
  SubscriptionWrite,
} from '../../subscription-store.ts';
import type { ExpiredErased } from './erase-leftovers.ts';

/** Every command of the writer: a change of the records, or of what else is in the folder. */
export interface Commands extends Writes {
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
  applyCopies: { write: CopiesWrite; outcome: { revision: number } };
  seeKeyspace: { write: Parameters<SeenKeyspaces['see']>[0]; outcome: undefined };
  /** Compacts a part of the change log; returns whether the log is compacted up to the revision. */
  compactLog: { write: { throughRevision: number; limit: number }; outcome: boolean };
  createSubscription: { write: SubscriptionWrite; outcome: SubscriptionOutcome };
  deleteSubscription: { write: Parameters<SubscriptionStore['deleteSubscription']>[0]; outcome: { revision: number } };
  changeWebhook: { write: Parameters<SubscriptionStore['changeWebhook']>[0]; outcome: SubscriptionOutcome };
  moveCursors: { write: { cursors: readonly CursorMove[]; atUs: Micros }; outcome: undefined };
  forgetConsumers: { write: { atUs: Micros }; outcome: number };
  /** Writes the upkeep that earlier transactions have left; see `upkeep.ts`. */
  writeUpkeep: { write: object; outcome: undefined };
  /** Writes a slice of it; no other command is in its transaction. */
  settleSome: { write: object; outcome: undefined };
  /** Erases a part of the rows of deleted namespaces. */
  eraseLeftovers: { write: object; outcome: { isDone: boolean } };
}

export type Verb = keyof Commands;

/** A command of one verb. */
export type CommandOf<V extends Verb> = { readonly kind: V } & Commands[V]['write'];

export type Command = { readonly [V in Verb]: CommandOf<V> }[Verb];
