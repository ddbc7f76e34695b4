import type { Json } from '../json-values.ts';

/** Limits of what similarity compares of a state; the rest, in reading order, does not count. */
export const STATE_LIMITS = {
  /** Numbers and labels of a state. */
  leaves: 256,
  /** Elements of an array. */
  elements: 64,
  /** Length of a label in UTF-16 code units; a longer string is a text. */
  labelLength: 64,
} as const;

/** A number or a label of a state. Leaves of two states are compared where place and kind are the same. */
export interface StateLeaf {
  /** Path as a JSON Pointer (RFC 6901), with `*` for the index of a label in an array: such an array is a set. */
  readonly place: string;
  readonly kind: 'number' | 'label';
  /** The number, or a hash of the label. */
  readonly value: number;
  /** Part of the whole state, 0 to 1: each object and array divides its share equally among its members. */
  readonly share: number;
}

/** A state as similarity compares it. */
export interface ComparedState {
  readonly leaves: readonly StateLeaf[];
  /** Share of the texts, which are compared by the embedder. */
  readonly textShare: number;
}

/** Weights of values by path, such as `{"position.x": 0.5}`: a value counts 1 + 3 × weight times, at most 31 times. */
export type ContextWeights = { readonly [path: string]: Json };

const EMPHASIS = 3;
const EMPHASIS_MAX = 30;

/**
 * The numbers, labels and texts of a JSON object; `undefined` for any other value. A label is a truth value, `null`, an
 * empty array or object, or a string of one word; a text is any other string.
 */
export function comparedState(json: unknown, weights: ContextWeights = {}): ComparedState | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
  const reading = new StateReader(weights);
  reading.read(json as Json, '', '', 1);
  return { leaves: reading.leaves, textShare: reading.textShare };
}

class StateReader {
  readonly leaves: StateLeaf[] = [];
  textShare = 0;
  private readonly weights: ContextWeights;
  private readonly isWeighted: boolean;

  constructor(weights: ContextWeights) {
    this.weights = weights;
    this.isWeighted = Object.keys(weights).length > 0;
  }

  /** `path` has the keys and indexes joined by dots, as `ContextWeights` name them. */
  read(json: Json, place: string, path: string, share: number): void {
    if (typeof json === 'object' && json !== null) {
      if (Array.isArray(json)) this.readArray(json, place, path, share);
      else this.readObject(json as { readonly [key: string]: Json }, place, path, share);
    } else if (isText(json)) {
      this.textShare += share;
    } else if (typeof json === 'number' && Number.isFinite(json)) {
      this.add({ place, kind: 'number', value: json, share });
    } else if (typeof json === 'bigint') {
      // A similarity is an approximation.
      this.add({ place, kind: 'number', value: Number(json), share });
    } else {
      this.add({ place, kind: 'label', value: labelHash(json), share });
    }
  }

  private readArray(elements: readonly Json[], place: string, path: string, share: number): void {
    if (elements.length === 0) {
      this.add({ place: `${place}/*`, kind: 'label', value: EMPTY_ARRAY, share });
      return;
    }
    const counted = elements.slice(0, STATE_LIMITS.elements);
    const paths = counted.map((_, index) => this.under(path, String(index)));
    const factors = paths.map((one) => this.factorOf(one));
    const total = sumOf(factors);
    counted.forEach((element, index) => {
      const isPlaced = typeof element === 'number' || (typeof element === 'object' && element !== null);
      const own = `${place}/${isPlaced ? index : '*'}`;
      this.read(element, own, paths[index] ?? '', (share * (factors[index] ?? 1)) / total);
    });
  }

  private readObject(object: { readonly [key: string]: Json }, place: string, path: string, share: number): void {
    const entries = Object.entries(object);
    if (entries.length === 0) {
      this.add({ place, kind: 'label', value: EMPTY_OBJECT, share });
      return;
    }
    const paths = entries.map(([key]) => this.under(path, key));
    const factors = paths.map((one) => this.factorOf(one));
    const total = sumOf(factors);
    entries.forEach(([key, value], at) => {
      this.read(value, `${place}/${escaped(key)}`, paths[at] ?? '', (share * (factors[at] ?? 1)) / total);
    });
  }

  private add(leaf: StateLeaf): void {
    if (this.leaves.length < STATE_LIMITS.leaves) this.leaves.push(leaf);
  }

  private under(path: string, key: string): string {
    if (!this.isWeighted) return '';
    return path === '' ? key : `${path}.${key}`;
  }

  private factorOf(path: string): number {
    if (!this.isWeighted || !Object.hasOwn(this.weights, path)) return 1;
    const weight = this.weights[path];
    return typeof weight === 'number' ? 1 + Math.min(EMPHASIS_MAX, EMPHASIS * weight) : 1;
  }
}

function sumOf(factors: readonly number[]): number {
  return factors.reduce((sum, factor) => sum + factor, 0);
}

function escaped(key: string): string {
  return /[~/*]/.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('*', '~2') : key;
}

/** A string of several words, or longer than a label. */
function isText(json: Json): boolean {
  if (typeof json !== 'string') return false;
  const trimmed = json.trim();
  return trimmed.length > STATE_LIMITS.labelLength || /\s/.test(trimmed);
}

/** Case, composition and surrounding space of a string do not count. */
function labelHash(json: string | number | boolean | null): number {
  return hashOf(typeof json === 'string' ? `"${json.trim().normalize('NFC').toLowerCase()}` : String(json));
}

const EMPTY_ARRAY = hashOf('[]');
const EMPTY_OBJECT = hashOf('{}');

/** A whole number of 53 bits, of two runs of FNV-1a. */
export function hashOf(text: string): number {
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x85ebca6b);
    other ^= other >>> 13;
  }
  return (one >>> 0) * 2 ** 21 + (other >>> 11);
}

/** Least share of a vector that was stored or sent with a state: it may say what no value does. */
const VECTOR_SHARE_MIN = 0.5;

/** The state with a vector of its own, which then is compared in the place of its texts. */
export function withVector({ leaves, textShare }: ComparedState): ComparedState {
  if (textShare >= VECTOR_SHARE_MIN) return { leaves, textShare };
  const scale = (1 - VECTOR_SHARE_MIN) / (1 - textShare);
  return { leaves: leaves.map((leaf) => ({ ...leaf, share: leaf.share * scale })), textShare: VECTOR_SHARE_MIN };
}
