import { describe, expect, it } from '@jest/globals';
import { FEATURES } from '../../../src/search/ranking/learned-ranker.ts';
import * as traits from '../../../src/search/ranking/ranked-memories.ts';
import type { Around, Signals } from '../../../src/search/ranking/signals.ts';

const NOTHING: Around = {
  own: 0,
  previous: 0,
  next: 0,
  session: 0,
  best: 0,
  mean: 0,
  deviation: 0,
};
/** Shares are tenths of 8; standardized they are (x - 2) / 2. */
const LANE: Around = {
  own: 8,
  previous: 4,
  next: 2,
  session: 6,
  best: 8,
  mean: 2,
  deviation: 2,
};
const NO_MATCH = { exactShare: 0, focus: 0, phrases: 0, covered: 0, missed: 0 };

const none: Signals = {
  keyword: NOTHING,
  context: { own: 0, best: 0 },
  maxSim: NOTHING,
  window: NOTHING,
  cosine: NOTHING,
  meaning: 0,
  match: NO_MATCH,
  focusPrevious: 0,
  echo: 0,
  echoWindow: 0,
  traits: 0,
  previousTraits: 0,
  tokenCount: 0,
  previousTokenCount: 0,
  namesSomebody: false,
  isBySomebodyNamed: false,
  datePartsAsked: 0,
  datePartsMet: 0,
  meanTokenCount: 0,
  isTimeAsked: false,
  queryTokenCount: 0,
};

const all: Signals = {
  keyword: LANE,
  context: { own: 3, best: 4 },
  maxSim: LANE,
  window: LANE,
  cosine: LANE,
  meaning: 0.3,
  match: { exactShare: 0.1, focus: 0.4, phrases: 0.5, covered: 0, missed: 0 },
  focusPrevious: 0.6,
  echo: 0.7,
  echoWindow: 0.8,
  traits: 255,
  previousTraits: 255,
  tokenCount: 19,
  previousTokenCount: 0,
  namesSomebody: true,
  isBySomebodyNamed: false,
  datePartsAsked: 3,
  datePartsMet: 1,
  meanTokenCount: 9,
  isTimeAsked: true,
  queryTokenCount: 5,
};

function featureOf(name: string, signals: Signals): number {
  const feature = FEATURES.find((one) => one.name === name);
  if (!feature) throw new Error(`no feature "${name}"`);
  return feature.of(signals);
}

const SHARES = { '': 1, ' previous': 0.5, ' next': 0.25, ' session': 0.75 };
const STANDARDS = { '': 3, ' previous': 1, ' next': 0, ' session': 2 };

const EXPECTED: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ['keyword', 'maxSim', 'window', 'cosine'].flatMap((lane) => [
      ...Object.entries(SHARES).map(([place, value]) => [`${lane} share${place}`, value] as const),
      ...Object.entries(STANDARDS).map(([place, value]) => [`${lane}${place}`, value] as const),
    ]),
  ),
  'context share': 0.75,
  meaning: 0.3,
  coverage: 8,
  'exact share': 0.1,
  focus: 0.4,
  phrases: 0.5,
  'focus previous': 0.6,
  echo: 0.7,
  'echo window': 0.8,
  'other speaks': 1,
  'follows question': 1,
  length: Math.log(20),
  'length of mean': Math.log(2),
  'length previous': 0,
  'tells time': 1,
  'tells number': 1,
  'speaks to other': 1,
  'names something': 1,
  'speaks of self': 1,
  reacts: 1,
  'is list': 1,
  'when x time': 1,
  'dates asked': 3,
  'dates missed': 2,
  'query tokens': 5,
};

describe('FEATURES', () => {
  it.each(FEATURES.map(({ name }) => name))('%s', (name) => {
    expect(featureOf(name, all)).toBeCloseTo(EXPECTED[name] ?? Number.NaN, 6);
    expect(featureOf(name, none)).toBeCloseTo(0, 12);
  });

  it('have distinct names', () => {
    expect(new Set(FEATURES.map(({ name }) => name)).size).toBe(FEATURES.length);
  });

  it('report whether the speaker is the one named', () => {
    const named = { ...all, isBySomebodyNamed: true };
    expect(featureOf('other speaks', named)).toBe(0);
    expect(featureOf('other speaks', { ...all, namesSomebody: false })).toBe(0);
  });

  it('ask for the one trait they are named after', () => {
    expect(featureOf('tells time', { ...none, traits: traits.TELLS_TIME })).toBe(1);
    expect(featureOf('when x time', { ...all, isTimeAsked: false })).toBe(0);
    expect(featureOf('tells time', { ...none, traits: 255 & ~traits.TELLS_TIME })).toBe(0);
  });
});
