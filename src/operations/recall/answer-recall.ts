import type { Call } from '../../memory/call.ts';
import { type ErrorReason, MnemeError } from '../../memory/errors.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Micros } from '../../memory/memory.ts';
import { TIERS } from '../../memory/tiers.ts';
import { stretchOf, type TimeWindow } from '../../memory/time-window.ts';
import { focusOn } from '../tiers/focus.ts';
import type { TierDeps } from '../tiers/tier-policy-of.ts';
import { asCaller, type Caller } from '../visibility/caller.ts';
import { cachedSearch, type RecallCache } from './cached-search.ts';
import { type CountTokens, withinBudget } from './passages.ts';
import { type RecallDeps, recall } from './recall.ts';
import { recallPreset } from './recall-preset.ts';
import type { RecallAnswer, RecallRequest } from './recall-request.ts';
import { seenRequest } from './seen-request.ts';

export interface AnswerRecallDeps extends RecallDeps, TierDeps {
  /** Absent: every answer is searched for. */
  readonly cache?: RecallCache;
  readonly countTokens: CountTokens;
  /** The server's, by the names that GetServerInfo gives them. */
  readonly limits: readonly { readonly name: string; readonly value: number }[];
}

/** Recalls in whatever form the request asks for, within its window of time, its tiers and its budget of tokens. */
export async function answerRecall(deps: AnswerRecallDeps, request: RecallRequest, call: Call): Promise<RecallAnswer> {
  const { search, from } = await searchOf(deps, request);
  return seenBy(from, async () => {
    const found = await cachedSearch(deps, request, search, call, () => searched(deps, search, call));
    return finished(deps, request, found);
  });
}

/** What is to be searched for, and from where it is seen, as far as policies make that matter. */
export interface SeenSearch {
  readonly search: RecallRequest;
  readonly from?: Caller;
}

/** What is to be searched for the request: it counts nothing, and says itself what may be returned. */
export async function searchOf(deps: AnswerRecallDeps, request: RecallRequest): Promise<SeenSearch> {
  const { seen, ...from } = await seenRequest(deps, request);
  const { tokenBudget, timeWindow, ...rest } = seen;
  const timed = timeWindow ? inWindow(rest, timeWindow, deps.clock.nowUs()) : rest;
  // One neighbour tells which hits follow one another.
  const neighborCount = tokenBudget === undefined ? rest.neighborCount : Math.max(1, rest.neighborCount);
  return { search: { ...timed, neighborCount, focus: false, touch: false }, ...from };
}

/** Does what belongs to a search as the one who may see what it finds; all that is read for it is seen from there. */
export function seenBy<T>(from: Caller | undefined, work: () => T): T {
  return from === undefined ? work() : asCaller(from, work);
}

export function searched(deps: RecallDeps, search: RecallRequest, call: Call): Promise<RecallAnswer> {
  return search.preset ? recallPreset(deps, search, search.preset, call) : recall(deps, search, call);
}

/**
 * What was found as the request wants it: within its budget, counted, and moved up; what the budget leaves out is not counted.
 * Where a store cannot take that, `degraded` has `touch` or `focus`.
 */
export async function finished(
  deps: AnswerRecallDeps,
  { namespace, tokenBudget, neighborCount, touch, focus, tiers }: RecallRequest,
  found: RecallAnswer,
): Promise<RecallAnswer> {
  // A tier that was not asked for is missing to nobody.
  const others: readonly string[] = tiers ? TIERS.filter((tier) => !tiers.includes(tier)) : [];
  let answer: RecallAnswer = { ...found, degraded: found.degraded.filter(({ part }) => !others.includes(part)) };
  if (tokenBudget !== undefined) {
    const cut = await withinBudget(found.hits, tokenBudget, deps.countTokens);
    const hits = neighborCount === 0 ? cut.hits.map((hit) => ({ ...hit, before: [], after: [] })) : cut.hits;
    answer = { ...answer, ...cut, hits };
  }
  if (!focus && !touch) return answer;
  try {
    return await (focus ? inFocus : counted)(deps, namespace, answer);
  } catch (error) {
    // What was found is found; the answer says what was not done with it.
    if (!(error instanceof MnemeError && NOT_TAKEN.has(error.reason))) throw error;
    const reason = `hits may not have been counted${focus ? ' and moved up' : ''}: ${error.message}`;
    return { ...answer, degraded: [...answer.degraded, { part: focus ? 'focus' : 'touch', reason }] };
  }
}

/** A store cannot be reached, or takes nothing more. */
const NOT_TAKEN: ReadonlySet<ErrorReason> = new Set(['STORAGE_UNAVAILABLE', 'STORAGE_FULL']);

async function counted(deps: AnswerRecallDeps, namespace: string, answer: RecallAnswer): Promise<RecallAnswer> {
  const ids = answer.hits.map(({ memory }) => memory.id);
  if (ids.length > 0) await deps.store.touch({ namespace, ids, atUs: deps.clock.nowUs() });
  return answer;
}

async function inFocus(deps: AnswerRecallDeps, namespace: string, answer: RecallAnswer): Promise<RecallAnswer> {
  const memories = answer.hits.map(({ memory }) => memory);
  const promoted = await focusOn(deps, namespace, memories);
  const hits = answer.hits.map((hit) => {
    const tier = promoted.get(hit.memory.id);
    return tier ? { ...hit, memory: { ...hit.memory, tier } } : hit;
  });
  return { ...answer, hits, promoted: memories.filter(({ id }) => promoted.has(id)) };
}

function inWindow<R extends { readonly filter?: Filter }>(request: R, window: TimeWindow, nowUs: Micros): R {
  const { fromUs, untilUs } = stretchOf(window, nowUs);
  const filters: Filter[] = request.filter ? [request.filter] : [];
  const compare = (operator: 'greater_or_equal' | 'less', timeUs: Micros): Filter => {
    const target = { kind: 'field', field: 'event_time' } as const;
    return { kind: 'comparison', target, operator, values: [{ timeUs }], ignoreCase: false };
  };
  if (fromUs !== undefined) filters.push(compare('greater_or_equal', fromUs));
  if (untilUs !== undefined) filters.push(compare('less', untilUs));
  return { ...request, filter: { kind: 'all', filters } };
}
