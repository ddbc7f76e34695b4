import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../../../memory/call.ts';
import type { Clock } from '../../../memory/clock.ts';
import type { Memory, Micros } from '../../../memory/memory.ts';
import { resolvePreset } from '../../../search/presets/presets.ts';
import type { Records } from '../../../storage/records.ts';
import type { AnswerCache, Question } from '../../answer-cache/answer-cache.ts';
import { waitForRevision } from '../memories/wait-for-revision.ts';
import { currentCaller, isFromScope } from '../visibility/visibility.ts';
import type { RecallAnswer, RecallHit, RecallRequest } from './recall-request.ts';

export interface RecallCache {
  readonly answers: AnswerCache<RecallAnswer>;
  /**
   * Applies all changes acknowledged in a namespace before the call to the cache; returns the current revision, or
   * `undefined` where it cannot be determined.
   */
  refresh(namespace: string): Promise<number | undefined>;
}

interface CachedDeps {
  readonly store: Records;
  readonly clock: Clock;
  readonly cache?: RecallCache;
}

/** Longer ago than any window reaches that is not meant to end now. */
const PROBES_US = [4_020_000_000, 34_560_000_000_000];
const BYTES_PER_HIT = 500;
const BYTES_PER_COMPONENT = 100;

/**
 * The cached answer, where nothing that it depends on has changed; else the result of `search`. Runs with the
 * visibility of its caller: answers limited by policies are never cached, and cached ones are never returned to a
 * limited caller.
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
  // The answer is unchanged up to the revision.
  if (known) return { ...known, revision: Math.max(known.revision, revision) };
  const answer = await search();
  // A degraded part may recover at any time; changes made during the search may or may not be in the answer.
  const { untilUs } = answer;
  if (untilUs !== undefined && answer.degraded.length === 0 && (await cache.refresh(request.namespace)) === revision) {
    answers.put(question, { answer, bytes: bytesOf(answer), revision, nowUs, untilUs });
  }
  return answer;
}

/** Whether the query depends on the present instant: repeated later it would be another query. */
function isOfNow({ timeWindow, preset }: RecallRequest, nowUs: Micros): boolean {
  if (timeWindow?.kind === 'last') return true;
  if (!preset || preset.nowUs !== undefined) return false;
  const plan = resolvePreset(preset, nowUs);
  return PROBES_US.some((laterUs) => !isDeepStrictEqual(plan, resolvePreset(preset, nowUs + laterUs)));
}

function questionOf({ namespace, minRevision: _, bytesMax: __, ...asked }: RecallRequest): Question {
  // Unlimited callers have separate answers: a policy may be set between any two steps of a limited call.
  return { namespace, key: hash('sha256', JSON.stringify([currentCaller() ?? 'anybody', asked], plain)) };
}

/** Encodes bytes and vectors as distinct texts. */
function plain(_key: string, value: unknown): unknown {
  if (!ArrayBuffer.isView(value)) return value;
  const { buffer, byteOffset, byteLength } = value;
  return `${value.constructor.name}:${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}`;
}

/** Approximate size in memory. */
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
  { cache, store }: { readonly cache: RecallCache; readonly store: Pick<Records, 'getNamespace'> },
  namespace?: string,
): Promise<{ readonly count: number; readonly bytes: number }> {
  if (namespace !== undefined) await store.getNamespace(namespace);
  return cache.answers.clear(namespace);
}
