import { PatternError, patternOf } from '../../memory/pattern.ts';
import type { AttributeCondition } from '../scoring/scoring.ts';
import type { Json } from './parameter.ts';
import { isObject, type ParameterReading } from './parameter-reading.ts';

/** Where the metadata of an entry's content is. */
export const METADATA = 'content.metadata';
/** Conditions that one memory is tried with. */
const CONDITIONS_MAX = 64;

type Value = string | number | boolean;

/** What the preset `attribute` looks for, as groups of conditions. */
export class AttributeQuery {
  private readonly reading: ParameterReading;

  constructor(reading: ParameterReading) {
    this.reading = reading;
  }

  groups(): AttributeCondition[][] {
    const { reading } = this;
    const query = reading.value('query');
    const contentFields = reading.strings('content_fields');
    const metadataFields = reading.strings('metadata_fields');
    if (contentFields.length + metadataFields.length > CONDITIONS_MAX) {
      reading.add('metadata_fields', `must be at most ${CONDITIONS_MAX} with content_fields`);
    }
    if (typeof query === 'string' || typeof query === 'number') {
      const everywhere = [...this.parts(contentFields, query, 'query'), ...this.parts(metadataFields, query, 'query')];
      return query === '' || everywhere.length === 0 ? [] : [everywhere];
    }
    return isObject(query) ? this.groupsOf(query, contentFields, metadataFields) : [];
  }

  private groupsOf(
    query: { readonly [key: string]: Json },
    contentFields: readonly string[],
    metadataFields: readonly string[],
  ): AttributeCondition[][] {
    const { content, metadata = {}, ...others } = query;
    for (const key of Object.keys(others)) this.reading.add(`query.${key}`, 'is neither content nor metadata');
    const groups: AttributeCondition[][] = [];
    if (content !== undefined && content !== '') {
      const value = this.value(content, 'query.content');
      if (value !== undefined) groups.push(this.parts(contentFields, value, 'query.content'));
    }
    if (!isObject(metadata)) this.reading.add('query.metadata', 'must be an object');
    else {
      for (const [key, wanted] of Object.entries(metadata)) {
        groups.push(...this.labels(key, wanted, metadataFields));
      }
    }
    return groups.slice(0, CONDITIONS_MAX);
  }

  /** A label is looked for in the field of its name, and where there is none in the metadata of the content. */
  private labels(key: string, wanted: Json, metadataFields: readonly string[]): AttributeCondition[][] {
    const field = `query.metadata.${key}`;
    const named = metadataFields.filter((path) => path === key || path.endsWith(`.${key}`));
    const paths = named.length > 0 ? named : [key.includes('.') ? key : `${METADATA}.${key}`];
    const items: readonly Json[] = Array.isArray(wanted) ? wanted : [wanted];
    return items.flatMap((item) => {
      const value = this.value(item, field);
      if (value === undefined) return [];
      return [paths.map((path) => this.condition(path, value, isTags(path) ? 'array_contains' : 'equals', field))];
    });
  }

  private parts(paths: readonly string[], value: Value, field: string): AttributeCondition[] {
    return paths.map((path) => {
      const isLabel = isTags(path) && typeof value === 'string';
      return this.condition(path, value, isLabel ? 'array_contains' : 'contains', field);
    });
  }

  private condition(path: string, value: Value, match: AttributeCondition['match'], field: string): AttributeCondition {
    const isRegex = this.reading.flag('use_regex') && typeof value === 'string' && this.isPattern(value, field);
    return { path, value, match: isRegex ? 'regex' : match };
  }

  /** What is a pattern elsewhere but not here must not silently be looked for as it is written. */
  private isPattern(source: string, field: string): boolean {
    try {
      patternOf(source, false);
      return true;
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      if (isPatternElsewhere(source)) this.reading.add(field, error.message);
      return false;
    }
  }

  private value(json: Json, field: string): Value | undefined {
    if (typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean') return json;
    this.reading.add(field, 'must be a text, a number or a truth value');
    return undefined;
  }
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
