import type { Comparison } from '../filter.ts';
import type { FieldKind } from './fields.ts';

/** What stands on the left of a comparison. */
export interface Operand {
  /** As errors call it. */
  readonly name: string;
  readonly target: Comparison['target'];
  /** `json`: a value of the content, of any type. */
  readonly kind: FieldKind | 'json';
  readonly ignoreCase: boolean;
}
