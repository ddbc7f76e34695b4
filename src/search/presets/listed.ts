import type { Filter } from '../../memory/filter.ts';
import { looseTimeIn, type OrderScoring } from '../scoring/scoring.ts';
import { allOf, entryFilter, fieldFilter, metadataFilter, NARROWING, narrowingOf } from './common-parameters.ts';
import type { Parameter, ParameterReading } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';
import { absoluteWindow, eventTimeFilter } from './temporal.ts';

const STEP = { kinds: ['integer'], min: 0, required: true } as const;

export const recent = listed('recent', 'The memories that happened last, latest first.', [], 'newest', () => undefined);

export const oldest = listed(
  'oldest',
  'The memories that happened first, earliest first.',
  [],
  'oldest',
  () => undefined,
);

export const byStep = listed(
  'by_step',
  'The memories of one step.',
  [{ name: 'step', description: 'The step.', ...STEP }],
  'step_asc',
  (reading) => fieldFilter('step', 'equals', reading.number('step')),
);

export const stepRange = listed(
  'step_range',
  'The memories of a range of steps, both ends included, lowest step first.',
  [
    { name: 'start_step', description: 'First step.', ...STEP },
    { name: 'end_step', description: 'Last step.', ...STEP },
  ],
  'step_asc',
  (reading) => {
    const [start, end] = [reading.number('start_step'), reading.number('end_step')];
    if (start > end) reading.add('start_step', 'must not exceed end_step');
    return allOf([fieldFilter('step', 'greater_or_equal', start), fieldFilter('step', 'less_or_equal', end)]);
  },
);

export const timeRange = listed(
  'time_range',
  'The memories that happened from one instant to another, both included, earliest first.',
  [
    { name: 'start_time', description: 'First instant, in ISO 8601.', kinds: ['string'], required: true },
    { name: 'end_time', description: 'Last instant, in ISO 8601.', kinds: ['string'], required: true },
  ],
  'oldest',
  (reading) => eventTimeFilter({ ...absoluteWindow(reading, looseTimeIn), isFromExcluded: false }),
);

export const lastMinutes = lastOf('minutes', 60_000_000, 60);
export const lastHours = lastOf('hours', 3_600_000_000, 24);
export const lastDays = lastOf('days', 86_400_000_000, 7);

export const tag = listed(
  'tag',
  'The memories with a tag, newest first.',
  [
    { name: 'tag', description: 'The tag, or several of them.', kinds: ['string', 'array of strings'], required: true },
    { name: 'match_all', description: 'Every one of several tags must be there.', kinds: ['boolean'], default: false },
  ],
  'newest',
  (reading) => {
    const provided = reading.value('tag');
    const tags = typeof provided === 'string' ? [provided] : reading.strings('tag');
    if (tags.length < 1 || tags.length > 16) reading.add('tag', `must be 1 to 16 tags, got ${tags.length}`);
    const filters = tags.map((value) =>
      entryFilter({ path: 'content.metadata.tags', operator: 'equals', values: [value] }),
    );
    const filter: Filter = { kind: reading.flag('match_all') ? 'all' : 'any', filters };
    return filter;
  },
);

export const attributes = listed(
  'attributes',
  'The memories whose content has all of these values, latest step first.',
  [
    {
      name: 'attributes',
      description:
        'Values by path into the content, at least one: numbers, texts, truth values, arrays and objects, which must be equal, or operators as in `metadata_filter`.',
      kinds: ['object'],
      required: true,
    },
  ],
  'newest',
  (reading) => {
    const provided = Object.entries(reading.object('attributes') ?? {});
    if (provided.length === 0) reading.add('attributes', 'must have at least one path');
    const inContent = Object.fromEntries(
      provided.map(([path, value]) => [`content.${path.replace(/^contents?\./, '')}`, value]),
    );
    return metadataFilter(inContent, (path, fault) => reading.add(`attributes.${path}`, fault));
  },
);

export const customFilter: Preset = {
  name: 'custom_filter',
  description: "The memories that the request's own `filter` admits, in the order asked for.",
  parameters: [
    {
      name: 'order',
      description: 'In which order.',
      kinds: ['string'],
      choices: ['newest', 'oldest', 'step_asc', 'step_desc'],
      default: 'newest',
    },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const filter = narrowingOf(reading);
    const kind = reading.text('order') as OrderScoring['kind'];
    return { kind: 'scored', filter, scoring: { kind }, needsFilter: true };
  },
};

function lastOf(unit: 'minutes' | 'hours' | 'days', unitUs: number, fallback: number): Preset {
  return listed(
    `last_${unit}`,
    `The memories of the last ${unit} up to now, newest first.`,
    [
      {
        name: unit,
        description: `How many ${unit}; the start is excluded.`,
        kinds: ['number'],
        above: 0,
        max: 1_000_000,
        default: fallback,
      },
    ],
    'newest',
    (reading, nowUs) => {
      const fromUs = nowUs - Math.round(reading.number(unit) * unitUs);
      return eventTimeFilter({ fromUs, isFromExcluded: true, toUs: nowUs });
    },
  );
}

function listed(
  name: string,
  description: string,
  parameters: readonly Parameter[],
  kind: OrderScoring['kind'],
  filterOf: (reading: ParameterReading, nowUs: number) => Filter | undefined,
): Preset {
  return {
    name,
    description,
    parameters: [...parameters, ...NARROWING],
    resolve(reading, nowUs): Plan {
      const filter = allOf([filterOf(reading, nowUs), narrowingOf(reading)]);
      return { kind: 'scored', filter, scoring: { kind } };
    },
  };
}
