import type { NamespaceColumns } from '../namespace-columns.ts';
import type { AskedTexts } from './asked-texts.ts';
import type { Cosines } from './cosine-lane.ts';
import { countOfParts, type DateParts, partsMet } from './date-parts.ts';
import type { LaneScores } from './lane-scores.ts';
import type { Asked } from './question.ts';
import type { SessionTops } from './session-tops.ts';
import { type Around, aroundNothing, readAround, type Signals, scoreIn, type Whereabouts } from './signals.ts';
import type { SoftMatches } from './soft-match.ts';
import type { TokenMatcher } from './token-matches.ts';
import type { Writable } from './writable.ts';

/** What was found for one question, candidate by candidate or as a whole. */
export interface Findings {
  readonly asked: Asked;
  readonly texts: AskedTexts;
  readonly columns: NamespaceColumns;
  readonly sequences: readonly number[];
  readonly keyword: LaneScores;
  readonly context: LaneScores;
  readonly soft: SoftMatches;
  readonly tops: { readonly keyword: SessionTops; readonly window: SessionTops };
  readonly cosine: Cosines;
  /** By place in `sequences`; see `echoesOf`. */
  readonly echoes: Float32Array;
  /** Cosines of the sentence encoder, by place in `sequences`. */
  readonly meanings: Float32Array;
  /** Asked already. */
  readonly matcher: TokenMatcher;
  readonly date: DateParts;
  readonly isTimeAsked: boolean;
  readonly queryTokenCount: number;
}

type Scratch = Writable<Omit<Signals, 'keyword' | 'maxSim' | 'window' | 'cosine' | 'match' | 'context'>> & {
  readonly keyword: Writable<Around>;
  readonly maxSim: Writable<Around>;
  readonly window: Writable<Around>;
  readonly cosine: Writable<Signals['cosine']>;
  readonly context: Writable<Signals['context']>;
  readonly match: Writable<Signals['match']>;
};

/** Signals of one candidate after the other, in one object: hundreds of them are read for each question. */
export class SignalReader {
  private readonly found: Findings;
  private readonly signals: Scratch;
  private readonly at: Writable<Whereabouts> = { sequence: 0, previous: -1, next: -1, session: -1 };
  private readonly placeOf: ReadonlyMap<number, number>;

  constructor(found: Findings) {
    const { sequences, keyword, soft, cosine, context, asked, texts, date } = found;
    this.found = found;
    this.placeOf = new Map(sequences.map((sequence, place) => [sequence, place]));
    this.signals = {
      keyword: aroundNothing(keyword),
      context: { own: 0, best: context.best },
      maxSim: aroundNothing(soft.own),
      window: aroundNothing(soft.window),
      cosine: { own: 0, best: cosine.best, mean: cosine.mean, deviation: cosine.deviation },
      match: { exactShare: 0, focus: 0, phrases: 0, covered: 0, missed: 0 },
      meaning: 0,
      focusPrevious: 0,
      echo: 0,
      echoWindow: 0,
      traits: 0,
      previousTraits: 0,
      tokenCount: 0,
      previousTokenCount: 0,
      namesSomebody: asked.named.size > 0,
      isBySomebodyNamed: false,
      datePartsAsked: countOfParts(date),
      datePartsMet: 0,
      meanTokenCount: texts.meanTokenCount,
      isTimeAsked: found.isTimeAsked,
      queryTokenCount: found.queryTokenCount,
    };
  }

  /** Good until the next call. */
  read(row: number): Signals {
    const { signals, at, found } = this;
    const { asked, texts, columns, keyword, context, soft, tops, matcher } = found;
    const sequence = found.sequences[row] as number;
    at.sequence = sequence;
    at.previous = columns.neighbor(sequence, -1);
    at.next = columns.neighbor(sequence, 1);
    at.session = columns.sessionOf(sequence);
    const { previous } = at;
    readAround(signals.keyword, keyword, tops.keyword, at);
    readAround(signals.maxSim, soft.own, undefined, at);
    readAround(signals.window, soft.window, tops.window, at);
    signals.context.own = scoreIn(context, sequence);
    signals.cosine.own = found.cosine.values[row] as number;
    const own = texts.rankedOf(sequence);
    const place = texts.placeOf(sequence);
    matcher.read(own, place, signals.match);
    signals.meaning = found.meanings[row] ?? 0;
    signals.echo = found.echoes[row] as number;
    signals.echoWindow = Math.max(signals.echo, this.echoOf(previous), this.echoOf(at.next));
    signals.traits = own.traitsOf(place);
    signals.tokenCount = own.tokens.lengthOf(place);
    this.readPrevious(previous);
    const speaker = columns.speakerOf(sequence);
    signals.isBySomebodyNamed = asked.named.has(speaker);
    signals.datePartsMet = signals.datePartsAsked === 0 ? 0 : partsMet(found.date, columns.eventAtUs(sequence));
    return signals;
  }

  private readPrevious(sequence: number): void {
    const { signals } = this;
    const { texts, matcher } = this.found;
    const previous = texts.rankedOf(sequence);
    const place = texts.placeOf(sequence);
    signals.focusPrevious = sequence < 0 ? 0 : matcher.focusOf(previous, place);
    signals.previousTraits = sequence < 0 ? 0 : previous.traitsOf(place);
    signals.previousTokenCount = sequence < 0 ? 0 : previous.tokens.lengthOf(place);
  }

  private echoOf(sequence: number): number {
    const place = this.placeOf.get(sequence);
    return place === undefined ? 0 : (this.found.echoes[place] as number);
  }
}
