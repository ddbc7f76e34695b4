import type { Json } from '../../memory/json-values.ts';
import { PatternError, patternOf } from '../../memory/pattern.ts';
import type { AttributeCondition, AttributeValue } from '../scoring/scoring.ts';
import { isObject, type ParameterReading } from './parameter-reading.ts';

/** Where the metadata of an entry's content is. */
export const METADATA = 'content.metadata';
export const CONTENT_FIELDS: readonly string[] = ['content.content'];
export const METADATA_FIELDS: readonly string[] = ['type', 'tags', 'importance', 'source'].map(
  (key) => `${METADATA}.${key}`,
);
/** Conditions that one memory is tried with. */
const CONDITIONS_MAX = 64;

type Bare = string | number | boolean;

/** What the preset `attribute` looks for, as conditions. */
export class AttributeQuery {
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

  /** No field at all means the ones that are meant when nothing is said. */
  private fields(name: string, fallback: readonly string[]): readonly string[] {
    const given = this.reading.strings(name);
    return given.length > 0 ? given : fallback;
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

  /** What is a pattern elsewhere but not here must not silently be looked for as it is written. */
  private isPattern(source: string, field: string): boolean {
    try {
      patternOf(source, false);
      return true;
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const isTold = this.reading.violations.some((violation) => violation.description === error.message);
      if (!isTold && isPatternElsewhere(source)) this.reading.add(field, error.message);
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
