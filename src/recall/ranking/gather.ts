import { PooledVector } from '../../embedding/static/pooled-vector.ts';
import type { TokenTable } from '../../embedding/static/token-table.ts';
import type { WordPiece } from '../../embedding/static/word-piece.ts';
import { wordsOf } from '../../memory/words.ts';
import type { NamespaceColumns } from '../namespace-columns.ts';
import { cosinesOf } from './cosine-lane.ts';
import { datePartsOf } from './date-parts.ts';
import { bestOf, type LaneScores, laneOf } from './lane-scores.ts';
import { type Asked, asksWhen, contentWordsOf, weightedTokensOf } from './question.ts';
import type { RankedMemories } from './ranked-memories.ts';
import { SecondLook } from './second-look.ts';
import { SessionTops } from './session-tops.ts';
import { SignalReader } from './signal-reader.ts';
import { SoftMatcher } from './soft-match.ts';
import { TokenMatcher } from './token-matches.ts';

/** Best of each lane that become candidates. */
export const LANE_CANDIDATES = 100;
/** Memories up to which the pooled vectors of all are looked at. */
const NEAREST_MAX = 5000;

export interface Gathered {
  readonly sequences: readonly number[];
  /** By place in `sequences`. */
  readonly reader: SignalReader;
}

/** Finds the candidates of a question and all that the features see of each. One instance serves one thread. */
export class SignalGatherer {
  private readonly tokenizer: WordPiece;
  private readonly soft: SoftMatcher;
  private readonly matcher: TokenMatcher;
  private readonly pooled: PooledVector;
  private readonly second: SecondLook;
  private readonly nowhere: Float32Array;
  private readonly tops = { keyword: new SessionTops(), window: new SessionTops() };

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
    const sessions = sessionsOf(sequences, columns);
    tops.keyword.readOnly(sessions, keyword, columns);
    tops.window.readOnly(sessions, soft.window, columns);
    this.matcher.ask(query);
    const echoes = this.second.look(sequences, query, [context, soft.own, soft.window], memories);
    const reader = new SignalReader({
      asked,
      memories,
      columns,
      sequences,
      keyword,
      context,
      soft,
      tops,
      cosine,
      echoes,
      matcher: this.matcher,
      date: datePartsOf(words),
      isTimeAsked: asksWhen(asked.text),
      queryTokenCount: query.length,
    });
    return { sequences, reader };
  }
}

function candidatesOf(lanes: readonly LaneScores[], near: readonly number[], { isAllowed }: Asked): number[] {
  const found = new Set<number>(near);
  for (const lane of lanes) for (const sequence of bestOf(lane, LANE_CANDIDATES, isAllowed)) found.add(sequence);
  return [...found].sort((a, b) => a - b);
}

function sessionsOf(sequences: readonly number[], columns: NamespaceColumns): ReadonlySet<number> {
  const sessions = new Set<number>();
  for (const sequence of sequences) sessions.add(columns.sessionOf(sequence));
  sessions.delete(-1);
  return sessions;
}
