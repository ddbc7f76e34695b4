import { describe, expect, it } from '@jest/globals';
import { mismatch, resolved } from './match.ts';

const found = (expected: unknown, actual: unknown, values = new Map<string, unknown>()) =>
  mismatch(expected, actual, values);

describe('expectations of the contract test', () => {
  it.each([
    ['a part of an object', { a: 1 }, { a: 1, b: 2 }],
    ['a list', [1, { a: 1 }], [1, { a: 1, b: 2 }]],
    ['bytes', { $bytes: 'AA==' }, { $bytes: 'AA==' }],
    ['any value', { a: { $any: true } }, { a: null }],
    ['no value', { a: { $absent: true } }, {}],
    ['a pattern', { $match: '^a' }, 'ab'],
    ['a length', { $length: 2 }, 'ab'],
    ['about a number', { $approx: 0.1 }, 0.10000000149011612],
    ['at least', { $at_least: 1 }, 1],
    ['above', { $above: 1 }, 2],
    ['between', { $between: [1, 2] }, 2],
    ['an element', { $contains: { a: 1 } }, [{ b: 1 }, { a: 1, b: 2 }]],
    ['another value', { $not: 1 }, 2],
    ['all of them', { $all: [{ $match: 'a' }, { $length: 1 }] }, 'a'],
  ])('%s › holds', (_, expected, actual) => {
    expect(found(expected, actual)).toBeUndefined();
  });

  it.each([
    ['another value', { a: 1 }, { a: 2 }, 'it.a is 2, expected 1'],
    ['another type', { a: 1 }, { a: '1' }, 'it.a is "1", expected 1'],
    ['a missing field', { a: 1 }, {}, 'it.a is absent, expected 1'],
    ['a longer list', [1], [1, 2], 'it is [1,2], expected [1]'],
    ['no list', [], {}, 'it is {}, expected []'],
    ['nothing where any is expected', { a: { $any: true } }, {}, 'it.a is absent'],
    ['something where none is expected', { a: { $absent: true } }, { a: null }, 'it.a is null'],
    ['another text', { $match: '^b' }, 'ab', 'it is "ab"'],
    ['another length', { $length: 1 }, [], 'it is []'],
    ['a number too far away', { $approx: 0.1 }, 0.2, 'it is 0.2'],
    ['too little', { $at_least: 2 }, 1, 'it is 1'],
    ['not above', { $above: 1 }, 1, 'it is 1'],
    ['not between', { $between: [1, 2] }, 3, 'it is 3'],
    ['no such element', { $contains: { a: 1 } }, [{ a: 2 }], 'it is [{"a":2}]'],
    ['the same', { $not: 1 }, 1, 'it is 1'],
    ['one that is not', { $all: [{ $match: 'a' }, { $length: 2 }] }, 'a', 'it is "a"'],
  ])('%s › is reported', (_, expected, actual, received) => {
    expect(found(expected, actual)).toContain(received);
  });

  it('a value that is saved › is known later, in texts too', () => {
    const values = new Map<string, unknown>();

    expect(found([{ $save: 'x' }, { $ref: 'x' }], [1, 1], values)).toBeUndefined();
    expect(found({ $ref: 'x' }, 2, values)).toBe('it is 2, expected 1');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the scenario's.
    expect(resolved({ a: ['n-${x}', { $ref: 'x' }] }, values)).toEqual({ a: ['n-1', 1] });
    expect(() => found({ $ref: 'y' }, 1, values)).toThrow('no value is saved as y');
    expect(() => found({ $typo: 1 }, 1, values)).toThrow('unknown placeholder $typo');
  });
});
