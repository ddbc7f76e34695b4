import type { Filter } from '../../memory/filter.ts';
import { allOf, fieldFilter, tierFilter } from './entry-filter.ts';
import { metadataFilter } from './metadata-filter.ts';
import type { Parameter } from './parameter.ts';
import type { ParameterReading } from './parameter-reading.ts';

/** What every form that looks at memories as they are can be narrowed by. */
export const NARROWING: readonly Parameter[] = [
  {
    name: 'tier',
    description:
      'Only memories of this tier: stm, im or ltm, or short_term, intermediate or long_term. No tier has another name.',
    kinds: ['string'],
  },
  {
    name: 'metadata_filter',
    description:
      'Values by path, all of which must be there: a number, text, truth value, array or object that is equal (of tags: an array of which every one is there), or an object of $gt, $gte, $lt, $lte, $eq, $ne, $contains.',
    kinds: ['object'],
  },
  { name: 'memory_type', description: 'Only memories of this type.', kinds: ['string'] },
];

export function narrowingOf(reading: ParameterReading): Filter | undefined {
  return allOf([tierOf(reading), typeOf(reading), metadataOf(reading)]);
}

export function tierOf(reading: ParameterReading): Filter | undefined {
  return reading.isGiven('tier') ? tierFilter(reading.text('tier')) : undefined;
}

export function typeOf(reading: ParameterReading): Filter | undefined {
  const type = reading.text('memory_type');
  return type === '' ? undefined : fieldFilter('type', 'equals', type);
}

export function metadataOf(reading: ParameterReading): Filter | undefined {
  const given = reading.object('metadata_filter');
  return given && metadataFilter(given, (path, fault) => reading.add(`metadata_filter.${path}`, fault));
}
