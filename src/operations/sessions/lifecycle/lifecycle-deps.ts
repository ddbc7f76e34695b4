import type { Idempotency } from '../../../memory/call.ts';
import { derivedId } from '../../../memory/derived-id.ts';
import type { Notes } from '../../../memory/lifecycle.ts';
import type { Scope } from '../../../memory/memory.ts';
import type { SessionKey, SessionLimits } from '../../../memory/session.ts';
import type { AgentSnapshots } from '../../../storage/agent-snapshots.ts';
import type { LifecycleEvents } from '../../../storage/lifecycle-events.ts';
import type { SessionStore } from '../../../storage/session-store.ts';
import type { MemoryDeps } from '../../memories/operation-deps.ts';
import type { Sights } from '../../visibility/sights.ts';
import type { LifecycleHooks } from './hooks.ts';

/** What the operations on the lives of sessions work with. */
export interface LifecycleDeps extends MemoryDeps {
  readonly sessions: SessionStore;
  readonly events: LifecycleEvents;
  readonly agents: AgentSnapshots;
  readonly hooks: LifecycleHooks;
  /** What callers may see. */
  readonly sights: Sights;
  readonly sessionLimits: SessionLimits;
  /** Time to live of keys that are set without one; 0: they stay. */
  readonly defaultTtlUs: number;
  /** Time without a write after which sessions end that ask for no other; 0: they stay. */
  readonly idleTtlUs: number;
  readonly checkpointRetentionUs: number;
  /** How long terminated sessions are remembered. */
  readonly sessionRetentionUs: number;
}

/** What every request for a transition has. */
export interface TransitionRequest extends SessionKey {
  readonly metadata: Notes;
  readonly expectedGeneration?: number;
  /** Whose a new session is. */
  readonly scope?: Scope;
}

/** Ids that a repeated request must have again, although the caller leaves them to the server. */
export function repeatableId(
  deps: Pick<LifecycleDeps, 'newId'>,
  idempotency: Idempotency | undefined,
  what: string,
): string {
  return idempotency ? derivedId(`${what}\n${idempotency.requestId}\n${idempotency.fingerprint}`) : deps.newId();
}
