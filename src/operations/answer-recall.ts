import type { Call } from '../memory/call.ts';
import type { Filter } from '../memory/filter.ts';
import type { Micros } from '../memory/memory.ts';
import { stretchOf, type TimeWindow } from '../memory/time-window.ts';
import { type CountTokens, withinBudget } from './passages.ts';
import { type RecallDeps, recall } from './recall.ts';
import { recallPreset } from './recall-preset.ts';
import type { RecallAnswer, RecallRequest } from './recall-request.ts';

export interface AnswerRecallDeps extends RecallDeps {
  readonly countTokens: CountTokens;
  /** The server's, by the names that GetServerInfo gives them. */
  readonly limits: readonly { readonly name: string; readonly value: number }[];
}

/** Recalls in whatever form the request asks for, within its window of time and its budget of tokens. */
export async function answerRecall(deps: AnswerRecallDeps, request: RecallRequest, call: Call): Promise<RecallAnswer> {
  const { tokenBudget, timeWindow, ...rest } = request;
  const asked = timeWindow ? inWindow(rest, timeWindow, deps.clock.nowUs()) : rest;
  if (tokenBudget === undefined) return inAnyForm(deps, asked, call);
  // One neighbour tells which hits follow one another; what the budget leaves out is not touched.
  const neighborCount = Math.max(1, request.neighborCount);
  const answer = await inAnyForm(deps, { ...asked, neighborCount, touch: false }, call);
  const cut = await withinBudget(answer.hits, tokenBudget, deps.countTokens);
  const isBare = request.neighborCount === 0;
  const hits = isBare ? cut.hits.map((hit) => ({ ...hit, before: [], after: [] })) : cut.hits;
  if (request.touch && hits.length > 0) {
    const ids = hits.map(({ memory }) => memory.id);
    await deps.store.touch({ namespace: request.namespace, ids, atUs: deps.clock.nowUs() });
  }
  return { ...answer, ...cut, hits };
}

function inAnyForm(deps: RecallDeps, request: RecallRequest, call: Call): Promise<RecallAnswer> {
  const { preset } = request;
  return preset ? recallPreset(deps, request, preset, call) : recall(deps, request, call);
}

function inWindow(request: RecallRequest, window: TimeWindow, nowUs: Micros): RecallRequest {
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
