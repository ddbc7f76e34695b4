import { SCORING_METHODS, type ScoringMethod } from '../scoring/scoring.ts';
import { AttributeQuery, METADATA } from './attribute-query.ts';
import { NARROWING, narrowingOf } from './common-parameters.ts';
import type { Plan, Preset } from './preset.ts';

export const attribute: Preset = {
  name: 'attribute',
  description:
    'Memories in which a value is found in the fields named, those first of which it makes up most. A text or number is looked for in all fields; {content, metadata: {key: value}} looks for each in its own. An empty query finds nothing.',
  parameters: [
    {
      name: 'query',
      description: 'What to look for: a text, a number, or an object of `content` and `metadata`.',
      kinds: ['string', 'number', 'object'],
      required: true,
    },
    {
      name: 'content_fields',
      description: 'Paths in which texts and numbers are looked for as a part.',
      kinds: ['array of strings'],
      default: ['content.content'],
    },
    {
      name: 'metadata_fields',
      description: 'Paths of labels; those that end in `tags` must hold the text as a whole item.',
      kinds: ['array of strings'],
      default: [`${METADATA}.type`, `${METADATA}.tags`, `${METADATA}.importance`, `${METADATA}.source`],
    },
    {
      name: 'match_all',
      description: 'Every part of the query must be found, rather than any.',
      kinds: ['boolean'],
      default: false,
    },
    { name: 'case_sensitive', description: 'Upper and lower case differ.', kinds: ['boolean'], default: false },
    {
      name: 'use_regex',
      description:
        'Texts are regular expressions in RE2 syntax, found anywhere in a field. One that is none in any syntax is looked for as it is written.',
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
    const groups = new AttributeQuery(reading).groups();
    if (groups.length === 0) return { kind: 'nothing' };
    return {
      kind: 'scored',
      ...(filter ? { filter } : {}),
      scoring: {
        kind: 'attribute',
        groups,
        matchAll: reading.flag('match_all'),
        caseSensitive: reading.flag('case_sensitive'),
        method: reading.text('scoring_method') as ScoringMethod,
      },
    };
  },
};
