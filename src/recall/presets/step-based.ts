import { NARROWING, narrowingOf } from './common-parameters.ts';
import { allOf, fieldFilter } from './entry-filter.ts';
import type { ParameterReading } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';

const STEP = /^[+-]?\d{1,15}$/;

export const stepBased: Preset = {
  name: 'step_based',
  description:
    'Memories near a step, nearest first, or those of a range of steps, lowest first. Memories without a step are left out; a range that ends before it starts is empty.',
  parameters: [
    { name: 'reference_step', description: 'Step to be near to.', kinds: ['integer', 'string'] },
    {
      name: 'step_range',
      description: 'How far from the reference to look.',
      kinds: ['integer'],
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
    { name: 'start_step', description: 'First step.', kinds: ['integer'] },
    { name: 'end_step', description: 'Last step.', kinds: ['integer'] },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const reference = referenceOf(reading);
    const range = reading.number('step_range');
    let start = reading.optionalNumber('start_step');
    let end = reading.optionalNumber('end_step');
    if (start === undefined && end === undefined) {
      if (reference !== undefined) [start, end] = [Math.max(0, reference - range), reference + range];
      else if (!reading.isGiven('reference_step')) {
        reading.add('reference_step', 'must be given, or start_step, end_step or both');
      }
    }
    const filter = allOf([
      start === undefined ? undefined : fieldFilter('step', 'greater_or_equal', start),
      end === undefined ? undefined : fieldFilter('step', 'less_or_equal', end),
      narrowingOf(reading),
    ]);
    return {
      kind: 'scored',
      ...(filter ? { filter } : {}),
      scoring: {
        kind: 'step',
        ...(reference === undefined ? {} : { reference }),
        range,
        weight: reading.number('step_weight'),
      },
    };
  },
};

function referenceOf(reading: ParameterReading): number | undefined {
  const given = reading.value('reference_step');
  if (typeof given !== 'string') return given as number | undefined;
  if (STEP.test(given.trim())) return Number(given);
  reading.add('reference_step', `must be a whole number, got ${JSON.stringify(given)}`);
  return undefined;
}
