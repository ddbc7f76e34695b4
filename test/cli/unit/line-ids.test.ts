import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { LineIds, Occurrences, SaidBefore } from '../../../src/cli/imported-lines.ts';

describe('LineIds', () => {
  it('give a line the same id whatever the order of its keys and the fields set by a server', () => {
    const id = new LineIds('n').idOf({ text: 'a', scope: { agent: 'x', session: 's' }, tags: ['t', 'u'] });
    const line = { tier: 'long_term', scope: { session: 's', agent: 'x' }, tags: ['t', 'u'], text: 'a', version: 7 };
    expect(new LineIds('n').idOf(line)).toBe(id);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new LineIds('n').idOf({ ...line, tags: ['u', 't'] })).not.toBe(id);
    expect(new LineIds('other').idOf(line)).not.toBe(id);
  });

  it('give equal lines distinct ids, the same in every run', () => {
    const run = () => {
      const ids = new LineIds('n');
      return [{ text: 'a' }, { text: 'b' }, { text: 'a' }, { text: 'a' }].map((line) => ids.idOf(line));
    };
    expect(new Set(run()).size).toBe(4);
    expect(run()).toEqual(run());
  });
});

describe('SaidBefore', () => {
  it('recognizes an earlier statement of the same speaker; a vector alone is no statement', () => {
    const saidBefore = new SaidBefore();
    const memories = [
      { text: 'ok', source: { speaker: 'Ann' }, eventTime: new Date('2026-01-01T00:00:00Z') },
      { text: 'ok', source: { speaker: 'Ann' }, eventTime: new Date('2026-02-01T00:00:00Z') },
      { text: 'ok', source: { speaker: 'Ben' } },
      { text: 'ok', source: { speaker: 'Ann' }, scope: { session: 's' } },
      { embedding: { model: 'm', values: [1] } },
      { embedding: { model: 'm', values: [2] } },
    ];
    const repeated = memories.map((memory, at) => saidBefore.isRepeated(`m${at}`, memory));
    expect(repeated).toEqual([false, true, false, false, false, false]);
  });
});

describe('Occurrences', () => {
  it('count like a map, through growth', () => {
    const occurrences = new Occurrences();
    const expected = new Map<number, number>();
    for (let at = 0; at < 20_000; at++) {
      const value = (at * 7919) % 6007;
      expected.set(value, (expected.get(value) ?? 0) + 1);
      expect(occurrences.next(hash('sha256', String(value), 'buffer'))).toBe(expected.get(value));
    }
    expect([occurrences.next(Buffer.alloc(8)), occurrences.next(Buffer.alloc(8))]).toEqual([1, 2]);
  });
});
