import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AnswerCache, Question } from '../../answer-cache/answer-cache.ts';
import type { Call } from '../../memory/call.ts';
import type { Clock } from '../../memory/clock.ts';
import type { Memory, Micros } from '../../memory/memory.ts';
import { resolvePreset } from '../../recall/presets/presets.ts';
import type { MemoryStore } from '../../storage/memory-store.ts';
import { waitForRevision } from '../memories/wait-for-revision.ts';
import { currentCaller, isFromScope } from '../visibility/visibility.ts';
import type { RecallAnswer, RecallHit, RecallRequest } from './recall-request.ts';

export interface RecallCache {
  readonly answers: AnswerCache<RecallAnswer>;
  /**
   * Tells the cache of every change that was acknowledged in a namespace before, and of no fewer; gives the revision that
   * holds then, or `undefined` where it cannot be known.
   */
  refresh(namespace: string): Promise<number | undefined>;
}

interface CachedDeps {
  readonly store: MemoryStore;
  readonly clock: Clock;
  readonly cache?: RecallCache;
}

/** Longer ago than any window reaches that is not meant to end now. */
const PROBES_US = [4_020_000_000, 34_560_000_000_000];
const BYTES_PER_HIT = 500;
const BYTES_PER_COMPONENT = 100;

/**
 * The answer that was given before, where nothing has changed since that it depends on; else that of `search`. Runs as the
 * one who may see the answer: what is seen from a scope is never kept, and nothing that is kept is given there.
 */
export async function cachedSearch(
  { cache, store, clock }: CachedDeps,
  request: RecallRequest,
  asked: RecallRequest,
  call: Call,
  search: () => Promise<RecallAnswer>,
): Promise<RecallAnswer> {
  if (!cache?.answers.isOn) return search();
  const { answers } = cache;
  const nowUs = clock.nowUs();
  if (isFromScope(currentCaller()) || isOfNow(request, nowUs)) {
    answers.passedBy();
    return search();
  }
  await waitForRevision(store, request.minRevision, call);
  const revision = await cache.refresh(request.namespace);
  if (revision === undefined) {
    answers.passedBy();
    return search();
  }
  const question = questionOf(asked);
  const known = answers.get(question, nowUs);
  // Nothing of it has changed since it was given.
  if (known) return { ...known, revision: Math.max(known.revision, revision) };
  const answer = await search();
  // What is degraded may be whole again at any time; what has changed meanwhile may be in the answer or not.
  const { untilUs } = answer;
  if (untilUs !== undefined && answer.degraded.length === 0 && (await cache.refresh(request.namespace)) === revision) {
    answers.put(question, { answer, bytes: bytesOf(answer), revision, nowUs, untilUs });
  }
  return answer;
}

/** Whether what is asked for depends on the instant: asked again it would be another question. */
function isOfNow({ timeWindow, preset }: RecallRequest, nowUs: Micros): boolean {
  if (timeWindow?.kind === 'last') return true;
  if (!preset || preset.nowUs !== undefined) return false;
  const plan = resolvePreset(preset, nowUs);
  return PROBES_US.some((laterUs) => !isDeepStrictEqual(plan, resolvePreset(preset, nowUs + laterUs)));
}

function questionOf({ namespace, minRevision: _, bytesMax: __, ...asked }: RecallRequest): Question {
  // Who sees everything has answers apart: a policy may be set between any two steps of those who do not.
  return { namespace, key: hash('sha256', JSON.stringify([currentCaller() ?? 'anybody', asked], plain)) };
}

/** Bytes and vectors as texts of their own kind. */
function plain(_key: string, value: unknown): unknown {
  if (!ArrayBuffer.isView(value)) return value;
  const { buffer, byteOffset, byteLength } = value;
  return `${value.constructor.name}:${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}`;
}

/** About what it takes in memory. */
function bytesOf({ hits, further = [] }: RecallAnswer): number {
  return [...hits, ...further].reduce((sum, hit) => sum + bytesOfHit(hit), BYTES_PER_HIT);
}

function bytesOfHit({ memory, before, after, components, features, matchedTerms, passage }: RecallHit): number {
  const memories = [memory, ...before, ...after].reduce((sum, one) => sum + bytesOfMemory(one), 0);
  return (
    memories +
    2 * (passage?.text.length ?? 0) +
    BYTES_PER_COMPONENT * (components.length + features.length + matchedTerms.length)
  );
}

function bytesOfMemory({ text, content, embedding, tags }: Memory): number {
  const values = embedding?.values.byteLength ?? 0;
  return BYTES_PER_HIT + 2 * text.length + (content?.data.byteLength ?? 0) + values + 32 * tags.length;
}

/** Forgets the answers of a namespace, or all of them. Fails with NAMESPACE_NOT_FOUND. */
export async function clearCache(
  { cache, store }: { readonly cache: RecallCache; readonly store: Pick<MemoryStore, 'getNamespace'> },
  namespace?: string,
): Promise<{ readonly count: number; readonly bytes: number }> {
  if (namespace !== undefined) await store.getNamespace(namespace);
  return cache.answers.clear(namespace);
}
