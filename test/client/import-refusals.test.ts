import { describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../clients/typescript/src/errors.ts';
import { refusedPlaces } from '../../clients/typescript/src/import-refusals.ts';

const invalid = (...fields: string[]) =>
  new MnemeError('INVALID_ARGUMENT', 'no', {
    reason: 'FIELD_INVALID',
    violations: fields.map((field) => ({ field, description: 'is wrong' })),
  });

describe('refusedPlaces', () => {
  it('names each memory at fault with its own fields', () => {
    const places = refusedPlaces(invalid('memories[2].text', 'memories[7]', 'memories[2].tags[0]'));
    expect([...(places ?? [])].map(([place, { message, code }]) => [place, message, code])).toEqual([
      [2, 'text: is wrong; tags[0]: is wrong', 'INVALID_ARGUMENT'],
      [7, 'is wrong', 'INVALID_ARGUMENT'],
    ]);
  });

  it('names none where the error does not identify the memory', () => {
    const error = new MnemeError('INVALID_ARGUMENT', 'no', { reason: 'DIMENSION_MISMATCH' });
    expect(refusedPlaces(error)).toEqual(new Map());
  });

  it.each([
    ['a field of the request itself', invalid('parent', 'memories[2].text')],
    ['a full store', new MnemeError('RESOURCE_EXHAUSTED', 'no', { reason: 'STORAGE_FULL' })],
    ['a memory that exists', new MnemeError('ALREADY_EXISTS', 'no', { reason: 'MEMORY_EXISTS' })],
    ['any other error', new Error('no')],
  ])('is not for %s', (_, error) => {
    expect(refusedPlaces(error)).toBeUndefined();
  });
});
