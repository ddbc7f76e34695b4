import type { Micros } from '../../memory/memory.ts';
import { instantOfValue, looseInstantIn } from '../scoring/instant.ts';
import { NARROWING, narrowingOf } from './common-parameters.ts';
import { allOf, fieldFilter } from './entry-filter.ts';
import { wholeNumberGiven } from './number-given.ts';
import type { JsonKind } from './parameter.ts';
import type { ParameterReading } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';

const DAY_US = 86_400_000_000;
const BEFORE_US = 7 * DAY_US;
const AFTER_US = DAY_US;
const INSTANT: readonly JsonKind[] = ['string', 'number'];
const FORMATS = 'ISO 8601, YYYY/MM/DD, MM/DD/YYYY or seconds since 1970';

export const temporal: Preset = {
  name: 'temporal',
  description:
    'Memories near an instant or a step, nearest first. Bounds are included; memories without a step pass those of steps. An instant alone looks from 7 days before it to 1 day after it.',
  parameters: [
    { name: 'timestamp', description: `Instant to be near to: ${FORMATS}.`, kinds: INSTANT },
    { name: 'time', description: 'Another name for timestamp.', kinds: INSTANT },
    { name: 'start_time', description: `First instant: ${FORMATS}.`, kinds: INSTANT },
    { name: 'end_time', description: `Last instant: ${FORMATS}.`, kinds: INSTANT },
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
    if (reading.isGiven('timestamp') && reading.isGiven('time')) {
      reading.add('time', 'must not be given together with timestamp');
    }
    if (reading.number('recency_weight') === 0 && reading.number('step_weight') === 0) {
      reading.add('recency_weight', 'must not be 0 together with step_weight: nothing would count');
    }
    const atUs = instantAt(reading, 'timestamp') ?? instantAt(reading, 'time');
    const fromUs = instantAt(reading, 'start_time') ?? (atUs === undefined ? undefined : atUs - BEFORE_US);
    const toUs = instantAt(reading, 'end_time') ?? (atUs === undefined ? undefined : atUs + AFTER_US);
    const step = wholeNumberGiven(reading, 'step');
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
      ...(filter ? { filter } : {}),
      scoring: {
        kind: 'temporal',
        ...(hasTime || step === undefined ? { atUs: atUs ?? toUs ?? nowUs } : {}),
        ...(step === undefined ? {} : { step }),
        recencyWeight: reading.number('recency_weight'),
        stepWeight: reading.number('step_weight'),
      },
    };
  },
};

function instantAt(reading: ParameterReading, name: string): Micros | undefined {
  const given = reading.value(name);
  if (given === undefined) return undefined;
  const atUs = typeof given === 'string' ? looseInstantIn(given) : instantOfValue(given);
  if (atUs === undefined) reading.add(name, `must be ${FORMATS}, got ${JSON.stringify(given)}`);
  return atUs;
}

function stepFilter(reading: ParameterReading) {
  const start = wholeNumberGiven(reading, 'start_step');
  const end = wholeNumberGiven(reading, 'end_step');
  const bounds = allOf([
    start === undefined ? undefined : fieldFilter('step', 'greater_or_equal', start),
    end === undefined ? undefined : fieldFilter('step', 'less_or_equal', end),
  ]);
  if (start !== undefined && end !== undefined && start > end) reading.add('start_step', 'must not be above end_step');
  if (!bounds) return undefined;
  return { kind: 'any', filters: [{ kind: 'not', filter: fieldFilter('step', 'exists') }, bounds] } as const;
}
