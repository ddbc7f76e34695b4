import { describe, expect, it } from '@jest/globals';
import { readQuestion, spanNear } from '../../../src/search/reading/adjust.ts';

const NOW_US = Date.UTC(2026, 10, 25, 18) * 1000;
const read = (text: string) => readQuestion({ text, nowUs: NOW_US });
const day = (us: number) => new Date(us / 1000).toISOString().slice(0, 10);

describe('readQuestion', () => {
  it.each([
    ['What did I do yesterday?', true],
    ['What happened in October?', true],
    ['What did we do the week before the wedding?', true],
    ['What did the doctor say three days ago?', false],
    ['Where is the key?', false],
  ])('%s › the question consists of a time only: %s', (text, expected) => {
    expect(read(text).isOnlyTime).toBe(expected);
  });

  it.each([
    ['Where do I live now?', 'current'],
    ['Is the half marathon still on?', 'current'],
    ['How much is my rent?', 'current'],
    ['Where did I live before?', 'former'],
    ['What was the old gate code?', 'former'],
    ['What did she use to play?', undefined],
    ['Who won the race?', undefined],
    ['What did I do yesterday?', undefined],
  ])('%s › asks for the current or former state: %s', (text, expected) => {
    expect(read(text).state).toBe(expected);
  });

  it.each([
    ["Who can't come?", true],
    ['What does Ines not like?', true],
    ['Who is coming?', false],
  ])('%s › asks for a negated statement: %s', (text, expected) => {
    expect(read(text).isNegated).toBe(expected);
  });

  it('reads the event that a time is relative to', () => {
    expect(read('What did we do the week before the wedding?').beside).toEqual({
      side: 'before',
      distance: { count: 1, unit: 'week' },
      event: ['wed'],
    });
    expect(read('How did she feel after the accident?').beside).toEqual({
      side: 'after',
      distance: undefined,
      event: ['accid'],
    });
    expect(read('Where did I live before?').beside).toBeUndefined();
  });
});

describe('spanNear', () => {
  const eventAtUs = Date.UTC(2026, 5, 13, 15) * 1000;

  it.each([
    ['the week before the wedding', '2026-06-06', '2026-06-13'],
    ['the day after the wedding', '2026-06-14', '2026-06-15'],
    ['two months after the wedding', '2026-07-14', '2026-08-14'],
    ['the evening before the wedding', '2026-06-12', '2026-06-13'],
    ['before the wedding', '2026-05-14', '2026-06-13'],
  ])('%s', (text, from, until) => {
    const { beside } = read(text);
    const span = beside && spanNear(beside, eventAtUs);
    expect(span && [day(span.fromUs), day(span.untilUs)]).toEqual([from, until]);
  });
});
