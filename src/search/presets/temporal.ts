import type { Filter } from '../../memory/filter.ts';
import type { Micros } from '../../memory/memory.ts';
import { type ComparedTime, comparedTimeIn, firstUsOf, lastUsOf } from '../../memory/time/calendar-day.ts';
import { instantOfValue, looseTimeIn } from '../scoring/scoring.ts';
import { allOf, fieldFilter, NARROWING, narrowingOf } from './common-parameters.ts';
import { type JsonKind, type ParameterReading, wholeNumberParameter } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';

const DAY_US = 86_400_000_000;
const BEFORE_US = 7 * DAY_US;
const AFTER_US = DAY_US;
const INSTANT: readonly JsonKind[] = ['string', 'number'];
const FORMATS = 'ISO 8601, YYYY/MM/DD, MM/DD/YYYY or seconds since 1970';

export const temporal: Preset = {
  name: 'temporal',
  description:
    'Memories near an instant or a step, nearest first. Bounds are inclusive; memories without a step are not excluded by step bounds. An instant alone covers 7 days before it to 1 day after it.',
  parameters: [
    { name: 'timestamp', description: `Instant to be near to: ${FORMATS}.`, kinds: INSTANT },
    { name: 'time', description: 'Another name for timestamp.', kinds: INSTANT },
    { name: 'start_time', description: `First instant: ${FORMATS}.`, kinds: INSTANT },
    { name: 'end_time', description: `Last instant, or last day: ${FORMATS}.`, kinds: INSTANT },
    { name: 'step', description: 'Step to be near to.', kinds: ['integer', 'string'] },
    { name: 'start_step', description: 'First step.', kinds: ['integer', 'string'] },
    { name: 'end_step', description: 'Last step.', kinds: ['integer', 'string'] },
    { name: 'recency_weight', description: 'How much nearness in time counts.', kinds: ['number'], min: 0, default: 1 },
    {
      name: 'step_weight',
      description: 'How much nearness in steps counts; from 1 on it counts alone.',
      kinds: ['number'],
      min: 0,
      default: 1,
    },
    ...NARROWING,
  ],
  resolve(reading, nowUs): Plan {
    if (reading.isSet('timestamp') && reading.isSet('time')) {
      reading.add('time', 'must not be set together with timestamp');
    }
    if (reading.number('recency_weight') === 0 && reading.number('step_weight') === 0) {
      reading.add('recency_weight', 'must not be 0 together with step_weight: no part of the score would count');
    }
    const atUs = instantAt(reading, 'timestamp', firstUsOf) ?? instantAt(reading, 'time', firstUsOf);
    const fromUs = instantAt(reading, 'start_time', firstUsOf) ?? (atUs === undefined ? undefined : atUs - BEFORE_US);
    const toUs = instantAt(reading, 'end_time', lastUsOf) ?? (atUs === undefined ? undefined : atUs + AFTER_US);
    const step = wholeNumberParameter(reading, 'step');
    if (fromUs !== undefined && toUs !== undefined && fromUs > toUs) {
      reading.add('start_time', 'must not be after end_time');
    }
    const hasTime = fromUs !== undefined || toUs !== undefined;
    const filter = allOf([
      fromUs === undefined ? undefined : fieldFilter('event_time', 'greater_or_equal', { timeUs: fromUs }),
      toUs === undefined ? undefined : fieldFilter('event_time', 'less_or_equal', { timeUs: toUs }),
      stepFilter(reading),
      narrowingOf(reading),
    ]);
    return {
      kind: 'scored',
      filter,
      scoring: {
        kind: 'temporal',
        ...(hasTime || step === undefined ? { atUs: atUs ?? toUs ?? nowUs } : {}),
        step,
        recencyWeight: reading.number('recency_weight'),
        stepWeight: reading.number('step_weight'),
      },
    };
  },
};

