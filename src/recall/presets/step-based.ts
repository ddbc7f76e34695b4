import { NARROWING, narrowingOf } from './common-parameters.ts';
import { allOf, fieldFilter } from './entry-filter.ts';
import { wholeNumberGiven } from './number-given.ts';
import type { Plan, Preset } from './preset.ts';

export const stepBased: Preset = {
  name: 'step_based',
  description:
    'Memories near a step, nearest first, or those of a range of steps, lowest first. Memories without a step are left out; a range that ends before it starts is empty.',
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
    const reference = wholeNumberGiven(reading, 'reference_step');
    const range = wholeNumberGiven(reading, 'step_range') ?? 0;
    let start = wholeNumberGiven(reading, 'start_step');
    let end = wholeNumberGiven(reading, 'end_step');
    if (range < 0) reading.add('step_range', `must be at least 0, got ${range}`);
    if (start === undefined && end === undefined) {
      if (reference !== undefined) [start, end] = [Math.max(0, reference - range), reference + range];
      else if (!['reference_step', 'start_step', 'end_step'].some((name) => reading.isGiven(name))) {
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
