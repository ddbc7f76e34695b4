import { describe, expect, it } from '@jest/globals';
import { admits } from '../../src/memory/evaluate-filter.ts';
import type { Comparison } from '../../src/memory/filter.ts';
import { PatternError, patternOf } from '../../src/memory/pattern.ts';
import { newMemory } from '../support/new-memory.ts';

describe('a pattern', () => {
  it('matches anywhere in a text, over line breaks and with any letters', () => {
    expect(patternOf('first.*last', false).isIn('the first\nand the last')).toBe(true);
    expect(patternOf('CAFÉ', true).isIn('un café noir')).toBe(true);
    expect(patternOf('CAFÉ', false).isIn('un café noir')).toBe(false);
  });

  it('takes time linear in the text', () => {
    const text = `${'a'.repeat(60_000)}!`;
    const startedAtMs = performance.now();
    for (const source of ['^(a+)+$', '(a|aa)+$', '(a*)*b', '(.*a){12}$']) patternOf(source, false).isIn(text);
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
  });

  it.each(['(', '[a', '(?=a)', '(a)\\1', '(a{1000}){1000}', 'x'.repeat(513)])(
    '%s is refused with a reason',
    (source) => {
      expect(() => patternOf(source, false)).toThrow(PatternError);
    },
  );

  it('is forgotten after many others and still means the same', () => {
    for (let count = 0; count < 200; count++) expect(patternOf(`^${count}$`, false).isIn(String(count))).toBe(true);
    expect(patternOf('^0$', false).isIn('1')).toBe(false);
  });
});

describe('a filter with a pattern', () => {
  const matches = (target: Comparison['target'], source: string): Comparison => ({
    kind: 'comparison',
    target,
    operator: 'matches',
    values: [source],
    ignoreCase: false,
  });
  const content = { mediaType: 'application/json', data: Buffer.from('{"rooms": ["hall", "attic"], "count": 12}') };
  const memory = { ...newMemory({ id: 'a', text: 'up the stairs', content }), namespace: 'n', revision: 1 };

  it('is true when a text of the field or of the path matches, and false of numbers', () => {
    expect(admits(matches({ kind: 'field', field: 'text' }, 'st..rs$'), memory)).toBe(true);
    expect(admits(matches({ kind: 'path', path: ['rooms'] }, '^at+ic$'), memory)).toBe(true);
    expect(admits(matches({ kind: 'path', path: ['count'] }, '12'), memory)).toBe(false);
  });
});