function instantAt(reading: ParameterReading, name: string, edge: (time: ComparedTime) => Micros): Micros | undefined {
  const provided = reading.value(name);
  if (provided === undefined) return undefined;
  const time = typeof provided === 'string' ? looseTimeIn(provided) : undefined;
  const atUs = time ? edge(time) : instantOfValue(provided);
  if (atUs === undefined) reading.add(name, `must be ${FORMATS}, got ${JSON.stringify(provided)}`);
  return atUs;
}

function stepFilter(reading: ParameterReading) {
  const start = wholeNumberParameter(reading, 'start_step');
  const end = wholeNumberParameter(reading, 'end_step');
  const bounds = allOf([
    start === undefined ? undefined : fieldFilter('step', 'greater_or_equal', start),
    end === undefined ? undefined : fieldFilter('step', 'less_or_equal', end),
  ]);
  if (start !== undefined && end !== undefined && start > end) reading.add('start_step', 'must not exceed end_step');
  if (!bounds) return undefined;
  return { kind: 'any', filters: [{ kind: 'not', filter: fieldFilter('step', 'exists') }, bounds] } as const;
}

const UNITS_US = { last_minutes: 60_000_000, last_hours: 3_600_000_000, last_days: 86_400_000_000 } as const;
const RELATIVE = ['last_minutes', 'last_hours', 'last_days'] as const;
const DEFAULT_MINUTES = 30;
/** The record's own time, which is indexed. */
const EVENT_TIME: ReadonlySet<string> = new Set(['metadata.timestamp', 'timestamp', 'event_time']);
/** From the year 1, where instants begin, to today and long after. */
const SPAN_MAX_DAYS = 1_000_000;

export interface Window {
  readonly fromUs: Micros;
  readonly isFromExcluded: boolean;
  readonly toUs: Micros;
}

export const window: Preset = {
  name: 'window',
  description:
    'Memories of a window of time, newest first: the last minutes, hours or days up to now, or from one instant to another, both included. Default: the last 30 minutes.',
  parameters: [
    ...RELATIVE.map((name) => ({
      name,
      description: `Window of so many ${name.slice(5)} up to now; its start is excluded.`,
      kinds: ['number'] as const,
      above: 0,
      max: (SPAN_MAX_DAYS * UNITS_US.last_days) / UNITS_US[name],
    })),
    {
      name: 'start_time',
      description: 'First instant, in ISO 8601; without a time zone it is UTC.',
      kinds: ['string'],
    },
    { name: 'end_time', description: 'Last instant, or last day, in ISO 8601.', kinds: ['string'] },
    {
      name: 'timestamp_field',
      description: 'Path of the time: `metadata.timestamp` is when it happened; others lead into the content.',
      kinds: ['string'],
      default: 'metadata.timestamp',
    },
    ...NARROWING,
  ],
  resolve(reading, nowUs): Plan {
    const asked = windowOf(reading, nowUs);
    const path = reading.text('timestamp_field');
    if (path === '') reading.add('timestamp_field', 'must not be empty');
    const inTime = EVENT_TIME.has(path);
    const filter = allOf([inTime ? eventTimeFilter(asked) : undefined, narrowingOf(reading)]);
    return {
      kind: 'scored',
      filter,
      ...(inTime && asked.isFromExcluded ? { spanUs: asked.toUs - asked.fromUs } : {}),
      scoring: inTime ? { kind: 'newest' } : { kind: 'window', path, ...asked, oldestFirst: false },
    };
  },
};

/** The window, which must be specified in exactly one way; no way is silently preferred. */
function windowOf(reading: ParameterReading, nowUs: Micros): Window {
  const relative = RELATIVE.filter((name) => reading.isSet(name));
  const isAbsolute = reading.isSet('start_time') || reading.isSet('end_time');
  const [first = 'last_minutes', second] = relative;
  if (isAbsolute && relative.length > 0) reading.add(first, 'must not be set together with start_time or end_time');
  if (second !== undefined) reading.add(second, `must not be set together with ${first}`);
  if (isAbsolute) return { ...absoluteWindow(reading, comparedTimeIn), isFromExcluded: false };
  const amount = reading.optionalNumber(first) ?? DEFAULT_MINUTES;
  return { fromUs: nowUs - Math.round(amount * UNITS_US[first]), isFromExcluded: true, toUs: nowUs };
}

