import type { Json } from '../../memory/json-values.ts';
import { PatternError, patternOf } from '../../memory/pattern.ts';
import {
  type AttributeCondition,
  type AttributeValue,
  SCORING_METHODS,
  type ScoringMethod,
} from '../scoring/scoring.ts';
import { NARROWING, narrowingOf } from './common-parameters.ts';
import { isObject, type ParameterReading } from './parameter-reading.ts';
import type { Plan, Preset } from './preset.ts';
import { checkContextWeights, emphasized, likeState, likeText, MIN_SCORE, textOfJson, valueAt } from './similarity.ts';

/** Where the metadata of an entry's content is. */
export const METADATA = 'content.metadata';
const CONTENT_FIELDS: readonly string[] = ['content.content'];
const METADATA_FIELDS: readonly string[] = ['type', 'tags', 'importance', 'source'].map((key) => `${METADATA}.${key}`);
/** Maximum number of conditions on one memory. */
const CONDITIONS_MAX = 64;

type Bare = string | number | boolean;

/** The query of the preset `attribute`, as conditions. */
class AttributeQuery {
  private readonly reading: ParameterReading;

  constructor(reading: ParameterReading) {
    this.reading = reading;
  }

  conditions(): AttributeCondition[] {
    const { reading } = this;
    const query = reading.value('query');
    const contentFields = this.fields('content_fields', CONTENT_FIELDS);
    const metadataFields = this.fields('metadata_fields', METADATA_FIELDS);
    if (contentFields.length + metadataFields.length > CONDITIONS_MAX) {
      reading.add('metadata_fields', `must be at most ${CONDITIONS_MAX} with content_fields`);
    }
    if (isBare(query)) {
      if (query === '') return [];
      return [...contentFields, ...metadataFields].map((path) => this.anywhere(path, query));
    }
    return isObject(query) ? this.conditionsOf(query, contentFields, metadataFields) : [];
  }

  /** An empty list of fields means the default fields. */
  private fields(name: string, fallback: readonly string[]): readonly string[] {
    const provided = this.reading.strings(name);
    return provided.length > 0 ? provided : fallback;
  }

  private anywhere(path: string, value: Bare): AttributeCondition {
    return isTags(path) ? { path, value, match: 'array_contains' } : this.condition(path, value, 'query');
  }

  private conditionsOf(
    query: { readonly [key: string]: Json },
    contentFields: readonly string[],
    metadataFields: readonly string[],
  ): AttributeCondition[] {
    const { content, metadata = {}, ...others } = query;
    for (const key of Object.keys(others)) this.reading.add(`query.${key}`, 'is neither content nor metadata');
    const conditions: AttributeCondition[] = [];
    if (content !== undefined && !isBare(content)) {
      this.reading.add('query.content', 'must be a text, a number or a truth value');
    } else if (content !== undefined && content !== '') {
      conditions.push(...contentFields.map((path) => this.condition(path, content, 'query.content')));
    }
    if (!isObject(metadata)) this.reading.add('query.metadata', 'must be an object');
    else {
      for (const [key, wanted] of Object.entries(metadata))
        conditions.push(...this.labels(key, wanted, metadataFields));
    }
    return conditions.slice(0, CONDITIONS_MAX);
  }

  /** A label is looked for in the fields of its name, and where there is none in the metadata of the content. */
  private labels(key: string, wanted: Json, metadataFields: readonly string[]): AttributeCondition[] {
    const field = `query.metadata.${key}`;
    const named = metadataFields.filter((path) => path === key || path.endsWith(`.${key}`));
    const paths = named.length > 0 ? named : [key.includes('.') ? key : `${METADATA}.${key}`];
    if (isBare(wanted)) return paths.map((path) => this.condition(path, wanted, field));
    if (isBareList(wanted)) return paths.map((path) => ({ path, value: wanted, match: 'equals' }));
    this.reading.add(field, 'must be a text, a number, a truth value or an array of them');
    return [];
  }

  private condition(path: string, value: Bare, field: string): AttributeCondition {
    const isRegex = this.reading.flag('use_regex') && typeof value === 'string' && this.isPattern(value, field);
    return { path, value, match: isRegex ? 'regex' : 'contains' };
  }

  /** A pattern of another syntax must not silently be searched for literally. */
  private isPattern(source: string, field: string): boolean {
    try {
      patternOf(source, false);
      return true;
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const isReported = this.reading.violations.some((violation) => violation.description === error.message);
      if (!isReported && isPatternElsewhere(source)) this.reading.add(field, error.message);
      return false;
    }
  }
}

