import { describe, expect, it } from '@jest/globals';
import { adjustmentsOf } from '../../../src/search/reading/adjust.ts';

const NOW_US = Date.parse('2026-11-25T18:00:00Z') * 1000;
const DAY_US = 86_400_000_000;

interface Told {
  readonly text: string;
  readonly speaker?: number;
  readonly score?: number;
}

/** Places of the memories, best first; each is a day newer than the one before. */
function order(question: string, memories: readonly (Told | string)[]): number[] {
  const received = memories.map((one): Told => (typeof one === 'string' ? { text: one } : one));
  const hits = received.map(({ score }, sequence) => ({ sequence, score: score ?? -sequence, isOpenQuestion: false }));
  hits.sort((a, b) => b.score - a.score);
  const adjustments = adjustmentsOf({ text: question, nowUs: NOW_US }, hits, {
    textOf: (sequence) => received[sequence]?.text ?? '',
    eventAtUs: (sequence) => NOW_US + (sequence - received.length) * DAY_US,
    speakerOf: (sequence) => received[sequence]?.speaker ?? -1,
    isByNamed: () => false,
    declaresStart: () => false,
    isSummary: () => false,
  });
  const total = (hit: { sequence: number; score: number }) => hit.score + (adjustments.get(hit.sequence)?.total ?? 0);
  return hits.sort((a, b) => total(b) - total(a)).map(({ sequence }) => sequence);
}

/** Long messages that mention a value beside much else. */
const SEEDS =
  'I am trying to plan the beds behind the shed, and since the seed box has 31 packets sorted by month and by height, I wonder whether a second box would help or only get in the way?';
const MORE_SEEDS =
  'The hedge kept me busy all weekend, and after the swap with Odile the seed box has grown to 44 packets, so can you tell me how other gardeners label theirs and keep mice away from them?';

describe('values that change', () => {
  it.each<readonly [string, string, string]>([
    ['How many packets are in my seed box?', SEEDS, MORE_SEEDS],
    [
      'What is my weekly budget for groceries and flowers?',
      'I spent 95 euros this week, which is 15 above my weekly budget of 80 for groceries and flowers, how can I save?',
      'With my raised weekly budget of 110 in mind, which cheeses for a party of nine would you pick?',
    ],
    [
      'What time should I be at the ferry to Texel?',
      'We take the ferry to Texel on 3 July at 9 am, what should we pack for the children and the dog?',
      'I worry about the ferry to Texel, so please keep in mind that it leaves at 10:15 now and not earlier.',
    ],
    [
      'What is the deadline for the first draft of the orchard survey?',
      'I have a deadline of May 4 for the first draft of the orchard survey, which covers the pears and the soil.',
      'Help me to re-plan my week around the new survey deadline of May 11, because the soil samples are late.',
    ],
    [
      'How much do I put aside monthly for the boat and the mooring?',
      'I put aside 70 euros monthly for the boat and the mooring, is that enough for a small one with a cabin?',
      'I need a plan for the boat: what I put aside monthly is 85 euros since March, and the mooring is not paid.',
    ],
    [
      'What is the render time with four lamps and fog?',
      'The render time is at 40 seconds with four lamps and fog, and I would like to make the hall a little brighter.',
      'The render time went down to 25 seconds with four lamps and fog after the update, so what else can I try?',
    ],
    [
      'How long does the permit process take in Oslo?',
      'Ingrid explained that the permit process takes 4-5 months in Oslo, so I am preparing the drawings early.',
      'I wonder about the permit process, which was shortened to 2 months, and what it means for the drawings.',
    ],
    [
      'When is the choir rehearsal scheduled?',
      'The choir rehearsal is coming up on October 12 in the old town hall, so what should I practise for it?',
      'I nearly missed that the choir rehearsal was postponed; can you find a text to ask for the next date?',
    ],
  ])('%s › the newer value first', (question, older, newer) => {
    expect(order(question, [older, newer])).toEqual([1, 0]);
  });

  it('of several values the newest comes first', () => {
    const texts = [
      SEEDS,
      MORE_SEEDS,
      'My seed box is up to 52 packets now, which is too many for the shelf by the door.',
    ];
    expect(order('How many packets are in my seed box?', texts)[0]).toBe(2);
  });

  it.each<readonly [string, string, Told | string, Told | string]>([
    ['the same value', 'How many packets are in my seed box?', SEEDS, 'My seed box has 31 packets now.'],
    ['another subject', 'How many packets are in my seed box?', SEEDS, 'The shed has 12 packets of screws in it now.'],
    [
      'another measure',
      'What is my weekly budget for groceries?',
      'My weekly budget for groceries is 80 euros, and I keep the slips of all shops in a jar on the window sill.',
      'I went to 3 shops for groceries this week and the weekly market is better, so I changed where I buy bread.',
    ],
    [
      'no value',
      'How many packets are in my seed box?',
      SEEDS,
      'My seed box has many packets from Odile, and I still need to sort them all by colour before the frost.',
    ],
    [
      'another speaker',
      'How many packets are in my seed box?',
      { text: SEEDS, speaker: 1 },
      { text: MORE_SEEDS, speaker: 2 },
    ],
    [
      "somebody else's",
      "How many goats are on Ruben's farm near the lake?",
      "Ruben's farm near the lake has 14 goats that eat every hedge, and he sells their cheese on the market.",
      'The farm of Mirte near the lake has grown to 20 goats, which she milks by hand before the sun is up.',
    ],
    ['a value far behind', 'How many packets are in my seed box?', SEEDS, { text: MORE_SEEDS, score: -9 }],
  ])('%s › stays behind', (_, question, older, newer) => {
    expect(order(question, [older, newer])).toEqual([0, 1]);
  });

  it.each([
    'How many packets were in my seed box?',
    'How many packets did my seed box have?',
    'How many packets were previously in my seed box?',
    'Where is my seed box?',
  ])('%s › values do not change the order', (question) => {
    expect(order(question, [SEEDS, MORE_SEEDS])).toEqual([0, 1]);
  });
});