/** From `start_time` to `end_time`, both of which must be there. */
export function absoluteWindow(
  reading: ParameterReading,
  read: (text: string) => ComparedTime | undefined,
): { readonly fromUs: Micros; readonly toUs: Micros } {
  const [from, to] = (['start_time', 'end_time'] as const).map((name) => {
    if (!reading.isSet(name)) reading.add(name, 'requires the other end of the window');
    const time = read(reading.text(name));
    if (reading.isSet(name) && time === undefined) {
      reading.add(name, `must be a date and time in ISO 8601, got ${JSON.stringify(reading.text(name))}`);
    }
    return time;
  });
  if (from === undefined || to === undefined) return { fromUs: 0, toUs: 0 };
  const [fromUs, toUs] = [firstUsOf(from), lastUsOf(to)];
  if (fromUs > toUs) reading.add('start_time', 'must not be after end_time');
  return { fromUs, toUs };
}

export function eventTimeFilter({ fromUs, toUs, isFromExcluded }: Window): Filter {
  return {
    kind: 'all',
    filters: [
      fieldFilter('event_time', isFromExcluded ? 'greater' : 'greater_or_equal', { timeUs: fromUs }),
      fieldFilter('event_time', 'less_or_equal', { timeUs: toUs }),
    ],
  };
}

export const stepBased: Preset = {
  name: 'step_based',
  description:
    'Memories near a step, nearest first, or those of a range of steps, lowest first. Memories without a step are omitted; a range that ends before it starts is empty.',
  parameters: [
    { name: 'reference_step', description: 'Step to be near to.', kinds: ['integer', 'string'] },
    {
      name: 'step_range',
      description: 'How far from the reference to look.',
      kinds: ['integer', 'string'],
      min: 0,
      default: 100,
    },
    {
      name: 'step_weight',
      description: 'How slowly the score falls with the distance.',
      kinds: ['number'],
      above: 0,
      default: 1,
    },
    { name: 'start_step', description: 'First step.', kinds: ['integer', 'string'] },
    { name: 'end_step', description: 'Last step.', kinds: ['integer', 'string'] },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const reference = wholeNumberParameter(reading, 'reference_step');
    const range = wholeNumberParameter(reading, 'step_range') ?? 0;
    let start = wholeNumberParameter(reading, 'start_step');
    let end = wholeNumberParameter(reading, 'end_step');
    if (range < 0) reading.add('step_range', `must be at least 0, got ${range}`);
    if (start === undefined && end === undefined) {
      if (reference !== undefined) [start, end] = [Math.max(0, reference - range), reference + range];
      else if (!['reference_step', 'start_step', 'end_step'].some((name) => reading.isSet(name))) {
        reading.add('reference_step', 'is required, or start_step, end_step or both');
      }
    }
    const filter = allOf([
      start === undefined ? undefined : fieldFilter('step', 'greater_or_equal', start),
      end === undefined ? undefined : fieldFilter('step', 'less_or_equal', end),
      narrowingOf(reading),
    ]);
    return {
      kind: 'scored',
      filter,
      scoring: {
        kind: 'step',
        reference,
        range,
        weight: reading.number('step_weight'),
      },
    };
  },
};

/** How long the windows of a plan are that end now and go by when memories happened. */
export function spansOf(plan: Plan): readonly Micros[] {
  if (plan.kind === 'fused') return plan.parts.flatMap((part) => spansOf(part.plan));
  return plan.kind === 'scored' && plan.spanUs !== undefined ? [plan.spanUs] : [];
}
