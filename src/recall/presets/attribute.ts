import { SCORING_METHODS, type ScoringMethod } from '../scoring/scoring.ts';
import { AttributeQuery, CONTENT_FIELDS, METADATA_FIELDS } from './attribute-query.ts';
import { NARROWING, narrowingOf } from './common-parameters.ts';
import type { Plan, Preset } from './preset.ts';

export const attribute: Preset = {
  name: 'attribute',
  description:
    'Memories in which a value is found in the fields named, those first of which it makes up most. A bare value is looked for in all fields; {content, metadata: {key: value}} looks for each in its own, as a part of it, and for an array of values as the whole. An empty query finds nothing.',
  parameters: [
    {
      name: 'query',
      description: 'What to look for: a text, a number, a truth value, or an object of `content` and `metadata`.',
      kinds: ['string', 'number', 'boolean', 'object'],
      required: true,
    },
    {
      name: 'content_fields',
      description: 'Paths in which values are looked for as a part of what is there. None: the default.',
      kinds: ['array of strings'],
      default: CONTENT_FIELDS,
    },
    {
      name: 'metadata_fields',
      description:
        'Paths of labels, where values are looked for as well; those that end in `tags` must hold a bare query as a whole item. None: the default.',
      kinds: ['array of strings'],
      default: METADATA_FIELDS,
    },
    {
      name: 'match_all',
      description: 'The value must be found in every field that it is looked for in, rather than in any.',
      kinds: ['boolean'],
      default: false,
    },
    { name: 'case_sensitive', description: 'Upper and lower case differ.', kinds: ['boolean'], default: false },
    {
      name: 'use_regex',
      description:
        'Texts are regular expressions in RE2 syntax, found anywhere in a field; whole items of tags stay as written. One that is none in any syntax is looked for as it is written.',
      kinds: ['boolean'],
      default: false,
    },
    {
      name: 'scoring_method',
      description:
        'How a match is scored: by its share of the field, its frequency, BM25 without document frequencies, or 1.',
      kinds: ['string'],
      choices: SCORING_METHODS,
      default: 'length_ratio',
    },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const filter = narrowingOf(reading);
    const conditions = new AttributeQuery(reading).conditions();
    if (conditions.length === 0) return { kind: 'nothing' };
    return {
      kind: 'scored',
      ...(filter ? { filter } : {}),
      scoring: {
        kind: 'attribute',
        conditions,
        matchAll: reading.flag('match_all'),
        caseSensitive: reading.flag('case_sensitive'),
        method: reading.text('scoring_method') as ScoringMethod,
      },
    };
  },
};
