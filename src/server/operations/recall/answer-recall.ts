import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Call } from '../../../memory/call.ts';
import { type ErrorReason, MnemeError } from '../../../memory/errors.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Micros } from '../../../memory/memory.ts';
import { stretchOf, type TimeWindow, zonedWindow } from '../../../memory/time-window.ts';
import { focusOn } from '../tiers/focus.ts';
import type { TierDeps } from '../tiers/tier-config.ts';
import { asCaller, type Caller } from '../visibility/visibility.ts';
import { cachedSearch, type RecallCache } from './cached-search.ts';
import { type RecallDeps, recall } from './recall.ts';
import { defaultsOf } from './recall-defaults.ts';
import { recallPreset } from './recall-preset.ts';
import type { Passage, RecallAnswer, RecallHit, RecallRequest } from './recall-request.ts';
import { seenRequest } from './seen-request.ts';
import { withTrust } from './trust-of-hits.ts';

export interface AnswerRecallDeps extends RecallDeps, TierDeps {
  /** Absent: every answer is searched for. */
  readonly cache?: RecallCache;
  readonly countTokens: CountTokens;
  /** The limits of the server, by their names in GetServerInfo. */
  readonly limits: readonly { readonly name: string; readonly value: number }[];
}

/** Executes a recall with its preset, time window, tiers and token budget. */
export async function answerRecall(deps: AnswerRecallDeps, request: RecallRequest, call: Call): Promise<RecallAnswer> {
  const { search, from } = await searchOf(deps, request);
  return seenBy(from, async () => {
    const asked = needsMemories(deps, request) ? { ...search, mayEncode: false } : search;
    const found = await cachedSearch(deps, request, asked, call, () => searched(deps, asked, call));
    return finished(deps, request, found);
  });
}

/** Whether the hits, once found, are processed further or kept: encoded hits can only be sent. */
function needsMemories({ cache }: AnswerRecallDeps, request: RecallRequest): boolean {
  const { mayEncode, view, explain, tokenBudget, touch, focus, preset, isPerTier } = request;
  const isProcessed = tokenBudget !== undefined || touch || focus || preset !== undefined || isPerTier;
  return mayEncode === true && (view === 'metadata' || explain || isProcessed || cache?.answers.isOn) === true;
}

/** A search, and the caller whose visibility limits it, where policies apply. */
export interface SeenSearch {
  readonly search: RecallRequest;
  readonly from?: Caller;
}

/** The search for the request: it counts no retrievals, and applies policies itself. */
export async function searchOf(deps: AnswerRecallDeps, request: RecallRequest): Promise<SeenSearch> {
  const [{ seen, ...from }, defaults] = await Promise.all([seenRequest(deps, request), defaultsOf(deps, request)]);
  const { tokenBudget, timeWindow, ...rest } = seen;
  const timed = timeWindow ? inWindow(rest, zonedWindow(timeWindow, defaults.timeZone), deps.clock.nowUs()) : rest;
  // One neighbour shows which hits follow one another.
  const neighborCount = tokenBudget === undefined ? rest.neighborCount : Math.max(1, rest.neighborCount);
  const isOpen = from.from === undefined;
  return { search: { ...timed, ...defaults, isOpen, neighborCount, focus: false, touch: false }, ...from };
}

/** Runs a search's work with the visibility of its caller, which limits all reads. */
export function seenBy<T>(from: Caller | undefined, work: () => T): T {
  return from === undefined ? work() : asCaller(from, work);
}

export async function searched(deps: RecallDeps, search: RecallRequest, call: Call): Promise<RecallAnswer> {
  const answer = await (search.preset ? recallPreset(deps, search, search.preset, call) : recall(deps, search, call));
  return search.view === 'metadata' ? withTrust(deps, search.namespace, answer) : answer;
}

/**
 * Completes an answer as requested: applies the budget, counts retrievals, and moves memories up; hits beyond the
 * budget are not counted. Where a store cannot record that, `degraded` contains `touch` or `focus`.
 */
