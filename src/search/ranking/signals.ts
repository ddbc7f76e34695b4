import { TOKENS_END, type TokenTable } from '../embedding/static/token-table.ts';
import type { NamespaceColumns } from '../recall/namespace-columns.ts';
import type { AskedTexts, Cosines } from './asked-texts.ts';
import type { LaneScores, SessionTops } from './lane-scores.ts';
import { NearTokens } from './near-tokens.ts';
import type { Asked, WeightedToken } from './question.ts';
import type { RankedMemories } from './ranked-memories.ts';
import type { SoftMatches } from './soft-match.ts';
import { countOfParts, type DateParts, partsMet } from './text-agreement.ts';
import type { TokenSpans } from './token-index.ts';

/** A lane's score of a memory and of its neighbours in the session; 0 where there is none. */
export interface Around {
  readonly own: number;
  readonly previous: number;
  readonly next: number;
  /** Mean of the session's best three. */
  readonly session: number;
  /** Of the lane as a whole, to compare with. */
  readonly best: number;
  readonly mean: number;
  readonly deviation: number;
}

/** All that the features see of one candidate. */
export interface Signals {
  /** BM25 of body, speaker and date. */
  readonly keyword: Around;
  /** Keyword score with session context, as `session-context.ts` computes it. */
  readonly context: { readonly own: number; readonly best: number };
  readonly maxSim: Around;
  readonly window: Around;
  readonly cosine: Pick<Around, 'own' | 'best' | 'mean' | 'deviation'>;
  /** Cosine of the sentence encoder. */
  readonly meaning: number;
  readonly match: TokenMatch;
  /** `match.focus` of the memory before. */
  readonly focusPrevious: number;
  /** Soft match with tokens that the first hits contain and the question does not. */
  readonly echo: number;
  readonly echoWindow: number;
  /** Bits of `memory-traits.ts`. */
  readonly traits: number;
  readonly previousTraits: number;
  readonly tokenCount: number;
  readonly previousTokenCount: number;
  /** The question names a speaker at all; this memory's speaker. */
  readonly namesSomebody: boolean;
  readonly isBySomebodyNamed: boolean;
  /** Parts of a date (day, month, year) that the question names, and how many of them are this memory's. */
  readonly datePartsAsked: number;
  readonly datePartsMet: number;
  readonly meanTokenCount: number;
  readonly isTimeAsked: boolean;
  readonly queryTokenCount: number;
}

export function scoreIn({ values }: Pick<LaneScores, 'values'>, sequence: number): number {
  return values[sequence] ?? 0;
}

/** Writes into `to` all but the lane's own numbers; see `laneNumbers`. */
function readAround(
  to: Writable<Around>,
  { values }: Pick<LaneScores, 'values'>,
  tops: SessionTops | undefined,
  { sequence, previous, next, session }: Whereabouts,
): void {
  to.own = values[sequence] ?? 0;
  to.previous = previous < 0 ? 0 : (values[previous] ?? 0);
  to.next = next < 0 ? 0 : (values[next] ?? 0);
  to.session = tops?.mean(session) ?? 0;
}

/** The part that is the same for every candidate. */
function aroundNothing({ best, mean, deviation }: Pick<Around, 'best' | 'mean' | 'deviation'>): Writable<Around> {
  return { own: 0, previous: 0, next: 0, session: 0, best, mean, deviation };
}

/** A candidate and its neighbours; -1 where there is none. */
interface Whereabouts {
  readonly sequence: number;
  readonly previous: number;
  readonly next: number;
  readonly session: number;
}

/** The findings for one question, by candidate or as a whole. */
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
    signals.datePartsMet =
      signals.datePartsAsked === 0 ? 0 : partsMet(found.date, asked.zone.wallUs(columns.eventAtUs(sequence)));
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

/** How the tokens of a question and of one memory meet, beyond the sum that MaxSim is. */
interface TokenMatch {
  /** Share of the question's weight whose very token is there. */
  readonly exactShare: number;
  /** Share of the memory's own tokens, weighed by rarity, that the question asks for. */
  readonly focus: number;
  /** Share of the question's pairs of consecutive tokens that occur close together. */
  readonly phrases: number;
  /**
   * Share of the question that is present in these or similar words, and its heaviest missing word: words are weighted
   * by their rarity in English.
   */
  readonly covered: number;
  readonly missed: number;
}