function isBare(value: Json | undefined): value is Bare {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isBareList(value: Json): value is Extract<AttributeValue, readonly unknown[]> {
  return Array.isArray(value) && value.every(isBare);
}

function isTags(path: string): boolean {
  return path === 'tags' || path.endsWith('.tags');
}

function isPatternElsewhere(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}

export const attribute: Preset = {
  name: 'attribute',
  description:
    'Memories that have a value in the fields named; first the memories of which the value is the largest part. A query that is a single value is looked for in all fields; {content, metadata: {key: value}} looks for each value in its own field, as a part of it, and for an array of values as a whole. An empty query finds nothing.',
  parameters: [
    {
      name: 'query',
      description: 'The values to look for: a text, a number, a truth value, or an object of `content` and `metadata`.',
      kinds: ['string', 'number', 'boolean', 'object'],
      required: true,
    },
    {
      name: 'content_fields',
      description: 'Paths in which a value is found as a part of the field. None: the default.',
      kinds: ['array of strings'],
      default: CONTENT_FIELDS,
    },
    {
      name: 'metadata_fields',
      description:
        'Paths of labels, which are searched as well; paths that end in `tags` must contain a single-value query as a whole item. None: the default.',
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
        'Texts are regular expressions in RE2 syntax, found anywhere in a field; whole items of tags are compared literally. A text that is not a valid expression in any syntax is searched for literally.',
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
      filter,
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

export const match: Preset = {
  name: 'match',
  description:
    'Memories like an example, nearest first: by the similarity of states to the example, or to the fields of it that are named; the score is the similarity, or the cosine where the example has texts alone.',
  parameters: [
    {
      name: 'example',
      description: 'The example, a JSON object with at least one field.',
      kinds: ['object'],
      required: true,
    },
    {
      name: 'fields',
      description:
        'Paths of the fields of the example that count. Default: all. If the example has none of them, nothing is found.',
      kinds: ['array of strings'],
    },
    MIN_SCORE,
    {
      name: 'context_weights',
      description: 'How much values of the example are emphasized, by path.',
      kinds: ['object'],
    },
    ...NARROWING,
  ],
  resolve(reading): Plan {
    const example = reading.object('example') ?? {};
    if (Object.keys(example).length === 0) reading.add('example', 'must have at least one field');
    const weights = checkContextWeights(reading, 'context_weights');
    let chosen: Json = example;
    let state = contentOf(example);
    if (reading.isSet('fields')) {
      const found = reading.strings('fields').map((path) => [path, fieldOf(example, path)] as const);
      const present = found.filter(([, value]) => value !== undefined);
      chosen = Object.fromEntries(present.map(([path, value]) => [path.split('.').at(-1) ?? path, value as Json]));
      state = nested(present.map(([path, value]) => [pathInContent(example, path), value as Json]));
    }
    const plan = likeText(
      emphasized(textOfJson(chosen), example, weights),
      reading.number('min_score'),
      narrowingOf(reading),
    );
    return likeState(plan, state, weights);
  },
};

/** An example may be a whole entry or its content: that of an entry is an object. */
function contentOf(example: Json): Json {
  const content = valueAt(example, ['content']);
  return isObject(content) ? content : example;
}

function pathInContent(example: Json, path: string): readonly string[] {
  const parts = path.split('.');
  const isOfEntry = parts[0] === 'content' && (contentOf(example) !== example || valueAt(example, parts) === undefined);
  return isOfEntry ? parts.slice(1) : parts;
}

/** The object that has the values at the paths. */
function nested(values: readonly (readonly [readonly string[], Json])[]): Json {
  const root = new Map<string, [readonly string[], Json][]>();
  for (const [[key, ...rest], value] of values) {
    if (key !== undefined) root.set(key, [...(root.get(key) ?? []), [rest, value]]);
  }
  return Object.fromEntries(
    Array.from(root, ([key, inner]) => {
      const whole = inner.find(([rest]) => rest.length === 0);
      return [key, whole ? whole[1] : nested(inner)] as const;
    }),
  );
}

/** An example may be a whole entry or its content, whichever the path is about. */
function fieldOf(example: Json, path: string): Json | undefined {
  const parts = path.split('.');
  return valueAt(example, parts) ?? (parts[0] === 'content' ? valueAt(example, parts.slice(1)) : undefined);
}
