import {
  type NamedPlace,
  type NearPlace as NearPlaceMessage,
  type NearTime as NearTimeMessage,
  CalendarPeriod as PeriodNumber,
  type TimeWindow as TimeWindowMessage,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import { MEMORY_LIMITS } from '../../memory/limits.ts';
import type { NearPlace, NearTime, PlaceNames } from '../../memory/nearness.ts';
import { type CalendarPeriod, isTimeZone, type TimeWindow } from '../../memory/time-window.ts';
import type { RequestChecks } from '../edge/request-checks.ts';
import { durationOf, instantOf } from '../edge/time-messages.ts';
import { geoPointOf, pointOf } from '../memories/place-messages.ts';

const DAYS_MAX = 36_500;
const TIME_SCALE_DEFAULT_US = 86_400_000_000;
const STEP_SCALE_DEFAULT = 10;
const PERIODS_AGO_MAX = 10_000;

const PERIODS: Readonly<Record<number, CalendarPeriod>> = {
  [PeriodNumber.CALENDAR_PERIOD_DAY]: 'day',
  [PeriodNumber.CALENDAR_PERIOD_WEEK]: 'week',
  [PeriodNumber.CALENDAR_PERIOD_MONTH]: 'month',
  [PeriodNumber.CALENDAR_PERIOD_YEAR]: 'year',
};

export function nearTimeOf(checks: RequestChecks, field: string, message: NearTimeMessage): NearTime {
  const { origin, timeScale, stepScale } = message;
  if (origin?.$case === 'step') {
    if (timeScale) checks.add(`${field}.time_scale`, 'must be absent beside step');
    const step = checks.wholeWithin(`${field}.step`, origin.value);
    return { kind: 'step', step, scale: scaleOf(checks, `${field}.step_scale`, stepScale ?? STEP_SCALE_DEFAULT) };
  }
  if (stepScale !== undefined) checks.add(`${field}.step_scale`, 'must be absent beside time');
  if (!origin) checks.add(field, 'must have one of time and step');
  return {
    kind: 'time',
    atUs: origin ? instantOf(checks, `${field}.time`, origin.value) : 0,
    scaleUs: timeScale ? durationOf(checks, `${field}.time_scale`, timeScale, DAYS_MAX) : TIME_SCALE_DEFAULT_US,
  };
}

export function nearPlaceOf(checks: RequestChecks, field: string, { origin, scale }: NearPlaceMessage): NearPlace {
  if (origin?.$case === 'named') {
    if (scale !== 0) checks.add(`${field}.scale`, 'must be absent beside named');
    return { kind: 'named', names: placeNamesOf(checks, `${field}.named`, origin.value) };
  }
  const distance = scaleOf(checks, `${field}.scale`, scale);
  if (origin?.$case === 'geo') {
    return { kind: 'geo', geo: geoPointOf(checks, `${field}.geo`, origin.value), scaleM: distance };
  }
  if (!origin) checks.add(field, 'must have one of point, geo and named');
  const point = origin ? pointOf(checks, `${field}.point`, origin.value) : { x: 0, y: 0 };
  return { kind: 'point', point, scale: distance };
}

function placeNamesOf(checks: RequestChecks, field: string, message: NamedPlace): PlaceNames {
  const name = (part: keyof PlaceNames): string =>
    checks.text(`${field}.${part}`, message[part], MEMORY_LIMITS.namePartBytes);
  const names = { location: name('location'), room: name('room'), region: name('region') };
  if (Object.values(names).every((one) => one === '')) checks.add(field, 'must have one of location, room and region');
  return names;
}

export function timeWindowOf(checks: RequestChecks, field: string, message: TimeWindowMessage): TimeWindow {
  const { last, period, periodsAgo, timeZone, startTime, endTime } = message;
  const isGiven = startTime !== undefined || endTime !== undefined;
  const isOfCalendar = period !== PeriodNumber.CALENDAR_PERIOD_UNSPECIFIED;
  if (Number(isGiven) + Number(isOfCalendar) + Number(last !== undefined) !== 1) {
    checks.add(field, 'must have exactly one of last, period, and start_time with end_time');
  }
  if (!isOfCalendar && periodsAgo !== 0) checks.add(`${field}.periods_ago`, 'must be absent without period');
  if (!isOfCalendar && timeZone !== '') checks.add(`${field}.time_zone`, 'must be absent without period');
  if (last) return { kind: 'last', spanUs: durationOf(checks, `${field}.last`, last, DAYS_MAX) };
  if (isOfCalendar) return periodOf(checks, field, message);
  const from = startTime && instantOf(checks, `${field}.start_time`, startTime);
  const until = endTime && instantOf(checks, `${field}.end_time`, endTime);
  if (from !== undefined && until !== undefined && from >= until) {
    checks.add(`${field}.end_time`, 'must be after start_time');
  }
  return {
    kind: 'given',
    ...(from === undefined ? {} : { fromUs: from }),
    ...(until === undefined ? {} : { untilUs: until }),
  };
}

function periodOf(
  checks: RequestChecks,
  field: string,
  { period, periodsAgo, timeZone }: TimeWindowMessage,
): TimeWindow {
  const zone = timeZone === '' ? 'UTC' : timeZone;
  if (!isTimeZone(zone)) {
    checks.add(`${field}.time_zone`, `must be an IANA time zone, got ${JSON.stringify(zone.slice(0, 80))}`);
  }
  return {
    kind: 'period',
    period: checks.choice(`${field}.period`, period, PERIODS),
    ago: checks.within(`${field}.periods_ago`, periodsAgo, 0, PERIODS_AGO_MAX),
    timeZone: zone,
  };
}

function scaleOf(checks: RequestChecks, field: string, scale: number): number {
  if (scale > 0 && Number.isFinite(scale)) return scale;
  checks.add(field, `must be a finite number above 0, got ${scale}`);
  return 1;
}