/** Tokens at most this far apart are close together. */
const CLOSE_MAX = 4;
const SAME_MIN = 0.999;

type MatchedMemories = Pick<RankedMemories, 'tokens' | 'weightOf'>;

/** Compares a few hundred memories token by token. One instance serves one thread. */
export class TokenMatcher {
  private readonly near: NearTokens;
  /** Place of each vocabulary token in the question, from 1; 0 for all others. */
  private readonly places: Uint16Array;
  private best = new Float32Array(0);
  /** By position in the question: its last occurrence, and whether that was close to the next token. */
  private last = new Int32Array(0);
  private close = new Uint8Array(0);
  private query: readonly WeightedToken[] = [];
  private weights = new Float64Array(0);
  private total = 1;
  private rarities = new Float64Array(0);
  private readonly table: TokenTable;

  constructor(table: TokenTable) {
    this.table = table;
    this.near = new NearTokens(table);
    this.places = new Uint16Array(TOKENS_END);
  }

  /** Sets the tokens to compare memories with; valid until the next call. */
  ask(query: readonly WeightedToken[]): void {
    const { query: former, places } = this;
    for (const { token } of former) places[token] = 0;
    query.forEach(({ token }, at) => {
      places[token] = at + 1;
    });
    this.query = query;
    this.near.ask(query.map(({ token }) => token));
    this.total = query.reduce((sum, { weight }) => sum + weight, 0) || 1;
    this.weights = Float64Array.from(query, ({ weight }) => weight);
    this.rarities = Float64Array.from(query, ({ token }) => (this.table.poolingWeights[token] ?? 0) ** 2);
    this.best = new Float32Array(query.length);
    this.last = new Int32Array(query.length + 2);
    this.close = new Uint8Array(query.length + 2);
  }

  /** Writes into `match`. */
  read(memories: MatchedMemories, sequence: number, match: Writable<TokenMatch>): void {
    const { best, weights } = this;
    match.focus = this.focusOf(memories, sequence);
    const { rarities } = this;
    let [exact, pairs, there, missed, rarity] = [0, 0, 0, 0, 0];
    let isLastSame = false;
    for (let at = 0; at < weights.length; at++) {
      const near = best[at] as number;
      const isSame = near >= SAME_MIN;
      const rare = rarities[at] as number;
      rarity += rare;
      there += rare * near;
      if (rare * (1 - near) > missed) missed = rare * (1 - near);
      if (isSame) exact += weights[at] as number;
      if (isSame && isLastSame) pairs++;
      isLastSame = isSame;
    }
    match.exactShare = exact / this.total;
    match.covered = rarity > 0 ? there / rarity : 0;
    match.missed = missed;
    match.phrases = pairs === 0 ? 0 : this.phrasesOf(memories.tokens.spans, sequence);
  }

  /** Focus alone; see `TokenMatch`. */
  focusOf(memories: MatchedMemories, sequence: number): number {
    const weight = memories.weightOf(sequence);
    const asked = this.near.compare(memories.tokens.spans, sequence, this.best);
    return weight > 0 ? asked / weight : 0;
  }

  private phrasesOf({ pool, starts, lengths }: TokenSpans, sequence: number): number {
    const { places, weights } = this;
    const last = this.last.fill(-CLOSE_MAX - 1);
    const close = this.close.fill(0);
    const start = starts[sequence] as number;
    const length = lengths[sequence] as number;
    for (let i = 0; i < length; i++) {
      const place = places[pool[start + i] as number] as number;
      if (place === 0) continue;
      last[place] = i;
      if (i - (last[place - 1] as number) <= CLOSE_MAX && place > 1) close[place - 1] = 1;
      if (i - (last[place + 1] as number) <= CLOSE_MAX) close[place] = 1;
    }
    let pairs = 0;
    for (let place = 1; place < weights.length; place++) pairs += close[place] as number;
    return pairs / (weights.length - 1);
  }
}

/** The same with fields that can be written, for objects that are filled again and again. */
type Writable<T> = { -readonly [K in keyof T]: T[K] };
