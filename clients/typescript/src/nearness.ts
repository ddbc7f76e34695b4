import {
  type NearPlace as NearPlaceMessage,
  type NearTime as NearTimeMessage,
  CalendarPeriod as PeriodCode,
  type TimeWindow as TimeWindowMessage,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import { integerOf } from './bad-input.ts';
import type { GeoPoint, Point } from './memory.ts';
import { durationOfMs, type TimeLike, timestampOf } from './precise-date.ts';

/** An instant or a step, with the distance at which nearness has fallen to a half (1 day; 10 steps). */
export type NearTime =
  | { readonly time: TimeLike; readonly timeScaleMs?: number }
  | { readonly step: number; readonly stepScale?: number };

/**
 * A point of one's own world or on Earth, with the distance at which nearness has fallen to a half; or a place by its
 * names, at least one.
 */
export type NearPlace =
  | { readonly named: { readonly location?: string; readonly room?: string; readonly region?: string } }
  | { readonly point: Point; readonly scale: number }
  | { readonly geo: GeoPoint; readonly scaleM: number };

/**
 * The last milliseconds up to now; the current or an earlier unit of the calendar in an IANA time zone (default UTC);
 * or from a first instant to another, exclusive.
 */
export type TimeWindow =
  | { readonly lastMs: number }
  | { readonly period: 'day' | 'week' | 'month' | 'year'; readonly periodsAgo?: number; readonly timeZone?: string }
  | { readonly startTime?: TimeLike; readonly endTime?: TimeLike };

const PERIODS = {
  day: PeriodCode.CALENDAR_PERIOD_DAY,
  week: PeriodCode.CALENDAR_PERIOD_WEEK,
  month: PeriodCode.CALENDAR_PERIOD_MONTH,
  year: PeriodCode.CALENDAR_PERIOD_YEAR,
};

export function nearTimeMessage(near: NearTime): NearTimeMessage {
  if ('step' in near) {
    return {
      origin: { $case: 'step', value: integerOf(near.step, 'nearTime.step') },
      timeScale: undefined,
      stepScale: near.stepScale,
    };
  }
  return {
    origin: { $case: 'time', value: timestampOf(near.time) },
    timeScale: near.timeScaleMs === undefined ? undefined : durationOfMs(near.timeScaleMs),
    stepScale: undefined,
  };
}

export function nearPlaceMessage(near: NearPlace): NearPlaceMessage {
  if ('named' in near) {
    const { location = '', room = '', region = '' } = near.named;
    return { origin: { $case: 'named', value: { location, room, region } }, scale: 0 };
  }
  if ('geo' in near) return { origin: { $case: 'geo', value: near.geo }, scale: near.scaleM };
  const { x, y, z } = near.point;
  return { origin: { $case: 'point', value: { x, y, z } }, scale: near.scale };
}

export function timeWindowMessage(window: TimeWindow): TimeWindowMessage {
  const message: TimeWindowMessage = {
    last: undefined,
    period: PeriodCode.CALENDAR_PERIOD_UNSPECIFIED,
    periodsAgo: 0,
    timeZone: '',
    startTime: undefined,
    endTime: undefined,
  };
  if ('lastMs' in window) return { ...message, last: durationOfMs(window.lastMs) };
  if ('period' in window) {
    const { period, periodsAgo: ago = 0, timeZone = '' } = window;
    return { ...message, period: PERIODS[period], periodsAgo: ago, timeZone };
  }
  return {
    ...message,
    startTime: timestampOf(window.startTime),
    endTime: timestampOf(window.endTime),
  };
}