export async function finished(
  deps: AnswerRecallDeps,
  { namespace, tokenBudget, neighborCount, touch, focus }: RecallRequest,
  found: RecallAnswer,
): Promise<RecallAnswer> {
  let answer = found;
  if (tokenBudget !== undefined) {
    const cut = await withinBudget(found.hits, tokenBudget, deps.countTokens);
    const hits = neighborCount === 0 ? cut.hits.map((hit) => ({ ...hit, before: [], after: [] })) : cut.hits;
    answer = { ...answer, ...cut, hits };
  }
  if (!focus && !touch) return answer;
  try {
    return await (focus ? inFocus : counted)(deps, namespace, answer);
  } catch (error) {
    // The hits are valid; the answer reports what was not recorded.
    if (!(error instanceof MnemeError && NOT_TAKEN.has(error.reason))) throw error;
    const reason = `hits may not have been counted${focus ? ' and moved up' : ''}: ${error.message}`;
    return { ...answer, degraded: [...answer.degraded, { part: focus ? 'focus' : 'touch', reason }] };
  }
}

/** A store is unreachable or full. */
const NOT_TAKEN: ReadonlySet<ErrorReason> = new Set(['STORAGE_UNAVAILABLE', 'STORAGE_FULL']);

async function counted(deps: AnswerRecallDeps, namespace: string, answer: RecallAnswer): Promise<RecallAnswer> {
  const ids = answer.hits.map(({ memory }) => memory.id);
  if (ids.length > 0) await deps.store.write({ kind: 'touch', namespace, ids, atUs: deps.clock.nowUs() });
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

/** Number of tokens of a text; for a text with more than `max`, some larger number. */
type CountTokens = (text: string, max: number) => number;

export interface WithinBudget {
  readonly hits: readonly RecallHit[];
  readonly passages: readonly Passage[];
  readonly tokenCount: number;
}

/** Hits that did not fit, after which no smaller one is looked for. */
const MISFITS_MAX = 16;
/** Longest stretch of counting between two looks at the event loop. */
const SLICE_MS = 5;

interface Line {
  readonly hit: RecallHit;
  readonly text: string;
  readonly tokens: number;
  /** Ids of the memories just before and after it in its session. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * The hits that fit the token budget, best first, and as passages: consecutive hits of a session are merged. Each hit
 * must have its neighbours, where they exist.
 */
export async function withinBudget(
  hits: readonly RecallHit[],
  budget: number,
  countTokens: CountTokens,
): Promise<WithinBudget> {
  const lines: Line[] = [];
  let left = budget;
  let misfits = 0;
  let sliceEndMs = performance.now() + SLICE_MS;
  for (const hit of hits) {
    if (performance.now() > sliceEndMs) {
      await nextTurn();
      sliceEndMs = performance.now() + SLICE_MS;
    }
    const text = lineOf(hit);
    const tokens = countTokens(text, left);
    if (tokens > left) {
      if (++misfits === MISFITS_MAX) break;
      continue;
    }
    left -= tokens;
    lines.push({ hit, text, tokens, before: hit.before.at(-1)?.id, after: hit.after[0]?.id });
  }
  return { hits: lines.map(({ hit }) => hit), passages: passagesOf(lines), tokenCount: budget - left };
}

/** Of a long text only the matching passage, which fits where the whole text would not. */
function lineOf({ memory: { text: whole, source }, passage }: RecallHit): string {
  const text = passage?.text ?? whole;
  return text === '' || source.speaker === '' ? text : `${source.speaker}: ${text}`;
}

/** White space divides lines, and no token reaches across it: a passage has the tokens of its lines together. */
function passagesOf(lines: readonly Line[]): Passage[] {
  const byId = new Map(lines.map((line) => [line.hit.memory.id, line]));
  const passages: Passage[] = [];
  for (const line of lines) {
    if (!byId.has(line.hit.memory.id)) continue;
    const run = runAround(line, byId);
    for (const { hit } of run) byId.delete(hit.memory.id);
    const said = run.filter(({ text }) => text !== '');
    if (said.length === 0) continue;
    passages.push({
      text: said.map(({ text }) => text).join('\n'),
      tokenCount: said.reduce((sum, { tokens }) => sum + tokens, 0),
      memories: said.map(({ hit }) => hit.memory),
      // Lines come best first, so the line that starts a run is its best.
      score: line.hit.score,
    });
  }
  return passages;
}

/** The lines that follow one another without a gap, in the order of their session. */
function runAround(line: Line, byId: ReadonlyMap<string, Line>): Line[] {
  const run = [line];
  const seen = new Set([line]);
  const next = (id: string | undefined): Line | undefined => {
    const found = id === undefined ? undefined : byId.get(id);
    if (!found || seen.has(found)) return undefined;
    seen.add(found);
    return found;
  };
  for (let at = next(line.before); at; at = next(at.before)) run.unshift(at);
  for (let at = next(line.after); at; at = next(at.after)) run.push(at);
  return run;
}
