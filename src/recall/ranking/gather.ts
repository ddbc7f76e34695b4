import { PooledVector } from '../../embedding/static/pooled-vector.ts';
import type { TokenTable } from '../../embedding/static/token-table.ts';
import type { WordPiece } from '../../embedding/static/word-piece.ts';
import { wordsOf } from '../../memory/words.ts';
import type { NamespaceColumns } from '../namespace-columns.ts';
import type { SequenceScores } from '../sequence-scores.ts';
import { cosinesOf } from './cosine-lane.ts';
import { countOfParts, datePartsOf, partsMet } from './date-parts.ts';
import { bestOf, type LaneScores, laneOf } from './lane-scores.ts';
import { asksWhen, contentWordsOf, weightedTokensOf } from './question.ts';
import type { RankedMemories } from './ranked-memories.ts';
import { SecondLook } from './second-look.ts';
import { SessionTops } from './session-tops.ts';
import { around, type Signals, scoreIn } from './signals.ts';
import { SoftMatcher } from './soft-match.ts';
import { TokenMatcher } from './token-matches.ts';

/** Best of each lane that become candidates. */
export const LANE_CANDIDATES = 100;
/** Memories up to which the pooled vectors of all are looked at. */
const NEAREST_MAX = 5000;
const NO_MATCH = { exactShare: 0, strongest: 0, focus: 0, phrases: 0 };

export interface Asked {
  readonly text: string;
  /** BM25 by sequence: of body and meta, and with what sessions say. */
  readonly keyword: SequenceScores;
  readonly context: SequenceScores;
  readonly keywordCeiling: number;
  /** Words of speakers' names, and the speakers whom the question names. */
  readonly names: ReadonlySet<string>;
  readonly named: ReadonlySet<number>;
  readonly isPerson: (speaker: number) => boolean;
  /** Absent where every memory is. */
  readonly isAllowed?: ((sequence: number) => boolean) | undefined;
}

export interface Gathered {
  readonly sequences: readonly number[];
  readonly signals: readonly Signals[];
}

/** Finds the candidates of a question and all that the features see of each. One instance serves one thread. */
export class SignalGatherer {
  private readonly tokenizer: WordPiece;
  private readonly soft: SoftMatcher;
  private readonly matcher: TokenMatcher;
  private readonly pooled: PooledVector;
  private readonly second: SecondLook;
  private readonly nowhere: Float32Array;
  private readonly tops = { keyword: new SessionTops(), maxSim: new SessionTops(), window: new SessionTops() };

  constructor(table: TokenTable, tokenizer: WordPiece) {
    this.tokenizer = tokenizer;
    this.soft = new SoftMatcher(table);
    this.matcher = new TokenMatcher(table);
    this.pooled = new PooledVector(table, tokenizer);
    this.second = new SecondLook(table);
    this.nowhere = new Float32Array(table.dimensions);
  }

  gather(asked: Asked, memories: RankedMemories, columns: NamespaceColumns): Gathered {
    const words = wordsOf(asked.text);
    const content = contentWordsOf(words, asked.names);
    const query = weightedTokensOf(content, this.tokenizer, memories.tokens);
    const soft = this.soft.match(query, memories.tokens, columns);
    const context = laneOf(asked.context.values, asked.context.found, columns.size);
    const keyword = laneOf(asked.keyword.values, asked.keyword.found, columns.size);
    const meaning = this.pooled.ofText(content.join(' ')) ?? this.nowhere;
    const near = columns.size <= NEAREST_MAX ? memories.vectors.nearest(meaning, LANE_CANDIDATES, asked.isAllowed) : [];
    const sequences = candidatesOf([context, keyword, soft.own, soft.window], near, asked);
    const cosine = cosinesOf(memories.vectors, meaning, sequences);
    const { tops } = this;
    tops.keyword.read(keyword, columns);
    tops.maxSim.read(soft.own, columns);
    tops.window.read(soft.window, columns);
    const matches = this.matcher.match(
      query,
      sequences.map((sequence) => memories.tokens.tokensOf(sequence)),
    );
    const places = new Map(sequences.map((sequence, place) => [sequence, place]));
    const before = sequences.map((sequence) => columns.neighbor(sequence, -1));
    const second = this.second.look(sequences, query, [context, soft.own, soft.window], memories);
    const isTimeAsked = asksWhen(asked.text);
    const date = datePartsOf(words);
    const echoOf = (sequence: number): number => second.echoes[places.get(sequence) ?? -1] ?? 0;
    const signals = sequences.map((sequence, place): Signals => {
      const previous = before[place] ?? -1;
      const next = columns.neighbor(sequence, 1);
      const speaker = columns.speakerOf(sequence);
      return {
        keyword: around(keyword, sequence, columns, tops.keyword),
        context: { own: scoreIn(context, sequence), best: context.best },
        keywordCeiling: asked.keywordCeiling,
        maxSim: around(soft.own, sequence, columns, tops.maxSim),
        window: around(soft.window, sequence, columns, tops.window),
        cosine: { own: cosine.values[place] ?? 0, best: cosine.best, mean: cosine.mean, deviation: cosine.deviation },
        match: matches[place] ?? NO_MATCH,
        focusPrevious: previous < 0 ? 0 : this.matcher.focusOf(memories.tokens.tokensOf(previous)),
        echo: echoOf(sequence),
        echoWindow: Math.max(echoOf(sequence), echoOf(previous), echoOf(next)),
        nearFirst: second.near[place] ?? 0,
        traits: memories.traitsOf(sequence),
        previousTraits: previous < 0 ? 0 : memories.traitsOf(previous),
        tokenCount: memories.tokens.lengthOf(sequence),
        previousTokenCount: previous < 0 ? 0 : memories.tokens.lengthOf(previous),
        namesSomebody: asked.named.size > 0,
        isBySomebodyNamed: asked.named.has(speaker),
        isByPerson: asked.isPerson(speaker),
        datePartsAsked: countOfParts(date),
        datePartsMet: partsMet(date, columns.eventAtUs(sequence)),
        meanTokenCount: memories.meanTokenCount,
        isTimeAsked,
        queryTokenCount: query.length,
      };
    });
    return { sequences, signals };
  }
}

function candidatesOf(lanes: readonly LaneScores[], near: readonly number[], { isAllowed }: Asked): number[] {
  const found = new Set<number>(near);
  for (const lane of lanes) for (const sequence of bestOf(lane, LANE_CANDIDATES, isAllowed)) found.add(sequence);
  return [...found].sort((a, b) => a - b);
}
