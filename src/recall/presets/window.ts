import type { Filter } from '../../memory/filter.ts';
import { instantIn } from '../../memory/instant.ts';
import type { Micros } from '../../memory/memory.ts';
import { NARROWING, narrowingOf } from './common-parameters.ts';
import { allOf, fieldFilter } from './entry-filter.ts';
import type { ParameterReading } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';

const UNITS_US = { last_minutes: 60_000_000, last_hours: 3_600_000_000, last_days: 86_400_000_000 } as const;
const RELATIVE = ['last_minutes', 'last_hours', 'last_days'] as const;
const DEFAULT_MINUTES = 30;
/** The record's own time, which is indexed. */
const EVENT_TIME: ReadonlySet<string> = new Set(['metadata.timestamp', 'timestamp', 'event_time']);
/** The record's own instants begin and end here. */
const SPAN_MAX_DAYS = 200_000;

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
    { name: 'end_time', description: 'Last instant, in ISO 8601.', kinds: ['string'] },
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
      ...(filter ? { filter } : {}),
      ...(inTime && asked.isFromExcluded ? { spanUs: asked.toUs - asked.fromUs } : {}),
      scoring: inTime ? { kind: 'newest' } : { kind: 'window', path, ...asked, oldestFirst: false },
    };
  },
};

/** The window that is asked for in exactly one way; nothing else is silently preferred. */
function windowOf(reading: ParameterReading, nowUs: Micros): Window {
  const relative = RELATIVE.filter((name) => reading.isGiven(name));
  const isAbsolute = reading.isGiven('start_time') || reading.isGiven('end_time');
  const [first = 'last_minutes', second] = relative;
  if (isAbsolute && relative.length > 0) reading.add(first, 'must not be given together with start_time or end_time');
  if (second !== undefined) reading.add(second, `must not be given together with ${first}`);
  if (isAbsolute) return { ...absoluteWindow(reading, instantIn), isFromExcluded: false };
  const amount = reading.optionalNumber(first) ?? DEFAULT_MINUTES;
  return { fromUs: nowUs - Math.round(amount * UNITS_US[first]), isFromExcluded: true, toUs: nowUs };
}

/** From `start_time` to `end_time`, both of which must be there. */
export function absoluteWindow(
  reading: ParameterReading,
  read: (text: string) => Micros | undefined,
): { readonly fromUs: Micros; readonly toUs: Micros } {
  const [fromUs, toUs] = (['start_time', 'end_time'] as const).map((name) => {
    if (!reading.isGiven(name)) reading.add(name, 'must be given together with the other end of the window');
    const atUs = read(reading.text(name));
    if (reading.isGiven(name) && atUs === undefined) {
      reading.add(name, `must be a date and time in ISO 8601, got ${JSON.stringify(reading.text(name))}`);
    }
    return atUs;
  });
  if (fromUs === undefined || toUs === undefined) return { fromUs: 0, toUs: 0 };
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
