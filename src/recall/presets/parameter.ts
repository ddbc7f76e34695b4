import type { Json } from '../../memory/json-values.ts';

export type JsonKind =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'object'
  | 'null'
  | 'array of strings'
  | 'array of numbers'
  | 'array of objects';

/** What can be said to a preset, and what its reading checks. */
export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly kinds: readonly JsonKind[];
  readonly default?: Json;
  readonly required?: boolean;
  /** Least number. */
  readonly min?: number;
  /** Number that it must be above. */
  readonly above?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
}
