import type { Micros } from '../../memory/memory.ts';
import { namesTime } from '../../memory/time/time-expressions.ts';
import { stretchOf } from '../../memory/time-window.ts';
import { resolvePreset } from '../../recall/presets/resolve-preset.ts';
import { spansOf } from '../../recall/presets/spans-of.ts';
import type { RecallAnswer, RecallRequest } from '../recall/recall-request.ts';
import type { AnswerState } from './answer-state.ts';

const SECOND_US = 1_000_000;
/** Recency falls so slowly that an answer which is this much of a half-life old is as good as new. */
const HALF_LIFE_SHARE = 1000;
const REFRESH_MAX_US = 3600 * SECOND_US;
/** What "yesterday" or "two hours ago" means is good for so long. */
const TIME_REFRESH_US = 60 * SECOND_US;
/** What a preset reads from contents, such as the time of a window, may matter at an instant that is not known. */
const PRESET_REFRESH_US = 60 * SECOND_US;

/**
 * The next instant at which time alone may change the answer, which has been told; `Infinity` when none will.
 * `upToNow`: of windows that end now how long they are, and when the next memory happens.
 */
export function nextEvaluationUs(
  request: RecallRequest,
  {
    degraded,
    nearExpiresAtUs,
    nextValidAtUs,
    untilUs,
  }: Pick<RecallAnswer, 'degraded' | 'nearExpiresAtUs' | 'nextValidAtUs' | 'untilUs'>,
  told: Pick<AnswerState, 'times'>,
  nowUs: Micros,
  upToNow: { readonly spansUs: readonly Micros[]; readonly nextEventAtUs: Micros },
): Micros {
  const { timeWindow, weights, halfLifeUs, nearTime } = request;
  const instants: number[] = [];
  for (const { expiresAtUs, validUntilUs } of told.times()) {
    if (expiresAtUs !== undefined) instants.push(expiresAtUs);
    if (validUntilUs !== undefined && request.validity === 'current') instants.push(validUntilUs);
  }
  if (nearExpiresAtUs !== undefined) instants.push(nearExpiresAtUs);
  if (nextValidAtUs !== undefined && request.validity === 'current') instants.push(nextValidAtUs);
  // What was missing may be back, and vectors of texts that were still to be made may be there.
  const isUnsettled = untilUs !== undefined && untilUs <= nowUs;
  if (degraded.length > 0 || isUnsettled) instants.push(nowUs + SECOND_US);
  if (weights.recency !== 0 || nearTime) {
    instants.push(nowUs + Math.min(Math.max(halfLifeUs / HALF_LIFE_SHARE, SECOND_US), REFRESH_MAX_US));
  }
  if (request.referenceUs === undefined && namesTime(request.text)) instants.push(nowUs + TIME_REFRESH_US);
  if (request.preset) instants.push(nowUs + PRESET_REFRESH_US);
  for (const spanUs of upToNow.spansUs) {
    // The window may include the instant that lies one span back.
    for (const { eventAtUs } of told.times()) instants.push(eventAtUs + spanUs + 1);
  }
  instants.push(upToNow.nextEventAtUs);
  if (timeWindow?.kind === 'period') {
    instants.push(stretchOf({ ...timeWindow, ago: 0 }, nowUs).untilUs ?? Number.POSITIVE_INFINITY);
  }
  return Math.max(Math.min(...instants, Number.POSITIVE_INFINITY), nowUs);
}

/** How long the windows are that end now, whatever now is. */
export function spansUpToNow({ timeWindow, preset }: RecallRequest, nowUs: Micros): readonly Micros[] {
  const ofPreset = preset && preset.nowUs === undefined ? spansOf(resolvePreset(preset, nowUs)) : [];
  return timeWindow?.kind === 'last' ? [timeWindow.spanUs, ...ofPreset] : ofPreset;
}
