import type { Call } from '../../../memory/call.ts';
import { derivedId } from '../../../memory/derived-id.ts';
import { invalidFields, MnemeError } from '../../../memory/errors.ts';
import type { LifecycleEvent, LivingSession, Notes } from '../../../memory/lifecycle.ts';
import { sessionName } from '../../../memory/session.ts';
import type { Transition } from '../../../memory/session-state.ts';
import type { HookReport } from './hooks.ts';
import type { LifecycleDeps } from './lifecycle-deps.ts';

const NOTES_MAX = 64;
const NOTES_BYTES_MAX = 16_384;

export function eventOf(
  deps: LifecycleDeps,
  transition: Transition,
  phase: LifecycleEvent['phase'],
  session: LivingSession,
  metadata: Notes,
  { durationMs, refusal = '' }: { durationMs: number; refusal?: string },
): LifecycleEvent {
  const { checkpointId, episodeId } = session.life;
  const atUs = phase === 'after' ? session.updatedAtUs : deps.clock.nowUs();
  const id = phase === 'after' ? idAfter(transition, session) : deps.newId();
  return { id, transition, phase, session, atUs, metadata, checkpointId, episodeId, refusal, durationMs };
}

/** Hooks and those who follow events are told the same id, so that who is both knows what it was told already. */
function idAfter(
  transition: Transition,
  { namespace, id, generation, createdAtUs, updatedAtUs }: LivingSession,
): string {
  return derivedId(
    `event\n${sessionName(namespace, id)}\n${createdAtUs}\n${generation}\n${transition}\n${updatedAtUs}`,
  );
}

/** Fails with HOOK_VETOED, which is an event too. */
export async function askBefore(
  deps: LifecycleDeps,
  transition: Transition,
  session: LivingSession,
  metadata: Notes,
  call: Call,
  startedAtMs: number,
): Promise<{ reports: readonly HookReport[]; notes: Notes }> {
  const { reports, notes, veto } = await deps.hooks.ask(
    'before',
    eventOf(deps, transition, 'before', session, metadata, { durationMs: performance.now() - startedAtMs }),
    call.signal,
  );
  call.signal.throwIfAborted();
  if (!veto) return { reports, notes };
  const name = sessionName(session.namespace, session.id);
  const reason = `hook ${veto.hook} refused to ${transition} ${name}: ${veto.reason}`;
  const told = { durationMs: performance.now() - startedAtMs, refusal: reason };
  const event = eventOf(deps, transition, 'refused', session, metadata, told);
  await deps.events.append({ namespace: session.namespace, body: JSON.stringify(event), atUs: event.atUs });
  deps.events.announce(session.namespace);
  throw new MnemeError('HOOK_VETOED', reason, { metadata: { name, hook: veto.hook, transition } });
}

/** Limits of `Session.metadata`, which a hook can pass too. */
export function checkNotes(notes: Notes): void {
  const count = Object.keys(notes).length;
  const bytes = Buffer.byteLength(JSON.stringify(notes));
  if (count <= NOTES_MAX && bytes <= NOTES_BYTES_MAX) return;
  const limit = `at most ${NOTES_MAX} entries and ${NOTES_BYTES_MAX} bytes together`;
  throw invalidFields([{ field: 'metadata', description: `must be ${limit}, got ${count} and ${bytes}` }]);
}
