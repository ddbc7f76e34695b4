import type { Scalar } from '../../memory/filter.ts';
import { PatternError, patternOf } from '../../memory/pattern.ts';
import { NARROWING, narrowingOf } from './common-parameters.ts';
import { allOf, entryFilter } from './entry-filter.ts';
import { alike } from './metadata-filter.ts';
import type { ParameterReading } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';

const PATH = /^[\w.]{1,512}$/;

export const path: Preset = {
  name: 'path',
  description:
    'Memories with a value at a path, newest first: any value, an equal one, one that a pattern matches, or one above or below a number. Of an array any item counts.',
  parameters: [
    {
      name: 'path',
      description: 'Path of letters, digits, `_` and dots, such as `content.position.room`.',
      kinds: ['string'],
      required: true,
    },
    { name: 'value', description: 'The value is this.', kinds: ['string', 'number', 'boolean'] },
    {
      name: 'regex',
      description: 'A regular expression in RE2 syntax matches somewhere in the text.',
      kinds: ['string'],
    },
    { name: 'exists', description: 'There is a value, or there is none.', kinds: ['boolean'] },
    { name: 'gt', description: 'The value is greater.', kinds: ['number', 'string'] },
    { name: 'lt', description: 'The value is less.', kinds: ['number', 'string'] },
    {
      name: 'case_sensitive',
      description: 'Upper and lower case differ in `regex`.',
      kinds: ['boolean'],
      default: true,
    },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const at = reading.text('path');
    if (!PATH.test(at)) reading.add('path', 'must be 1 to 512 letters, digits, underscores and dots');
    const conditions = ['value', 'regex', 'exists', 'gt', 'lt'].filter((name) => reading.isGiven(name));
    if (reading.value('exists') === false && conditions.length > 1) {
      reading.add('exists', 'must not be false together with a condition on the value');
    }
    const there = entryFilter({ path: at, operator: 'exists', values: [] });
    const filter = allOf([
      reading.value('exists') === false ? { kind: 'not', filter: there } : conditions.length === 0 ? there : undefined,
      reading.value('exists') === true ? there : undefined,
      reading.isGiven('value')
        ? entryFilter({ path: at, operator: 'in', values: alike(reading.value('value') as string | number | boolean) })
        : undefined,
      reading.isGiven('regex') ? regexFilter(reading, at) : undefined,
      reading.isGiven('gt')
        ? entryFilter({ path: at, operator: 'greater', values: [reading.value('gt') as Scalar] })
        : undefined,
      reading.isGiven('lt')
        ? entryFilter({ path: at, operator: 'less', values: [reading.value('lt') as Scalar] })
        : undefined,
      narrowingOf(reading),
    ]);
    return { kind: 'scored', ...(filter ? { filter } : {}), scoring: { kind: 'newest' } };
  },
};

function regexFilter(reading: ParameterReading, at: string) {
  const ignoreCase = !reading.flag('case_sensitive');
  const source = reading.text('regex');
  checkPattern(source, (fault) => reading.add('regex', fault));
  return entryFilter({ path: at, operator: 'matches', values: [source], ignoreCase });
}

export function checkPattern(source: string, onFault: (fault: string) => void): void {
  try {
    patternOf(source, false);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    onFault(error.message);
  }
}
