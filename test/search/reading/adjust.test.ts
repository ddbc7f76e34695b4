import { describe, expect, it } from '@jest/globals';
import { type Adjustment, adjustmentsOf, timeFit } from '../../../src/search/reading/adjust.ts';
import { frameOf } from '../../../src/search/reading/frames.ts';

const NOW_US = at('2026-11-25T18:00:00Z');

interface Told {
  readonly text: string;
  readonly at?: string;
  readonly speaker?: number;
  readonly score?: number;
  readonly isFact?: boolean;
  readonly isSummary?: boolean;
}

function at(iso: string): number {
  return Date.parse(iso) * 1000;
}

/** Places of the memories, best first, after the question was read. */
function order(question: string, memories: readonly Told[]): number[] {
  const hits = hitsOf(memories);
  const found = adjustments(question, memories);
  const total = (hit: { sequence: number; score: number }) => hit.score + (found.get(hit.sequence)?.total ?? 0);
  return hits.sort((a, b) => total(b) - total(a)).map(({ sequence }) => sequence);
}

function hitsOf(memories: readonly Told[]) {
  const hits = memories.map(({ text, score = 0 }, sequence) => ({
    sequence,
    score,
    isOpenQuestion: text.endsWith('?'),
  }));
  return hits.sort((a, b) => b.score - a.score);
}

function adjustments(question: string, memories: readonly Told[]): ReadonlyMap<number, Adjustment> {
  const frame = frameOf(question);
  const framed = frame && { frame, sequences: new Set<number>() };
  return adjustmentsOf({ text: question, nowUs: NOW_US, framed }, hitsOf(memories), {
    textOf: (sequence) => memories[sequence]?.text ?? '',
    eventAtUs: (sequence) => at(memories[sequence]?.at ?? '2026-11-01'),
    speakerOf: (sequence) => memories[sequence]?.speaker ?? -1,
    isByNamed: () => false,
    declaresStart: (sequence) => memories[sequence]?.isFact === true,
    isSummary: (sequence) => memories[sequence]?.isSummary === true,
  });
}

const PARIS = { text: 'I live in Paris.', at: '2025-02-10', score: 2 };
const BERLIN = { text: 'I moved from Paris to Berlin.', at: '2026-09-03' };

