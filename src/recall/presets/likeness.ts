import { deriveText } from '../../memory/derive-text.ts';
import type { Json } from '../../memory/json-values.ts';
import type { RecallWeights } from '../recall-engine.ts';
import type { ParameterReading } from './parameter-reading.ts';
import type { CuePlan, NothingPlan } from './preset.ts';

/** Only nearness of vectors counts. */
export const BY_VECTOR: RecallWeights = { keyword: 0, vector: 1, recency: 0, importance: 0, session: 0 };

/** The words of a JSON value: its keys and values in reading order. */
export function textOfJson(value: Json): string {
  const data = new TextEncoder().encode(JSON.stringify(value));
  return deriveText({ mediaType: 'application/json', data });
}

/** Memories whose vectors are near that of a text; nothing is near an empty text, or nearer than 1. */
export function likeText(text: string, minSimilarity: number, filter: CuePlan['filter']): CuePlan | NothingPlan {
  if (text.trim() === '' || minSimilarity > 1) return { kind: 'nothing' };
  return { kind: 'cue', text, weights: BY_VECTOR, minSimilarity, scoredByCosine: true, ...(filter ? { filter } : {}) };
}

/** Text with the values of some keys said again, as often as their weight asks. */
export function emphasized(text: string, state: Json, weights: { readonly [path: string]: Json }): string {
  const parts = [text];
  for (const [path, weight] of Object.entries(weights)) {
    const value = valueAt(state, path.split('.'));
    if (value === undefined || typeof weight !== 'number' || weight === 0) continue;
    const said = `${path.replaceAll('.', ' ')} ${typeof value === 'string' ? value : textOfJson(value)}`;
    for (let count = Math.min(EMPHASIS_MAX, Math.max(1, Math.floor(weight * EMPHASIS))); count > 0; count--)
      parts.push(said);
  }
  return parts.join(' ');
}

/** A weight of 1 says a value three times more. */
const EMPHASIS = 3;
const EMPHASIS_MAX = 30;

export function checkContextWeights(reading: ParameterReading, name: string): { readonly [path: string]: Json } {
  const weights = reading.object(name) ?? {};
  const given = Object.entries(weights);
  for (const [path, weight] of given) {
    const isWeight = typeof weight === 'number' && Number.isFinite(weight) && weight >= 0;
    if (!isWeight) reading.add(`${name}.${path}`, 'must be a number of at least 0');
  }
  if (given.length > 0 && given.every(([, weight]) => weight === 0)) reading.add(name, 'must not all be 0');
  return weights;
}

/** The value at a path of keys and indexes; arrays are not looked through. */
export function valueAt(json: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = json;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as { readonly [key: string]: Json })[part];
  }
  return value;
}
