import { describe, expect, it } from '@jest/globals';
import { invalidFields } from '../../src/memory/errors.ts';

const violations = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ field: `f${at}`, description: 'must be less' }));

describe('bad input', () => {
  it('the sentence of the error › names up to 8 violations, the details all', () => {
    expect(invalidFields(violations(1)).message).toBe('f0: must be less');
    expect(invalidFields(violations(2)).message).toBe('f0: must be less; f1: must be less');
    const many = invalidFields(violations(10));
    expect(many.message).toMatch(/^f0: .+; f7: must be less \(and 2 more\)$/);
    expect(many.violations).toHaveLength(10);
  });
});