describe('adjustmentsOf', () => {
  it('memories of the requested time come first', () => {
    const memories = [
      { text: 'I repaired the bicycle.', at: '2026-11-20', score: 1 },
      { text: 'I went to the sauna.', at: '2026-11-24T19:00:00Z' },
      { text: 'I planted tulips.', at: '2026-11-25T08:00:00Z', score: 1 },
    ];
    expect(order('What did I do yesterday?', memories)[0]).toBe(1);
    expect(order('Who repaired the bicycle?', memories)[0]).toBe(0);
  });

  it("a memory's yesterday is the day before it", () => {
    const memories = [
      { text: 'The plumber came yesterday.', at: '2026-11-24T10:00:00Z' },
      { text: 'The plumber came.', at: '2026-11-24T10:00:00Z' },
    ];
    expect(order('When did the plumber come, on 23 November 2026?', memories)[0]).toBe(0);
    expect(order('When did the plumber come, on 24 November 2026?', memories)[0]).toBe(1);
  });

  it('a time relative to an event is counted from the memory that mentions it', () => {
    const memories = [
      { text: 'The wedding was perfect.', at: '2026-06-13', score: 3 },
      { text: 'We tried three cakes.', at: '2026-06-08' },
      { text: 'We looked at flats.', at: '2026-03-02' },
    ];
    expect(order('What did we do the week before the wedding?', memories)[0]).toBe(1);
  });

  it('a newer statement comes before the one it replaces, unless it is asked for how it was', () => {
    expect(order('Where do I live now?', [PARIS, BERLIN])).toEqual([1, 0]);
    expect(order('Where did I live before?', [PARIS, BERLIN])).toEqual([0, 1]);
    expect(
      order('Where did I live before?', [
        { ...PARIS, score: 0 },
        { ...BERLIN, score: 2 },
      ]),
    ).toEqual([0, 1]);
  });

  it.each([
    ['Where does Lena work?', 'Lena works at Bosch as a test engineer.', 'Lena started at Siemens today.'],
    ['Where do I live?', 'I live in Ghent.', 'We moved to Porto in spring.'],
    ['What do I think of sushi?', 'I love sushi.', 'I hate sushi.'],
  ])(
    '%s › the newer statement comes first, however it is told and however far behind it is',
    (question, older, newer) => {
      const memories = [
        { text: older, at: '2026-01-05', score: 2 },
        { text: newer, at: '2026-03-05', score: -12 },
      ];
      expect(order(question, memories)).toEqual([1, 0]);
      expect(adjustments(question, memories).get(0)).toMatchObject({ outdatedBy: 1 });
      expect(adjustments(question, memories).get(1)?.relevanceMin).toBeGreaterThan(0.07);
    },
  );

  it('asked for how it was before › the older statement comes first, and nothing is outdated', () => {
    const memories = [
      { text: 'I live in Ghent.', at: '2026-01-05', score: -6 },
      { text: 'I moved to Porto in spring.', at: '2026-03-05', score: 2 },
    ];
    expect(order('Where did I live before?', memories)).toEqual([0, 1]);
    expect([...adjustments('Where did I live before?', memories).values()].map((one) => one.outdatedBy)).toEqual([-1]);
  });

  it.each([
    ['What does Jan play?', 'Jan plays the trumpet.', "Jan doesn't play the piano."],
    ['What is Mia allergic to?', 'Mia is allergic to nuts.', 'Mia is not allergic to eggs.'],
  ])('%s › the denial of another thing replaces nothing', (question, stated, denial) => {
    for (const at of ['2026-01-05', '2026-05-05']) {
      const memories = [
        { text: stated, at: '2026-03-05' },
        { text: denial, at, score: 1 },
      ];
      expect(order(question, memories)).toEqual([0, 1]);
      expect(adjustments(question, memories).get(0)?.outdatedBy ?? -1).toBe(-1);
    }
  });

  it('of several statements that replace one another the newest comes first', () => {
    const memories = [
      { text: 'The gate code is 4411.', at: '2026-01-05', score: 1 },
      { text: 'The gate code is 5522 now.', at: '2026-03-05', score: 1 },
      { text: 'The gate code is 9027 now.', at: '2026-05-05' },
    ];
    expect(order('What is the gate code?', memories)[0]).toBe(2);
  });

  it.each<[string, Told]>([
    ['somebody else', { text: 'I moved from Paris to Rome.', at: '2026-10-01', speaker: 2 }],
    ['something else', { text: 'Paris is lovely in spring.', at: '2026-10-01' }],
  ])('a newer statement of %s replaces nothing', (_, newer) => {
    expect(order('Where do I live now?', [{ ...PARIS, speaker: newer.speaker === 2 ? 1 : -1 }, newer])).toEqual([0, 1]);
  });

  it('a fact that holds now comes before older statements with its words, however far behind it is', () => {
    const lyon = { text: "Hi, I'm Mia, I live in Lyon.", at: '2026-03-02', speaker: 1, score: 6 };
    const nantes = { text: 'Mia lives in Nantes.', at: '2026-05-01', isFact: true };
    const dog = { text: 'Mia lives for her dog.', at: '2026-09-01', speaker: 1, score: 5 };
    expect(order('Where does Mia live?', [lyon, nantes])).toEqual([1, 0]);
    expect(order('Where do I live?', [lyon, nantes])).toEqual([1, 0]);
    expect(order('Where does Mia live?', [lyon, nantes, dog])).toEqual([1, 0, 2]);
    expect(order('Where did Mia live?', [lyon, nantes])).toEqual([0, 1]);
    expect(order('Where does Mia work?', [lyon, nantes])).toEqual([0, 1]);
    expect(order('Where does Ada live?', [lyon, nantes])).toEqual([0, 1]);
    expect(order('Where does Mia live?', [lyon, { ...nantes, at: '2025-05-01' }])).toEqual([0, 1]);
  });

  it('a statement about another name replaces nothing', () => {
    const memories = [
      { text: "Maria's phone number is 555 0142.", at: '2026-01-15', score: 1 },
      { text: "Paolo's new phone number is 555 0333.", at: '2026-11-02' },
    ];
    expect(order('What is the phone number of Maria?', memories)).toEqual([0, 1]);
  });

  it('a cancellation comes before the plan', () => {
    const memories = [
      { text: 'I signed up for the half marathon on Sunday.', at: '2026-10-02', score: 1 },
      { text: 'The half marathon is off because of the storm.', at: '2026-11-21' },
    ];
    expect(order('Is the half marathon still on?', memories)).toEqual([1, 0]);
    expect(order('Did the half marathon take place?', memories)).toEqual([1, 0]);
  });

  it.each([
    [
      'Where does Tom work these days?',
      'Tom works at Siemens.',
      'Tom left Siemens and joined a small startup in Ghent.',
    ],
    ['Is Emma coming to dinner?', 'Emma said she will come to dinner.', "Emma can't make it to dinner after all."],
    [
      'Are lessons still on Thursdays?',
      'Swimming lessons are on Thursdays.',
      'Swimming lessons have been moved to Fridays.',
    ],
    ['What is our budget?', 'Our kitchen budget is 12,000.', 'We raised the kitchen budget to 15,000.'],
  ])('%s › the newer one, with another verb', (question, older, newer) => {
    const memories = [
      { text: older, at: '2026-10-01', score: 2 },
      { text: newer, at: '2026-11-01' },
    ];
    expect(order(question, memories)).toEqual([1, 0]);
  });

  it('a question for the time before a name returns the older one', () => {
    const memories = [
      { text: 'My violin teacher is Ms Blanc.', at: '2025-01-10' },
      { text: 'My violin teacher is Mr Ito now.', at: '2026-04-10', score: 2 },
    ];
    expect(order('Who was my teacher before Mr Ito?', memories)).toEqual([0, 1]);
  });

  it('a question for what is down does not return what is up', () => {
    const memories = [{ text: 'server db-1 status up', score: 1 }, { text: 'server db-3 status down' }];
    expect(order('Which server is down?', memories)).toEqual([1, 0]);
    expect(order('Which server is up?', memories)).toEqual([0, 1]);
  });

  it('a statement comes before a question that is hardly better', () => {
    const memories = [{ text: 'Where is the car parked?', score: 1 }, { text: 'It is on Birch Lane, by the church.' }];
    expect(order('Where is the car parked?', memories)).toEqual([1, 0]);
  });

  it('a question for a negated statement returns it', () => {
    const memories = [{ text: 'Lotte is coming on Saturday.', score: 0.5 }, { text: 'Finn is not able to come.' }];
    expect(order("Who can't come?", memories)).toEqual([1, 0]);
    expect(order('Who is coming?', memories)).toEqual([0, 1]);
  });

  it('a summary of a conversation comes behind messages that answer as well', () => {
    const summary = { text: 'A conversation of Ada and Ben. Topics: cello, lesson', isSummary: true };
    const message = { text: 'Ada plays the cello.', score: 1 };
    expect(order('Who plays the cello?', [{ ...summary, score: 4 }, message])).toEqual([1, 0]);
    expect(order('Who plays the cello?', [{ ...summary, score: 6 }, message])).toEqual([0, 1]);
  });

  it('a summary restates no message', () => {
    const summary = { text: 'I moved from Paris to Berlin.', at: '2026-09-03', score: 3, isSummary: true };
    expect(order('Where do I live now?', [summary, PARIS])).toEqual([1, 0]);
  });

  it('unchanged candidates are not reported', () => {
    const source = {
      textOf: () => 'Buy milk.',
      eventAtUs: () => NOW_US,
      speakerOf: () => -1,
      isByNamed: () => false,
      declaresStart: () => false,
      isSummary: () => false,
    };
    const hits = [{ sequence: 1, score: 1, isOpenQuestion: false }];
    expect(adjustmentsOf({ text: 'Who plays the cello?', nowUs: NOW_US }, hits, source).size).toBe(0);
  });
});

describe('timeFit', () => {
  const day = (iso: string) => ({ fromUs: at(iso), untilUs: at(iso) + 86_400_000_000 });

  it.each([
    ['made then', 'We met.', '2026-11-05T10:00:00Z', 1],
    ['made at another time', 'We met.', '2026-11-06T10:00:00Z', 0],
    ['tells of then', 'We met yesterday.', '2026-11-06T10:00:00Z', 1],
    ['made then and tells of another time', 'We met in 2024.', '2026-11-05T10:00:00Z', 0.4],
    ['tells of a longer time around', 'We met last week.', '2026-11-11T10:00:00Z', 0.5 + 0.5 / 7],
  ])('%s', (_, text, iso, expected) => {
    expect(timeFit([day('2026-11-05')], text, at(iso))).toBeCloseTo(expected);
  });

  it('nothing matches where no time is requested', () => {
    expect(timeFit([], 'We met.', NOW_US)).toBe(0);
  });
});
