import type { Idempotency } from '../../../memory/call.ts';
import { type Life, type LivingSession, lifeAfter, type Notes } from '../../../memory/lifecycle.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { SessionRecord } from '../../../memory/session.ts';
import type { NewMemory, StoreWrite } from '../../../storage/memory-store.ts';
import type { SessionOp } from '../../../storage/session-store.ts';
import type { HookReport } from './hooks.ts';
import type { LifecycleDeps } from './lifecycle-deps.ts';
import { livingSession } from './living-session.ts';
import type { Stepped } from './step.ts';
import { eventOf } from './tell-transition.ts';
import { finished } from './transition-session.ts';

/** Takes everything away that a session holds. */
export const CLEAR_ALL: SessionOp = { kind: 'clear', values: true, task: true, notes: true, checkpoints: true };

/** What was decided when a termination began, and is to be done until it ends. Kept in the session's record as JSON. */
export interface TerminationIntent {
  readonly metadata: Notes;
  readonly hookReports: readonly HookReport[];
  readonly life: Partial<Pick<Life, 'outcome' | 'episodeId'>>;
  readonly expiresAtUs: Micros;
  readonly keepsWorkingMemory: boolean;
  readonly answer: object;
  readonly episode?: PackedWrite;
  readonly idempotency?: Idempotency;
}

/**
 * Does what is left of a termination that was begun: stores the episode, which keeps its id however often that is tried,
 * then erases the session's contents and tells of its end, in one write.
 */
export async function finishTermination(
  deps: LifecycleDeps,
  record: SessionRecord,
  signal: AbortSignal,
  startedAtMs = performance.now(),
): Promise<Stepped> {
  const intent = intentOf(record);
  if (intent.episode) await deps.store.store(unpacked(intent.episode));
  const session = livingSession(record);
  const { intent: _, ...lived } = session.life as Life & { intent?: unknown };
  const life = lifeAfter(lived, 'terminate', record.updatedAtUs, intent.life);
  const atUs = Math.max(deps.clock.nowUs(), record.updatedAtUs);
  const ended: LivingSession = {
    ...session,
    state: 'terminated',
    generation: session.generation + 1,
    updatedAtUs: atUs,
    life,
    expiresAtUs: intent.expiresAtUs,
  };
  const { metadata } = intent;
  const durationMs = performance.now() - startedAtMs;
  const op: SessionOp = {
    kind: 'transition',
    fromGeneration: session.generation,
    to: 'terminated',
    isFrozen: true,
    metadata: record.metadata,
    lifecycle: JSON.stringify(life),
    expiresAtUs: intent.expiresAtUs,
    event: JSON.stringify(eventOf(deps, 'terminate', 'after', ended, metadata, { durationMs })),
    answer: JSON.stringify({ ...intent.answer, hookReports: intent.hookReports, durationMs }),
  };
  const { namespace, id } = record;
  const outcome = await deps.sessions.write({
    namespace,
    session: id,
    states: ['terminating'],
    ops: [...(intent.keepsWorkingMemory ? [] : [CLEAR_ALL]), op],
    limits: deps.sessionLimits,
    atUs,
    ...(intent.idempotency ? { idempotency: intent.idempotency } : {}),
  });
  return finished(deps, 'terminate', outcome, metadata, signal);
}

export function intentOf({ lifecycle }: SessionRecord): TerminationIntent {
  const { intent } = JSON.parse(lifecycle) as { intent?: TerminationIntent };
  if (!intent) throw new Error('a session that is ending does not say how');
  return intent;
}

/** An episode as JSON can hold it: its content's bytes are in base64, and its vector is made again. */
interface PackedWrite extends Omit<StoreWrite, 'memories'> {
  readonly memory: Omit<NewMemory, 'content' | 'embedding'>;
  readonly content?: { readonly mediaType: string; readonly data: string };
}

export function packed({ memories: [first], ...write }: StoreWrite): PackedWrite | undefined {
  if (!first) return undefined;
  const { embedding, content, ...memory } = first;
  const data = content && Buffer.from(content.data).toString('base64');
  return {
    ...write,
    memory: { ...memory, embeddingPending: memory.embeddingPending || embedding !== undefined },
    ...(content && data !== undefined ? { content: { mediaType: content.mediaType, data } } : {}),
  };
}

function unpacked({ memory, content, ...write }: PackedWrite): StoreWrite {
  const whole = content && { mediaType: content.mediaType, data: Buffer.from(content.data, 'base64') };
  return { ...write, memories: [{ ...memory, ...(whole ? { content: whole } : {}) }] };
}
