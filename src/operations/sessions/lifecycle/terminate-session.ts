import type { Call } from '../../../memory/call.ts';
import { derivedId } from '../../../memory/derived-id.ts';
import { type Conclusion, type Episode, episodeOf } from '../../../memory/episode.ts';
import type { LivingSession } from '../../../memory/lifecycle.ts';
import type { Micros } from '../../../memory/memory.ts';
import { type SessionSnapshot, sessionName } from '../../../memory/session.ts';
import type { StoreWrite } from '../../../storage/memory-store.ts';
import { storeWriteOf } from '../../memories/store-memories.ts';
import { CLEAR_ALL, finishTermination, intentOf, packed, type TerminationIntent } from './finish-termination.ts';
import type { LifecycleDeps, TransitionRequest } from './lifecycle-deps.ts';
import { livingSession } from './living-session.ts';
import type { Standing, Step, Stepped, Told } from './step.ts';
import { transitionSession } from './transition-session.ts';

export interface TerminateRequest extends TransitionRequest {
  readonly conclusion: Conclusion;
  readonly skipsEpisode: boolean;
  readonly keepsWorkingMemory: boolean;
  /** Fails with `NotIdle` where something was written to the session in the meantime; one that holds nothing makes no episode. */
  readonly onlyIdle?: boolean;
}

export class NotIdle extends Error {
  override readonly name = 'NotIdle';
}

export interface Terminated extends Told {
  readonly session: LivingSession;
  readonly consolidatedCount: number;
  readonly isTruncated: boolean;
  readonly clearedCount: number;
  readonly checkpointsClearedCount: number;
}

/**
 * Ends a session: what it was becomes a memory, and what it held is erased. Where sessions and memories lie in one store
 * that is one write. Elsewhere the decision is made durable first, with the memory in it; `finishTermination` does the
 * rest, now or after a restart.
 */
export async function terminateSession(
  deps: LifecycleDeps,
  request: TerminateRequest,
  call: Call,
): Promise<Terminated> {
  const isOneWrite = deps.sessions.storesEpisodes || request.skipsEpisode;
  const stepped = (await takenUpAgain(deps, request, call)) ?? (await ended(deps, request, call, isOneWrite));
  deps.onEmbeddingPending();
  return {
    ...stepped,
    session: livingSession(stepped.record),
    consolidatedCount: Number(stepped.answer.itemCount ?? 0),
    isTruncated: stepped.answer.isTruncated === true,
    clearedCount: stepped.results[0]?.removed ?? 0,
    checkpointsClearedCount: stepped.results[0]?.checkpointsRemoved ?? 0,
  };
}

/** A termination that this request began and that something kept from ending. */
async function takenUpAgain(deps: LifecycleDeps, request: TerminateRequest, call: Call): Promise<Stepped | undefined> {
  if (!call.idempotency || deps.sessions.storesEpisodes) return undefined;
  const record = await deps.sessions.session({ namespace: request.namespace, session: request.session });
  if (record?.state !== 'terminating') return undefined;
  const isSame = intentOf(record).idempotency?.requestId === call.idempotency.requestId;
  return isSame ? finishTermination(deps, record, call.signal) : undefined;
}

async function ended(
  deps: LifecycleDeps,
  request: TerminateRequest,
  call: Call,
  isOneWrite: boolean,
): Promise<Stepped> {
  const startedAtMs = performance.now();
  const begun = await transitionSession(deps, 'terminate', request, call, async (standing) => {
    const step = await endOf(deps, request, standing, call);
    return isOneWrite ? step : begunWith(step, standing, request, call);
  });
  return isOneWrite || !begun.isNew ? begun : finishTermination(deps, begun.record, call.signal, startedAtMs);
}

async function endOf(deps: LifecycleDeps, request: TerminateRequest, standing: Standing, call: Call): Promise<Step> {
  const { namespace, session: id, conclusion } = request;
  const { session, metadata, nowUs } = standing;
  if (request.onlyIdle && (session.idleAtUs ?? Number.POSITIVE_INFINITY) > nowUs) throw new NotIdle();
  const snapshot = await deps.sessions.snapshot({ namespace, session: id, nowUs });
  if (!snapshot) throw new Error(`${sessionName(namespace, id)} has a record and no contents`);
  const told = { ...session, metadata: { ...session.metadata, ...metadata } };
  const skipsEpisode = request.skipsEpisode || (request.onlyIdle && isEmpty(snapshot));
  const episode = skipsEpisode ? undefined : episodeOf(told, snapshot, conclusion, nowUs);
  const write = episode && (await memoryOf(deps, session, episode, nowUs, call));
  return {
    to: 'terminated',
    isFrozen: true,
    ops: request.keepsWorkingMemory ? [] : [CLEAR_ALL],
    life: { outcome: conclusion.outcome, episodeId: write?.memories[0]?.id ?? '' },
    expiresAtUs: nowUs + deps.sessionRetentionUs,
    ifRevision: snapshot.revision,
    ...(write ? { episode: write } : {}),
    answer: { itemCount: episode?.itemCount ?? 0, isTruncated: episode?.isTruncated ?? false },
  };
}

function isEmpty({ entries, notes, task }: SessionSnapshot): boolean {
  return entries.length === 0 && notes.length === 0 && task === undefined;
}

/** The episode as a memory of whoever the session belongs to: a later session of the same agent sees it. */
async function memoryOf(
  deps: LifecycleDeps,
  { namespace, id, scope, generation, createdAtUs }: LivingSession,
  episode: Episode,
  nowUs: Micros,
  call: Call,
): Promise<StoreWrite> {
  const name = sessionName(namespace, id);
  return storeWriteOf(
    deps,
    {
      namespace,
      onConflict: 'keep',
      memories: [
        {
          id: derivedId(`episode\n${name}\n${createdAtUs}\n${generation}`),
          scope: { ...scope, session: '' },
          type: 'episode',
          text: episode.text,
          textDerived: false,
          content: episode.content,
          tags: ['session'],
          importance: episode.importance,
          priority: 1,
          eventAtUs: nowUs,
          source: { speaker: '', uri: name, origin: 'lifecycle' },
        },
      ],
    },
    call,
  );
}

/** The first half where the memory goes to another store: the session takes no more writes, and says what is to be done. */
function begunWith(step: Step, { metadata, hookReports }: Standing, request: TerminateRequest, call: Call): Step {
  const { ops, life, expiresAtUs, episode, answer, ...rest } = step;
  const memory = episode && packed(episode);
  const intent: TerminationIntent = {
    metadata,
    hookReports,
    life: life ?? {},
    expiresAtUs: expiresAtUs ?? 0,
    keepsWorkingMemory: request.keepsWorkingMemory,
    answer: answer ?? {},
    ...(memory ? { episode: memory } : {}),
    ...(call.idempotency ? { idempotency: call.idempotency } : {}),
  };
  return { ...rest, to: 'terminating', ops: [], intent, isBegun: true };
}
