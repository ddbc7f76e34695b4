import { type Life, type LivingSession, NEW_LIFE, type Notes } from '../../../memory/lifecycle.ts';
import { idleAtUs, type SessionKey, type SessionRecord } from '../../../memory/session.ts';
import { sessionNotFound } from '../../../memory/session-state.ts';
import type { SessionStore } from '../../../storage/session-store.ts';

/** The session of a record. One that was never spawned has been active since it was made. */
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
    ...(idle === undefined ? {} : { idleAtUs: idle }),
    ...(record.expiresAtUs === undefined ? {} : { expiresAtUs: record.expiresAtUs }),
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
