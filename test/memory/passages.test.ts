import { describe, expect, it } from '@jest/globals';
import { PASSAGE_LIMITS, passagesOf } from '../../src/memory/passages.ts';
import { seededRandom } from '../support/random.ts';

const random = seededRandom('passages');
const { wholeMax, lengthMax, overlapMax } = PASSAGE_LIMITS;

describe('passagesOf', () => {
  it('treats a short text as one passage', () => {
    expect(passagesOf('')).toEqual([{ from: 0, end: 0 }]);
    expect(passagesOf('a'.repeat(wholeMax))).toEqual([{ from: 0, end: wholeMax }]);
  });

  it('cuts at a paragraph rather than at a sentence, and repeats no more than whole sentences', () => {
    const sentence = 'The harbour was quiet that day. ';
    const first = `${sentence.repeat(32).trim()}\n\n`;
    const text = first + sentence.repeat(60);
    const [one, two] = passagesOf(text);
    expect(one).toEqual({ from: 0, end: first.length });
    expect(text.slice(two?.from).startsWith('The harbour')).toBe(true);
    expect(first.length - (two?.from ?? 0)).toBeLessThanOrEqual(overlapMax);
  });

  it.each([
    ['words without sentences', 'harbour '.repeat(2000)],
    ['one word without an end', 'x'.repeat(10_000)],
    ['Chinese', '港口那天很安静。'.repeat(1000)],
    ['families of emoji', '👨‍👩‍👧‍👦'.repeat(1000)],
    ['letters with marks', 'e\u0301\u0323'.repeat(2000)],
    ['line ends of Windows', 'quiet harbour\r\n'.repeat(500)],
    ['halves of pairs', `${'😀'.repeat(1199)}x${'😀'.repeat(1500)}`],
  ])('covers all of it without a cut inside a character: %s', (_, text) => {
    expectCovered(text);
  });

  it('covers any text', () => {
    const parts = [
      'word ',
      'sentence. ',
      '\n',
      '\n\n',
      '\r\n',
      '是',
      '。',
      '👩‍🚀',
      'e\u0301',
      ' \u0301',
      '\t',
      '한',
      '…” ',
    ];
    for (let run = 0; run < 200; run++) {
      const count = 1000 + random.int(4000);
      const few = parts.filter(() => random.int(3) > 0);
      const from = few.length > 0 ? few : parts;
      expectCovered(Array.from({ length: count }, () => from[random.int(from.length)]).join(''));
    }
  });
});

function expectCovered(text: string): void {
  const passages = passagesOf(text);
  expect(passages[0]?.from).toBe(0);
  expect(passages.at(-1)?.end).toBe(text.length);
  expect(passages.length).toBeLessThanOrEqual(Math.max(1, Math.ceil(text.length / 500)));
  const starts = new Set([...new Intl.Segmenter('en').segment(text)].map(({ index }) => index).concat(text.length));
  passages.forEach(({ from, end }, at) => {
    expect(end - from).toBeLessThanOrEqual(Math.max(lengthMax, passages.length === 1 ? wholeMax : 0));
    expect(starts.has(from)).toBe(true);
    expect(starts.has(end)).toBe(true);
    const before = passages[at - 1];
    if (before) {
      expect(from).toBeLessThanOrEqual(before.end);
      expect(from).toBeGreaterThanOrEqual(before.end - overlapMax - 32);
    }
  });
}
