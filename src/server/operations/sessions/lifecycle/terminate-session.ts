import type { Call, Idempotency } from '../../../../memory/call.ts';
import { derivedId } from '../../../../memory/derived-id.ts';
import { type Conclusion, type Episode, episodeOf } from '../../../../memory/episode.ts';
import { type Life, type LivingSession, lifeAfter, type Notes } from '../../../../memory/lifecycle.ts';
import type { Micros } from '../../../../memory/memory.ts';
import { type SessionRecord, type SessionSnapshot, sessionName, sessionNotFound } from '../../../../memory/session.ts';
import type { NewMemory, StoreWrite } from '../../../../storage/records.ts';
import type { SessionOp } from '../../../../storage/session-store.ts';
import { storeWriteOf } from '../../memories/store-memories.ts';
import { checkScopeAllowed } from '../../visibility/visibility.ts';
import type { HookReport } from './hooks.ts';
import { type LifecycleDeps, livingSession, type TransitionRequest } from './lifecycle-deps.ts';
import {
  eventOf,
  finished,
  type Standing,
  type Step,
  type Stepped,
  type TransitionReport,
  transitionSession,
} from './transition-session.ts';

export interface TerminateRequest extends TransitionRequest {
  readonly conclusion: Conclusion;
  readonly skipsEpisode: boolean;
  readonly keepsWorkingMemory: boolean;
  /** Fails with `NotIdle` where the session was written to in the meantime; an empty session makes no episode. */
  readonly onlyIdle?: boolean;
}

export class NotIdle extends Error {
  override readonly name = 'NotIdle';
}

export interface Terminated extends TransitionReport {
  readonly session: LivingSession;
  readonly consolidatedCount: number;
  readonly isTruncated: boolean;
  readonly clearedCount: number;
  readonly checkpointsClearedCount: number;
}

/**
 * Ends a session: its history becomes a memory, and its contents are deleted. Where sessions and memories are in one
 * store that is one write. Elsewhere the decision is first made durable, with the memory in it; `finishTermination`
 * does the rest, now or after a restart.
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

/** Continues a termination that this request started and that was interrupted. */
async function takenUpAgain(deps: LifecycleDeps, request: TerminateRequest, call: Call): Promise<Stepped | undefined> {
  if (!call.idempotency || deps.sessions.storesEpisodes) return undefined;
  const record = await deps.sessions.session({ namespace: request.namespace, session: request.session });
  if (record?.state !== 'terminating') return undefined;
  const isSame = intentOf(record).idempotency.requestId === call.idempotency.requestId;
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
  // It was deleted after its record was read.
  if (!snapshot) throw sessionNotFound({ namespace, session: id });
  const annotated = { ...session, metadata: { ...session.metadata, ...metadata } };
  const skipsEpisode = request.skipsEpisode || (request.onlyIdle && isEmpty(snapshot));
  const episode = skipsEpisode ? undefined : episodeOf(annotated, snapshot, conclusion, nowUs);
  const write = episode && (await memoryOf(deps, session, episode, nowUs, call));
  return {
    to: 'terminated',
    isFrozen: true,
    ops: request.keepsWorkingMemory ? [] : [CLEAR_ALL],
    life: { outcome: conclusion.outcome, episodeId: write?.memories[0]?.id ?? '' },
    expiresAtUs: nowUs + deps.sessionRetentionUs,
    ifRevision: snapshot.revision,
    episode: write,
    answer: { itemCount: episode?.itemCount ?? 0, isTruncated: episode?.isTruncated ?? false },
  };
}

function isEmpty({ entries, notes, task }: SessionSnapshot): boolean {
  return entries.length === 0 && notes.length === 0 && task === undefined;
}

/** The episode as a memory of the session's scope: a later session of the same agent sees it. */
async function memoryOf(
  deps: LifecycleDeps,
  { namespace, id, scope, generation, createdAtUs }: LivingSession,
  episode: Episode,
  nowUs: Micros,
  call: Call,
): Promise<StoreWrite> {
  const name = sessionName(namespace, id);
  const owner = { ...scope, session: '' };
  // Here, since it is stored by another part of the server, or when the session has already been ended.
  checkScopeAllowed(namespace, owner);
  return storeWriteOf(
    deps,
    {
      namespace,
      onConflict: 'keep',
      memories: [
        {
          id: derivedId(`episode\n${name}\n${createdAtUs}\n${generation}`),
          scope: owner,
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

/**
 * The first half where the memory goes to another store: the session becomes read-only and records the remaining work.
 */
function begunWith(
  step: Step,
  { session, metadata, hookReports }: Standing,
  request: TerminateRequest,
  call: Call,
): Step {
  const { ops, life, expiresAtUs, episode, answer, ...rest } = step;
  const memory = episode && packed(episode);
  const intent: TerminationIntent = {
    metadata,
    hookReports,
    life: life ?? {},
    expiresAtUs: expiresAtUs ?? 0,
    keepsWorkingMemory: request.keepsWorkingMemory,
    answer: answer ?? {},
    episode: memory,
    idempotency: call.idempotency ?? endOnce(session),
  };
  return { ...rest, to: 'terminating', ops: [], intent, isBegun: true };
}

/** Of a termination without a request id: servers that finish it at the same time get the first outcome. */
function endOnce({ namespace, id, createdAtUs, generation }: LivingSession): Idempotency {
  const requestId = derivedId(`termination\n${sessionName(namespace, id)}\n${createdAtUs}\n${generation}`);
  return { requestId, fingerprint: 'termination' };
}

/** Deletes all contents of a session. */
export const CLEAR_ALL: SessionOp = { kind: 'clear', values: true, task: true, notes: true, checkpoints: true };

/** The decisions made when a termination began, kept until it ends, in the session's record as JSON. */
interface TerminationIntent {
  readonly metadata: Notes;
  readonly hookReports: readonly HookReport[];
  readonly life: Partial<Pick<Life, 'outcome' | 'episodeId'>>;
  readonly expiresAtUs: Micros;
  readonly keepsWorkingMemory: boolean;
  readonly answer: object;
  readonly episode?: PackedWrite;
  readonly idempotency: Idempotency;
}

/**
 * Completes a started termination: stores the episode, which has the same id in every attempt, then deletes the
 * session's contents and appends the event of its end, in one write.
 */
export async function finishTermination(
  deps: LifecycleDeps,
  record: SessionRecord,
  signal: AbortSignal,
  startedAtMs = performance.now(),
): Promise<Stepped> {
  const intent = intentOf(record);
  if (intent.episode) await deps.store.write({ kind: 'store', ...unpacked(intent.episode) });
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
    idempotency: intent.idempotency,
  });
  return finished(deps, 'terminate', outcome, metadata, signal);
}

function intentOf({ lifecycle }: SessionRecord): TerminationIntent {
  const { intent } = JSON.parse(lifecycle) as { intent?: TerminationIntent };
  if (!intent) throw new Error('a terminating session has no recorded intent');
  return intent;
}

/** An episode as JSON can hold it: its content's bytes are in base64, and its vector is made again. */
interface PackedWrite extends Omit<StoreWrite, 'memories'> {
  readonly memory: Omit<NewMemory, 'content' | 'embedding'>;
  readonly content?: { readonly mediaType: string; readonly data: string };
}

function packed({ memories: [first], ...write }: StoreWrite): PackedWrite | undefined {
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
