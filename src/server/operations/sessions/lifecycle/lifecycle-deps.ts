import type { Idempotency } from '../../../../memory/call.ts';
import { derivedId } from '../../../../memory/derived-id.ts';
import { type Life, type LivingSession, NEW_LIFE, type Notes } from '../../../../memory/lifecycle.ts';
import type { Scope } from '../../../../memory/memory.ts';
import {
  idleAtUs,
  type SessionKey,
  type SessionLimits,
  type SessionRecord,
  sessionNotFound,
} from '../../../../memory/session.ts';
import type { AgentSnapshots } from '../../../../storage/agent-snapshots.ts';
import type { LifecycleEvents } from '../../../../storage/lifecycle-events.ts';
import type { SessionStore } from '../../../../storage/session-store.ts';
import type { MemoryDeps } from '../../memories/operation-deps.ts';
import type { VisibilityRules } from '../../visibility/visibility.ts';
import type { LifecycleHooks } from './hooks.ts';

/** Dependencies of the operations on session lifecycles. */
export interface LifecycleDeps extends MemoryDeps {
  readonly sessions: SessionStore;
  readonly events: LifecycleEvents;
  readonly agents: AgentSnapshots;
  readonly hooks: LifecycleHooks;
  /** Visibility for callers. */
  readonly visibilityRules: VisibilityRules;
  readonly sessionLimits: SessionLimits;
  /** Time to live of keys that are set without one; 0: they stay. */
  readonly defaultTtlUs: number;
  /** Time without a write after which sessions end that ask for no other; 0: they stay. */
  readonly idleTtlUs: number;
  readonly checkpointRetentionUs: number;
  /** How long terminated sessions are remembered. */
  readonly sessionRetentionUs: number;
}

/** Common part of all transition requests. */
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

/** The session of a record. A session that was never spawned has been active since its creation. */
export function livingSession(record: SessionRecord): LivingSession {
  const { namespace, id, project, agentType, agent, state, generation, createdAtUs, updatedAtUs, isFrozen } = record;
  const { defaultTtlUs, idleTtlUs } = record;
  const idle = idleAtUs(record);
  const kept = JSON.parse(record.lifecycle || '{}') as Partial<Life>;
  const life: Life = kept.steps ? { ...NEW_LIFE, ...kept } : { ...NEW_LIFE, activeSinceUs: createdAtUs };
  return {
    namespace,
    id,
    scope: { project, agentType, agent, session: id },
    state,
    generation,
    metadata: JSON.parse(record.metadata || '{}') as Notes,
    createdAtUs,
    updatedAtUs,
    isFrozen,
    life,
    defaultTtlUs,
    idleTtlUs,
    idleAtUs: idle,
    expiresAtUs: record.expiresAtUs,
  };
}

/** Fails with SESSION_NOT_FOUND, also where its memory has passed. */
export async function readSession(
  sessions: SessionStore,
  { namespace, session }: SessionKey,
  nowUs: number,
): Promise<{ record: SessionRecord; session: LivingSession }> {
  const record = await sessions.session({ namespace, session });
  if (!record || (record.expiresAtUs ?? Number.POSITIVE_INFINITY) <= nowUs) {
    throw sessionNotFound({ namespace, session });
  }
  return { record, session: livingSession(record) };
}
