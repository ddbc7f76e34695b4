import {
  ASKS,
  IS_LIST,
  NAMES_SOMETHING,
  REACTS,
  SPEAKS_OF_SELF,
  SPEAKS_TO_OTHER,
  TELLS_NUMBER,
  TELLS_TIME,
} from './memory-traits.ts';
import type { Around, Signals } from './signals.ts';

export interface Feature {
  readonly name: string;
  of(signals: Signals): number;
}

function ofBest(value: number, { best }: { readonly best: number }): number {
  return best > 0 ? value / best : 0;
}

function standardized({ own, mean, deviation }: Pick<Around, 'own' | 'mean' | 'deviation'>): number {
  return deviation > 0 ? (own - mean) / deviation : 0;
}

function has(traits: number, bit: number): number {
  return (traits & bit) === 0 ? 0 : 1;
}

const PLACE_NAMES = { own: '', previous: ' previous', next: ' next', session: ' session' } as const;

function shares(lane: 'keyword' | 'maxSim' | 'window', places: readonly (keyof typeof PLACE_NAMES)[]): Feature[] {
  return places.map((place) => ({
    name: `${lane} share${PLACE_NAMES[place]}`,
    of: (s) => ofBest(s[lane][place], s[lane]),
  }));
}

export const FEATURES: readonly Feature[] = [
  ...shares('keyword', ['previous', 'next', 'session']),
  { name: 'context share', of: (s) => ofBest(s.context.own, s.context) },
  { name: 'maxSim', of: (s) => standardized(s.maxSim) },
  ...shares('maxSim', ['previous', 'next']),
  { name: 'window', of: (s) => standardized(s.window) },
  ...shares('window', ['own', 'previous', 'session']),
  { name: 'cosine', of: (s) => standardized(s.cosine) },
  { name: 'meaning', of: (s) => s.meaning },
  { name: 'coverage', of: (s) => s.maxSim.own },
  { name: 'exact share', of: (s) => s.match.exactShare },
  { name: 'focus', of: (s) => s.match.focus },
  { name: 'phrases', of: (s) => s.match.phrases },
  { name: 'focus previous', of: (s) => s.focusPrevious },
  { name: 'echo', of: (s) => s.echo },
  { name: 'echo window', of: (s) => s.echoWindow },
  { name: 'other speaks', of: (s) => Number(s.namesSomebody && !s.isBySomebodyNamed) },
  { name: 'follows question', of: (s) => has(s.previousTraits, ASKS) },
  { name: 'length', of: (s) => Math.log(1 + s.tokenCount) },
  { name: 'length of mean', of: (s) => Math.log((1 + s.tokenCount) / (1 + s.meanTokenCount)) },
  { name: 'length previous', of: (s) => Math.log(1 + s.previousTokenCount) },
  { name: 'tells time', of: (s) => has(s.traits, TELLS_TIME) },
  { name: 'tells number', of: (s) => has(s.traits, TELLS_NUMBER) },
  { name: 'speaks to other', of: (s) => has(s.traits, SPEAKS_TO_OTHER) },
  { name: 'names something', of: (s) => has(s.traits, NAMES_SOMETHING) },
  { name: 'speaks of self', of: (s) => has(s.traits, SPEAKS_OF_SELF) },
  { name: 'reacts', of: (s) => has(s.traits, REACTS) },
  { name: 'is list', of: (s) => has(s.traits, IS_LIST) },
  { name: 'when x time', of: (s) => Number(s.isTimeAsked) * has(s.traits, TELLS_TIME) },
  { name: 'dates asked', of: (s) => s.datePartsAsked },
  { name: 'dates missed', of: (s) => s.datePartsAsked - s.datePartsMet },
  { name: 'query tokens', of: (s) => s.queryTokenCount },
];
