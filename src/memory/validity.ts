import type { FieldViolation } from './errors.ts';
import type { Memory } from './memory.ts';

type Validity = Pick<Memory, 'validFromUs' | 'validUntilUs'>;

/** What is wrong with a time of validity that ends before it begins; `field` is where the memory is. */
export function validityFault(
  { validFromUs, validUntilUs }: { readonly [K in keyof Validity]?: Validity[K] | undefined },
  field: string,
): FieldViolation | undefined {
  const isInOrder = validFromUs === undefined || validUntilUs === undefined || validFromUs < validUntilUs;
  return isInOrder ? undefined : { field: `${field}.valid_until`, description: 'must be after valid_from' };
}
