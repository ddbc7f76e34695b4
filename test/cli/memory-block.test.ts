import { describe, expect, it } from '@jest/globals';
import type { Memory, RecallHit } from '../../clients/typescript/src/index.ts';
import { Content } from '../../clients/typescript/src/index.ts';
import { hitBlock, layoutOf, memoryBlock } from '../../src/cli/memory-output.ts';

const ID = '0190a3c2-7f5e-7cc0-b2a1-3f1b9e2d4c55';

function memory(text: string, more: Partial<Memory> = {}): Memory {
  const times = { eventTime: new Date('2026-11-10T09:12:34Z'), createTime: new Date(0), updateTime: new Date(0) };
  return { id: ID, text, type: 'fact', source: { speaker: 'Ada' }, ...times, ...more } as Memory;
}

function hit(text: string): RecallHit {
  return { memory: memory(text), score: 0.75, relevance: 0.75 } as RecallHit;
}

const LONG = `${'Ada plays the cello in an orchestra. '.repeat(4)}The end.`;

describe('a memory in a list', () => {
  it('a short text › is one line, with when, who and the whole id below', () => {
    expect(memoryBlock(memory('Ada plays the cello.'), layoutOf({}, 80))).toBe(
      `Ada plays the cello.\n  2026-11-10 09:12  Ada  ${ID}`,
    );
  });

  it('without a speaker, at midnight › shows the type and the day alone', () => {
    const day = memory('x', { source: {}, eventTime: new Date('2026-11-10T00:00:00Z') });
    expect(memoryBlock(day, layoutOf({}, 80)).split('\n')[1]).toBe(`  2026-11-10  fact  ${ID}`);
  });

  it('a hit on 80 columns › is wrapped whole below its rank, no line wider', () => {
    const lines = hitBlock(hit(LONG), 1, layoutOf({}, 80)).split('\n');

    expect(lines[0]).toMatch(/^ {2}1 {2}0\.75 {2}Ada plays/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[1]).toMatch(/^ {11}\S/);
    const text = lines.slice(0, -1).map((line) => line.slice(11));
    expect(text.join(' ')).toBe(LONG);
  });

  it.each([20, 40, 80, 200])('at %s columns › nothing is wider, wide letters included', (columns) => {
    const text = '漢字と仮名 '.repeat(10) + LONG;
    const lines = memoryBlock(memory(text), layoutOf({ full: true }, columns))
      .split('\n')
      .slice(0, -1);
    expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    expect(lines.length).toBeGreaterThan(1);
  });

  it('a very long text › is cut after six lines, and whole with --full', () => {
    const text = 'word '.repeat(500);
    const cut = memoryBlock(memory(text), layoutOf({}, 80)).split('\n');

    expect(cut).toHaveLength(7);
    expect(cut[5]).toBe('… 27 more lines: --full or "mneme get" shows them');
    expect(memoryBlock(memory(text), layoutOf({ full: true }, 80)).split('\n')).toHaveLength(33);
  });

  it('without a terminal › a text is whole and on one line', () => {
    const [line] = memoryBlock(memory(`two\nlines ${LONG}`), layoutOf({}, Number.POSITIVE_INFINITY)).split('\n');
    expect(line).toBe(`two lines ${LONG}`);
  });

  it('a state without a text › shows its JSON', () => {
    const state = memory('', { content: Content.json({ door: 'open' }) });
    expect(memoryBlock(state, layoutOf({}, 80)).split('\n')[0]).toBe('{"door":"open"}');
  });
});
