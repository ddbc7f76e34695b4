import type { Micros } from '../../memory/memory.ts';
import type { TimeSpan } from '../../memory/time/calendar.ts';
import { timesNamedIn } from '../../memory/time/time-expressions.ts';

/** Of a memory that was made in the time but tells of another one. */
const TOLD_THEN = 0.4;
/** Of one that names a longer time, somewhere in which the asked one is. */
const SOMEWHERE = 0.5;

/**
 * How well a memory fits the times that are asked for, 0 to 1: the times that its text names, as they were meant when
 * it was made ("yesterday"), or else that time itself.
 */
export function timeFit(asked: readonly TimeSpan[], text: string, eventAtUs: Micros): number {
  if (asked.length === 0) return 0;
  const isMadeThen = isWithin(asked, eventAtUs);
  const told = timesNamedIn(text, eventAtUs);
  if (told.length === 0) return isMadeThen ? 1 : 0;
  let best = isMadeThen ? TOLD_THEN : 0;
  for (const span of told) for (const one of asked) best = Math.max(best, overlap(one, span));
  return best;
}

export function isWithin(spans: readonly TimeSpan[], atUs: Micros): boolean {
  return spans.some(({ fromUs, untilUs }) => fromUs <= atUs && atUs < untilUs);
}

function overlap(asked: TimeSpan, told: TimeSpan): number {
  const sharedUs = Math.min(asked.untilUs, told.untilUs) - Math.max(asked.fromUs, told.fromUs);
  if (sharedUs <= 0) return 0;
  const toldUs = told.untilUs - told.fromUs;
  const askedUs = asked.untilUs - asked.fromUs;
  return toldUs <= askedUs ? sharedUs / toldUs : SOMEWHERE + ((1 - SOMEWHERE) * sharedUs) / toldUs;
}
